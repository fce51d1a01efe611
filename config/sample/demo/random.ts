/**
 * Numbers that look random and are the same in every run.
 *
 * @module
 */

/** A sequence of numbers that its seed decides. Not for secrets. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True that many times out of a hundred. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** Any item of the list. Throws a RangeError when it is empty. */
  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new RangeError("Cannot pick from an empty list");
    return item;
  }

  /** Mulberry32: 32-bit integers only, so every engine gives the same. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
