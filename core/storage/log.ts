/**
 * The service's log: lines in `{log_dir}/rowhouse.log`, rotated by size, and also on
 * standard error if that is a terminal.
 *
 * @module
 */

import { METERS } from "@/core/base/meters.ts";
import { ascii } from "@/core/errors.ts";
import type { Log } from "@/plugins/contract.ts";
import { type Reopened, RotatingFile, type Rotation } from "./rotating_file.ts";
import { writeToStandardError } from "./standard_error.ts";

/** The levels of lines: labels of `rowhouse_log_lines_total`. */
export const LEVELS = ["INFO", "WARN", "ERROR"] as const;
type Level = (typeof LEVELS)[number];

/** Members of a line about a request; undefined ones are left out. */
export type LogFields = Readonly<Record<string, string | number | undefined>>;

/** The log of this thread. */
export interface ServiceLog extends Log, Reopened {
  /** A line about one request. */
  request(fields: LogFields): void;
}

/**
 * Opens the log for appending; makes the directory. Throws a {@link ServiceError} when it cannot be written.
 */
export function openLog(directory: string, rotation: Rotation, format: "text" | "json" = "text"): ServiceLog {
  const file = new RotatingFile(directory, "rowhouse.log", rotation);
  const isTerminal = Deno.stderr.isTerminal();
  const write = (level: Level, message: string, fields: LogFields = {}) => {
    const time = new Date().toISOString();
    const line = format === "json"
      ? `${JSON.stringify({ time, level, message, ...fields })}\n`
      : `${time} ${level} ${message}${textOf(fields)}\n`;
    METERS.count("rowhouse_log_lines_total", level);
    file.write(line);
    if (isTerminal) writeToStandardError(line);
  };
  return {
    info: (message) => write("INFO", oneLine(message)),
    warn: (message) => write("WARN", oneLine(message)),
    error: (message, cause) =>
      write("ERROR", cause === undefined ? oneLine(message) : `${oneLine(message)}: ${detail(cause)}`),
    request: (fields) => write("INFO", "request", fields),
    reopen: () => file.reopen(),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** ` id=x status=200`; text that is more than a word is quoted. */
function textOf(fields: LogFields): string {
  return Object.entries(fields).filter(([, value]) => value !== undefined).map(([name, value]) => {
    const text = String(value);
    return ` ${name}=${/^[\w.:/?&=%@*~-]+$/.test(text) ? text : ascii(JSON.stringify(text))}`;
  }).join("");
}

/**
 * Logs rejected promises that a driver or a plugin did not handle, until disposed of: one such mistake must
 * not end the service for all clients.
 */
export function logStrayFailures(log: Log): Disposable {
  const note = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    log.error("Something failed that nobody waited for", event.reason);
  };
  const noteError = (event: ErrorEvent) => {
    event.preventDefault();
    log.error("Something failed outside any request", event.error);
  };
  globalThis.addEventListener("unhandledrejection", note);
  globalThis.addEventListener("error", noteError);
  return {
    [Symbol.dispose]() {
      globalThis.removeEventListener("unhandledrejection", note);
      globalThis.removeEventListener("error", noteError);
    },
  };
}

/** A value from outside must neither imitate a line of the log nor move the cursor of a terminal. */
function oneLine(message: string): string {
  const short = message.length > LONGEST_LINE ? `${message.slice(0, LONGEST_LINE)}...` : message;
  return short.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** Characters of a message, which a plugin may make of anything. */
const LONGEST_LINE = 4000;
/** Bytes of an error's details: with time and message a line stays below a kilobyte. */
const LONGEST_DETAIL = 850;
/** Characters of one error's message, which may quote any text of a request. */
const LONGEST_MESSAGE = 200;
/** Lines of one error's stack, to leave room for its causes. */
const STACK_LINES = 4;
/** Causes of causes: their lines would be cut. */
const MOST_CAUSES = 4;

/** The error with the top of its stack and its causes, each line indented. */
function detail(cause: unknown): string {
  const text = describe(cause).split(/\r?\n/).map(oneLine).join("\n    ");
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LONGEST_DETAIL));
  return read < text.length ? `${text.slice(0, read)}...` : text;
}

/** Never throws: a plugin may throw anything, such as a proxy, or an error that is its own cause. */
function describe(cause: unknown, depth = 0): string {
  try {
    if (!(cause instanceof Error)) return cut(String(cause));
    const { name, message, stack = "" } = cause;
    const frames = stack.split("\n").filter((line) => /^\s+at /.test(line)).slice(0, STACK_LINES);
    const hasInner = cause.cause !== undefined && depth < MOST_CAUSES;
    const inner = hasInner ? [`caused by ${describe(cause.cause, depth + 1)}`] : [];
    return [`${name}: ${oneLine(cut(message))}`, ...frames, ...inner].join("\n");
  } catch {
    return "something that cannot be shown";
  }
}

function cut(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}...` : message;
}

/** The log of commands, which print mistakes instead. */
export const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };
