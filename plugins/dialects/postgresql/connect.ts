/**
 * Connects the database of a definition.
 *
 * @module
 */

import type { DatabaseDefinition, DialectHost, Login } from "@/plugins/contract.ts";
import { PostgresDatabase } from "./database.ts";
import { readEncryption } from "./encryption.ts";

const DEFAULT_HOST = "localhost";
const DEFAULT_PORT = 5432;
/** Spellings in definitions of the only supported encoding. */
const ENCODINGS = /^(utf-?8|unicode)(mb4)?$/i;

/** Connects once, so that an unusable server or login is noticed. */
export async function connect(
  definition: DatabaseDefinition,
  login: Login,
  host: DialectHost,
): Promise<PostgresDatabase> {
  requireEncoding(definition);
  const encryption = await readEncryption(definition.ssl ?? undefined, host.directory);
  const address = {
    host: definition.dbHost ?? DEFAULT_HOST,
    port: definition.dbPort ?? DEFAULT_PORT,
    encryption,
  };
  const database = new PostgresDatabase({ definition, address, host }, login);
  try {
    const version = database.prepare({ sql: "SHOW server_version_num", columns: [] });
    await database.read([{ prepared: version, parameters: [] }], { signal: new AbortController().signal });
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

function requireEncoding({ dbEncoding }: DatabaseDefinition): void {
  if (dbEncoding === undefined || ENCODINGS.test(dbEncoding)) return;
  throw new TypeError(
    `db_encoding "${dbEncoding}" is not used with PostgreSQL: the server itself converts between its encoding and UTF-8, ` +
      "so leave db_encoding out",
  );
}
