/**
 * Finds tables, columns, relations and parameters by their names in URLs.
 *
 * @module
 */

/**
 * Finds a value by its exact name, or ignoring case where that is unambiguous. Aliases are found likewise
 * where no name matches; `names` does not include them.
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

/** An index of the names themselves. */
export function indexNames(names: readonly string[]): NameIndex<string> {
  return new NameIndex(names.map((name) => [name, name] as const));
}

/**
 * Finds all values that a name in the configuration can stand for, with the rules of URLs: exact spelling
 * first, then ignoring case, then aliases. Several values mean that the name is ambiguous.
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
