/**
 * A connected database with its catalog, and the part of it that callers with one access and one database login see: a
 * schema with the tables that they may use, and the plans made for it.
 *
 * @module
 */

import { WeightedCache } from "@/core/base/weighted_cache.ts";
import { accessSignature, type Grants, grantsOf } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, DatabaseMapping } from "@/core/model.ts";
import type { LinkStyle } from "@/core/request/print_path.ts";
import { buildSchema, narrowSchema } from "@/core/schema/build_schema.ts";
import {
  lookUpTables,
  type NameComplaint,
  resolveNames,
  type TableLookup,
} from "@/core/schema/definition_names.ts";
import { allTables, type Schema } from "@/core/schema/table.ts";
import { WriteStatements } from "@/core/sql/insert_update_delete.ts";
import { ReadStatements } from "@/core/sql/select.ts";
import { PathSql, type Statement } from "@/core/sql/statement.ts";
import { withReplicas } from "./replicas.ts";
import type { Database, Dialect, Log, Login } from "@/plugins/contract.ts";

/** A connected database with its schema; it is replaced when the catalog changes. */
export interface Connection extends ViewSource {
  /** Mistakes in the names of the database's definition. */
  readonly complaints: readonly NameComplaint[];
  readonly statements: ReadStatements;
  readonly writeStatements: WriteStatements;
  readonly views: Views;
  /** Statements that write, by shape. */
  readonly writes: WeightedCache<Statement>;
}

/** The options of connecting; the login is that of `autoload_user`. */
export interface ConnectionOptions {
  readonly definition: DatabaseDefinition;
  readonly dialect: Dialect;
  readonly links: LinkStyle;
  /** Whether foreign keys of the catalog give relations; if not, only those of the definition do. */
  readonly automap: boolean;
  readonly log: Log;
  /** Called after the database has been connected and its catalog read. */
  connected?(): void;
}

/** Connects with the login that reads the catalog, and reads it. Passes on the errors of the dialect. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { definition, links, automap, log } = options;
  const login = definition.autoloadUser;
  const database = await connectAll(options);
  try {
    const catalog = await database.catalog();
    for (const omitted of catalog.omitted) log.warn(`Database ${definition.id}: left out ${omitted}`);
    const path = new PathSql(database.sql);
    const schema = buildSchema(catalog, { definition, links, automap });
    const source = {
      database,
      logins: new LoginPools(database, login),
      schema,
      tablesNamed: lookUpTables(allTables(schema)),
    };
    return {
      ...source,
      complaints: resolveNames(catalog.tables, definition).complaints,
      statements: new ReadStatements(path),
      writeStatements: new WriteStatements(path),
      views: new Views(source),
      writes: new WeightedCache(),
    };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/** The primary, and its read replicas where the engine is a server. */
async function connectAll({ definition, dialect, log }: ConnectionOptions): Promise<Database> {
  const { autoloadUser, replicas, id } = definition;
  const primary = await dialect.connect(definition, autoloadUser);
  if (replicas.length === 0) return primary;
  if (!dialect.hasLogins) {
    log.warn(`Database ${id}: "replicas" has no meaning for ${definition.dbType}`);
    return primary;
  }
  const sources = replicas.map((replica) => ({
    name: `${id} at ${replica.dbHost}${replica.dbPort === undefined ? "" : `:${replica.dbPort}`}`,
    // A replica without a port uses the port of the primary.
    connect: () => dialect.connect({ ...definition, ...replica }, autoloadUser),
  }));
  return withReplicas(primary, sources, log);
}

/** The required right on the tables of a view; `any` is one of the two others. */
export type Purpose = "read" | "create" | "any";

/** A schema as some callers see it, with the plans made for it. */
export interface View {
  readonly purpose: Purpose;
  /** The database under the callers' database login. */
  readonly database: Database;
  readonly schema: Schema;
  /** The operations that the callers may perform on tables, whatever the purpose. */
  readonly may: Grants;
  isForbidden(table: string): boolean;
  /** A value that all callers of this view share. `make` is also its cache key, so it must never be a closure. */
  memo<T>(make: () => T): T;
}

