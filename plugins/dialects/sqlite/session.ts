/**
 * A worker's side of the protocol: one handle, one statement at a time. A failure rolls back its transaction.
 *
 * @module
 */

import { codeOf, messageIn } from "@/plugins/kit/database_failure.ts";
import { compileDecoder, type Cursor, openCursor } from "./decode.ts";
import { type Handle, openHandle, type Statement } from "./driver.ts";
import { measureEffort } from "./effort.ts";
import { type Answer, type PackedRun, packRows, type Request, unpack } from "./protocol.ts";
import { beginNow, runGroup } from "./write_group.ts";

/** Rows per message, which the service's thread reads in one piece. */
const BATCH = 500;

/** Opens its file with the first request. */
export class Session {
  readonly #send: (line: string) => void;
  #start: Extract<Request, { kind: "start" }> | undefined;
  #opened: StatementCache | undefined;
  #stream: { readonly cursor: Cursor; readonly size: number } | undefined;

  constructor(send: (line: string) => void) {
    this.#send = send;
  }

  /** Sends all answers to a request before it returns, including failures of the statement. */
  handle(line: string): void {
    try {
      this.#answer(JSON.parse(line));
    } catch (error) {
      if (this.#opened?.handle.inTransaction) this.#opened.handle.exec("ROLLBACK");
      const failure = { code: codeOf(error), message: messageIn(error) };
      this.#closeIfReadOnly(failure);
      this.#post({ kind: "error", ...failure });
    }
  }

  #answer(request: Request): void {
    switch (request.kind) {
      case "start":
        this.#start = request;
        this.#opened = new StatementCache(openHandle(request.file, request.options));
        return this.#done();
      case "run":
        return this.#run(request);
      case "open":
        this.#stream = { cursor: this.#open(request.run), size: request.fetchSize };
        return this.#next();
      case "next":
        return this.#next();
      case "close":
        return this.#close();
      case "end":
        this.#close();
        this.#opened?.handle.close();
        return this.#done();
      case "begin":
        this.#statements.waitForOthers(request.wait);
        return this.#execute("BEGIN IMMEDIATE");
      case "group":
        return this.#post(this.#write(request));
      case "commit":
        return this.#execute("COMMIT");
      case "rollback":
        // A failure has rolled back already.
        return this.#opened?.handle.inTransaction ? this.#execute("ROLLBACK") : this.#done();
      default:
        request satisfies never;
    }
  }

  #write({ writes, wait }: Extract<Request, { kind: "group" }>): Answer {
    const until = performance.now() + wait;
    const statements = this.#statements;
    const { handle } = statements;
    statements.waitForOthers(0);
    if (!handle.inTransaction && !beginNow(statements)) return { kind: "busy" };
    const get = (sql: string) => statements.get(sql);
    const waitForOthers = () => statements.waitForOthers(until - performance.now());
    const results = runGroup(writes, { handle, get, waitForOthers });
    for (const result of results) if ("code" in result) this.#closeIfReadOnly(result);
    return { kind: "group", results };
  }

  /** A file that could not be written when it was opened stays so for its handle: the next write opens it. */
  #closeIfReadOnly({ code }: { readonly code: string }): void {
    if (!this.#start?.options.writes || !code.startsWith("SQLITE_READONLY")) return;
    this.#opened?.handle.close();
    this.#opened = undefined;
  }

  get #statements(): StatementCache {
    if (!this.#start) throw new TypeError("The worker has not been started");
    return this.#opened ??= new StatementCache(openHandle(this.#start.file, this.#start.options));
  }

  get #handle(): Handle {
    return this.#statements.handle;
  }

  #post(answer: Answer): void {
    this.#send(JSON.stringify(answer));
  }

  #done(changes = 0, milliseconds = 0): void {
    this.#post({ kind: "done", changes, milliseconds });
  }

  #execute(sql: string): void {
    this.#handle.exec(sql);
    this.#done();
  }

  #run({ runs, mostRows = Infinity }: Extract<Request, { kind: "run" }>): void {
    const effort = measureEffort();
    const isWriting = this.#handle.inTransaction;
    const isSnapshot = !isWriting && runs.length > 1;
    if (isSnapshot) this.#handle.exec("BEGIN");
    let changes = 0;
    let count = 0;
    for (const [at, run] of runs.entries()) {
      if (count > mostRows) break;
      const statement = this.#statements.get(run.sql);
      const number = statement.reader
        ? this.#postAll(this.#open(run), at)
        : statement.run(run.parameters.map(unpack)).changes;
      if (statement.reader) count += number;
      if (!statement.readonly) changes += number;
    }
    if (isSnapshot) this.#handle.exec("COMMIT");
    if (isWriting && !this.#handle.inTransaction) {
      throw new TypeError("The statement has ended the transaction");
    }
    this.#done(changes, effort());
  }

  #open({ sql, columns, parameters }: PackedRun): Cursor {
    const statement = this.#statements.get(sql);
    return openCursor(statement, parameters.map(unpack), compileDecoder(columns));
  }

  /** Posts all rows; returns their number. */
  #postAll(cursor: Cursor, run: number): number {
    try {
      for (let sent = 0;;) {
        const rows = cursor.next(BATCH);
        if (rows.length === 0) return sent;
        sent += rows.length;
        this.#post({ kind: "rows", run, packed: packRows(rows), rows });
      }
    } finally {
      // Rows too large for a message leave others unread, with which the handle would stay busy.
      cursor.close();
    }
  }

  #next(): void {
    if (!this.#stream) return this.#done();
    const rows = this.#stream.cursor.next(this.#stream.size);
    if (rows.length > 0) return this.#post({ kind: "rows", run: 0, packed: packRows(rows), rows });
    this.#close();
    this.#done();
  }

  #close(): void {
    this.#stream?.cursor.close();
    this.#stream = undefined;
  }
}

const MAX_STATEMENTS = 64;
/** Characters of SQL. A prepared statement needs about 30 times the memory of its text. */
const MAX_TEXT = 500_000;

/** A handle and its prepared statements; the least recently used are removed first. */
export class StatementCache {
  readonly handle: Handle;
  /** In the order of last use. */
  readonly #statements = new Map<string, Statement>();
  #text = 0;
  /** Milliseconds that statements wait for other programs; unknown until it has been changed. */
  #wait: number | undefined;

  constructor(handle: Handle) {
    this.handle = handle;
  }

  /** The statement, with rows as arrays. */
  get(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.#prepare(sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Lets statements wait for other programs: telling SQLite takes as long as a small statement. */
  waitForOthers(milliseconds: number): void {
    const wait = Math.max(0, Math.round(milliseconds));
    if (wait === this.#wait) return;
    this.handle.pragma(`busy_timeout = ${wait}`);
    this.#wait = wait;
  }

  #prepare(sql: string): Statement {
    const statement = this.handle.prepare(sql);
    this.#text += sql.length;
    for (const oldest of this.#statements.keys()) {
      if (this.#statements.size < MAX_STATEMENTS && this.#text <= MAX_TEXT) break;
      this.#statements.delete(oldest);
      this.#text -= oldest.length;
    }
    return statement.reader ? statement.raw() : statement;
  }
}
