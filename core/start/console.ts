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

/** Asks for a line at the terminal, which shows nothing of it. Undefined for Ctrl-C. */
export function askHidden(question: string): string | undefined {
  const bytes: number[] = [];
  const read = new Uint8Array(1);
  Deno.stdin.setRaw(true);
  try {
    print(question);
    while (Deno.stdin.readSync(read) !== null && !ENDS.includes(read[0] ?? 0)) bytes.push(...read);
  } finally {
    Deno.stdin.setRaw(false);
    print("\n");
  }
  if (read[0] === INTERRUPT) return undefined;
  const kept: string[] = [];
  for (const character of new TextDecoder().decode(Uint8Array.from(bytes))) {
    if (character === "\b" || character === "\x7f") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}

/** Ctrl-C, which is a byte like others while nothing is shown. */
const INTERRUPT = 3;
/** Ctrl-C, Ctrl-D and both kinds of Enter. */
const ENDS = [INTERRUPT, 4, 10, 13];

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
