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

/**
 * Finds everything that a name in the configuration may mean, as URLs find it: by its exact spelling, else ignoring case;
 * aliases count where no name is meant. Several things: the name is ambiguous.
 */
export function createLookup<T>(
  names: Iterable<readonly [string, T]>,
  aliases: Iterable<readonly [string, T]> = [],
): (name: string) => readonly T[] {
  const [named, aliased] = [names, aliases].map((entries) =>
    Map.groupBy(entries, ([name]) => name.toLowerCase())
  );
  return (name) => {
    const key = name.toLowerCase();
    const found = named?.get(key) ?? aliased?.get(key) ?? [];
    const exact = found.filter(([spelling]) => spelling === name);
    return (exact.length > 0 ? exact : found).map(([, thing]) => thing);
  };
}

function fold<T>(named: ReadonlyMap<string, T>): ReadonlyMap<string, T | undefined> {
  const folded = new Map<string, T | undefined>();
  for (const [name, thing] of named) {
    const key = name.toLowerCase();
    folded.set(key, folded.has(key) ? undefined : thing);
  }
  return folded;
}
