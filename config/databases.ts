/**
 * Reads databases.cfg.
 *
 * @module
 */

import type { DatabaseDefinition, ForeignKey, PoolSettings } from "@/core/model.ts";
import { complain, inside, type Place } from "./complaints.ts";
import type { Loading } from "./configuration.ts";
import { readEntries } from "./entries.ts";
import {
  anything,
  type Block,
  block,
  filledText,
  flag,
  integer,
  listOf,
  mapOf,
  type Members,
  present,
  type Reader,
  readMembers,
  seconds,
  text,
} from "./members.ts";

const names = listOf(filledText);
const columnNames = listOf(filledText, 1);
const port = integer(1, 65535);
const LOGIN = { dbuser: text, dbpass: text };
const POOL = { max: integer(1), idle_timeout: seconds, acquire_timeout: seconds, statement_timeout: seconds };

const DATABASE = {
  db_type: filledText,
  desc: text,
  db_name: filledText,
  db_host: filledText,
  db_port: port,
  db_schema: oneOrMore,
  db_encoding: filledText,
  ssl: anything,
  prepare: flag,
  autoconnect: flag,
  autoload_user: nested(LOGIN),
  alternate_key: mapOf(columnNames),
  foreign_keys: mapOf(listOf(foreignKey)),
  excluded_columns: mapOf(names),
  excluded_tables: names,
  limit: integer(1),
  replicas: listOf(nested({ db_host: filledText, db_port: port }, ["db_host"])),
  pool: nested(POOL),
  creator: text,
  read: names,
  write: names,
  execute: names,
};

/** Every database by its id. A limit in databases.cfg goes before one in service.ini. */
export function readDatabases(
  file: string,
  loading: Loading,
  limits: ReadonlyMap<string, number>,
): ReadonlyMap<string, DatabaseDefinition> {
  return readEntries(file, loading, {
    idMember: "db_id",
    read: (id, members, place) => readDatabase(id, members, place, limits.get(id)),
  });
}

/** One database. */
export function readDatabase(
  id: string,
  members: Block,
  place: Place,
  limit?: number,
): DatabaseDefinition {
  return definition(id, readMembers(members, place, DATABASE, ["db_type", "db_name"]), limit);
}

function definition(
  id: string,
  read: Members<typeof DATABASE>,
  limit: number | undefined,
): DatabaseDefinition {
  return {
    id,
    dbType: read.db_type ?? "",
    description: read.desc ?? "",
    dbName: read.db_name ?? "",
    dbSchema: read.db_schema ?? [],
    prepare: read.prepare ?? true,
    autoconnect: read.autoconnect ?? true,
    autoloadUser: { dbuser: read.autoload_user?.dbuser ?? "", dbpass: read.autoload_user?.dbpass ?? "" },
    alternateKey: read.alternate_key ?? new Map(),
    foreignKeys: read.foreign_keys ?? new Map(),
    excludedColumns: read.excluded_columns ?? new Map(),
    excludedTables: read.excluded_tables ?? [],
    replicas: (read.replicas ?? []).map(({ db_host, db_port }) => ({
      dbHost: db_host ?? "",
      ...present({ dbPort: db_port }),
    })),
    pool: poolSettings(read.pool),
    creator: read.creator ?? "admin",
    read: read.read ?? [],
    write: read.write ?? [],
    execute: read.execute ?? [],
    ...present({
      dbHost: read.db_host,
      dbPort: read.db_port,
      dbEncoding: read.db_encoding,
      ssl: read.ssl,
      limit: read.limit ?? limit,
    }),
  };
}

function poolSettings(read: Members<typeof POOL> | undefined): PoolSettings {
  return {
    max: read?.max ?? 10,
    idleTimeout: read?.idle_timeout ?? 30,
    acquireTimeout: read?.acquire_timeout ?? 5,
    statementTimeout: read?.statement_timeout ?? 30,
  };
}

function oneOrMore(value: unknown, place: Place): readonly string[] | undefined {
  if (Array.isArray(value)) return names(value, place);
  const name = filledText(value, place);
  return name === undefined ? undefined : [name];
}

function foreignKey(value: unknown, place: Place): ForeignKey | undefined {
  const read = nested({ columns: columnNames, table: filledText, references: columnNames }, [
    "columns",
    "table",
    "references",
  ])(value, place);
  if (!read?.columns || !read.references || read.table === undefined) return undefined;
  const { columns, table, references } = read;
  if (columns.length === references.length) return { columns, table, references };
  return complain(
    inside(place, "references"),
    `Expected as many columns as "columns" has, ${columns.length}, found ${references.length}`,
  );
}

function nested<const S extends Readonly<Record<string, Reader<unknown>>>>(
  shape: S,
  required: readonly (keyof S & string)[] = [],
): Reader<Members<S>> {
  return (value, place) => {
    const members: Block | undefined = block(value, place);
    return members && readMembers(members, place, shape, required);
  };
}
