/**
 * One connected file: caches statements, and runs each in the right place.
 *
 * @module
 */

import type {
  BeginOptions,
  Catalog,
  Database,
  DatabaseUsage,
  DialectHost,
  Outcome,
  ReadOptions,
  Row,
  Run,
  SingleWrite,
  StatementDescription,
  StatementText,
  StreamOptions,
  Transaction,
  WrittenStatement,
} from "@/plugins/contract.ts";
import { ConnectedDatabase, statementOf } from "@/plugins/kit/connected_database.ts";
import { messageIn, placeOf } from "@/plugins/kit/database_failure.ts";
import { echoOf } from "@/plugins/kit/echo.ts";
import { readCatalog } from "./catalog.ts";
import { type Handle, openHandle } from "./driver.ts";
import { classify, isBusy } from "./failures.ts";
import { isStill, requireStill, sizeOf } from "./file.ts";
import { Placement, schemaVersion } from "./placement.ts";
import { packRun, packWrite } from "./protocol.ts";
import { QUICK } from "./quick_runs.ts";
import { describeStatement, planStatement, SqliteStatement } from "./statement.ts";
import type { Streamer } from "./streams.ts";
import { traits } from "./traits.ts";
import { TurnSnapshot } from "./turn_snapshot.ts";
import type { WorkerPool } from "./worker_pool.ts";
import type { Writer } from "./writer.ts";

/** Statements of one read that run in the service's thread: each is quick, but many together are not. */
const MOST_HERE = 20;

/** The parts of one connected file, opened before and closed with the database. */
interface Connection {
  readonly file: string;
  /** The path of its write-ahead log. */
  readonly log: string;
  /** Identifies the opened file. */
  readonly identity: string;
  /** False without Deno's permission. */
  readonly mayWrite: boolean;
  readonly handle: Handle;
  /** The workers for long reads. */
  readonly pool: WorkerPool;
  readonly streamer: Streamer;
  readonly writer: Writer;
  /** Workers that ended by themselves. */
  readonly falls: { readonly count: number };
}

/**
 * Possibly long statements run in workers; the others run here, on one handle,
 * and block the thread for a moment.
 */
export class SqliteDatabase extends ConnectedDatabase implements Database {
  readonly sql = traits;
  readonly takesLooks = true;
  readonly classify: typeof classify = classify;
  /** `UNIQUE constraint failed: Customer.Email`, the words of a trigger, or those about a saved query. */
  readonly explain: typeof messageIn = messageIn;
  readonly place: typeof placeOf = placeOf;
  readonly #connection: Connection;
  readonly #host: DialectHost;
  readonly #placement: Placement;
  readonly #snapshot: TurnSnapshot;
  #catalogVersion: unknown;

  constructor(connection: Connection, host: DialectHost) {
    super();
    this.#connection = connection;
    this.#host = host;
    this.#placement = new Placement(connection.handle);
    this.#snapshot = new TurnSnapshot(connection.handle);
    this.#catalogVersion = schemaVersion(connection.handle);
  }

  usage(): DatabaseUsage {
    const { log, pool, streamer, writer, falls } = this.#connection;
    const [readers, writers] = [pool.usage, writer.usage];
    return {
      open: readers.open + writers.open,
      idle: readers.idle + writers.idle,
      waiting: readers.waiting + writers.waiting + streamer.waiting,
      ends: falls.count,
      walBytes: sizeOf(log),
    };
  }

