/**
 * A bounded cache of compiled plans, statements and documents; entries that were
 * not used lately are removed first.
 *
 * @module
 */

const MAX_ENTRIES = 1000;
/** Characters of SQL and of keys: an engine needs about thirty times the text of a prepared statement. */
const MAX_WEIGHT = 1_000_000;

interface Entry<T> {
  readonly value: T;
  readonly weight: number;
  /** Used since the last search for entries to remove. */
  isUsed: boolean;
}

/**
 * A bounded map by shape. A use only sets a flag, and flagged entries get a second chance when room is
 * needed: exact order would cost time in every request.
 */
export class WeightedCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #maxWeight: number;
  #weight = 0;

  /** `maxWeight`: a number of characters. */
  constructor(maxWeight = MAX_WEIGHT) {
    this.#maxWeight = maxWeight;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** The value of a key, which is made if it is not there. `lengthOf`: as in {@link set}. */
  getOrMake(key: string, make: () => T, lengthOf: (value: T) => number): T {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value, lengthOf(value));
    return value;
  }

  /** `length`: characters of the value, such as its SQL; the key is added. */
  set(key: string, value: T, length: number): void {
    const weight = length + key.length;
    this.#weight += weight - (this.#entries.get(key)?.weight ?? 0);
    this.#entries.set(key, { value, weight, isUsed: true });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && this.#weight <= this.#maxWeight) return;
      this.#entries.delete(oldest);
      if (entry.isUsed) this.#entries.set(oldest, { ...entry, isUsed: false });
      else this.#weight -= entry.weight;
    }
  }
}
