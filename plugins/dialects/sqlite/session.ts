/**
 * A worker's side of the protocol: one handle, one statement at a time. A failure rolls back its transaction.
 *
 * @module
 */

import { type Cursor, openCursor } from "./cursor.ts";
import { compileDecoder } from "./decode.ts";
import type { Handle, Statement } from "./driver.ts";
import { codeOf } from "@/plugins/kit/database_failure.ts";
import { messageOf } from "./failures.ts";
import { openHandle, type OpenOptions } from "./handle.ts";
import { type Answer, type PackedRun, packRows, type Request, unpack } from "./protocol.ts";
import { StatementCache } from "./statement_cache.ts";

/** Rows per message, which the service's thread reads in one piece. */
const BATCH = 500;

type Post = (answer: Answer) => void;

/** Opens its file with the first request. */
export class Session {
  readonly #post: Post;
  #handle: Handle | undefined;
  #statements: StatementCache | undefined;
  #open: { readonly cursor: Cursor; readonly size: number } | undefined;

  constructor(post: Post) {
    this.#post = post;
  }

  /** Posts all answers before it returns, including failures of the statement. */
  handle(request: Request): void {
    try {
      this.#answer(request);
    } catch (error) {
      if (this.#handle?.inTransaction) this.#handle.exec("ROLLBACK");
      this.#post({ kind: "error", code: codeOf(error), message: messageOf(error) });
    }
  }

  #answer(request: Request): void {
    switch (request.kind) {
      case "start":
        return this.#start(request.file, request.options);
      case "read":
        return this.#read(request.runs, request.mostRows);
      case "open":
        this.#open = { cursor: this.#cursor(request.run), size: request.fetchSize };
        return this.#next();
      case "next":
        return this.#next();
      case "close":
        return this.#close();
      case "end":
        this.#close();
        this.#handle?.close();
        return this.#post({ kind: "done" });
      case "begin":
        this.#started().pragma(`busy_timeout = ${Math.max(0, Math.round(request.wait))}`);
        return this.#execute("BEGIN IMMEDIATE");
      case "run":
        return this.#run(request.run);
      case "commit":
        return this.#execute("COMMIT");
      case "rollback":
        // A failure has rolled back already.
        return this.#started().inTransaction ? this.#execute("ROLLBACK") : this.#post({ kind: "done" });
      default:
        request satisfies never;
    }
  }

  #start(file: string, options: OpenOptions): void {
    this.#handle = openHandle(file, options);
    this.#statements = new StatementCache(this.#handle);
    this.#post({ kind: "ready" });
  }

  #started(): Handle {
    if (this.#handle) return this.#handle;
    throw new TypeError("The worker has not been started");
  }

  #execute(sql: string): void {
    this.#started().exec(sql);
    this.#post({ kind: "done" });
  }

  #read(runs: readonly PackedRun[], mostRows = Infinity): void {
    const several = runs.length > 1;
    if (several) this.#handle?.exec("BEGIN");
    let count = 0;
    for (const [at, run] of runs.entries()) {
      if (count <= mostRows) count += this.#sendAll(this.#cursor(run), at);
    }
    if (several) this.#handle?.exec("COMMIT");
    this.#post({ kind: "done" });
  }

  /** One statement of a transaction. Rows changed by triggers or cascades do not count. */
  #run(run: PackedRun): void {
    const statement = this.#statement(run.sql);
    const parameters = run.parameters.map(unpack);
    const changes = statement.reader
      ? this.#sendAll(openCursor(statement, parameters, compileDecoder(run.columns)), 0)
      : statement.run(parameters).changes;
    if (!this.#started().inTransaction) throw new TypeError("The statement has ended the transaction");
    this.#post({ kind: "ran", changes: statement.readonly ? 0 : changes });
  }

  /** Returns the number of rows. */
  #sendAll(cursor: Cursor, run: number): number {
    for (let sent = 0;;) {
      const rows = cursor.next(BATCH);
      const count = rows.length;
      if (count > 0) this.#post({ kind: "rows", run, packed: packRows(rows), rows });
      sent += count;
      if (count < BATCH) return sent;
    }
  }

  #next(): void {
    if (!this.#open) return this.#post({ kind: "done" });
    const rows = this.#open.cursor.next(this.#open.size);
    if (rows.length > 0) return this.#post({ kind: "rows", run: 0, packed: packRows(rows), rows });
    this.#close();
    this.#post({ kind: "done" });
  }

  #close(): void {
    this.#open?.cursor.close();
    this.#open = undefined;
  }

  #cursor(run: PackedRun): Cursor {
    const decoder = compileDecoder(run.columns);
    return openCursor(this.#statement(run.sql), run.parameters.map(unpack), decoder);
  }

  #statement(sql: string): Statement {
    if (this.#statements) return this.#statements.get(sql);
    throw new TypeError("The worker has not been started");
  }
}
