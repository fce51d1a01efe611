/**
 * SQL Server, or a server with its protocol: no package installs one, so it has to be running.
 *
 * @module
 */

import { Connection, Request } from "tedious";
import type { Address, Product } from "./server.ts";

/** `ROWHOUSE_TEST_MSSQL_URL` names the server. The tests neither start nor end it. */
export const MSSQL: Product = {
  dialect: "mssql",
  variable: "ROWHOUSE_TEST_MSSQL_URL",
  defaultPort: 1433,
  missing: () => "a SQL Server",
  createDatabase: async (address, database) => {
    await MSSQL.dropDatabase(address, database);
    // Babelfish has one collation for all of its databases.
    await exec(
      address,
      `IF @@version LIKE 'Babelfish%' EXEC('CREATE DATABASE [${database}]')
       ELSE EXEC('CREATE DATABASE [${database}] COLLATE Latin1_General_100_BIN2')`,
    );
  },
  dropDatabase: async (address, database) => {
    await exec(address, `IF DB_ID('${database}') IS NOT NULL DROP DATABASE [${database}]`);
  },
  exec,
};

/** Runs the batches of a script, which lines with nothing but `GO` end. */
async function exec(address: Address, sql: string, database = "master"): Promise<string> {
  const connection = await openMssql(address, database);
  try {
    const lines: string[] = [];
    for (const batch of sql.split(/^GO\s*$/mi)) {
      if (batch.trim() !== "") lines.push(...await runBatch(connection, batch));
    }
    return lines.map((line) => `${line}\n`).join("");
  } finally {
    await closeMssql(connection);
  }
}

/** Connects; {@link closeMssql} ends it. */
export async function openMssql(
  { host, port, user, password }: Address,
  database: string,
): Promise<Connection> {
  const connection = new Connection({
    server: host,
    authentication: { type: "default", options: { userName: user, password } },
    options: { port, database, encrypt: false, trustServerCertificate: true, useUTC: true },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.connect((error) => error ? reject(error) : resolve());
  await promise;
  return connection;
}

function runBatch(connection: Connection, batch: string): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const lines: string[] = [];
  const request = new Request(batch, (error) => error ? reject(error) : resolve(lines));
  request.on("row", (columns: readonly { readonly value: unknown }[]) => {
    lines.push(columns.map(({ value }) => value === null ? "" : String(value)).join("|"));
  });
  connection.execSqlBatch(request);
  return promise;
}

/** Ends the connection and waits until it has ended. */
export async function closeMssql(connection: Connection): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.once("end", () => resolve());
  connection.close();
  await promise;
}
