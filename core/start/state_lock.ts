/**
 * Keeps a restore away from processes that serve. The system releases the lock when its holder ends.
 *
 * @module
 */

import { join } from "node:path";
import { messageIn, ServiceError } from "@/core/errors.ts";
import { keepOwner } from "@/core/storage/shared_file.ts";

/**
 * Marks the state directory as in use until disposed of. Several processes may serve
 * from it. Throws during a restore.
 */
export function holdState(state: string): Disposable {
  return lock(state, { alone: false, refusal: "a restore is under way" });
}

/** Has the state directory alone until disposed of. Throws while a process serves from it. */
export async function takeState(state: string): Promise<Disposable> {
  const held = lock(state, { alone: true, refusal: "the service is running; stop it first" });
  await keepOwner(join(state, FILE), state);
  return held;
}

const FILE = "serving.lock";

function lock(state: string, { alone, refusal }: { readonly alone: boolean; readonly refusal: string }) {
  const file = Deno.openSync(join(state, FILE), { write: true, create: true, mode: 0o600 });
  try {
    // Throws on a file system without locks.
    if (file.tryLockSync(alone)) return file;
    throw new Error(refusal);
  } catch (cause) {
    file.close();
    throw new ServiceError("internal", `Cannot use "${state}": ${messageIn(cause)}`, { cause });
  }
}
