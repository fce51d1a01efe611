/**
 * Prepared statements of a worker; the least recently used are removed first.
 *
 * @module
 */

import type { Handle, Statement } from "./driver.ts";

const MAX_STATEMENTS = 64;
/** Characters of SQL. A prepared statement needs about 30 times the memory of its text. */
const MAX_TEXT = 500_000;

/** For one handle; limited by number and by total length. */
export class StatementCache {
  readonly #handle: Handle;
  /** In the order of last use. */
  readonly #statements = new Map<string, Statement>();
  #text = 0;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** The statement, with rows as arrays. */
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

  /** The last one stays at any length, because it is about to run. */
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
