/**
 * What was compiled for shapes seen before, within bounds; what was not used lately goes first.
 *
 * @module
 */

/** Shapes. */
const MAX_ENTRIES = 1000;
/** Characters of SQL and of keys: an engine keeps some thirty times the text of a prepared statement. */
const MAX_WEIGHT = 1_000_000;

interface Entry<T> {
  readonly value: T;
  readonly weight: number;
  /** Used since it was last looked at for removal. */
  isUsed: boolean;
}

/**
 * A bounded map by shape. Uses are only noted, and entries that were used get a second chance when room is needed: a
 * request must not pay for keeping an exact order.
 */
export class WeightedCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #weight = 0;

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** `sqlLength` is the number of characters of SQL that the value keeps prepared; the key is weighed as well. */
  set(key: string, value: T, sqlLength: number): void {
    const weight = sqlLength + key.length;
    this.#entries.set(key, { value, weight, isUsed: true });
    this.#weight += weight;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && this.#weight <= MAX_WEIGHT) return;
      this.#entries.delete(oldest);
      if (entry.isUsed) this.#entries.set(oldest, { ...entry, isUsed: false });
      else this.#weight -= entry.weight;
    }
  }
}

/** The statement of a shape that was seen before, or a new one. */
export function keep<T extends { readonly sql: string }>(
  cache: WeightedCache<T>,
  key: string,
  build: () => T,
): T {
  const known = cache.get(key);
  if (known) return known;
  const statement = build();
  cache.set(key, statement, statement.sql.length);
  return statement;
}
