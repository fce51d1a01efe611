/**
 * From a database's definition to the driver's configuration.
 *
 * @module
 */

import type { ConnectionConfiguration, ConnectionOptions } from "tedious";
import type { DatabaseDefinition, Login } from "@/plugins/contract.ts";
import { milliseconds } from "@/plugins/kit/bounded.ts";
import { type Address, dial } from "./dial.ts";

const DEFAULT_PORT = 1433;
/** Milliseconds to wait until the server has cancelled a statement. */
const CANCEL_TIMEOUT = 2000;

/** The options of one login; `encryption` comes from {@link readEncryption}. */
export function configurationOf(
  definition: DatabaseDefinition,
  login: Login,
  encryption: ConnectionOptions,
): ConnectionConfiguration {
  const address: Address = {
    host: definition.dbHost ?? "localhost",
    port: definition.dbPort ?? DEFAULT_PORT,
  };
  const connectTimeout = milliseconds(Math.max(1, definition.pool.acquireTimeout));
  return {
    server: address.host,
    authentication: { type: "default", options: { userName: login.dbuser, password: login.dbpass } },
    options: {
      port: address.port,
      // The driver passes the new address when a server redirects.
      connector: (target = address, _lookup?: unknown, signal = AbortSignal.timeout(connectTimeout)) =>
        dial(target, signal),
      database: definition.dbName,
      appName: "rowhouse",
      connectTimeout,
      cancelTimeout: CANCEL_TIMEOUT,
      // Statements have their own limit, which includes the wait for a connection.
      requestTimeout: 0,
      maxRetriesOnTransientErrors: 0,
      useUTC: true,
      ...encryption,
    },
  };
}
