/**
 * SQL Server, on tedious. Each database login has its own pool, so that the database's grants apply to it.
 *
 * Of the pool's settings, `max` is the number of connections of one login, and `idleTimeout` the time
 * that an idle one is kept. `acquireTimeout` limits the wait of a request for a connection, of a new
 * connection for the server, and of a statement for a lock. `statementTimeout` limits a statement, one
 * chunk of a stream, and a transaction from its beginning to its commit; also the time in which a
 * stream's reader must take the next chunk.
 *
 * If the database allows snapshots (ALLOW_SNAPSHOT_ISOLATION), readers use them: they do not wait for
 * writers, and the statements of one request read the same data. Otherwise readers are READ COMMITTED.
 *
 * @module
 */

import type {
  ConnectOptions,
  DatabaseDefinition,
  DialectHost,
  DialectPlugin,
  Login,
} from "@/plugins/contract.ts";
import { milliseconds } from "@/plugins/kit/bounded.ts";
import { MssqlDatabase } from "./database.ts";
import { readEncryption } from "./encryption.ts";
import { configurationOf } from "./options.ts";
import { readFacts } from "./query.ts";
import { sessionPool } from "./session.ts";

export default {
  contract: 2,
  kind: "dialect",
  name: "mssql",
  setup: (_section, host) => ({
    hasLogins: true,
    connect: (definition, login, options) => connect(definition, login, host, options),
  }),
} satisfies DialectPlugin;

/** Connects once to check the login and to read the features of the database. */
async function connect(
  definition: DatabaseDefinition,
  login: Login,
  host: DialectHost,
  { signal }: ConnectOptions,
): Promise<MssqlDatabase> {
  const encryption = await readEncryption(definition.ssl, host.directory);
  const openPool = (each: Login) =>
    sessionPool(definition.pool, {
      configuration: configurationOf(definition, each, encryption),
      lockTimeout: lockTimeoutOf(definition),
    });
  const pool = openPool(login);
  try {
    const facts = await readFacts(pool, signal);
    return new MssqlDatabase(pool, { definition, host, facts, openPool });
  } catch (error) {
    await pool[Symbol.asyncDispose]();
    throw error;
  }
}

/** Milliseconds; without a limit, a lock is waited for as long as the statement may run. */
function lockTimeoutOf({ pool: { acquireTimeout } }: DatabaseDefinition): number {
  return acquireTimeout > 0 ? milliseconds(acquireTimeout) : -1;
}
