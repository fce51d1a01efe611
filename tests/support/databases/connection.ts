/**
 * The tests' own connection beside the service, to read the database directly.
 *
 * @module
 */

import type { TestServer } from "@/tests/support/servers/mod.ts";
import { connectMssql } from "./connection_mssql.ts";
import { connectMysql } from "./connection_mysql.ts";
import { connectPostgresql } from "./connection_postgresql.ts";

/** A result in the form of the driver: values as text, or bytes. */
export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | Uint8Array | null)[])[];
}

/** One session on one database. */
export interface Connection extends AsyncDisposable {
  /** Runs queries and returns the rows of each. */
  query(...queries: readonly string[]): Promise<readonly Rows[]>;
  /** Runs a script without results. */
  run(script: string): Promise<void>;
}

const CONNECT = { postgresql: connectPostgresql, mysql: connectMysql, mssql: connectMssql } as const;

/** With the login that the server was made with, which may do everything. */
export async function connectTo(server: TestServer, database: string): Promise<Connection> {
  return await CONNECT[server.dialect](server, database);
}
