/**
 * Primary, unique and foreign keys. Pure.
 *
 * @module
 */

import type { ForeignKey, TableDescription } from "@/plugins/contract.ts";
import type { ListedKey, ListedReference } from "./catalog_queries.ts";

const PRIMARY = "PRIMARY";

/** Names in the order of the key; empty without one. */
export function primaryKeyOf(keys: readonly ListedKey[]): readonly string[] {
  return keys.filter(({ index }) => index === PRIMARY).flatMap(({ column }) => column ?? []);
}

/** Unique indexes of columns; an index on an expression does not make a column unique. */
export function uniqueKeysOf(keys: readonly ListedKey[]): readonly (readonly string[])[] {
  const indexes = Map.groupBy(keys.filter(({ index }) => index !== PRIMARY), ({ index }) => index);
  return [...indexes.values()].map((parts) => parts.map(({ column }) => column))
    .filter((columns) => isComplete(columns));
}

/** The context of resolving foreign keys. */
export interface Known {
  readonly places: Places;
  /** Collects sentences about keys whose table is missing. */
  readonly omitted: string[];
}

/** Tables by database and name; as a last resort ignoring case, because some servers list another case. */
export class Places {
  readonly #exact = new Map<string, TableDescription>();
  readonly #folded = new Map<string, TableDescription>();

  constructor(tables: readonly TableDescription[]) {
    for (const table of tables) {
      const place = JSON.stringify(table.identifier);
      this.#exact.set(place, table);
      this.#folded.set(place.toLowerCase(), table);
    }
  }

  find(schema: string, table: string): TableDescription | undefined {
    const place = JSON.stringify([schema, table]);
    return this.#exact.get(place) ?? this.#folded.get(place.toLowerCase());
  }
}

/** Foreign keys to known tables, over supported columns. */
export function foreignKeysOf(
  child: TableDescription,
  references: readonly ListedReference[],
  { places, omitted }: Known,
): readonly ForeignKey[] {
  const constraints = Map.groupBy(references, ({ constraint }) => constraint);
  return [...constraints.values()].flatMap((parts) => {
    const key = resolve(child, parts, places);
    if (typeof key !== "string") return [key];
    omitted.push(key);
    return [];
  });
}

function resolve(
  child: TableDescription,
  parts: readonly ListedReference[],
  places: Places,
): ForeignKey | string {
  const what = `foreign key (${parts.map(({ column }) => column).join(", ")}) of "${child.name}"`;
  const [first] = parts;
  const parent = first && places.find(first.otherSchema, first.otherTable);
  if (!parent) return `${what}: there is no table "${first?.otherSchema}.${first?.otherTable}" here`;
  const columns = parts.map(({ column }) => findNamed(child.columns, column));
  const others = parts.map(({ otherColumn }) => findNamed(parent.columns, otherColumn));
  if (!isComplete(columns) || !isComplete(others)) return `${what}: one of its columns cannot be read`;
  return { columns, table: parent.name, references: others };
}

function findNamed(columns: readonly { readonly name: string }[], name: string): string | undefined {
  const folded = name.toLowerCase();
  return columns.find((column) => column.name.toLowerCase() === folded)?.name;
}

function isComplete(names: readonly (string | null | undefined)[]): names is readonly string[] {
  return names.every((name) => typeof name === "string");
}
