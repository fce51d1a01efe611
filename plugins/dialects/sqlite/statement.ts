/**
 * A cached statement: its compiled form, its decoder, and where it runs.
 *
 * @module
 */

import type { Row, StatementText } from "@/plugins/contract.ts";
import {
  compileDecoder,
  type Decoder,
  decodeRows,
  holdsUnsafe,
  type MutableRow,
  narrowIntegers,
} from "./decode.ts";
import type { Handle, Statement } from "./driver.ts";
import { isBusy } from "./failures.ts";
import { type Placement, REFRESH } from "./placement.ts";
import { LARGE, type Verdict } from "./query_plan.ts";

/** Milliseconds. A statement that usually blocks the service for longer was judged wrongly. */
const SLOW = 25;
/**
 * Weight of one run in the average: a busy machine makes single runs slow, but a run of 125 ms exceeds the limit alone.
 */
const WEIGHT = 0.2;

/** Compiled on its first run here; a worker compiles its own copy. */
export class SqliteStatement {
  readonly text: StatementText;
  readonly decoder: Decoder;
  readonly #handle: Handle;
  #kept: Statement | undefined;
  #exact = false;
  #verdict: Verdict = "inline";
  #believedUntil = -1;
  #edition = -1;
  #timesSlow = 0;
  /** Average duration here, in milliseconds. */
  #usual = 0;

  constructor(handle: Handle, text: StatementText) {
    this.#handle = handle;
    this.text = text;
    this.decoder = compileDecoder(text.columns);
  }

  /** True if it may run in the service's thread. */
  isQuick(parameters: readonly unknown[], placement: Placement): boolean {
    if (this.text.verb !== undefined) return false;
    if (this.#isOutdated(placement)) this.#judge(placement);
    if (this.#verdict !== "paged") return this.#verdict === "inline";
    const limit = this.#parameter(parameters, this.text.limitAt, -1);
    return limit >= 0 && limit + this.#parameter(parameters, this.text.offsetAt, 0) <= LARGE;
  }

  /** Runs it in this thread. */
  run(parameters: readonly unknown[]): Row[] {
    const started = performance.now();
    const rows = this.#rows(parameters);
    this.#usual += (performance.now() - started - this.#usual) * WEIGHT;
    if (this.#usual > SLOW) this.#demote();
    return rows;
  }

  #rows(parameters: readonly unknown[]): Row[] {
    const statement = this.#kept ??= this.#handle.prepare(this.text.sql).raw();
    let rows = statement.all(...parameters) as MutableRow[];
    if (this.#exact) narrowIntegers(rows);
    else if (holdsUnsafe(rows, this.decoder)) {
      this.#exact = true;
      rows = statement.safeIntegers(true).all(...parameters) as MutableRow[];
      narrowIntegers(rows);
    }
    decodeRows(rows, this.decoder);
    return rows;
  }

  #parameter(parameters: readonly unknown[], at: number | undefined, missing: number): number {
    return at === undefined ? missing : Number(parameters[at]);
  }

  #isOutdated(placement: Placement): boolean {
    if (this.#believedUntil === Infinity) return false;
    return this.#edition !== placement.edition || performance.now() > this.#believedUntil;
  }

  /** A locked file is left to a worker, which can wait for the lock. */
  #judge(placement: Placement): void {
    try {
      this.#edition = placement.edition;
      this.#verdict = placement.verdict(this.text);
      this.#believedUntil = performance.now() + REFRESH;
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.#verdict = "worker";
    }
  }

  /**
   * The cause may have been a cold cache or a busy machine, so the statement gets another chance, each time after ten
   * times as long.
   */
  #demote(): void {
    this.#verdict = "worker";
    this.#believedUntil = performance.now() + REFRESH * 10 ** this.#timesSlow;
    this.#timesSlow++;
    this.#usual = 0;
  }
}
