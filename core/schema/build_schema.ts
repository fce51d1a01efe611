/**
 * Builds a schema from the tables of the catalog and the names in the database's definition, and narrows it
 * to the tables that a caller may read.
 *
 * @module
 */

import { NameIndex } from "@/core/base/name_index.ts";
import type { TableDescription } from "@/core/catalog.ts";
import { type LinkStyle, printName } from "@/core/request/print_path.ts";
import { type DefinitionNames, plainName } from "./definition_names.ts";
import { labelColumns } from "./label_columns.ts";
import { type NamedRelation, nameRelations } from "./name_relations.ts";
import { allTables, type Relation, type Schema, type Table } from "./table.ts";

interface SchemaOptions {
  readonly names: DefinitionNames;
  readonly links: LinkStyle;
  /** `orm_sdb.use_automap`: foreign keys of the catalog become relations. */
  readonly automap: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Builds the whole schema: applies additions and exclusions of the definition, then names the relations. */
export function buildSchema(described: readonly TableDescription[], options: SchemaOptions): Schema {
  const { names, links } = options;
  const kept = described.filter(({ name }) => !names.excludedTables.has(name));
  const descriptions = kept.map((table) => adjust(table, options));
  const all = new Set(kept.map(({ name }) => name));
  const tables = new Map(descriptions.map((description) => {
    const { name } = description;
    const segment = printName(name, links, (other) => all.has(other));
    return [name, createTable(description, segment, names.labels.get(name) ?? [])] as const;
  }));
  const named = nameRelations(descriptions);
  for (const [name, table] of tables) attach(table, relationsOf(table, named.get(name) ?? [], tables, links));
  const aliases = plainNames(descriptions);
  const built = new Map([...tables].toSorted(([a], [b]) => compare(a, b)));
  return { tables: new NameIndex<Table>(built, aliased<Table>(aliases, built)), aliases };
}

function relationsOf(
  owner: Table,
  named: readonly NamedRelation[],
  tables: ReadonlyMap<string, Table>,
  links: LinkStyle,
): readonly Relation[] {
  const taken = new Set([...owner.columns, ...named].map(({ name }) => name));
  return named.flatMap(({ name, many, local, foreign, foreignKey }) => {
    const table = tables.get(foreign.table);
    return !table ? [] : [{
      name,
      segment: printName(name, links, (other) => taken.has(other)),
      many,
      local: positions(owner, local.columns),
      foreign: positions(table, foreign.columns),
      table,
      foreignKey,
    }];
  });
}

/** The last part of each name with several parts, unless two tables share it. */
function plainNames(descriptions: readonly TableDescription[]): ReadonlyMap<string, string> {
  const owners = Map.groupBy(descriptions, plainName);
  return new Map(
    [...owners].flatMap(([plain, [only, ...others]]) => {
      return !only || others.length > 0 || only.name === plain ? [] : [[plain, only.name] as const];
    }),
  );
}

function aliased<T>(
  aliases: ReadonlyMap<string, string>,
  tables: ReadonlyMap<string, T>,
): readonly (readonly [string, T])[] {
  return [...aliases].flatMap(([alias, name]) => {
    const table = tables.get(name);
    return table === undefined ? [] : [[alias, table] as const];
  });
}

/** The schema without the tables that `readable` rejects, and without relations to them. */
export function narrowSchema({ tables, aliases }: Schema, readable: (table: string) => boolean): Schema {
  const all = allTables({ tables, aliases });
  const kept = new Map(
    all.filter(({ name }) => readable(name)).map((table) => [table.name, { ...table } as Mutable<Table>]),
  );
  for (const table of kept.values()) {
    const relations = [...table.toOne, ...table.toMany];
    attach(
      table,
      relations.flatMap((relation) => {
        const target = kept.get(relation.table.name);
        return target ? [{ ...relation, table: target }] : [];
      }),
    );
    const forbidden = relations.filter((relation) => !kept.has(relation.table.name));
    table.forbidden = new NameIndex(forbidden.map(({ name, table }) => [name, table.name] as const));
  }
  return { tables: new NameIndex<Table>(kept, aliased<Table>(aliases, kept)), aliases };
}

/** A table without relations. `chosen`: the columns of its label according to the definition. */
function createTable(
  description: TableDescription,
  segment: string,
  chosen: readonly string[],
): Mutable<Table> {
  const { identifier, primaryKey, sharesKey, uniqueKeys, foreignKeys: _, ...facts } = description;
  const columnNames = new NameIndex(facts.columns.map(({ name }, position) => [name, position] as const));
  const known = chosen.filter((name) => columnNames.exact(name) !== undefined);
  return {
    ...facts,
    identifier: identifier ?? [facts.name],
    segment,
    primaryKey: positions({ columnNames }, primaryKey),
    hasOwnKey: primaryKey.length > 0 && !sharesKey,
    uniqueKeys: uniqueKeys.map((key) => positions({ columnNames }, key)),
    label: positions({ columnNames }, labelColumns(description, known)),
    toOne: [],
    toMany: [],
    columnNames,
    relationNames: new NameIndex<Relation>([]),
    forbidden: new NameIndex<string>([]),
  };
}

function attach(owner: Mutable<Table>, relations: readonly Relation[]): void {
  owner.toOne = relations.filter(({ many }) => !many);
  owner.toMany = relations.filter(({ many }) => many).toSorted((a, b) => compare(a.name, b.name));
  owner.relationNames = new NameIndex(
    [...owner.toOne, ...owner.toMany].map((each) => [each.name, each] as const),
  );
}

/** Removes excluded columns and the keys that contain them; adds keys and foreign keys of the definition. */
function adjust(table: TableDescription, { names, automap }: SchemaOptions): TableDescription {
  const excluded = names.excludedColumns.get(table.name);
  const columns = table.columns.filter(({ name }) => !excluded?.includes(name));
  const known = new Set(columns.map(({ name }) => name));
  const whole = (list: readonly string[]) => list.every((name) => known.has(name));
  const hasKey = table.primaryKey.length > 0;
  const key = hasKey ? table.primaryKey : names.alternateKey.get(table.name) ?? [];
  const foreignKeys = [...(automap ? table.foreignKeys : []), ...(names.foreignKeys.get(table.name) ?? [])];
  return {
    ...table,
    columns,
    primaryKey: whole(key) ? key : [],
    // No engine keeps a key of the definition unique.
    ...(hasKey ? {} : { sharesKey: true }),
    uniqueKeys: table.uniqueKeys.filter(whole),
    foreignKeys: foreignKeys.filter((key) => whole(key.columns)),
  };
}

function positions({ columnNames }: Pick<Table, "columnNames">, names: readonly string[]): readonly number[] {
  return names.map((name) => columnNames.exact(name) ?? -1);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
