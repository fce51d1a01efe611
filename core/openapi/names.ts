/**
 * Names of components, operations and path parameters in an OpenAPI document, derived from names of tables
 * and columns. Dots separate their parts (`Demo.Port.list`), so a part contains none. Pure.
 *
 * @module
 */

/**
 * A database's id as the first part: ids may have `@` and `~`, which are invalid
 * here. Different ids stay different.
 */
export function databasePart(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, (character) => `..${character.charCodeAt(0).toString(16)}`);
}

/** Gives each object of one kind a unique part. */
export class NameParts {
  readonly #taken = new Set<string>();

  /**
   * Letters, digits, hyphens and underscores; stable if names are claimed in the same order. Names of members
   * that every JavaScript object has are avoided, because clients mishandle them.
   */
  claim(name: string): string {
    const letters = name.normalize("NFKD").replace(/\p{Mark}/gu, "").replace(/[^A-Za-z0-9_-]/g, "_") || "_";
    const plain = letters in Object.prototype ? `_${letters}` : letters;
    let part = plain;
    for (let number = 2; this.#taken.has(part); number++) part = `${plain}_${number}`;
    this.#taken.add(part);
    return part;
  }
}
