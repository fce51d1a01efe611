/**
 * Names in the configuration that match no table, column or parameter, or several. A misspelled name in an
 * exclusion must not go unnoticed.
 *
 * @module
 */

import type { Complaint, Configuration } from "@/config/mod.ts";
import { inTime } from "@/core/base/in_time.ts";
import { catalogInTime } from "@/core/database/connect_in_time.ts";
import { messageIn, quote } from "@/core/errors.ts";
import type { KnownTables } from "@/core/identity/definition_rights.ts";
import { complaintsAboutAccess } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, QueryDefinition, User } from "@/core/model.ts";
import { refusalOf } from "@/core/queries/try_query.ts";
import { lookUpTables, type NameComplaint, resolveNames } from "@/core/schema/definition_names.ts";
import type { Database, Dialect, Log, SqlLexis } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { withConnection } from "./check_connection.ts";
import { complaintsAboutTypes } from "./parameter_types.ts";
import { scrub } from "./scrub.ts";

/** The tables and complaints of a database, and how to read its SQL; a disconnected one has none. */
interface NamedDatabase {
  readonly tables: KnownTables | undefined;
  readonly lexis: SqlLexis | undefined;
  readonly complaints: readonly NameComplaint[];
}

type Databases = ReadonlyMap<string, NamedDatabase>;

/** Complaints about the names in an account's `access` to connected databases. */
export function complaintsAboutAccount(user: User, databases: Databases): readonly NameComplaint[] {
  return [...user.databases].flatMap(([id, mapping]) => {
    const tables = databases.get(id)?.tables;
    if (!tables) return [];
    return complaintsAboutAccess(mapping, tables.named).map(({ key, message }) => {
      return { key: `databases.${id}.${key}`, message: `${message} in database ${quote(id)}` };
    });
  });
}

/** Complaints about the names in the `parameters` of a query of a connected database. */
export function complaintsAboutQuery(
  query: QueryDefinition,
  databases: ReadonlyMap<string, Pick<NamedDatabase, "lexis">>,
): readonly NameComplaint[] {
  const lexis = databases.get(query.database)?.lexis;
  return lexis ? complaintsAboutTypes(query, lexis) : [];
}

/** All complaints about names in databases.cfg, the `access` of users.cfg and the queries. */
export function complaintsAboutNames(
  { settings, users, queries }: Pick<Configuration, "settings" | "users" | "queries">,
  databases: Databases,
): readonly Complaint[] {
  const inFile = (file: string, id: string) => ({ key, message }: NameComplaint) => {
    return { file, key: `${id}.${key}`, message };
  };
  return [
    ...[...databases].flatMap(([id, { complaints }]) => complaints.map(inFile(settings.databases_path, id))),
    ...[...users.values()].flatMap((user) =>
      complaintsAboutAccount(user, databases).map(inFile(settings.users_path, user.login))
    ),
    ...[...queries.values()].flatMap((query) =>
      complaintsAboutQuery(query, databases).map(inFile(settings.querydefs_path, query.id))
    ),
  ];
}

/**
 * Connects every database briefly and checks all names. `warnings` has what each of them leaves out, or why
 * it cannot be connected, the queries that it refuses, and the mappings that lack a login.
 */
export async function checkNames(
  configuration: Configuration,
  dialects: ReadonlyMap<string, Dialect>,
  log: Log,
): Promise<{ readonly complaints: readonly Complaint[]; readonly warnings: readonly Complaint[] }> {
  const databases = new Map<string, NamedDatabase>();
  const warnings: Complaint[] = [...missingLogins(configuration, dialects)];
  await Promise.all([...configuration.databases].map(async ([id, definition]) => {
    const dialect = dialects.get(definition.dbType);
    if (!dialect) return;
    const warn = (message: string) =>
      warnings.push({ file: configuration.settings.databases_path, key: id, message });
    // A query without SQL has its complaint already.
    const queries = configuration.queries.values().filter(({ database, sql }) =>
      database === id && sql !== ""
    );
    try {
      const { omitted, refused, ...names } = await readNames(definition, dialect, { queries, log });
      databases.set(id, names);
      for (const part of omitted) warn(`Left out ${part}`);
      const file = configuration.settings.querydefs_path;
      for (const complaint of refused) warnings.push({ file, ...complaint });
    } catch (error) {
      const reason = scrub(messageIn(error), definition, configuration);
      warn(`Cannot check the names of its tables: ${reason}`);
    }
  }));
  return { complaints: complaintsAboutNames(configuration, databases), warnings };
}

function missingLogins(
  { users, databases, settings: { users_path: file } }: Configuration,
  dialects: ReadonlyMap<string, Dialect>,
): readonly Complaint[] {
  const needsLogin = (id: string) => dialects.get(databases.get(id)?.dbType ?? "")?.hasLogins === true;
  return [...users.values()].flatMap(({ login, databases: mappings }) =>
    [...mappings].filter(([id, { dbuser }]) => dbuser === "" && needsLogin(id)).map(([id]) => {
      const message = 'Has no "dbuser", so this user may not use the database';
      return { file, key: `${login}.databases.${id}`, message };
    })
  );
}

/** Seconds that reading a catalog may take, and the look at the queries. */
const SECONDS = 60;

async function readNames(
  definition: DatabaseDefinition,
  dialect: Dialect,
  { queries, log }: { readonly queries: Iterable<QueryDefinition>; readonly log: Log },
) {
  const { tables: all, omitted, lexis, refused } = await withConnection(
    definition,
    { dialect, log },
    async (database) => {
      const catalog = await catalogInTime(database, { definition, signal: NEVER, seconds: SECONDS });
      const late = () => new Error(`It does not describe its queries within ${SECONDS} seconds`);
      const refused = await inTime(refusedQueries(queries, database), SECONDS, late);
      return { ...catalog, lexis: database.sql.lexis, refused };
    },
  );
  const { excludedTables, complaints } = resolveNames(all, definition);
  const tables = all.filter(({ name }) => !excludedTables.has(name));
  return {
    tables: { names: tables.map(({ name }) => name), named: lookUpTables(tables) },
    lexis,
    complaints,
    omitted,
    refused,
  };
}

/** The queries that their database or their methods refuse, and why. */
async function refusedQueries(
  queries: Iterable<QueryDefinition>,
  database: Database,
): Promise<readonly NameComplaint[]> {
  const refused: NameComplaint[] = [];
  for (const query of queries) {
    const refusal = await refusalOf(query, database);
    if (refusal) refused.push({ ...refusal, key: `${query.id}.${refusal.key}` });
  }
  return refused;
}
