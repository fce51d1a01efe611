/**
 * Names that may be used only once, such as the id of an identity provider's answer.
 *
 * @module
 */

import { hash } from "node:crypto";
import { join } from "node:path";
import { runningLog } from "@/core/base/named_log.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Log, SharedCache } from "@/plugins/contract.ts";
import { ifThere, inDirectory, namesIn, removeIfThere } from "./shared_file.ts";

/**
 * True the first time a name is used; it is remembered for the given seconds, one day at most. Throws a
 * {@link ServiceError} `unavailable` while names cannot be remembered.
 */
export type OneTime = (name: string, seconds: number) => Promise<boolean>;

const DAY = 86_400;
/** Milliseconds between two searches for expired files. */
const SWEEP_EVERY = 600_000;

/** Names in the cache that all nodes share: a node that cannot reach it refuses. */
export function sharedOneTime(cache: SharedCache): OneTime {
  return (name, seconds) =>
    cache.add(`once:${hash("sha256", name)}`, "1", { seconds: Math.min(seconds, DAY) });
}

/**
 * Names in files, which all workers share, for a day. Makes the directory. `now`: milliseconds since 1970.
 */
export async function openOneTime(directory: string, now: () => number, log: Log): Promise<OneTime> {
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  let sweepAt = now();
  return async (name) => {
    try {
      if (now() >= sweepAt) {
        sweepAt = now() + SWEEP_EVERY;
        await sweep(directory, now() - DAY * 1000);
      }
      return await isNew(directory, hash("sha256", name));
    } catch (cause) {
      runningLog(log).error("It cannot be noted that a login was used", cause);
      throw new ServiceError("unavailable", "Logins are not available at the moment: try again later", {
        cause,
      });
    }
  };
}

/** If several processes create the file at the same moment, the system lets one succeed. */
async function isNew(directory: string, file: string): Promise<boolean> {
  const options = { createNew: true, mode: 0o600 };
  try {
    await inDirectory(directory, () => Deno.writeTextFile(join(directory, file), "", options));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

async function sweep(directory: string, before: number): Promise<void> {
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    const made = (await ifThere(Deno.stat(path)))?.mtime?.getTime() ?? Infinity;
    if (made < before) await removeIfThere(path);
  }
}
