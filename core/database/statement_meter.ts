/**
 * Measures the statements of one database: their number and duration for `/metrics`, slow ones for the log.
 *
 * @module
 */

import { trace } from "@/core/base/tracing.ts";
import type { Log } from "@/plugins/contract.ts";

/** Counts the statements of one managed database, under all logins, and logs slow ones. */
export class StatementMeter {
  /** Finished reads, streams, and statements that write. */
  count = 0;
  /** Their time in all, in seconds. */
  seconds = 0;
  /** Streams that are being read. */
  streams = 0;
  /** Transactions that may have changed something. */
  commits = 0;
  readonly #subject: string;
  readonly #log: Log;
  readonly #slow: number;

  /** `slow`: milliseconds from which a statement is logged; Infinity for none. */
  constructor(subject: string, log: Log, slow: number) {
    this.#subject = subject;
    this.#log = log;
    this.#slow = slow;
  }

  /** Notes the end of work that began at `began`. The text has placeholders instead of values. */
  end(began: number, requestId: string | undefined, textOf: () => string): void {
    const milliseconds = performance.now() - began;
    this.count++;
    this.seconds += milliseconds / 1000;
    trace("statement", began, () => ({ "db.query.text": shortened(textOf()) }));
    if (milliseconds < this.#slow) return;
    const id = requestId === undefined ? "" : ` (${requestId})`;
    const text = shortened(textOf());
    this.#log.warn(`${this.#subject}: a statement took ${Math.round(milliseconds)} ms${id}: ${text}`);
  }

  /** Logs a mistake of the dialect that costs a part of an answer only. */
  note(where: string, mistake: unknown): void {
    this.#log.error(`${this.#subject}: ${where}`, mistake);
  }
}

function shortened(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 1000);
}
