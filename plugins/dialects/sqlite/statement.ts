/**
 * A statement that is kept: its compiled form, how its values are decoded, and where it runs.
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
import { pack, type PackedRun } from "./protocol.ts";
import { type Placement, REFRESH } from "./placement.ts";
import { LARGE, type Verdict } from "./query_plan.ts";

/** Milliseconds. A statement that usually holds up the service for longer was judged wrongly. */
const SLOW = 25;
/** How much one run counts for what is usual: a busy machine makes any single run look slow, a run of 125 ms is too long. */
const WEIGHT = 0.2;

/** Compiled when it is first run here; a worker compiles its own. */
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
  /** Milliseconds that it usually takes here. */
  #usual = 0;

  constructor(handle: Handle, text: StatementText) {
    this.#handle = handle;
    this.text = text;
    this.decoder = compileDecoder(text.columns);
  }

  /** True where it may run in the service's own thread. */
  isQuick(parameters: readonly unknown[], placement: Placement): boolean {
    if (this.text.verb !== undefined) return false;
    if (this.#isOutdated(placement)) this.#judge(placement);
    if (this.#verdict !== "paged") return this.#verdict === "inline";
    const limit = this.#parameter(parameters, this.text.limitAt, -1);
    return limit >= 0 && limit + this.#parameter(parameters, this.text.offsetAt, 0) <= LARGE;
  }

  /** Runs it here and now. */
  run(parameters: readonly unknown[]): Row[] {
    const started = performance.now();
    const rows = this.#rows(parameters);
    this.#usual += (performance.now() - started - this.#usual) * WEIGHT;
    if (this.#usual > SLOW) this.#demote();
    return rows;
  }

  /** What a worker needs to run it. */
  packed(parameters: readonly unknown[]): PackedRun {
    return { sql: this.text.sql, columns: this.text.columns, parameters: parameters.map(pack) };
  }

  #rows(parameters: readonly unknown[]): Row[] {
    const statement = this.#kept ??= this.#handle.prepare(this.text.sql).raw();
    let rows = statement.all(parameters) as MutableRow[];
    if (this.#exact) narrowIntegers(rows);
    else if (holdsUnsafe(rows, this.decoder)) {
      this.#exact = true;
      rows = statement.safeIntegers(true).all(parameters) as MutableRow[];
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

  /** A file that is locked is a worker's business: it can wait for the lock. */
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

  /** It may have been a cold cache or a busy machine, so it gets another chance, each time ten times later. */
  #demote(): void {
    this.#verdict = "worker";
    this.#believedUntil = performance.now() + REFRESH * 10 ** this.#timesSlow;
    this.#timesSlow++;
    this.#usual = 0;
  }
}
