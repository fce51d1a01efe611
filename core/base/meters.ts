/**
 * Counts of the service's parts and their present troubles, for `/metrics` and `/readyz`. Each thread has its
 * own meters, as it has its own connections, caches and files.
 *
 * @module
 */

/** Numbers and troubles of this thread. */
class Meters {
  readonly #counts = new Map<string, Map<string, number>>();
  /** Each part that may fail, with its present reason. */
  readonly #parts = new Map<string, string | undefined>();

  /** Adds one. `label` is one of a few words that the program knows, never text from outside. */
  count(name: string, label = ""): void {
    const labels = this.#counts.getOrInsertComputed(name, () => new Map<string, number>());
    labels.set(label, (labels.get(label) ?? 0) + 1);
  }

  /** The counts of one name by label. */
  counts(name: string): ReadonlyMap<string, number> {
    return this.#counts.get(name) ?? new Map();
  }

  /** Notes why a part of the service does not work as it should, or with undefined that it does. */
  trouble(part: string, reason: string | undefined): void {
    this.#parts.set(part, reason);
  }

  /** The reason of each part that was ever noted; undefined: it works. */
  get parts(): ReadonlyMap<string, string | undefined> {
    return this.#parts;
  }
}

/** The meters of this thread. */
export const METERS: Meters = new Meters();