  catalog(): Promise<Catalog> {
    const { handle } = this.#connection;
    return Promise.try(() => {
      this.#snapshot.end();
      this.#snapshot.join();
      this.#catalogVersion = schemaVersion(handle);
      return readCatalog(handle, echoOf(this.#host));
    });
  }

  check(): Promise<"ok" | "changed" | "gone"> {
    const { file, identity, handle } = this.#connection;
    return Promise.try(() => {
      if (!isStill(file, identity)) return "gone";
      try {
        this.#snapshot.end();
        return schemaVersion(handle) === this.#catalogVersion ? "ok" : "changed";
      } catch (error) {
        // A lock is temporary; any other failure to read one number is permanent.
        return isBusy(error) ? "ok" : "gone";
      }
    });
  }

  prepare(statement: StatementText): SqliteStatement {
    return new SqliteStatement(this.#connection.handle, statement);
  }

  describe({ sql }: WrittenStatement): Promise<StatementDescription> {
    return Promise.try(() => describeStatement(this.#connection.handle, sql));
  }

  plan({ sql }: WrittenStatement): Promise<readonly string[]> {
    return Promise.try(() => planStatement(this.#connection.handle, sql));
  }

  /** Quick statements run, or throw, synchronously; others return a promise. */
  read(runs: readonly Run[], options: ReadOptions): readonly Row[][] | Promise<readonly Row[][]> {
    this.requireOpen();
    // The caller's signal is not read here: creating it costs a server more than a quick read.
    if (!this.#areQuick(runs)) return this.#readInWorker(runs, options);
    try {
      return this.#readHere(runs, options);
    } catch (error) {
      // Waiting for a lock here would block all other requests, so a worker waits.
      if (isBusy(error)) return this.#readInWorker(runs, options);
      throw error;
    }
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    const { fetchSize, turn } = options;
    const signal = this.ending(options.signal);
    const statement = statementOf(run, SqliteStatement);
    const { parameters } = run;
    const isQuick = statement.isQuick(parameters, this.#placement);
    yield* this.#connection.streamer.stream({ statement, parameters, isQuick, signal, fetchSize, turn });
  }

  async begin({ signal }: BeginOptions): Promise<Transaction> {
    const onCommit = (changes: number) => this.#noteCommit(changes);
    return await this.#connection.writer.begin({ signal: this.ending(signal), onCommit });
  }

  async write(write: SingleWrite, options: BeginOptions): Promise<Outcome> {
    this.requireOpen();
    const outcome = await this.#connection.writer.write(packWrite(write), options);
    this.#noteCommit(outcome.changes);
    return outcome;
  }

  protected async close(): Promise<void> {
    const { file, identity, mayWrite, pool, handle, writer } = this.#connection;
    await Promise.all([pool[Symbol.asyncDispose](), writer[Symbol.asyncDispose]()]);
    const last = mayWrite ? openLast(file, identity) : undefined;
    handle.close();
    last?.close();
  }

  #areQuick(runs: readonly Run[]): boolean {
    if (runs.length > MOST_HERE) return false;
    for (const run of runs) {
      if (!statementOf(run, SqliteStatement).isQuick(run.parameters, this.#placement)) return false;
    }
    return true;
  }

  #readHere(runs: readonly Run[], { mostRows = Infinity }: ReadOptions): Row[][] {
    this.#snapshot.join();
    let count = 0;
    return runs.map((run) => {
      const rows = count > mostRows
        ? []
        : statementOf(run, SqliteStatement).run(run.parameters, this.#placement);
      count += rows.length;
      return rows;
    });
  }

  async #readInWorker(runs: readonly Run[], { signal, mostRows }: ReadOptions): Promise<readonly Row[][]> {
    signal.throwIfAborted();
    const packed = runs.map((run) => packRun(statementOf(run, SqliteStatement).text, run.parameters));
    const edition = this.#placement.edition;
    const options = { signal: this.ending(signal), mostRows };
    const { results, milliseconds } = await this.#connection.pool.read(packed, options);
    if (milliseconds <= QUICK && edition === this.#placement.edition) {
      for (const run of runs) {
        statementOf(run, SqliteStatement).noteQuick(run.parameters, this.#placement);
      }
    }
    return results;
  }

  /** A caller that gets the answer to its write reads what it has written. */
  #noteCommit(changes: number): void {
    this.#snapshot.end();
    this.#placement.noteChanges(changes);
  }
}

/**
 * A handle that may write, for closing the file last: it writes the log into the file and removes it. SQLite
 * would write a log that stays into a copy that is put in the file's place. Undefined if that is impossible.
 */
function openLast(file: string, identity: string): Handle | undefined {
  try {
    requireStill(file, identity);
    return openHandle(file, { readonly: false, busyTimeout: 0 });
  } catch {
    return undefined;
  }
}
