/**
 * Runs that a worker has answered quickly. The same statement with the same values does the same work while
 * the data stays as it is, so the service's thread may run it the next time: that takes a third of the CPU.
 *
 * @module
 */

/** The effort in the worker, in milliseconds. */
export const QUICK = 5;

const MOST_RUNS = 1000;
/** Characters of a name, most of them values. */
const LONGEST = 500;

/** The quick runs of one database. */
export class QuickRuns {
  /** The end of each run's validity, in milliseconds of {@link performance.now}; the oldest first. */
  readonly #runs = new Map<string, number>();
  readonly #valid: number;

  /**
   * `valid`: milliseconds until a run must prove itself again, because other programs may change the data.
   */
  constructor(valid: number) {
    this.#valid = valid;
  }

  has(name: string): boolean {
    const until = this.#runs.get(name);
    return until !== undefined && until > performance.now();
  }

  add(name: string): void {
    if (name.length > LONGEST) return;
    this.#runs.delete(name);
    this.#runs.set(name, performance.now() + this.#valid);
    if (this.#runs.size <= MOST_RUNS) return;
    for (const oldest of this.#runs.keys().take(1)) this.#runs.delete(oldest);
  }

  clear(): void {
    this.#runs.clear();
  }
}
