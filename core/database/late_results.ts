/**
 * Guards the service against dialects that never answer: their work is given up after a while, so that no
 * request waits for ever. Dialects end slow statements themselves, earlier.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { DatabaseDefinition, Log, ReadOptions } from "@/plugins/contract.ts";
import { Bag, type Bagged } from "@/plugins/kit/bag.ts";

/** Milliseconds between two looks at unfinished work. */
const INTERVAL = 1000;

/** The work of a dialect. */
export interface Owed<T> {
  /** The member that does it. */
  readonly member: "read" | "write" | "begin" | "run" | "commit" | "rollback" | "describe" | "plan";
  readonly options: Pick<ReadOptions, "requestId">;
  /** Each may take the time limit. */
  readonly statements: number;
  /** Ends a result that comes after all. Absent: it is ignored. */
  end?(result: T): PromiseLike<void>;
}

interface Waiting extends Bagged {
  readonly until: number;
  giveUp(): void;
}

/** 504 for work that was given up. */
export class LateResult extends ServiceError {}

/** The unfinished work of one connected database, under all logins. */
export class LateResults {
  readonly #waiting = new Bag<Waiting>();
  readonly #seconds: number;
  readonly #subject: string;
  readonly #log: Log;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `seconds`: the time that a plugin has; the time limits of the database are added. */
  constructor(
    definition: DatabaseDefinition,
    { log, seconds }: { readonly log: Log; readonly seconds: number },
  ) {
    const { id, dbType, replicas, pool: { statementTimeout, acquireTimeout } } = definition;
    // The primary is read after a replica has failed.
    const servers = replicas.length > 0 ? 2 : 1;
    const hasLimit = statementTimeout > 0 && acquireTimeout > 0 && seconds > 0;
    this.#seconds = hasLimit ? (statementTimeout + acquireTimeout) * servers + seconds : Infinity;
    this.#subject = `Database ${id}: dialect "${dbType}"`;
    this.#log = log;
  }

  /** The result of the work. Rejects with {@link LateResult} if it does not come. */
  wait<T>(work: PromiseLike<T>, owed: Owed<T>): Promise<T> {
    if (this.#seconds === Infinity) return Promise.resolve(work);
    const milliseconds = this.#seconds * 1000 * owed.statements;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiting = this.#waiting.add({
      place: -1,
      until: performance.now() + milliseconds,
      giveUp: () => reject(this.#late(milliseconds / 1000, owed)),
    });
    if (this.#timer === undefined) this.#lookLater();
    work.then((result) => {
      if (this.#waiting.delete(waiting)) resolve(result);
      else if (owed.end) this.forget(Promise.try(owed.end, result));
    }, (error: unknown) => {
      this.#waiting.delete(waiting);
      reject(error);
    });
    return promise;
  }

  /** Lets given-up work go on; its failure is only logged. */
  forget(work: PromiseLike<void>): void {
    work.then(undefined, (error: unknown) => {
      this.#log.warn(`${this.#subject} failed at the end of work that was given up: ${String(error)}`);
    });
  }

  /** The database is closed: nothing new comes. */
  stop(): void {
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** One timer for all that is owed, because a timer for each would cost every request. */
  #lookLater(): void {
    this.#timer = setTimeout(() => this.#look(), INTERVAL);
    this.#timer.unref();
  }

  #look(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const waiting of this.#waiting) {
      if (waiting.until > now) continue;
      this.#waiting.delete(waiting);
      waiting.giveUp();
    }
    if (this.#waiting.size > 0) this.#lookLater();
  }

  #late(
    seconds: number,
    { member, options: { requestId } }: Pick<Owed<never>, "member" | "options">,
  ): LateResult {
    const id = requestId === undefined ? "" : ` (${requestId})`;
    this.#log.error(
      `${this.#subject} has not ended ${member}() after ${seconds} seconds ` +
        `(statement_timeout, acquire_timeout, server.plugin_timeout)${id}`,
    );
    const advice = member === "write" || member === "commit"
      ? "see whether the change was made before you repeat it"
      : "try again later";
    return new LateResult("timeout", `The database has not answered in time: ${advice}`);
  }
}
