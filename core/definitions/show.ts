/**
 * Definitions as they are shown: with the members that configuration files have, and without passwords, keys and
 * whatever else is secret. Pure.
 *
 * @module
 */

import { SHOWN_OF_SSL } from "@/config/mod.ts";
import type { DatabaseDefinition, DatabaseMapping, Json, QueryDefinition, User } from "@/core/model.ts";

/** Members by name, in the order in which they are shown. */
export type Shown = Readonly<Record<string, Json>>;

/** Without the password and the API key; of logins for databases, without their passwords. */
export function showUser(user: User): Shown {
  return {
    user_id: user.login,
    enabled: user.enabled,
    name: user.name,
    email: user.email,
    appid: user.appid ?? null,
    databases: fromMap(user.databases, showMapping),
    dbdef: user.dbdef,
    querydef: user.querydef,
    userdef: user.userdef,
    view: user.view,
    edit: user.edit,
  };
}

function showMapping({ dbuser, access }: DatabaseMapping): Json {
  const shown = access && fromMap(access, (operations) => [...operations]);
  return { dbuser, ...(shown === undefined ? {} : { access: shown }) };
}

/** Without the password of `autoload_user`, and of TLS only what is no secret. */
export function showDatabase(definition: DatabaseDefinition): Shown {
  const { pool } = definition;
  return {
    db_id: definition.id,
    db_type: definition.dbType,
    desc: definition.description,
    db_name: definition.dbName,
    db_host: definition.dbHost ?? null,
    db_port: definition.dbPort ?? null,
    db_schema: definition.dbSchema,
    db_encoding: definition.dbEncoding ?? null,
    ssl: showSsl(definition.ssl),
    autoconnect: definition.autoconnect,
    autoload_user: { dbuser: definition.autoloadUser.dbuser },
    alternate_key: fromMap(definition.alternateKey, (columns) => columns),
    foreign_keys: fromMap(
      definition.foreignKeys,
      (keys) => keys.map(({ columns, table, references }) => ({ columns, table, references })),
    ),
    excluded_columns: fromMap(definition.excludedColumns, (columns) => columns),
    excluded_tables: definition.excludedTables,
    limit: definition.limit ?? null,
    replicas: definition.replicas.map(({ dbHost, dbPort }) => ({
      db_host: dbHost,
      ...(dbPort === undefined ? {} : { db_port: dbPort }),
    })),
    prepare: definition.prepare,
    pool: {
      max: pool.max,
      idle_timeout: pool.idleTimeout,
      acquire_timeout: pool.acquireTimeout,
      statement_timeout: pool.statementTimeout,
    },
    creator: definition.creator,
    read: definition.read,
    write: definition.write,
    execute: definition.execute,
  };
}

/** Only what is known to be no secret. */
function showSsl(ssl: unknown): Json {
  if (typeof ssl === "boolean" || (typeof ssl === "string" && /^[a-z-]{1,20}$/.test(ssl))) return ssl;
  if (typeof ssl !== "object" || ssl === null) return null;
  const shown = Object.entries(ssl).filter(([name, value]) =>
    SHOWN_OF_SSL.has(name) && (typeof value === "string" || typeof value === "boolean")
  );
  return Object.fromEntries<Json>(shown);
}

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

/** Everything: a saved query has no secrets. */
export function showQuery(definition: QueryDefinition): Shown {
  // In the order of the schema: XML Schema tells elements by their order.
  const methods = METHODS.filter((method) => definition.methods.includes(method))
    .map((method) => [method, true] as const);
  return {
    query_id: definition.id,
    database: definition.database,
    desc: definition.description,
    sqlstr: definition.sql,
    parameters: fromMap(definition.parameters, (type) => type),
    http_methods: Object.fromEntries(methods),
    read_only: definition.readOnly ?? null,
    creator: definition.creator,
    read: definition.read,
    write: definition.write,
    execute: definition.execute,
  };
}

function fromMap<T>(map: ReadonlyMap<string, T>, show: (value: T) => Json): Readonly<Record<string, Json>> {
  return Object.fromEntries([...map].map(([key, value]) => [key, show(value)]));
}
