/**
 * The lifetimes of sessions, from the settings. Pure.
 *
 * @module
 */

import type { Settings } from "@/config/settings.ts";
import type { Session } from "./store.ts";

/** Limits in milliseconds. */
export interface SessionPolicy {
  /** Inactivity after which a session ends. */
  readonly idle: number;
  /** Age at which it ends in any case. */
  readonly absolute: number;
  /** Age at which its ticket is replaced. */
  readonly reissue: number;
}

/** The settings of lifetimes. */
export type PolicySettings = Pick<
  Settings,
  "session.timeout" | "cookie_timeout" | "session.cookie_expires" | "cookie_reissue_time"
>;

/** The idle limit is the smaller of `session.timeout` and `cookie_timeout`. */
export function sessionPolicy(settings: PolicySettings): SessionPolicy {
  return {
    idle: 1000 * Math.min(settings["session.timeout"], settings.cookie_timeout),
    absolute: 1000 * settings["session.cookie_expires"],
    reissue: 1000 * settings.cookie_reissue_time,
  };
}

/** When a session ends without further use. */
export function expiryOf(
  { createdAt, lastSeenAt, endsAt = Infinity }: Pick<Session, "createdAt" | "lastSeenAt" | "endsAt">,
  { idle, absolute }: SessionPolicy,
): number {
  return Math.min(createdAt + absolute, lastSeenAt + idle, endsAt);
}
