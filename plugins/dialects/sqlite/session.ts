/**
 * A worker's side of the protocol: one handle, one statement at a time.
 *
 * @module
 */

import { type Cursor, openCursor } from "./cursor.ts";
import { compileDecoder } from "./decode.ts";
import type { Handle, Statement } from "./driver.ts";
import { codeOf } from "./failures.ts";
import { openHandle } from "./handle.ts";
import { type Answer, type PackedRun, packRows, type Request, unpack } from "./protocol.ts";

/** Rows per message; a message is what the service's thread takes in one piece. */
const BATCH = 500;
const KEPT_STATEMENTS = 64;

type Post = (answer: Answer) => void;

export class Session {
  readonly #post: Post;
  readonly #statements = new Map<string, Statement>();
  #handle: Handle | undefined;
  #open: { readonly cursor: Cursor; readonly size: number } | undefined;

  constructor(post: Post) {
    this.#post = post;
  }

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
        this.#handle = openHandle(request.file, request.options);
        return this.#post({ kind: "ready" });
      case "read":
        return this.#read(request.runs);
      case "open":
        this.#open = { cursor: this.#cursor(request.run), size: request.fetchSize };
        return this.#next();
      case "next":
        return this.#next();
      case "close":
        return this.#close();
      default:
        request satisfies never;
    }
  }

  #read(runs: readonly PackedRun[]): void {
    const several = runs.length > 1;
    if (several) this.#handle?.exec("BEGIN");
    runs.forEach((run, at) => this.#sendAll(this.#cursor(run), at));
    if (several) this.#handle?.exec("COMMIT");
    this.#post({ kind: "done" });
  }

  #sendAll(cursor: Cursor, run: number): void {
    for (;;) {
      const rows = cursor.next(BATCH);
      if (rows.length > 0) this.#post({ kind: "rows", run, packed: packRows(rows), rows });
      if (rows.length < BATCH) return;
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
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    if (!this.#handle) throw new TypeError("The worker has not been started");
    const statement = this.#handle.prepare(sql).raw();
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size >= KEPT_STATEMENTS) this.#statements.delete(oldest);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
