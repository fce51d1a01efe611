/**
 * What was compiled for shapes seen before, within bounds; what was not used for longest goes first.
 *
 * @module
 */

/** Shapes. */
const MAX_ENTRIES = 1000;
/** Characters of SQL: an engine keeps some thirty times the text of a prepared statement. */
const MAX_WEIGHT = 1_000_000;

interface Entry<T> {
  readonly value: T;
  readonly weight: number;
}

/** A bounded map by shape. */
export class PlanCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #weight = 0;

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // A map keeps the order of insertion: what is used goes to its end.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** `weight` is the number of characters of SQL that the value keeps prepared. */
  set(key: string, value: T, weight: number): void {
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && this.#weight <= MAX_WEIGHT) return;
      this.#entries.delete(oldest);
      this.#weight -= entry.weight;
    }
  }
}
