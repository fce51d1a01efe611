/**
 * What callers of a transaction may rely on, whatever the engine.
 *
 * @module
 */

/** Does one thing after another: callers need not wait for each other. */
export class Sequence {
  #last: Promise<unknown> = Promise.resolve();

  /** Whoever asked is told what failed; those behind it find out themselves. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** Nothing can be done with a transaction after its commit or rollback. */
export function hasEnded(): TypeError {
  return new TypeError("The transaction has ended: begin another one");
}

/** Nothing but a rollback can be done after a failure. */
export function hasFailed(): TypeError {
  return new TypeError("A statement of the transaction has failed: it can only be rolled back");
}
