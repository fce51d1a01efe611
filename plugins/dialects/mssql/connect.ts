/**
 * Connects the database of a definition.
 *
 * @module
 */

import type { DatabaseDefinition, DialectHost, Login } from "@/plugins/contract.ts";
import { MssqlDatabase } from "./database.ts";
import { readFacts } from "./facts.ts";
import { configurationOf, readEncryption } from "./options.ts";
import { sessionPool } from "./session.ts";

/** Connects once to check the login and to read the features of the database. */
export async function connect(
  definition: DatabaseDefinition,
  login: Login,
  host: DialectHost,
): Promise<MssqlDatabase> {
  const encryption = await readEncryption(definition.ssl, host);
  const openPool = (each: Login) =>
    sessionPool(definition.pool, {
      configuration: configurationOf(definition, each, encryption),
      lockTimeout: lockTimeoutOf(definition),
    });
  const pool = openPool(login);
  try {
    const facts = await readFacts(pool);
    return new MssqlDatabase(pool, { definition, host, facts, openPool });
  } catch (error) {
    await pool[Symbol.asyncDispose]();
    throw error;
  }
}

/** Milliseconds; without a limit, a lock is waited for as long as the statement may run. */
function lockTimeoutOf({ pool: { acquireTimeout } }: DatabaseDefinition): number {
  return acquireTimeout > 0 ? Math.ceil(acquireTimeout * 1000) : -1;
}
