/**
 * Builds a schema from the catalog and the database's definition, and narrows it to the tables that a caller may read.
 *
 * @module
 */

import { type DefinitionNames, resolveNames } from "./definition_names.ts";
import { type LinkStyle, printName } from "@/core/request/print_path.ts";
import type { Catalog, DatabaseDefinition, TableDescription } from "@/core/model.ts";
import { NameIndex } from "@/core/base/name_index.ts";
import { nameRelations } from "./name_relations.ts";
import { allTables, type Relation, type Schema, type Table } from "./table.ts";

/** The options of a schema. */
export interface SchemaOptions {
  readonly definition: DatabaseDefinition;
  readonly links: LinkStyle;
  /** `orm_sdb.use_automap`: foreign keys of the catalog become relations. */
  readonly automap: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Builds the whole schema: applies additions and exclusions of the definition, then names the relations. */
export function buildSchema(catalog: Catalog, options: SchemaOptions): Schema {
  const names = resolveNames(catalog.tables, options.definition);
  const descriptions = catalog.tables
    .filter(({ name }) => !names.excludedTables.has(name))
    .map((table) => adjust(table, names, options));
  const keyed = new Set(catalog.tables.filter(({ primaryKey }) => primaryKey.length > 0).map(nameOf));
  const tables = new Map(descriptions.map((description) => {
    const hasOwnKey = keyed.has(description.name);
    return [description.name, createTable(description, { links: options.links, hasOwnKey })];
  }));
  for (const { local, foreign, foreignKey, names } of nameRelations(descriptions)) {
    const owner = tables.get(local.table);
    const target = tables.get(foreign.table);
    if (!owner || !target) continue;
    const relation = {
      name: names.name,
      segment: printName(names.name, options.links),
      many: names.many,
      local: positions(owner, local.columns),
      foreign: positions(target, foreign.columns),
      table: target,
      foreignKey,
    };
    attach(owner, relation);
  }
  const aliases = plainNames(descriptions);
  return { tables: new NameIndex([...tables].toSorted(byName), aliased(aliases, tables)), aliases };
}

/** The last part of each name with several parts, unless two tables share it. */
function plainNames(descriptions: readonly TableDescription[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string[]>();
  for (const { name, identifier = [name] } of descriptions) {
    const plain = identifier.at(-1) ?? name;
    owners.set(plain, [...(owners.get(plain) ?? []), name]);
  }
  return new Map(
    [...owners].flatMap(([plain, [only, ...others]]) => {
      return only === undefined || others.length > 0 || only === plain ? [] : [[plain, only] as const];
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
export function narrowSchema(schema: Schema, readable: (table: string) => boolean): Schema {
  const all = allTables(schema);
  const kept = new Map(all.filter(({ name }) => readable(name)).map((table) => [table.name, bare(table)]));
  for (const table of all) {
    const owner = kept.get(table.name);
    if (!owner) continue;
    const forbidden: [string, string][] = [];
    for (const relation of [...table.toOne, ...table.toMany]) {
      const target = kept.get(relation.table.name);
      if (target) attach(owner, { ...relation, table: target });
      else forbidden.push([relation.name, relation.table.name]);
    }
    owner.forbidden = new NameIndex(forbidden);
  }
  return {
    tables: new NameIndex<Table>(kept, aliased<Table>(schema.aliases, kept)),
    aliases: schema.aliases,
  };
}

function nameOf({ name }: TableDescription): string {
  return name;
}

function createTable(
  description: TableDescription,
  { links, hasOwnKey }: { readonly links: LinkStyle; readonly hasOwnKey: boolean },
): Mutable<Table> {
  const columnNames = new NameIndex(
    description.columns.map(({ name }, position) => [name, position] as const),
  );
  const positionsOf = (names: readonly string[]) => names.map((name) => columnNames.exact(name) ?? -1);
  return {
    name: description.name,
    identifier: description.identifier ?? [description.name],
    segment: printName(description.name, links),
    kind: description.kind,
    ...(description.comment === undefined ? {} : { comment: description.comment }),
    ...(description.writable ? { writable: description.writable } : {}),
    columns: description.columns,
    primaryKey: positionsOf(description.primaryKey),
    hasOwnKey,
    uniqueKeys: description.uniqueKeys.map(positionsOf),
    toOne: [],
    toMany: [],
    columnNames,
    relationNames: new NameIndex<Relation>([]),
    forbidden: new NameIndex<string>([]),
  };
}

function bare(table: Table): Mutable<Table> {
  return { ...table, toOne: [], toMany: [], relationNames: new NameIndex<Relation>([]) };
}

function attach(owner: Mutable<Table>, relation: Relation): void {
  if (relation.many) owner.toMany = [...owner.toMany, relation].toSorted((a, b) => compare(a.name, b.name));
  else owner.toOne = [...owner.toOne, relation];
  owner.relationNames = new NameIndex(
    [...owner.toOne, ...owner.toMany].map((each) => [each.name, each] as const),
  );
}

/** Removes excluded columns and the keys that contain them; adds keys and foreign keys of the definition. */
function adjust(
  table: TableDescription,
  names: DefinitionNames,
  { automap }: SchemaOptions,
): TableDescription {
  const excluded = names.excludedColumns.get(table.name);
  const columns = table.columns.filter(({ name }) => !excluded?.has(name));
  const known = new Set(columns.map(({ name }) => name));
  const whole = (list: readonly string[]) => list.every((name) => known.has(name));
  const declared = table.primaryKey.length > 0 ? table.primaryKey : names.alternateKey.get(table.name) ?? [];
  const foreignKeys = [
    ...(automap ? table.foreignKeys : []),
    ...(names.foreignKeys.get(table.name) ?? []),
  ];
  return {
    ...table,
    columns,
    primaryKey: whole(declared) ? declared : [],
    uniqueKeys: table.uniqueKeys.filter(whole),
    foreignKeys: foreignKeys.filter((key) => whole(key.columns)),
  };
}

function positions(table: Table, names: readonly string[]): readonly number[] {
  return names.map((name) => table.columnNames.exact(name) ?? -1);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compare(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
