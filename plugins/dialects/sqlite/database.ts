/**
 * One connected file: caches statements, and runs each in the right place.
 *
 * @module
 */

import type {
  BeginOptions,
  Catalog,
  Database,
  DatabaseDefinition,
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
import { codeOf, DatabaseFailure, placeOf } from "@/plugins/kit/database_failure.ts";
import { readCatalog } from "./catalog.ts";
import { Handle, openHandle, type OpenOptions, type Statement } from "./driver.ts";
import { classify, explain, isBusy, messageOf } from "./failures.ts";
import { identifyFile, isStill, mayWrite, requireInside, resolveFile, sizeOf } from "./file.ts";
import { startProcess, startThread } from "./lane.ts";
import { Placement, schemaVersion } from "./placement.ts";
import { packRun, packWrite } from "./protocol.ts";
import { QUICK } from "./quick_runs.ts";
import { describeStatement, planStatement, SqliteStatement } from "./statement.ts";
import { Streamer } from "./streams.ts";
import { traits } from "./traits.ts";
import { WorkerPool } from "./worker_pool.ts";
import { Writer } from "./writer.ts";

/** Statements of one read that run in the service's thread: each is quick, but many together are not. */
const MOST_HERE = 20;

/** The parts of one connected file, opened before and closed with the database. */
interface Connection {
  readonly file: string;
  /** Identifies the opened file. */
  readonly identity: string;
  readonly handle: Handle;
  /** For long reads. */
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
class SqliteDatabase extends ConnectedDatabase implements Database {
  readonly sql = traits;
  readonly takesLooks = true;
  readonly classify: typeof classify = classify;
  readonly explain: typeof explain = explain;
  readonly place: typeof placeOf = placeOf;
  readonly #connection: Connection;
  readonly #host: DialectHost;
  readonly #placement: Placement;
  readonly #begin: Statement;
  readonly #commit: Statement;
  #catalogVersion: unknown;

  constructor(connection: Connection, host: DialectHost) {
    super();
    this.#connection = connection;
    this.#host = host;
    this.#placement = new Placement(connection.handle);
    this.#begin = connection.handle.prepare("BEGIN");
    this.#commit = connection.handle.prepare("COMMIT");
    this.#catalogVersion = schemaVersion(connection.handle);
  }

  usage(): DatabaseUsage {
    const { file, pool, writer, falls } = this.#connection;
    const [readers, writers] = [pool.usage, writer.usage];
    return {
      open: readers.open + writers.open,
      idle: readers.idle + writers.idle,
      waiting: readers.waiting + writers.waiting,
      ends: falls.count,
      walBytes: sizeOf(`${file}-wal`),
    };
  }

  catalog(): Promise<Catalog> {
    const { handle } = this.#connection;
    const echo = (sql: string) => this.#host.echo && this.#host.log.info(sql);
    return Promise.try(() =>
      this.#transaction(() => {
        this.#catalogVersion = schemaVersion(handle);
        return readCatalog(handle, echo);
      })
    );
  }

  async check(): Promise<"ok" | "changed" | "gone"> {
    if (!await isStill(this.#connection.file, this.#connection.identity)) return "gone";
    try {
      return schemaVersion(this.#connection.handle) === this.#catalogVersion ? "ok" : "changed";
    } catch (error) {
      // A lock is temporary; any other failure to read one number is permanent.
      return isBusy(error) ? "ok" : "gone";
    }
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
    const onCommit = (changes: number) => this.#placement.noteChanges(changes);
    return await this.#connection.writer.begin({ signal: this.ending(signal), onCommit });
  }

  async write(write: SingleWrite, options: BeginOptions): Promise<Outcome> {
    this.requireOpen();
    const outcome = await this.#connection.writer.write(packWrite(write), options);
    this.#placement.noteChanges(outcome.changes);
    return outcome;
  }

  protected async close(): Promise<void> {
    const { pool, handle, writer } = this.#connection;
    await pool[Symbol.asyncDispose]();
    handle.close();
    // A handle that may write closes the file last: it removes the write-ahead log.
    await writer[Symbol.asyncDispose]();
  }

  #areQuick(runs: readonly Run[]): boolean {
    if (runs.length > MOST_HERE) return false;
    for (const run of runs) {
      if (!statementOf(run, SqliteStatement).isQuick(run.parameters, this.#placement)) return false;
    }
    return true;
  }

  #readHere(runs: readonly Run[], { mostRows = Infinity }: ReadOptions): Row[][] {
    const [first] = runs;
    const rowsOf = (run: Run) => statementOf(run, SqliteStatement).run(run.parameters, this.#placement);
    if (first && runs.length === 1) return [rowsOf(first)];
    let count = 0;
    return this.#transaction(() =>
      runs.map((run) => {
        const rows = count > mostRows ? [] : rowsOf(run);
        count += rows.length;
        return rows;
      })
    );
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

  #transaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      return work();
    } finally {
      // Nothing was written, so commit and rollback are equal. Some errors
      // have ended the transaction already.
      if (this.#connection.handle.inTransaction) this.#commit.run();
    }
  }
}

/**
 * Opens the file that the definition names, in one of the directories if there are some; never creates one.
 */
export async function connect(
  definition: DatabaseDefinition,
  host: DialectHost,
  directories?: readonly string[],
): Promise<Database> {
  const { pool: settings } = definition;
  const file = resolveFile(definition.dbName, host.directory);
  if (directories) await requireInside(file, directories);
  const identity = await identifyFile(file);
  if (!host.checksOnly) await useWriteAheadLog(file, host);
  const { handle, readonly } = openForReading(file, host);
  const openOptions: OpenOptions = { busyTimeout: Math.max(0, settings.acquireTimeout * 1000), readonly };
  const falls = { count: 0 };
  const start = await chooseTransport(host, falls);
  const pool = new WorkerPool({
    settings,
    start,
    greeting: { kind: "start", file, options: openOptions },
    busy: "All workers for long statements are busy",
  });
  const writer = new Writer({ file, identity, settings, start });
  const streamer = new Streamer({ file, openOptions, settings, pool });
  return new SqliteDatabase({ file, identity, handle, pool, streamer, writer, falls }, host);
}

/** With a write-ahead log, readers and writers do not wait for each other. The file keeps the setting. */
async function useWriteAheadLog(file: string, host: DialectHost): Promise<void> {
  if (!await mayWrite(file)) {
    return host.log.info(`"${file}" may not be written: its journal mode stays as it is`);
  }
  try {
    using opening = new DisposableStack();
    const handle = new Handle(file, { fileMustExist: true, timeout: 0 });
    opening.defer(() => handle.close());
    handle.pragma("journal_mode = WAL");
  } catch (error) {
    if (!/^SQLITE_(READONLY|PERM|AUTH|CANTOPEN|BUSY|LOCKED)/.test(codeOf(error))) {
      throw cannotOpen(file, error);
    }
    host.log.info(`The journal mode of "${file}" stays as it is: ${messageOf(error)}`);
  }
}

/** Does not wait for locks: only workers do. */
function openForReading(
  file: string,
  host: DialectHost,
  // A read-only handle leaves the files of a write-ahead log behind, which a check must not.
  readonly = !host.checksOnly,
): { readonly handle: Handle; readonly readonly: boolean } {
  try {
    return { handle: openHandle(file, { readonly, busyTimeout: 0 }), readonly };
  } catch (error) {
    if (!readonly || !/^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error))) throw cannotOpen(file, error);
    host.log.warn(`"${file}" cannot be opened read-only (${messageOf(error)}): trying without`);
    return openForReading(file, host, false);
  }
}

/**
 * A compiled binary cannot run another script, and the operator may have
 * denied the permission to run programs.
 */
async function chooseTransport(host: DialectHost, falls: { count: number }): Promise<typeof startProcess> {
  const permission = await Deno.permissions.query({ name: "run", command: Deno.execPath() });
  if (!Deno.build.standalone && permission.state === "granted") {
    const onFall = (reason: string) => {
      falls.count++;
      host.log.warn(`Statements of SQLite were cut off: ${reason}`);
    };
    return (receiver) => startProcess(receiver, onFall);
  }
  host.log.warn(
    "Processes may not be started (--allow-run): a long SQLite statement can be given up, not stopped",
  );
  return startThread;
}

function cannotOpen(file: string, error: unknown): Error {
  const reason = codeOf(error) === "SQLITE_NOTADB" ? "it is not an SQLite database" : messageOf(error);
  return new DatabaseFailure("unavailable", `Cannot open database "${file}": ${reason}`, { cause: error });
}
