/**
 * Names in the configuration that match no table or column, or several. A misspelled name in an
 * exclusion must not go unnoticed.
 *
 * @module
 */

import type { Complaint, Configuration } from "@/config/mod.ts";
import { catalogInTime } from "@/core/database/connect_in_time.ts";
import { quote } from "@/core/errors.ts";
import type { KnownTables } from "@/core/identity/definition_rights.ts";
import { complaintsAboutAccess } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, User } from "@/core/model.ts";
import { lookUpTables, type NameComplaint, resolveNames } from "@/core/schema/definition_names.ts";
import type { Dialect, Log } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { withConnection } from "./check_connection.ts";
import { scrub } from "./scrub.ts";

/** The tables and complaints of a database; a disconnected one has none. */
interface NamedDatabase {
  readonly tables: KnownTables | undefined;
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

/** All complaints about names in databases.cfg and in the `access` of users.cfg. */
export function complaintsAboutNames(
  { settings, users }: Pick<Configuration, "settings" | "users">,
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
  ];
}

/**
 * Connects every database briefly and checks all names. `unreachable` has a reason
 * for each that cannot be connected.
 */
export async function checkNames(
  configuration: Configuration,
  dialects: ReadonlyMap<string, Dialect>,
  log: Log,
): Promise<{ readonly complaints: readonly Complaint[]; readonly unreachable: readonly Complaint[] }> {
  const databases = new Map<string, NamedDatabase>();
  const unreachable: Complaint[] = [];
  await Promise.all([...configuration.databases].map(async ([id, definition]) => {
    const dialect = dialects.get(definition.dbType);
    if (!dialect) return;
    try {
      databases.set(id, await readNames(definition, dialect, log));
    } catch (error) {
      const reason = scrub(error instanceof Error ? error.message : String(error), definition, configuration);
      const message = `Cannot check the names of its tables: ${reason}`;
      unreachable.push({ file: configuration.settings.databases_path, key: id, message });
    }
  }));
  return { complaints: complaintsAboutNames(configuration, databases), unreachable };
}

/** Seconds that reading a catalog may take. */
const CATALOG = 60;

async function readNames(definition: DatabaseDefinition, dialect: Dialect, log: Log): Promise<NamedDatabase> {
  const { tables: all } = await withConnection(
    definition,
    { dialect, log },
    (database) => catalogInTime(database, { definition, signal: NEVER, seconds: CATALOG }),
  );
  const { excludedTables, complaints } = resolveNames(all, definition);
  const tables = all.filter(({ name }) => !excludedTables.has(name));
  return { tables: { names: tables.map(({ name }) => name), named: lookUpTables(tables) }, complaints };
}
