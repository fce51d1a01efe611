/**
 * Names of components, operations and path parameters in an OpenAPI document, made of whatever tables and columns are
 * called. Dots separate their parts (`Demo.Port.list`), so no part holds one. Pure.
 *
 * @module
 */

/** A database's id as the first part: ids have `@` and `~`, which such a name has not. Different ids stay different. */
export function databasePart(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, (character) => `..${character.charCodeAt(0).toString(16)}`);
}

/** Gives each thing of one kind a part of its own. */
export class NameParts {
  readonly #taken = new Set<string>();

  /** Stable as long as names are asked for in the same order. */
  claim(name: string): string {
    const plain = plainPart(name);
    let part = plain;
    for (let number = 2; this.#taken.has(part); number++) part = `${plain}_${number}`;
    this.#taken.add(part);
    return part;
  }
}

/** Letters, digits, hyphens and underscores. Names that every object has in JavaScript are avoided: clients trip over them. */
function plainPart(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{Mark}/gu, "");
  const plain = letters.replace(/[^A-Za-z0-9_-]/g, "_") || "_";
  return plain in Object.prototype ? `_${plain}` : plain;
}
