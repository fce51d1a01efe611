/**
 * Things by their names, as they stand in URLs: tables, columns, relations and parameters.
 *
 * @module
 */

/**
 * Finds a thing by its exact name, or ignoring case where that is unambiguous. An alias is found in the same way where no
 * name is meant, and is not listed among the names.
 */
export class NameIndex<T> {
  readonly names: readonly string[];
  readonly #exact: ReadonlyMap<string, T>;
  readonly #folded: ReadonlyMap<string, T | undefined>;

  constructor(entries: Iterable<readonly [string, T]>, aliases: Iterable<readonly [string, T]> = []) {
    const named = new Map(entries);
    this.names = [...named.keys()];
    const folded = fold(named);
    const others = new Map([...aliases].filter(([name]) => !folded.has(name.toLowerCase())));
    this.#exact = others.size > 0 ? new Map([...others, ...named]) : named;
    this.#folded = others.size > 0 ? new Map([...fold(others), ...folded]) : folded;
  }

  exact(name: string): T | undefined {
    return this.#exact.get(name);
  }

  folded(name: string): T | undefined {
    return this.#folded.get(name.toLowerCase());
  }

  find(name: string): T | undefined {
    return this.exact(name) ?? this.folded(name);
  }
}

function fold<T>(named: ReadonlyMap<string, T>): ReadonlyMap<string, T | undefined> {
  const folded = new Map<string, T | undefined>();
  for (const [name, thing] of named) {
    const key = name.toLowerCase();
    folded.set(key, folded.has(key) ? undefined : thing);
  }
  return folded;
}
