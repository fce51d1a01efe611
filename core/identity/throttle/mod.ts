/**
 * Creates the throttle from the settings.
 *
 * @module
 */

import { join } from "node:path";
import type { Settings } from "@/config/settings.ts";
import type { Log } from "@/plugins/contract.ts";
import type { Audit } from "@/core/storage/audit.ts";
import { openBucketFile } from "./bucket_file.ts";
import type { DeriveSecrets } from "@/core/identity/sessions/secret.ts";
import { createSharedBuckets } from "./bucket_cache.ts";
import { Throttle } from "./throttle.ts";

/** The services that the throttle uses. */
export interface ThrottleSurroundings {
  readonly settings: Settings;
  /** The state directory: workers that share it share the counts. */
  readonly state: string;
  readonly secrets: DeriveSecrets;
  readonly log: Log;
  readonly audit: Audit;
  /** Milliseconds since 1970. */
  now(): number;
}

const MINUTE = 60_000;

/** Counts in a file of the state directory and, with a shared cache, for all nodes together. */
export async function openThrottle(surroundings: ThrottleSurroundings): Promise<Throttle> {
  const { settings, state, secrets, log, audit, now } = surroundings;
  const limits = {
    burst: settings["login_throttle.burst"],
    interval: MINUTE / settings["login_throttle.rate"],
  };
  const key = secrets("throttle").current;
  const file = await openBucketFile({ path: join(state, "throttle"), key, log, now });
  const address = sharedCacheOf(settings);
  if (address === undefined) return new Throttle(file, limits, { audit });
  const { createSharedCache } = await import("@/core/storage/shared_cache.ts");
  const cache = createSharedCache({ address, log, purpose: "the login throttle" });
  return new Throttle(createSharedBuckets({ cache, fallback: file, now }), limits, { audit });
}

/** The address of the shared cache, if one is configured. */
export function sharedCacheOf(settings: Settings): string | undefined {
  const forSessions = settings["session.type"] === "ext:memcached" ? settings["session.url"] : undefined;
  return settings.memcached_server ?? forSessions;
}
