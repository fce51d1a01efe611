/**
 * Runs statements that read, and writes of one statement. Those that take longer than a
 * moment are checked: whether their callers are still there, and whether their time is up.
 * Quick ones cost no timer and no listener.
 *
 * @module
 */

import type { ReadOptions, Row, Run } from "@/plugins/contract.ts";
import { Bag, type Bagged } from "@/plugins/kit/bag.ts";
import { statementLimits } from "@/plugins/kit/bounded.ts";
import { statementOf } from "@/plugins/kit/connected_database.ts";
import { isAborted, isCancelled, isEnded, isForgotten } from "./failures.ts";
import type { Answer, Lane } from "./lane.ts";
import type { Pool } from "./pool.ts";
import { PostgresStatement } from "./statement.ts";

/** The pool of statements, and their limits. */
export interface ReaderOptions {
  readonly pool: Pool;
  /** Seconds. */
  readonly statementTimeout: number;
  /** False behind a pooler: the state of a session must not be relied on between transactions. */
  readonly hasSessions: boolean;
}

type Options = Pick<ReadOptions, "signal">;

/** A statement without a transaction around it. */
interface LoneRun {
  readonly statement: PostgresStatement;
  readonly parameters: readonly unknown[];
  readonly options: Options;
  /** Its connection may change data. */
  readonly isWrite: boolean;
}

/** A running read or lone write. */
interface Entry extends Bagged {
  readonly lane: Lane;
  readonly options: Options;
  readonly isWrite: boolean;
  /** In milliseconds of {@link performance.now}. */
  readonly started: number;
  /** Why it was given up; a write is rejected with it unless the server has been quicker. */
  reason?: unknown;
  reject(reason: unknown): void;
}

/** Seconds after its limit until a statement that the server should have ended is given up. */
const GRACE = 1;
/** Statements of a bounded read that are sent before the rows of earlier ones are counted. */
const TOGETHER = 10;
/** Milliseconds between two checks of the running statements. */
const INTERVAL = 100;

