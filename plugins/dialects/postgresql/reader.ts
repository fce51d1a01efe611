/**
 * Runs statements that read.
 *
 * @module
 */

import type { ReadOptions, Row, Run } from "@/plugins/contract.ts";
import { statementOf } from "@/plugins/kit/connected_database.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { isCancelled, isForgotten } from "./failures.ts";
import { FORGET, type Lane, type Receiver } from "./lane.ts";
import type { Pool } from "./pool.ts";
import { PostgresStatement } from "./statement.ts";
import { Watch, type Watched } from "./watch.ts";

/** The pool of statements, and their limits. */
export interface ReaderOptions {
  readonly pool: Pool;
  /** Seconds. */
  readonly statementTimeout: number;
  /** False behind a pooler: the state of a session must not be relied on between transactions. */
  readonly hasSessions: boolean;
}

/** Seconds after its limit until a statement that the server should have ended is given up. */
const GRACE = 1;

/** Statements of a bounded read that are sent before the rows of earlier ones are counted. */
const TOGETHER = 10;

/** Rejects with the server's refusal, with the caller's reason, or with a timeout. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #watch = new Watch();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** The rows of each run; several runs read one snapshot. */
  read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    const [first] = runs;
    if (!first) return Promise.resolve([]);
    const isAlone = runs.length === 1 && this.#options.hasSessions &&
      !statementOf(first, PostgresStatement).isWritten;
    if (!isAlone) return this.#readTogether(runs, options);
    return this.#readOne(first, options);
  }

  /** Cancels all running work. */
  stop(reason: unknown): void {
    this.#watch.stop(reason);
  }

  /** The session is read-only by default, and one statement reads one snapshot: it needs no transaction. */
  #readOne(run: Run, options: ReadOptions): Promise<readonly Row[][]> {
    const { pool } = this.#options;
    const { isQuick, takesNoTime } = statementOf(run, PostgresStatement);
    const lane = isQuick ? pool.share(takesNoTime) : undefined;
    if (lane) return this.#runOn(lane, run, options);
    return pool.acquire(isQuick ? "read" : "work", options.signal).then((own) =>
      this.#runOn(own, run, options)
    );
  }

  /** Written with callbacks, because each promise costs a tenth of a quick statement. */
  #runOn(lane: Lane, run: Run, options: ReadOptions): Promise<readonly Row[][]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[][]>();
    const statement = statementOf(run, PostgresStatement);
    const entry = { ...this.#bounds(lane, options), started: performance.now(), reject };
    const isAlone = lane.exclusive;
    const end = () => {
      this.#options.pool.release(lane);
      return this.#watch.end(entry);
    };
    this.#watch.add(entry);
    const sent = { sql: statement.sql, parameters: run.parameters, prepare: true };
    const receiver: Receiver = {
      resolve: ({ rows }) => {
        // Excludes the time that it waited for other statements on this connection.
        const now = performance.now();
        statement.took(now - Math.max(entry.started, lane.answeredAt));
        lane.answeredAt = now;
        if (end()) resolve([rows]);
      },
      reject: (error) => {
        // Another statement on this connection was cancelled, and the request hit this one; or its plan was deallocated.
        const isHit = isForgotten(error) || (!isAlone && lane.condemned && isCancelled(error));
        if (isForgotten(error)) lane.condemned = true;
        if (!end()) return;
        if (isHit) this.#readTogether([run], options).then(resolve, reject);
        else reject(error);
      },
    };
    lane.send(sent, receiver);
    return promise;
  }

  /** Sent without waiting for each other; the transaction gives them one snapshot. */
  async #readTogether(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    const lane = await this.#options.pool.acquire("work", options.signal);
    const isWritten = runs.some((run) => statementOf(run, PostgresStatement).isWritten);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[][]>();
    const entry = { ...this.#bounds(lane, options), started: performance.now(), reject };
    const end = () => {
      lane.needsReset = isWritten && this.#options.hasSessions;
      this.#options.pool.release(lane);
      return this.#watch.end(entry);
    };
    this.#watch.add(entry);
    const ending = isWritten ? FORGET : "COMMIT";
    this.#inTransaction(lane, runs, { ending, mostRows: options.mostRows }).then((rows) => {
      if (end()) resolve(rows);
    }, (error) => {
      if (end()) reject(error);
    });
    return await promise;
  }

  async #inTransaction(
    lane: Lane,
    runs: readonly Run[],
    { ending, mostRows = Infinity }: { readonly ending: string; readonly mostRows: number | undefined },
  ): Promise<Row[][]> {
    const isolation = runs.length > 1 ? "ISOLATION LEVEL REPEATABLE READ " : "";
    const sent: Promise<Row[] | void>[] = [lane.command(`BEGIN ${isolation}READ ONLY`)];
    for (const [at, run] of runs.entries()) {
      const isChecked = at > 0 && at % TOGETHER === 0 && mostRows < Infinity;
      if (isChecked && countRows(await Promise.allSettled(sent)) > mostRows) break;
      sent.push(this.#run(lane, run));
    }
    sent.push(lane.command(ending));
    const all = await Promise.allSettled(sent);
    const failed = all.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    const rows = all.slice(1, -1).map((one) => one.status === "fulfilled" && one.value ? one.value : []);
    return runs.map((_, at) => rows[at] ?? []);
  }

  async #run(lane: Lane, run: Run): Promise<Row[]> {
    const { rows } = await lane.run(
      statementOf(run, PostgresStatement).sql,
      run.parameters,
      this.#options.hasSessions,
    );
    return rows;
  }

  #bounds(lane: Lane, options: ReadOptions): Watched {
    const { statementTimeout, hasSessions } = this.#options;
    return {
      options,
      seconds: statementTimeout > 0 ? statementTimeout + (hasSessions ? GRACE : 0) : 0,
      giveUp: () => void lane.cancel(),
      expired: () =>
        new DatabaseFailure("timeout", `The statement took longer than ${statementTimeout} seconds`),
    };
  }
}

/** Infinity after a failure, so that no more statements are sent. */
function countRows(answers: readonly PromiseSettledResult<Row[] | void>[]): number {
  return answers.reduce((sum, answer) => {
    return sum + (answer.status === "rejected" ? Infinity : answer.value?.length ?? 0);
  }, 0);
}