/** One pool of connections per database login, so that the engine's own grants apply to each user. */
export class LoginPools {
  readonly #catalog: Database;
  readonly #own: string;
  readonly #pools = new Map<string, Database>();

  constructor(catalog: Database, login: Login) {
    this.#catalog = catalog;
    this.#own = keyOf(login);
  }

  /** All pools, that of the catalog last. */
  get all(): readonly Database[] {
    return [...this.#pools.values(), this.#catalog];
  }

  /** The database under a login. It connects on first use. */
  of(login: Login): Database {
    const key = keyOf(login);
    if (key === this.#own || !this.#catalog.as) return this.#catalog;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = this.#catalog.as({ dbuser: login.dbuser, dbpass: login.dbpass });
    this.#pools.set(key, pool);
    return pool;
  }

  /** Removes the pools of all other logins and returns them, to be closed after their last use. */
  retain(logins: Iterable<Login>): readonly Database[] {
    const kept = new Set([...logins].map(keyOf));
    const departed = [...this.#pools].filter(([key]) => !kept.has(key));
    for (const [key] of departed) this.#pools.delete(key);
    return departed.map(([, pool]) => pool);
  }
}

/** The parts from which the views of one connection are made. */
export interface ViewSource {
  /** The database under the login that reads the catalog. */
  readonly database: Database;
  readonly logins: LoginPools;
  readonly schema: Schema;
  /** Finds tables by the names that `access` uses. */
  readonly tablesNamed: TableLookup;
}

/** The views of one connection, each created once. */
class Views {
  readonly #source: ViewSource;
  /** By purpose, login and {@link accessSignature}. */
  readonly #views = new Map<string, View>();
  /** Views for reading, by mapping: found without computing a signature. */
  readonly #viewOf = new WeakMap<DatabaseMapping, View>();

  constructor(source: ViewSource) {
    this.#source = source;
  }

  /** The view of callers with this mapping: the tables that they may use for `purpose`. */
  find(mapping: DatabaseMapping, purpose: Purpose = "read"): View {
    const known = purpose === "read" ? this.#viewOf.get(mapping) : undefined;
    if (known) return known;
    const source = this.#source;
    const database = source.logins.of(mapping);
    const login = database === source.database ? "" : keyOf(mapping);
    const signature = `${purpose} ${login} ${accessSignature(mapping)}`;
    const view = this.#views.get(signature) ?? createView(source, database, mapping, purpose);
    this.#views.set(signature, view);
    if (purpose === "read") this.#viewOf.set(mapping, view);
    return view;
  }

  /** Removes the views of databases that are about to be closed. */
  forget(databases: readonly Database[]): void {
    for (const [key, { database }] of this.#views) if (databases.includes(database)) this.#views.delete(key);
  }
}

function createView(
  { schema, tablesNamed }: ViewSource,
  database: Database,
  mapping: DatabaseMapping,
  purpose: Purpose,
): View {
  const operations = purpose === "any" ? ["read", "create"] as const : [purpose];
  const may = grantsOf(mapping, tablesNamed);
  const isVisible = (table: string) => operations.some((operation) => may(table, operation));
  return {
    purpose,
    database,
    schema: narrowSchema(schema, isVisible),
    may,
    isForbidden: (name) => {
      const table = schema.tables.find(name);
      return table !== undefined && !isVisible(table.name);
    },
    memo: createMemo(),
  };
}

function createMemo(): View["memo"] {
  const made = new Map<() => unknown, unknown>();
  return <T>(make: () => T): T => {
    if (!made.has(make)) made.set(make, make());
    return made.get(make) as T;
  };
}

function keyOf({ dbuser, dbpass }: Login): string {
  return JSON.stringify([dbuser, dbpass]);
}