/** Rejects with the server's refusal, with the caller's reason, or with a timeout. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #running = new Bag<Entry>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Set when the database is disconnected. */
  #stopped: { readonly reason: unknown } | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** The rows of each run; several runs read one snapshot. */
  read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    const [first] = runs;
    if (!first) return Promise.resolve([]);
    const { hasSessions } = this.#options;
    const statement = statementOf(first, PostgresStatement);
    if (runs.length > 1 || !hasSessions || statement.isSavedQuery) return this.#readTogether(runs, options);
    // The session is read-only by default, and one statement reads one snapshot: it needs no transaction.
    const lone = { statement, parameters: first.parameters, options, isWrite: false };
    return this.#runAlone(lone).then(({ rows }) => [rows]);
  }

  /** Runs a statement that the server commits at once. An abort cancels it, unless the server is quicker. */
  write(statement: PostgresStatement, parameters: readonly unknown[], options: Options): Promise<Answer> {
    return this.#runAlone({ statement, parameters, options, isWrite: true });
  }

  /** Rejects all running work. */
  stop(reason: unknown): void {
    this.#stopped = { reason };
    clearTimeout(this.#timer);
    for (const entry of this.#running) entry.reject(reason);
    this.#running.clear();
  }

  #runAlone(run: LoneRun): Promise<Answer> {
    const { pool } = this.#options;
    const { statement, options, isWrite } = run;
    if (!statement.isQuick) return this.#runLong(run);
    const purpose = isWrite ? "write" : "read";
    const lane = pool.share(purpose, statement.takesNoTime);
    if (lane) return this.#runOn(lane, run);
    return pool.acquire(purpose, options.signal).then((own) => this.#runOn(own, run));
  }

  #runLong(run: LoneRun): Promise<Answer> {
    return this.#options.pool.acquire(run.isWrite ? "long write" : "work", run.options.signal)
      .then((lane) => this.#runOn(lane, run));
  }

  /** Written with callbacks, because each promise costs a tenth of a quick statement. */
  #runOn(lane: Lane, run: LoneRun): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { statement, parameters, isWrite } = run;
    const entry = this.#begin(lane, run.options, reject, isWrite);
    const isAlone = lane.exclusive;
    lane.send(statement.sql, parameters, statement.isQuick, {
      resolve: (answer) => {
        // Excludes the time that it waited for other statements on this connection.
        const now = performance.now();
        statement.took(now - Math.max(entry.started, lane.answeredAt));
        lane.answeredAt = now;
        this.#end(entry);
        resolve(answer);
      },
      reject: (error) => {
        // Another statement on this connection was cancelled, and the request hit this
        // one; or its plan was deallocated; or the server has ended the connection of a read.
        const hasEnded = isEnded(error);
        const isHit = isForgotten(error) || (hasEnded && !isWrite) ||
          (!isAlone && lane.condemned && isCancelled(error));
        if (isForgotten(error) || hasEnded) lane.condemned = true;
        const isAwaited = this.#end(entry);
        if (isHit && isAwaited) this.#repeat(run).then(resolve, reject);
        else reject(entry.reason ?? error);
      },
    });
    return promise;
  }

  /** A read is repeated in a transaction; a cancelled write has been undone. */
  #repeat(run: LoneRun): Promise<Answer> {
    if (run.isWrite) return this.#runLong(run);
    const prepared = { prepared: run.statement, parameters: run.parameters };
    return this.#readOnce([prepared], run.options).then(([rows = []]) => ({ rows: [...rows], changes: 0 }));
  }

  /** Once more if the server has ended the connection; not if there was none. */
  async #readTogether(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    const lane = await this.#options.pool.acquire("work", options.signal);
    return await this.#readOn(lane, runs, options).catch((error) => {
      if (isEnded(error)) return this.#readOnce(runs, options);
      throw error;
    });
  }

  async #readOnce(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    return await this.#readOn(await this.#options.pool.acquire("work", options.signal), runs, options);
  }

  /** Sent without waiting for each other; the transaction gives them one snapshot. */
  async #readOn(lane: Lane, runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    const { hasSessions } = this.#options;
    const hasSavedQuery = runs.some((run) => statementOf(run, PostgresStatement).isSavedQuery);
    lane.needsReset = hasSavedQuery && hasSessions;
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[][]>();
    const entry = this.#begin(lane, options, reject);
    const how = {
      ending: hasSavedQuery ? lane.forget : "COMMIT",
      mostRows: options.mostRows,
      prepare: hasSessions,
    };
    this.#inTransaction(lane, runs, how).catch((error) => {
      // The driver has repeated a statement whose plan is out of date, after the transaction.
      if (isAborted(error)) return this.#inTransaction(lane, runs, { ...how, prepare: false });
      if (isEnded(error)) lane.condemned = true;
      throw error;
    })
      .finally(() => this.#end(entry)).then(resolve, reject);
    return await promise;
  }

  async #inTransaction(
    lane: Lane,
    runs: readonly Run[],
    { ending, mostRows = Infinity, prepare }: {
      readonly ending: string;
      readonly mostRows: number | undefined;
      readonly prepare: boolean;
    },
  ): Promise<Row[][]> {
    const isolation = runs.length > 1 ? "ISOLATION LEVEL REPEATABLE READ " : "";
    const begun = lane.begin(`${isolation}READ ONLY`).then((): Row[] => []);
    let answered = performance.now();
    const sent: Promise<Row[]>[] = [begun];
    for (const [at, run] of runs.entries()) {
      const isChecked = at > 0 && at % TOGETHER === 0 && mostRows < Infinity;
      if (isChecked && countRows(await Promise.allSettled(sent)) > mostRows) break;
      const statement = statementOf(run, PostgresStatement);
      const answer = lane.run(statement.sql, run.parameters, prepare && statement.isQuick);
      sent.push(answer.then(({ rows }) => {
        const now = performance.now();
        statement.took(now - answered);
        answered = now;
        return rows;
      }));
    }
    const ended = lane.command(ending).then((): Row[] => []);
    const all = await Promise.allSettled([...sent, ended]);
    const failed = all.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    const rows = all.slice(1, -1).map((one) => one.status === "fulfilled" ? one.value : []);
    return runs.map((_, at) => rows[at] ?? []);
  }

  #begin(lane: Lane, options: Options, reject: (reason: unknown) => void, isWrite = false): Entry {
    const entry: Entry = { lane, options, isWrite, started: performance.now(), reject, place: -1 };
    // It got its connection while the database was being disconnected, which cancels it.
    if (this.#stopped) {
      reject(this.#stopped.reason);
      return entry;
    }
    this.#running.add(entry);
    this.#timer ??= setTimeout(() => this.#look(), INTERVAL);
    return entry;
  }

  /** Gives the connection back. False if the statement was given up before. */
  #end(entry: Entry): boolean {
    this.#options.pool.release(entry.lane);
    return this.#running.delete(entry);
  }

  /** Checks all running statements with one timer. */
  #look(): void {
    const { statementTimeout, hasSessions } = this.#options;
    const most = statementTimeout > 0 ? statementTimeout + (hasSessions ? GRACE : 0) : Infinity;
    const now = performance.now();
    for (const entry of this.#running) {
      const milliseconds = now - entry.started;
      if (milliseconds < INTERVAL) continue;
      const { signal } = entry.options;
      if (signal.aborted) this.#giveUp(entry, signal.reason);
      else if (milliseconds > most * 1000) this.#giveUp(entry, statementLimits(statementTimeout).expired());
    }
    this.#timer = this.#running.size > 0 ? setTimeout(() => this.#look(), INTERVAL) : undefined;
  }

  /** The answer of the server decides whether a write was done. */
  #giveUp(entry: Entry, reason: unknown): void {
    this.#running.delete(entry);
    entry.reason = reason;
    void entry.lane.cancel();
    if (!entry.isWrite) entry.reject(reason);
  }
}

/** Infinity after a failure, so that no more statements are sent. */
function countRows(answers: readonly PromiseSettledResult<Row[]>[]): number {
  return answers.reduce((sum, answer) => {
    return sum + (answer.status === "rejected" ? Infinity : answer.value.length);
  }, 0);
}
