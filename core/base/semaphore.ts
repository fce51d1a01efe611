/**
 * Work that costs so much that only a little of it may be done at once.
 *
 * @module
 */

/** How much is done at once, and when work that can be refused is. */
export interface SlotLimits {
  readonly running: number;
  /** Most that may wait before that. */
  readonly waiting: number;
  /** What is thrown then. */
  refuse(): Error;
}

/** Runs work in the order in which it came. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Like {@link run}, but refused when too much is waiting already. */
  async runUnlessCrowded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= this.#limits.waiting) throw this.#limits.refuse();
    return await this.run(work);
  }

  /** Runs one piece of work as soon as there is a slot for it. */
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

  /** The slot goes to whoever has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}
