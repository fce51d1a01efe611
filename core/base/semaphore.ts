/**
 * Limits how many expensive operations run at the same time.
 *
 * @module
 */

interface SemaphoreLimits {
  readonly running: number;
  /** Largest queue for work that may be refused. */
  readonly waiting: number;
  /** The error for refused work. */
  refuse(): Error;
}

/** Runs work in the order of its arrival. */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** Like {@link run}, but refuses when the queue is full. */
  async runUnlessCrowded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= this.#limits.waiting) throw this.#limits.refuse();
    return await this.run(work);
  }

  /** Runs the work as soon as a slot is free. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#limits.running) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the slot on to the work that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}
