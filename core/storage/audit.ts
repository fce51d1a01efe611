/**
 * The audit log: who did what, when, from where and with which outcome, one JSON object per line of
 * `{log_dir}/audit.log`. It contains no secrets: it records names, paths without their query, and reasons.
 *
 * @module
 */

import { ascii } from "@/core/errors.ts";
import { type Reopened, RotatingFile, type Rotation } from "./rotating_file.ts";

/** An entry of the audit log. */
export interface AuditEvent {
  readonly action:
    | "login"
    | "logout"
    | "authenticate"
    | "password"
    | "key"
    | "configure"
    | "enable"
    | "disable"
    | "throttle"
    | "write"
    | "licence";
  readonly outcome: "success" | "refused" | "failed";
  /** The user's login, or the one that the sender claims. Absent: none was sent. */
  readonly user?: string | undefined;
  /** The method by which the user was recognised, or has logged in: `login_form`. */
  readonly via?: string | undefined;
  /** The object of the action: a path without query, or `userdef/analyst`. */
  readonly target?: string;
  readonly method?: string;
  readonly status?: number;
  /** The client's address. */
  readonly address?: string | undefined;
  readonly requestId?: string;
  /** The reason, for operators; no secret. */
  readonly reason?: string;
  /** The name that an identity provider gave for the person. */
  readonly value?: string;
}

/** Where events are recorded. */
export interface Audit {
  record(event: AuditEvent): void;
  /**
   * Records an event that anyone can cause at will: at most once a minute per key, so that a flood does not
   * rotate older lines out of the log. Returns whether it was recorded.
   */
  recordSeldom(event: AuditEvent, key: string): boolean;
}

/** Largest number of characters of one member, including escapes: a line stays below a kilobyte. */
const LONGEST = 200;

/** Milliseconds between two lines of one key. */
const QUIET = 60_000;
/** Number of remembered keys; above it the oldest one is forgotten. */
const MOST_KEYS = 10_000;

/**
 * Opens `audit.log` for appending. Throws a `ServiceError` when it cannot be
 * written. `now`: milliseconds since 1970.
 */
export function openAudit(
  directory: string,
  rotation: Rotation,
  now: () => number = Date.now,
): Audit & Reopened {
  const file = new RotatingFile(directory, "audit.log", rotation);
  const recorded = new Map<string, number>();
  const record = (event: AuditEvent) => file.writeSoon(auditLine(event, new Date(now())));
  return {
    record,
    recordSeldom(event, key) {
      const at = now();
      const before = recorded.get(key);
      // A clock that was set back must not suppress events.
      if (before !== undefined && at >= before && at - before < QUIET) return false;
      recorded.delete(key);
      recorded.set(key, at);
      const [oldest] = recorded.size > MOST_KEYS ? recorded.keys() : [];
      if (oldest !== undefined) recorded.delete(oldest);
      record(event);
      return true;
    },
    reopen: () => file.reopen(),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/**
 * One line: members in a fixed order, ASCII only, so that no value can begin a
 * line or move a terminal's cursor.
 */
export function auditLine(event: AuditEvent, at: Date): string {
  const { action, outcome, user, via, method, target, status, address, requestId, reason, value } = event;
  const who = member("user", user) + member("via", via) + member("action", action);
  const what = member("method", method) + member("target", target) + member("outcome", outcome);
  const how = (status === undefined ? "" : `,"status":${status}`) + member("address", address);
  const why = member("request", requestId) + member("reason", reason) + member("value", value);
  return `{"at":"${at.toISOString()}"${who}${what}${how}${why}}\n`;
}

/** Text that needs no escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Most texts are plain: writing them as they are takes half the time of `JSON.stringify`. */
function member(name: string, text: string | undefined): string {
  if (text === undefined) return "";
  const isPlain = text.length <= LONGEST && PLAIN.test(text);
  return `,"${name}":${isPlain ? `"${text}"` : ascii(JSON.stringify(cut(text)))}`;
}

function cut(text: string): string {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    length += ascii(JSON.stringify(text[index])).length - 2;
    if (length > LONGEST) return `${text.slice(0, index)}...`;
  }
  return text;
}
