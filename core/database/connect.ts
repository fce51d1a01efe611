/**
 * A connected database with its catalog, and the part of it that callers with one access and one database
 * login see: a schema with the tables that they may use, and the plans made for it.
 *
 * @module
 */

import { WeightedCache } from "@/core/base/weighted_cache.ts";
import { quote } from "@/core/errors.ts";
import { accessSignature, type Grants, grantsOf } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, DatabaseMapping } from "@/core/model.ts";
import type { LinkStyle } from "@/core/request/print_path.ts";
import { buildSchema, narrowSchema } from "@/core/schema/build_schema.ts";
import {
  lookUpTables,
  type NameComplaint,
  plainName,
  resolveNames,
  type TableLookup,
} from "@/core/schema/definition_names.ts";
import { allTables, type Schema } from "@/core/schema/table.ts";
import { PathSql } from "@/core/sql/path_sql.ts";
import { WalkStatements } from "@/core/sql/walk_statements.ts";
import { WriteStatements } from "@/core/sql/write_statements.ts";
import type { Database, Dialect, Log, Login } from "@/plugins/contract.ts";
import { catalogInTime, close, connectInTime } from "./connect_in_time.ts";
import { LateResults } from "./late_results.ts";
import { RecentWriters } from "./recent_writers.ts";
import { withReplicas } from "./replicas.ts";
import type { StatementMeter } from "./statement_meter.ts";
import { WatchedDatabase } from "./watch_statements.ts";

/** A connected database with its schema; it is replaced when the catalog changes. */
export interface Connection extends ViewSource {
  /** Mistakes in the names of the database's definition. */
  readonly complaints: readonly NameComplaint[];
  /**
   * The parts of the catalog that are not offered, each with the reason: `table
   * "x": its type is not supported`.
   */
  readonly omitted: readonly string[];
  /** The names of the tables that the definition leaves out, with and without their schema. */
  readonly excluded: readonly string[];
  readonly statements: WalkStatements;
  readonly views: Views;
  readonly writes: WriteStatements;
}

/** The options of connecting; the login is that of `autoload_user`. */
export interface ConnectionOptions {
  readonly definition: DatabaseDefinition;
  readonly dialect: Dialect;
  readonly links: LinkStyle;
  /** Whether foreign keys of the catalog give relations; if not, only those of the definition do. */
  readonly automap: boolean;
  readonly log: Log;
  readonly meter: StatementMeter;
  /** Aborted when the connection is not wanted any more. */
  readonly signal: AbortSignal;
  /** Seconds that connecting may take, and reading the catalog. */
  readonly seconds: number;
}

/** Connects with the login that reads the catalog, and reads it. Passes on the errors of the dialect. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { definition, links, automap, log, meter } = options;
  const { autoloadUser: login, dbType: dialect } = definition;
  const late = new LateResults(definition, options);
  const database = new WatchedDatabase(await connectAll(options), { meter, late, dialect });
  try {
    const catalog = await catalogInTime(database, options);
    for (const omitted of catalog.omitted) log.warn(`Database ${definition.id}: left out ${omitted}`);
    const names = resolveNames(catalog.tables, definition);
    const schema = buildSchema(catalog.tables, { names, links, automap });
    const source = { database, schema, tablesNamed: lookUpTables(allTables(schema)) };
    const { complaints, excludedTables } = names;
    const path = new PathSql(database.sql);
    return {
      ...source,
      complaints,
      omitted: [
        ...catalog.omitted,
        ...[...excludedTables].map((name) => `table ${quote(name)}: the definition leaves it out`),
      ],
      excluded: catalog.tables.filter(({ name }) => excludedTables.has(name))
        .flatMap((table) => [table.name, plainName(table)]),
      statements: new WalkStatements(path),
      views: new Views(source, login),
      writes: new WriteStatements(path),
    };
  } catch (error) {
    await close(database, options);
    throw error;
  }
}

/** The primary, and its read replicas where the engine is a server. */
async function connectAll(options: ConnectionOptions): Promise<Database> {
  const { definition, dialect, log } = options;
  const { autoloadUser: login, replicas, id, sticky = 0 } = definition;
  const primary = await connectInTime({ ...options, login });
  if (replicas.length === 0) return primary;
  if (!dialect.hasLogins) {
    log.warn(`Database ${id}: "replicas" has no meaning for ${definition.dbType}`);
    return primary;
  }
  const sources = replicas.map((replica) => ({
    name: `${id} at ${replica.dbHost}${replica.dbPort === undefined ? "" : `:${replica.dbPort}`}`,
    maxLag: replica.maxLag,
    // A replica without a port uses the port of the primary.
    connect: (signal: AbortSignal) =>
      connectInTime({ ...options, login, signal, definition: { ...definition, ...replica } }),
  }));
  return withReplicas(primary, sources, { log, writers: new RecentWriters(id, sticky) });
}

