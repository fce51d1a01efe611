/**
 * The parts of a connected database that the engines share: its end, and its work on a pool of sessions.
 *
 * @module
 */

import type {
  BeginOptions,
  DatabaseUsage,
  PoolSettings,
  ReadOptions,
  Row,
  Run,
  StreamOptions,
  Transaction,
} from "@/plugins/contract.ts";
import { NEVER, watchReader } from "./bounded.ts";
import { disconnected } from "./database_failure.ts";
import type { PooledSession, SessionPool } from "./session_pool.ts";
import { Turns } from "./turns.ts";
import { type TransactionPort, WriteTransaction } from "./write_transaction.ts";

/** The statement of a run. Throws a TypeError unless the dialect with this class has prepared it. */
export function statementOf<Statement>(
  { prepared }: Run,
  type: abstract new (...parameters: never[]) => Statement,
): Statement {
  if (prepared instanceof type) return prepared;
  throw new TypeError("The statement was not prepared by this dialect");
}

/** The rows of each run. Once there are more than `mostRows` together, the remaining runs return none. */
export async function readEach<Bound>(
  runs: readonly Bound[],
  mostRows: number = Infinity,
  read: (run: Bound) => Promise<Row[]>,
): Promise<Row[][]> {
  const results: Row[][] = [];
  let count = 0;
  for (const run of runs) {
    const rows = count > mostRows ? [] : await read(run);
    count += rows.length;
    results.push(rows);
  }
  return results;
}

/** Calls `work` with a session that a pool gives at once or later. */
export function whenGiven<Session, T>(
  given: Session | Promise<Session>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return given instanceof Promise ? given.then(work) : work(given);
}

/** A database whose running work is cancelled when it is disposed of. */
export abstract class ConnectedDatabase implements AsyncDisposable {
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(disconnected());
    return this.#closed ??= this.close();
  }

  /** Ends the connections. Called once, after {@link ending} was aborted. */
  protected abstract close(): Promise<void>;

  protected requireOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  /** What {@link requireOpen} throws, as a rejection; undefined while it is open. */
  protected refusal(): Promise<never> | undefined {
    const { aborted, reason } = this.#closing.signal;
    return aborted ? Promise.reject(reason) : undefined;
  }

  /** Aborted with the signal of a caller, and when the database is closed. Throws if it is closed. */
  protected ending(signal: AbortSignal): AbortSignal {
    this.requireOpen();
    return AbortSignal.any([signal, this.#closing.signal]);
  }
}

/** A database with a {@link SessionPool}. */
export abstract class PooledDatabase<Session extends PooledSession> extends ConnectedDatabase {
  readonly #turns: Turns;

  constructor(protected readonly pool: SessionPool<Session>, protected readonly settings: PoolSettings) {
    super();
    this.#turns = new Turns(settings);
  }

  usage(): DatabaseUsage {
    const { usage } = this.pool;
    return { ...usage, waiting: usage.waiting + this.#turns.waiting };
  }

  async begin({ signal, readOnly = false }: BeginOptions): Promise<Transaction> {
    const ending = this.ending(signal);
    const session = await this.pool.acquire(ending);
    try {
      const port = await this.start(session, readOnly, ending);
      return new WriteTransaction(port, { signal: ending, seconds: this.settings.statementTimeout });
    } catch (error) {
      this.pool.discard(session);
      throw error;
    }
  }

  /** Begins a transaction on a session that it holds alone. */
  protected abstract start(
    session: Session,
    readOnly: boolean,
    signal: AbortSignal,
  ): Promise<TransactionPort>;

  protected close(): Promise<void> {
    return this.pool[Symbol.asyncDispose]();
  }

  /** Work on one session without a waiting caller. `seconds`: as in {@link SessionPool.acquire}. */
  protected async use<T>(
    work: (session: Session, signal: AbortSignal) => Promise<T>,
    seconds?: number,
  ): Promise<T> {
    const ending = this.ending(NEVER);
    const session = await this.pool.acquire(ending, seconds);
    try {
      return await work(session, ending);
    } finally {
      this.pool.release(session);
    }
  }

  /** Like {@link use}, for work that is quick most of the time: its signal is made only when it is not. */
  protected useSoon<T>(
    work: (session: Session, ending: () => AbortSignal) => Promise<T>,
    caller: Pick<ReadOptions, "signal">,
  ): Promise<T> {
    const refused = this.refusal();
    if (refused) return refused;
    const ending = () => this.ending(caller.signal);
    return whenGiven(this.pool.acquireSoon(ending), (session) => {
      return work(session, ending).finally(() => this.pool.release(session));
    });
  }

  /**
   * A stream with a session of its own, once it has a turn. `read` gives the session back, and may end the
   * turn before its reader has taken all rows.
   */
  protected streaming(
    { signal: caller, turn: by, isQuery }: Pick<StreamOptions, "signal" | "turn"> & {
      readonly isQuery: boolean;
    },
    read: (session: Session, signal: AbortSignal, turn: Disposable) => AsyncIterable<readonly Row[]>,
  ): AsyncGenerator<readonly Row[]> {
    const { pool } = this;
    const turns = this.#turns;
    const limits = { signal: this.ending(caller), seconds: this.settings.statementTimeout };
    return watchReader(limits, async function* (signal) {
      using turn = await turns.take(signal, { caller: by, isQuery });
      yield* read(await pool.acquire(signal), signal, turn);
    });
  }
}
