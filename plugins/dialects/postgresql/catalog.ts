/**
 * Reads tables, views, columns and keys. Unsupported ones are left out with a reason.
 *
 * @module
 */

import type { Catalog, DatabaseDefinition, ForeignKey, Row, TableDescription } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { Echo } from "@/plugins/kit/echo.ts";
import {
  asJson,
  type ColumnRow,
  type ForeignKeyRow,
  type IndexRow,
  QUERIES,
  type RelationRow,
  schemasOf,
  textArray,
} from "./catalog_queries.ts";
import { describeColumn } from "./column_types.ts";
import type { Lane } from "./lane.ts";
import type { Pool } from "./pool.ts";

/** A table with its column numbers, in which keys are listed. */
interface Entry {
  readonly table: { -readonly [Member in keyof TableDescription]: TableDescription[Member] };
  readonly names: ReadonlyMap<number, string>;
}

const SCHEMAS = "SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = ANY ($1::text[])";
/** PostgreSQL's bits for the commands that a view supports. */
const COMMANDS = [["create", 8], ["update", 4], ["delete", 16]] as const;

/**
 * Waits for a connection like other statements. Throws the server's refusals; a missing schema is left out.
 */
export function readCatalog(pool: Pool, definition: DatabaseDefinition, echo: Echo): Promise<Catalog> {
  const schemas = schemasOf(definition);
  return pool.use(NEVER, (lane) =>
    assemble(lane, schemas, async (sql) => {
      echo(sql, schemas);
      return (await lane.run(sql, [textArray(schemas)], false)).rows;
    }));
}

/** All statements read one snapshot of the catalog. */
async function assemble(
  lane: Lane,
  schemas: readonly [string, ...string[]],
  ask: (sql: string) => Promise<readonly Row[]>,
): Promise<Catalog> {
  const objects = async <T>(query: string): Promise<T[]> => {
    return (await ask(asJson(query))).map(([json]) => JSON.parse(String(json)));
  };
  await lane.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    const known = (await ask(SCHEMAS)).map(([name]) => String(name));
    const omitted = schemas.filter((name) => !known.includes(name)).map((name) => {
      return `schema "${name}": there is none, or the login may not use it`;
    });
    const relations = await objects<RelationRow>(QUERIES.RELATIONS);
    const columns = Map.groupBy(await objects<ColumnRow>(QUERIES.COLUMNS), ({ relation }) => relation);
    const entries = describeAll(relations, { columns, schema: schemas[0], omitted });
    addIndexes(entries, await objects(QUERIES.INDEXES));
    addForeignKeys(entries, await objects(QUERIES.FOREIGN_KEYS), omitted);
    return { tables: [...entries.values()].map(({ table }) => table), omitted };
  } finally {
    await lane.command("ROLLBACK").catch(() => lane.destroy());
  }
}

interface Surroundings {
  readonly columns: ReadonlyMap<number, readonly ColumnRow[]>;
  /** The default schema, whose tables have plain names. */
  readonly schema: string;
  readonly omitted: string[];
}

function describeAll(relations: readonly RelationRow[], surroundings: Surroundings): Map<number, Entry> {
  const entries = new Map<number, Entry>();
  const taken = new Set<string>();
  const { schema, omitted } = surroundings;
  // Tables of the default schema come first: a table of another schema with the same name is left out.
  const sorted = [...relations].sort((a, b) => Number(b.schema === schema) - Number(a.schema === schema));
  for (const row of sorted) {
    const entry = describe(row, surroundings);
    const { name } = entry.table;
    if (taken.has(name)) {
      omitted.push(`table "${row.schema}"."${row.name}": another table has this name in URLs`);
    } else if (entry.names.size === 0) omitted.push(`table "${name}": it has no columns that can be read`);
    else entries.set(row.oid, entry);
    taken.add(name);
  }
  return entries;
}

function describe(row: RelationRow, { columns, schema, omitted }: Surroundings): Entry {
  const name = row.schema === schema ? row.name : `${row.schema}.${row.name}`;
  const names = new Map<number, string>();
  const described = (columns.get(row.oid) ?? []).flatMap((column) => {
    const description = describeColumn(column);
    if (!description) {
      omitted.push(`column "${column.name}" of "${name}": values of type ${column.declared} cannot be read`);
      return [];
    }
    names.set(column.number, column.name);
    return [description];
  });
  const table: TableDescription = {
    name,
    identifier: [row.schema, row.name],
    kind: row.kind === "v" || row.kind === "m" ? "view" : "table",
    columns: described,
    primaryKey: [],
    ...(row.inherited ? { sharesKey: true } : {}),
    uniqueKeys: [],
    foreignKeys: [],
    ...(row.updatable === null ? {} : { writable: writableOf(row.updatable) }),
    ...(row.plain ? { withoutRules: true, joinsInserts: true } : {}),
    ...(row.comment === null ? {} : { comment: row.comment }),
  };
  return { table, names };
}

function writableOf(updatable: number): NonNullable<TableDescription["writable"]> {
  return COMMANDS.filter(([, bit]) => (updatable & bit) !== 0).map(([operation]) => operation);
}

function addIndexes(entries: ReadonlyMap<number, Entry>, indexes: readonly IndexRow[]): void {
  for (const { relation, primary, columns } of indexes) {
    const entry = entries.get(relation);
    const names = namesOf(entry, columns);
    if (!entry || !names) continue;
    if (primary) entry.table.primaryKey = names;
    else entry.table.uniqueKeys = [...entry.table.uniqueKeys, names];
  }
}

function addForeignKeys(
  entries: ReadonlyMap<number, Entry>,
  rows: readonly ForeignKeyRow[],
  omitted: string[],
): void {
  for (const row of rows) {
    const entry = entries.get(row.relation);
    if (!entry) continue;
    const { table } = entry;
    const key = foreignKeyOf(entry, row, entries.get(row.target));
    if (key) table.foreignKeys = [...table.foreignKeys, key];
    else omitted.push(`foreign key "${row.name}" of "${table.name}": "${row.targetName}" cannot be read`);
  }
}

function foreignKeyOf(entry: Entry, row: ForeignKeyRow, target: Entry | undefined): ForeignKey | undefined {
  const columns = namesOf(entry, row.columns);
  const references = namesOf(target, row.references);
  return target && columns && references ? { columns, table: target.table.name, references } : undefined;
}

/** The names of columns by number; undefined if one of them was left out. */
function namesOf(entry: Entry | undefined, numbers: string): readonly string[] | undefined {
  const found = numbers.split(" ").map((number) => entry?.names.get(Number(number)));
  return found.every((name) => name !== undefined) ? found : undefined;
}
