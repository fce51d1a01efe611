/**
 * One read replica: connected, unreachable, or too late to be read.
 *
 * @module
 */

import { messageIn } from "@/core/errors.ts";
import type { Database, Log } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { SILENCE } from "./connect_in_time.ts";

/** The address of a replica. */
export interface ReplicaSource {
  /** Its address, for the log. */
  readonly name: string;
  /** Seconds behind the primary beyond which it is left out. Absent: any number. */
  readonly maxLag?: number | undefined;
  /** Connects with the login that reads the catalog. */
  connect(signal: AbortSignal): Promise<Database>;
}

/** One replica over the life of a connection. */
export class Replica implements AsyncDisposable {
  readonly #source: ReplicaSource;
  readonly #log: Log;
  #database: Database | undefined;
  #looking: Promise<void> | undefined;
  #isMissed = false;
  #isLate = false;
  #isTold = false;
  readonly #ending = new AbortController();

  constructor(source: ReplicaSource, log: Log) {
    this.#source = source;
    this.#log = log;
  }

  /** Undefined while it is unreachable or late. */
  get database(): Database | undefined {
    return this.#isLate ? undefined : this.#database;
  }

  /** Checks whether it is still reachable, and reconnects if it is again. Never throws. */
  look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => this.#looking = undefined);
    return this.#looking;
  }

  async #lookNow(): Promise<void> {
    try {
      if (this.#database) {
        // A database that cannot be checked is lost; reconnecting reports the reason.
        if (await this.#owed(this.#database.check(), "check").catch(() => "gone") !== "gone") {
          return await this.#judge(this.#database);
        }
        this.#miss("it is gone");
        const lost = this.#database;
        this.#database = undefined;
        await this.#owed(Promise.resolve(lost[Symbol.asyncDispose]()), "[Symbol.asyncDispose]");
      }
      await using opening = new AsyncDisposableStack();
      const database = opening.use(await this.#source.connect(this.#ending.signal));
      if (this.#ending.signal.aborted) return;
      await this.#judge(database);
      if (this.#isMissed) this.#log.info(`Replica ${this.#source.name} is there again`);
      this.#isMissed = false;
      this.#database = database;
      opening.move();
    } catch (error) {
      this.#miss(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error("It is not wanted any more"));
    await this.#looking;
    await this.#database?.[Symbol.asyncDispose]();
    this.#database = undefined;
  }

  /** Leaves a late replica out, also one that does not know how late it is. */
  async #judge(database: Database): Promise<void> {
    const { name, maxLag } = this.#source;
    if (maxLag === undefined) return;
    if (!database.lag) {
      if (!this.#isTold) this.#log.warn(`Replica ${name}: max_lag has no effect, the engine does not tell`);
      this.#isTold = true;
      return;
    }
    const { lag, reason } = await this.#owed(database.lag(), "lag").then(
      (seconds = Infinity) => ({ lag: seconds, reason: "" }),
      (error: unknown) => ({ lag: Infinity, reason: `: ${messageIn(error)}` }),
    );
    const isLate = lag > maxLag;
    if (isLate === this.#isLate || this.#ending.signal.aborted) return;
    this.#isLate = isLate;
    if (!isLate) return this.#log.info(`Replica ${name} has caught up and is read again`);
    const words = lag === Infinity ? `by an unknown time${reason}` : `by ${Math.round(lag)} s`;
    this.#log.warn(`Replica ${name} is late ${words} (max_lag ${maxLag}), the primary is read`);
  }

  /**
   * The answer of the replica, if it comes before the database is closed and within the time of other checks.
   */
  #owed<T>(answer: Promise<T>, member: string): Promise<T> {
    return bounded(Promise.resolve(answer), {
      signal: this.#ending.signal,
      seconds: SILENCE / 1000,
      expired: () => new Error(`${member}() has not ended after ${SILENCE / 1000} seconds`),
    });
  }

  #miss(reason: unknown): void {
    if (this.#isMissed || this.#ending.signal.aborted) return;
    this.#isMissed = true;
    const words = messageIn(reason);
    this.#log.warn(`Replica ${this.#source.name} cannot be reached, the primary is read: ${words}`);
  }
}
