/**
 * A connected database with its catalog.
 *
 * @module
 */

import { lookUpTables, type NameComplaint, resolveNames } from "@/core/schema/definition_names.ts";
import type { LinkStyle } from "@/core/request/print_path.ts";
import type { DatabaseDefinition } from "@/core/model.ts";
import { PathSql } from "@/core/sql/conditions.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import { ReadStatements } from "@/core/sql/select.ts";
import { withReplicas } from "./replicas.ts";
import { allTables } from "@/core/schema/table.ts";
import { buildSchema } from "@/core/schema/build_schema.ts";
import type { Statement } from "@/core/sql/statement.ts";
import { LoginPools, Views, type ViewSource } from "./caller_view.ts";
import { WriteStatements } from "@/core/sql/insert_update_delete.ts";
import type { Database, Dialect, Log } from "@/plugins/contract.ts";

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
