/**
 * A cached statement: its compiled form, its decoder, and where it runs.
 *
 * @module
 */

import type { Row, StatementDescription, StatementText } from "@/plugins/contract.ts";
import { DatabaseFailure, placeOfWord } from "@/plugins/kit/database_failure.ts";
import { valueTypeOf } from "./column_types.ts";
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
import { packedText } from "./protocol.ts";
import { LARGE, type Verdict } from "./query_plan.ts";

/** Milliseconds. A statement that usually blocks the service for longer was judged wrongly. */
const SLOW = 25;
/**
 * Weight of one run in the average, and the most milliseconds that count: a busy machine makes single runs
 * slow, so only two of a few runs together exceed the limit.
 */
const WEIGHT = 0.2;
const MOST_COUNTED = 100;
/**
 * Milliseconds that a slow statement stays in workers. Then the cause, such as a cold cache, may have gone.
 */
const PENALTY = 10 * REFRESH;
/**
 * A pattern as a parameter. It is compared at each place of a text: few rows with large texts take minutes.
 * Patterns in the text of a statement, such as those that recognise times, are left out.
 */
const PATTERN = /\b(?:like|glob)\b(?!\s*')/i;

let counted = 0;

/** Compiled on its first run here; a worker compiles its own copy. */
export class SqliteStatement {
  readonly text: StatementText;
  readonly decoder: Decoder;
  readonly #handle: Handle;
  /** Differs between the statements of a process. */
  readonly #number = counted++;
  /** True if nothing but the end of its worker bounds its time, however quick it was. */
  #isEndless: boolean | undefined;
  #kept: Statement | undefined;
  #exact = false;
  #verdict: Verdict = "inline";
  /**
   * The verdict is valid until this time, in milliseconds of {@link performance.now}, and for this edition.
   */
  #validUntil = -1;
  #edition = -1;
  /** Average duration here, in milliseconds. */
  #usual = 0;

  constructor(handle: Handle, text: StatementText) {
    this.#handle = handle;
    this.text = text;
    this.decoder = compileDecoder(text.columns);
    if (PATTERN.test(text.sql)) this.#isEndless = true;
  }

  /** True if it may run in the service's thread. */
  isQuick(parameters: readonly unknown[], placement: Placement): boolean {
    if (this.#isEndless) return false;
    if (this.text.verb === undefined && this.#isBounded(parameters, placement)) return true;
    return placement.quickRuns.has(this.#name(parameters));
  }

  #isBounded(parameters: readonly unknown[], placement: Placement): boolean {
    const { limitAt, offsetAt } = this.text;
    if (this.#edition !== placement.edition || performance.now() > this.#validUntil) this.#judge(placement);
    if (this.#verdict !== "paged" || limitAt === undefined) return this.#verdict === "inline";
    const limit = Number(parameters[limitAt]);
    return limit >= 0 && limit + (offsetAt === undefined ? 0 : Number(parameters[offsetAt])) <= LARGE;
  }

  /**
   * Notes that a worker has run it quickly with these values. One changed row can make a recursion endless,
   * and nothing would stop it here.
   */
  noteQuick(parameters: readonly unknown[], placement: Placement): void {
    this.#isEndless ??= placement.recurs(this.text);
    if (this.#isEndless === false) placement.quickRuns.add(this.#name(parameters));
  }

  /** Runs it in this thread. */
  run(parameters: readonly unknown[], placement: Placement): Row[] {
    const started = performance.now();
    const rows = this.#rows(parameters);
    const ended = performance.now();
    this.#usual += (Math.min(ended - started, MOST_COUNTED) - this.#usual) * WEIGHT;
    if (this.#usual > SLOW) {
      // The data may have become slow for other values, too.
      placement.quickRuns.clear();
      this.#verdict = "worker";
      this.#validUntil = ended + PENALTY;
      this.#usual = 0;
    }
    return rows;
  }

  #name(parameters: readonly unknown[]): string {
    return `${this.#number} ${packedText(parameters)}`;
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

  /** A locked file is left to a worker, which can wait for the lock. */
  #judge(placement: Placement): void {
    try {
      this.#edition = placement.edition;
      this.#verdict = placement.verdict(this.text);
      this.#validUntil = performance.now() + REFRESH;
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.#verdict = "worker";
    }
  }
}

/** Columns that are expressions have no type: they have the type of each value. */
export function describeStatement(handle: Handle, sql: string): StatementDescription {
  // Only a statement that runs notices that others have changed the tables.
  handle.prepare("SELECT 1 FROM sqlite_schema").get();
  const statement = prepare(handle, sql);
  const columns = statement.reader ? statement.columns() : [];
  return {
    columns: columns.map(({ name, type }) => ({
      name,
      type: type === null ? "any" : valueTypeOf(type),
      declaredType: type ?? "",
    })),
    isReadOnly: statement.readonly,
  };
}

function prepare(handle: Handle, sql: string): Statement {
  try {
    return handle.prepare(sql);
  } catch (error) {
    if (isBusy(error) || !(error instanceof Error)) throw error;
    throw new DatabaseFailure("invalid", error.message, { cause: error, place: placeIn(sql, error.message) });
  }
}

/** The driver does not pass on SQLite's position: `near "FORM": syntax error`, `no such column: c.Nmae`. */
function placeIn(sql: string, message: string): number | undefined {
  if (message === "incomplete input") return sql.length;
  const [, near, name] = /^(?:near|unrecognized token:) "(.+?)"|^[\w ]+: (?:[^:]*\.)?(\S+)$/s.exec(message) ??
    [];
  return placeOfWord(near ?? name, sql);
}

/** SQLite's plan as a tree. */
export function planStatement(handle: Handle, sql: string): readonly string[] {
  const depths = new Map<unknown, number>();
  return handle.explain(`QUERY PLAN ${sql}`).map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return "  ".repeat(depth) + String(detail);
  });
}
