/**
 * The audit log: who did what, when, from where and with which outcome, one JSON object per line of
 * `{log_dir}/audit.log`. It never holds a secret: what is recorded are names, paths without their query, and reasons.
 *
 * @module
 */

import { ascii } from "@/core/errors.ts";
import { RotatingFile, type Rotation } from "./rotating_file.ts";

/** Something that is worth knowing afterwards. */
export interface AuditEvent {
  readonly action:
    | "login"
    | "logout"
    | "authenticate"
    | "password"
    | "configure"
    | "enable"
    | "disable"
    | "throttle"
    | "write"
    | "licence";
  readonly outcome: "success" | "refused" | "failed";
  /** Who: a login, or what somebody claims to be one. Absent: nobody said. */
  readonly user?: string;
  /** What it was done to: a path without query, or `userdef/analyst`. */
  readonly target?: string;
  readonly method?: string;
  readonly status?: number;
  /** The client's address. */
  readonly address?: string;
  readonly requestId?: string;
  /** Why, for operators; no secret. */
  readonly reason?: string;
  /** What an identity provider said of somebody who is no one user here. */
  readonly value?: string;
}

/** Where events are recorded. */
export interface Audit {
  record(event: AuditEvent): void;
  /**
   * Records an event that anybody can cause as often as they like: at most one a minute by this key, so that a flood of
   * them does not wash older lines out of the log. Tells whether it was recorded.
   */
  recordSeldom(event: AuditEvent, key: string): boolean;
}

/** An audit log that has to be closed. */
export interface OpenAudit extends Audit, Disposable {}

/** Characters of one member as they are written, escapes included: a line stays below a kilobyte. */
const LONGEST = 200;

/** Milliseconds in which an event that is to be recorded seldom has one line. */
const QUIET = 60_000;
/** Keys that are remembered for that; the first one is forgotten when there are more. */
const MOST_KEYS = 10_000;

/** Opens `audit.log` for appending. Throws a `ServiceError` when it cannot be written. `now`: milliseconds since 1970. */
export function openAudit(directory: string, rotation: Rotation, now: () => number = Date.now): OpenAudit {
  const file = new RotatingFile(directory, "audit.log", rotation);
  const encoder = new TextEncoder();
  const recorded = new Map<string, number>();
  const record = (event: AuditEvent) => file.write(encoder.encode(auditLine(event, new Date(now()))));
  return {
    record,
    recordSeldom(event, key) {
      const at = now();
      const before = recorded.get(key);
      // A clock that was set back hides nothing.
      if (before !== undefined && at >= before && at - before < QUIET) return false;
      recorded.delete(key);
      recorded.set(key, at);
      const [oldest] = recorded.size > MOST_KEYS ? recorded.keys() : [];
      if (oldest !== undefined) recorded.delete(oldest);
      record(event);
      return true;
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** One line: members in a fixed order, ASCII only, so that no value can begin a line or move a terminal's cursor. */
export function auditLine(event: AuditEvent, at: Date): string {
  const { action, outcome, user, method, target, status, address, requestId, reason, value } = event;
  const members = { at: at.toISOString(), user, action, method, target, outcome, status };
  const text = JSON.stringify({ ...members, address, request: requestId, reason, value }, (_, member) => {
    return typeof member === "string" ? cut(member) : member;
  });
  return `${ascii(text)}\n`;
}

function cut(text: string): string {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    length += ascii(JSON.stringify(text[index])).length - 2;
    if (length > LONGEST) return `${text.slice(0, index)}...`;
  }
  return text;
}

/** Records nothing: for a service that is made without a log directory. */
export const NO_AUDIT: Audit = { record: () => {}, recordSeldom: () => true };
