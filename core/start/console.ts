/**
 * Output of commands, and errors of the file system as sentences for the operator.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";

/** Writes the result of a command to standard output. */
export function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

/** Writes lines to standard error. A closed stream is no failure: the service runs without its readers. */
export function tell(
  messages: readonly string[],
  to: typeof Deno.stdout | typeof Deno.stderr = Deno.stderr,
): void {
  try {
    to.writeSync(new TextEncoder().encode(messages.map((message) => `${message}\n`).join("")));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/** Writes lines to standard error and returns the exit code. */
export function fail(code: number, messages: readonly string[]): number {
  tell(messages);
  return code;
}

/** Turns an error of the file system into a sentence for the operator: a `ServiceError`. */
export async function attempt<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new ServiceError("internal", `Cannot ${what}: ${cause.message}`, { cause });
  }
}