/** The required right on the tables of a view; `any` is one of the two others. */
export type ViewPurpose = "read" | "create" | "any";

/** A schema as some callers see it, with the plans made for it. */
export interface View {
  readonly purpose: ViewPurpose;
  /** The database under the callers' database login. */
  readonly database: Database;
  readonly schema: Schema;
  /** The operations that the callers may perform on tables, whatever the purpose. */
  readonly may: Grants;
  isForbidden(table: string): boolean;
  /**
   * A value that all callers of this view share. `make` is also its cache key, so it must never be a closure.
   */
  memo<T>(make: () => T): T;
}

/** The parts from which the views of one connection are made. */
interface ViewSource {
  /** The database under the login that reads the catalog. */
  readonly database: Database;
  readonly schema: Schema;
  /** Finds tables by the names that `access` uses. */
  readonly tablesNamed: TableLookup;
}

/**
 * The pools and the views of one connection, each created once. Every database login has a pool, so that the
 * engine's own grants apply to each user.
 */
export class Views {
  readonly #source: ViewSource;
  /** The login that reads the catalog. */
  readonly #own: string;
  readonly #pools = new Map<string, Database>();
  /** By login and {@link accessSignature}. */
  readonly #views = new Map<string, Map<ViewPurpose, View>>();
  #viewOf = noViews();

  constructor(source: ViewSource, login: Login) {
    this.#source = source;
    this.#own = keyOf(login);
  }

  /** All pools, that of the catalog last. */
  get pools(): readonly Database[] {
    return [...this.#pools.values(), this.#source.database];
  }

  /** The view of callers with this mapping: the tables that they may use for `purpose`. */
  find(mapping: DatabaseMapping, purpose: ViewPurpose = "read"): View {
    const known = this.#viewOf[purpose].get(mapping);
    if (known) return known;
    const database = this.poolOf(mapping);
    const view = this.#views.getOrInsertComputed(this.#signatureOf(mapping, database), () => new Map())
      .getOrInsertComputed(purpose, () => createView(this.#source, database, mapping, purpose));
    this.#viewOf[purpose].set(mapping, view);
    return view;
  }

  #signatureOf(mapping: DatabaseMapping, database: Database): string {
    const login = database === this.#source.database ? "" : keyOf(mapping);
    return `${login} ${accessSignature(mapping)}`;
  }

  /** The database under a login. It connects on first use. */
  poolOf(login: Login): Database {
    const { database } = this.#source;
    const key = keyOf(login);
    if (key === this.#own || !database.as) return database;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = database.as({ dbuser: login.dbuser, dbpass: login.dbpass });
    this.#pools.set(key, pool);
    return pool;
  }

  /**
   * Removes the views of all other mappings, and the pools of all other logins, which it returns to be closed
   * after their last use.
   */
  retain(mappings: Iterable<DatabaseMapping>): readonly Database[] {
    const [logins, signatures] = [new Set<string>(), new Set<string>()];
    for (const mapping of mappings) {
      const login = keyOf(mapping);
      logins.add(login);
      signatures.add(this.#signatureOf(mapping, this.#pools.get(login) ?? this.#source.database));
    }
    for (const signature of this.#views.keys()) if (!signatures.has(signature)) this.#views.delete(signature);
    // A mapping that comes back may be the same object; its view has a pool that is closed.
    this.#viewOf = noViews();
    const departed = [...this.#pools].filter(([login]) => !logins.has(login));
    for (const [login] of departed) this.#pools.delete(login);
    return departed.map(([, pool]) => pool);
  }
}

/** Views by mapping: found without computing a signature. */
type ViewsByMapping = { readonly [Each in ViewPurpose]: WeakMap<DatabaseMapping, View> };

function noViews(): ViewsByMapping {
  return { read: new WeakMap(), create: new WeakMap(), any: new WeakMap() };
}

function createView(
  { schema, tablesNamed }: ViewSource,
  database: Database,
  mapping: DatabaseMapping,
  purpose: ViewPurpose,
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

/** The view with these tables alone. */
export function narrowView(view: View, names: ReadonlySet<string>): View {
  return view.memo(createNarrowViews).getOrMake([...names].join("\n"), () => ({
    ...view,
    schema: narrowSchema(view.schema, (table) => names.has(table)),
    memo: createMemo(),
  }), () => NARROW_WEIGHT);
}

/** So that a view has 20 of them at most: each has plans of its own. */
const NARROW_WEIGHT = 50_000;

const createNarrowViews = () => new WeightedCache<View>();

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
