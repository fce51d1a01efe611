/**
 * Resolves the names of tables and columns in a database's definition to the spelling of the catalog,
 * with the rules of URLs. An ambiguous name in an exclusion excludes all candidates; elsewhere it
 * gives no key and no relation. Pure.
 *
 * @module
 */

import { createLookup } from "@/core/base/name_index.ts";
import type { TableDescription } from "@/core/catalog.ts";
import { quote } from "@/core/errors.ts";
import type { DatabaseDefinition, ForeignKey } from "@/core/model.ts";

/** The tables that a name can stand for: none, one, or several if it is ambiguous. */
export type TableLookup = (name: string) => readonly string[];

/** A name that is unknown or ambiguous. */
export interface NameComplaint {
  /** The path of the member with the name, relative to its definition. */
  readonly key: string;
  readonly message: string;
}

/** The resolved names of a definition. */
export interface DefinitionNames {
  readonly excludedTables: ReadonlySet<string>;
  readonly excludedColumns: ByTable<string>;
  readonly alternateKey: ByTable<string>;
  readonly labels: ByTable<string>;
  readonly foreignKeys: ByTable<ForeignKey>;
  readonly complaints: readonly NameComplaint[];
}

type ByTable<T> = ReadonlyMap<string, readonly T[]>;
type Named = Pick<TableDescription, "name" | "identifier">;

/**
 * Finds tables by their names; the plain name of a table in another schema counts if no full name matches.
 */
export function lookUpTables(tables: readonly Named[]): TableLookup {
  return createLookup(
    tables.map(({ name }) => [name, name]),
    tables.map((table) => [plainName(table), table.name]),
  );
}

/** The complaint about a name that stands for `found` things instead of one; undefined if it is one. */
export function complaintAbout(what: "column" | "table", name: string, found: number): string | undefined {
  if (found === 1) return undefined;
  return found === 0
    ? `Cannot find ${what} ${quote(name)}`
    : `The ${what} name ${quote(name)} is ambiguous: write it as the database spells it`;
}

/** Resolves the names of a definition in the catalog's tables. */
export function resolveNames(
  tables: readonly TableDescription[],
  definition: DatabaseDefinition,
): DefinitionNames {
  const names = new CatalogNames(tables);
  const excluded = definition.excludedTables.flatMap((pattern) => names.excluded(pattern));
  const excludedColumns = names.columnsByTable(definition.excludedColumns);
  // SQL has no list of no columns.
  const emptied = tables.filter(({ name, columns }) =>
    columns.every((column) => excludedColumns.get(name)?.includes(column.name))
  );
  return {
    excludedTables: new Set([...excluded, ...emptied.map(({ name }) => name)]),
    excludedColumns,
    alternateKey: names.keys(definition.alternateKey, "alternate_key"),
    labels: names.keys(definition.labels, "labels"),
    foreignKeys: names.foreignKeys(definition.foreignKeys),
    complaints: names.complaints,
  };
}

/**
 * Whether a name matches a pattern of `excluded_tables`, in which `*` is any text; ignores case. No regular
 * expression: the time that one needs doubles with each `*`.
 */
export function matchesPattern(name: string, pattern: string): boolean {
  const text = name.toLowerCase();
  const [first = "", ...others] = pattern.toLowerCase().split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let end = first.length;
  for (const part of others) {
    const found = text.indexOf(part, end);
    if (found < 0) return false;
    end = found + part.length;
  }
  return text.length - last.length >= end && text.endsWith(last);
}

/** Two names may stand for one table. */
function merge<T>(entries: readonly (readonly [table: string, items: readonly T[]])[]): ByTable<T> {
  const groups = Map.groupBy(entries, ([table]) => table);
  return new Map([...groups].map(([table, all]) => [table, all.flatMap(([, items]) => items)]));
}

/** The name of a table without its schema. */
export function plainName({ name, identifier }: Named): string {
  return identifier?.at(-1) ?? name;
}

/** Looks names up and collects complaints about unknown and ambiguous ones. */
class CatalogNames {
  readonly complaints: NameComplaint[] = [];
  readonly #all: readonly TableDescription[];
  readonly #tables: TableLookup;
  readonly #columns: ReadonlyMap<string, (name: string) => readonly string[]>;

  constructor(tables: readonly TableDescription[]) {
    this.#all = tables;
    this.#tables = lookUpTables(tables);
    this.#columns = new Map(tables.map(({ name, columns }) => {
      return [name, createLookup(columns.map((column) => [column.name, column.name]))];
    }));
  }

  /** A pattern without a match is not a mistake: such tables may be created later. */
  excluded(pattern: string): readonly string[] {
    if (!pattern.includes("*")) return this.#findTables(pattern, `excluded_tables.${pattern}`);
    const isMatch = (table: Named) =>
      [table.name, plainName(table)].some((name) => matchesPattern(name, pattern));
    return this.#all.filter(isMatch).map(({ name }) => name);
  }

  columnsByTable(written: DatabaseDefinition["excludedColumns"]): ByTable<string> {
    return merge([...written].flatMap(([name, columns]) => {
      const key = `excluded_columns.${name}`;
      return this.#findTables(name, key).map((table) =>
        [table, columns.flatMap((column) => this.#findColumns(table, column, `${key}.${column}`))] as const
      );
    }));
  }

  /** Lists of columns that count only as a whole; `member` has them. */
  keys(written: DatabaseDefinition["alternateKey"], member: string): ByTable<string> {
    return new Map([...written].flatMap(([name, columns]) => {
      const key = `${member}.${name}`;
      const table = this.#findTable(name, key);
      const found = table === undefined ? undefined : this.#findAll(table, columns, key);
      return table === undefined || !found ? [] : [[table, found] as const];
    }));
  }

  foreignKeys(written: DatabaseDefinition["foreignKeys"]): ByTable<ForeignKey> {
    return merge([...written].flatMap(([name, keys]) => {
      const key = `foreign_keys.${name}`;
      const table = this.#findTable(name, key);
      if (table === undefined) return [];
      return [
        [table, keys.flatMap((each, index) => this.#foreignKey(table, each, `${key}.${index}`))] as const,
      ];
    }));
  }

  #foreignKey(owner: string, written: ForeignKey, key: string): readonly ForeignKey[] {
    const columns = this.#findAll(owner, written.columns, `${key}.columns`);
    const table = this.#findTable(written.table, `${key}.table`);
    if (table === undefined) return [];
    const references = this.#findAll(table, written.references, `${key}.references`);
    return columns && references ? [{ columns, table, references }] : [];
  }

  /** All columns of a list; undefined if one of them is unknown or ambiguous. */
  #findAll(table: string, names: readonly string[], key: string): readonly string[] | undefined {
    const found = names.map((name) => this.#findColumns(table, name, `${key}.${name}`));
    return found.every(({ length }) => length === 1) ? found.flat() : undefined;
  }

  #findTable(name: string, key: string): string | undefined {
    const [table, ...others] = this.#findTables(name, key);
    return others.length > 0 ? undefined : table;
  }

  #findTables(name: string, key: string): readonly string[] {
    return this.#noted("table", name, key, this.#tables(name));
  }

  #findColumns(table: string, name: string, key: string): readonly string[] {
    return this.#noted("column", name, key, this.#columns.get(table)?.(name) ?? []);
  }

  #noted(what: "column" | "table", name: string, key: string, found: readonly string[]): readonly string[] {
    const message = complaintAbout(what, name, found.length);
    if (message !== undefined) this.complaints.push({ key, message });
    return found;
  }
}
