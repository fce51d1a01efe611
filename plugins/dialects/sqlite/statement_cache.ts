/**
 * Statements that a worker keeps prepared; those that were not used for longest go first.
 *
 * @module
 */

import type { Handle, Statement } from "./driver.ts";

const MAX_STATEMENTS = 64;
/** Characters of SQL. A prepared statement needs 30 times the memory of its text. */
const MAX_TEXT = 500_000;

/** For one handle; bounded by their number and by the length of their texts. */
export class StatementCache {
  readonly #handle: Handle;
  /** In the order of their last use. */
  readonly #statements = new Map<string, Statement>();
  #text = 0;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** The statement, ready to give rows as arrays. */
  get(sql: string): Statement {
    const statement = this.#take(sql) ?? this.#prepare(sql);
    this.#statements.set(sql, statement);
    this.#text += sql.length;
    this.#evict();
    return statement;
  }

  #take(sql: string): Statement | undefined {
    const statement = this.#statements.get(sql);
    if (statement) this.#remove(sql);
    return statement;
  }

  #prepare(sql: string): Statement {
    const statement = this.#handle.prepare(sql);
    return statement.reader ? statement.raw() : statement;
  }

  /** The last one stays, however long it is: it is about to be used. */
  #evict(): void {
    for (const sql of this.#statements.keys()) {
      const isFull = this.#statements.size > MAX_STATEMENTS || this.#text > MAX_TEXT;
      if (!isFull || this.#statements.size === 1) return;
      this.#remove(sql);
    }
  }

  #remove(sql: string): void {
    this.#statements.delete(sql);
    this.#text -= sql.length;
  }
}
