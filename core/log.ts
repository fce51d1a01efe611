/**
 * The service's own log: lines in `{log_dir}/rowhouse.log`, rotated by size, and on standard error while that is a
 * terminal.
 *
 * @module
 */

import { RotatingFile, type Rotation } from "./rotating_file.ts";
import type { Log } from "@/plugins/contract.ts";

/** A log that has to be closed. */
export interface OpenLog extends Log, Disposable {}

type Level = "INFO" | "WARN" | "ERROR";

/** Opens the log for appending; makes the directory. Throws a {@link ServiceError} when it cannot be written. */
export function openLog(directory: string, rotation: Rotation): OpenLog {
  const file = new RotatingFile(directory, "rowhouse.log", rotation);
  const isTerminal = Deno.stderr.isTerminal();
  const encoder = new TextEncoder();
  const write = (level: Level, message: string) => {
    const line = encoder.encode(`${new Date().toISOString()} ${level} ${message}\n`);
    file.write(line);
    if (isTerminal) Deno.stderr.writeSync(line);
  };
  return {
    info: (message) => write("INFO", oneLine(message)),
    warn: (message) => write("WARN", oneLine(message)),
    error: (message, cause) =>
      write("ERROR", cause === undefined ? oneLine(message) : `${oneLine(message)}: ${detail(cause)}`),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** A value from outside must neither begin a line that looks like one of ours nor move the cursor of a terminal. */
function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** The error with its stack and causes, each line indented. */
function detail(cause: unknown): string {
  const text = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  const inner = cause instanceof Error && cause.cause !== undefined
    ? `\ncaused by ${detail(cause.cause)}`
    : "";
  return (text + inner).split(/\r?\n/).map(oneLine).join("\n    ");
}
