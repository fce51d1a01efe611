/**
 * Creates the session service from the settings.
 *
 * @module
 */

import type { Settings } from "@/config/settings.ts";
import type { Log } from "@/plugins/contract.ts";
import { createCookieStore } from "./cookie_store.ts";
import { openFileStore } from "./file_store.ts";
import { createFingerprints } from "./fingerprint.ts";
import { createMemcachedStore } from "./memcached_store.ts";
import { sessionPolicy } from "./lifetimes.ts";
import type { DeriveSecrets } from "./secret.ts";
import { Sessions, type SessionsOptions } from "./sessions.ts";
import type { SessionStore } from "./store.ts";

/** The services that sessions use. */
export interface SessionSurroundings extends Pick<SessionsOptions, "findUser" | "now"> {
  readonly refreshUsers?: SessionsOptions["refreshUsers"] | undefined;
  readonly settings: Settings;
  readonly secrets: DeriveSecrets;
  readonly log: Log;
}

/** Creates the directories of a file store; a shared cache is first used for the first session. */
export async function openSessions(surroundings: SessionSurroundings): Promise<Sessions> {
  const { settings, secrets, findUser, refreshUsers, now } = surroundings;
  return new Sessions({
    store: await openStore(surroundings),
    policy: sessionPolicy(settings),
    fingerprints: createFingerprints(secrets("fingerprint")),
    findUser,
    ...(refreshUsers === undefined ? {} : { refreshUsers }),
    now,
  });
}

async function openStore({ settings, secrets, log, now }: SessionSurroundings): Promise<SessionStore> {
  const type = settings["session.type"];
  switch (type) {
    case "cookie":
      return createCookieStore(secrets("cookie"));
    case "file":
      return await openFileStore({
        dataDirectory: settings["session.data_dir"],
        lockDirectory: settings["session.lock_dir"],
        now,
        log,
      });
    case "ext:memcached": {
      const address = settings["session.url"];
      if (address === undefined) throw new Error("session.url is not set");
      const { createSharedCache } = await import("@/core/storage/shared_cache.ts");
      const cache = createSharedCache({ address, log, purpose: "sessions" });
      return createMemcachedStore({ cache, now, absolute: sessionPolicy(settings).absolute });
    }
    default:
      return type satisfies never;
  }
}
