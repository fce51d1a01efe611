/**
 * Databases on the SQL Server that `ROWHOUSE_TEST_MSSQL_URL` names:
 * `mssql://user:password@host:port/database`.
 *
 * @module
 */

import { Connection, Request } from "tedious";
import mssql from "@/plugins/dialects/mssql/mod.ts";
import { hostOf, plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import type { Cell, DatabaseDefinition, Dialect, DialectHost } from "@/plugins/contract.ts";

const SETTING = Deno.env.get("ROWHOUSE_TEST_MSSQL_URL");

/** The server to test with; undefined where none is configured. */
export const SERVER: URL | undefined = SETTING === undefined || SETTING === "" ? undefined : new URL(SETTING);

/** A host that writes no log. */
const QUIET: DialectHost = hostOf([], { directory: Deno.cwd() });

/** The login of the URL. */
export function loginOf(server: URL): { dbuser: string; dbpass: string } {
  return { dbuser: decodeURIComponent(server.username), dbpass: decodeURIComponent(server.password) };
}

/** A definition with the members that a test needs; the login is that of the URL. */
export function definitionOn(
  server: URL,
  dbName: string,
  changes: Partial<DatabaseDefinition> = {},
): DatabaseDefinition {
  return plainDefinition({
    dbType: "mssql",
    dbName,
    dbHost: server.hostname,
    dbPort: Number(server.port || 1433),
    autoloadUser: loginOf(server),
    ...changes,
  });
}

/** The dialect, set up with this of the host. */
export function dialect(host: Partial<DialectHost> = {}): Dialect {
  return mssql.setup({}, { ...QUIET, ...host });
}

/** A connection of the test's own, beside the dialect. */
export class Client implements AsyncDisposable {
  /** Settles when the connection has ended. */
  readonly ended: Promise<void>;
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    connection.once("end", () => resolve());
    // Reported by the running work.
    connection.on("error", () => {});
  }

  static async open(server: URL, database = "master"): Promise<Client> {
    const { dbuser, dbpass } = loginOf(server);
    const connection = new Connection({
      server: server.hostname,
      authentication: { type: "default", options: { userName: dbuser, password: dbpass } },
      options: { port: Number(server.port || 1433), database, encrypt: false, useUTC: true },
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    connection.connect((error) => error ? reject(error) : resolve());
    await promise;
    return new Client(connection);
  }

  /** Runs batches without parameters; returns the rows of the last. */
  async run(...batches: readonly string[]): Promise<Cell[][]> {
    let rows: Cell[][] = [];
    for (const batch of batches) rows = await this.#batch(batch);
    return rows;
  }

  #batch(batch: string): Promise<Cell[][]> {
    const { promise, resolve, reject } = Promise.withResolvers<Cell[][]>();
    const rows: Cell[][] = [];
    const request = new Request(batch, (error) => error ? reject(error) : resolve(rows));
    request.on("row", (cells: { value: Cell }[]) => rows.push(cells.map(({ value }) => value)));
    this.#connection.execSqlBatch(request);
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    await this.ended;
  }
}

/** A new database, and a connection to it beside the dialect's. */
export interface Place extends AsyncDisposable {
  readonly name: string;
  readonly client: Client;
  /** Ends every other connection, as an operator would, and waits until they have ended. */
  killConnections(): Promise<void>;
  /** Like the disposal, but ignores failures. */
  cleanUp(): Promise<void>;
}

/** Makes a database, which is dropped when disposed of. */
export async function makePlace(server: URL): Promise<Place> {
  const name = `rowhouse_${crypto.randomUUID().slice(0, 8)}`;
  const master = await Client.open(server);
  await master.run(`create database ${name}`);
  const client = await Client.open(server, name);
  return {
    name,
    client,
    async killConnections() {
      await killConnections(client, name);
      // Told after the dialect's own: when this one knows, they do.
      const witness = await Client.open(server, name);
      await killConnections(client, name);
      await witness.ended;
    },
    cleanUp: () => killConnections(client, name),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await killConnections(master, name);
      await master.run(`drop database ${name}`);
      await master[Symbol.asyncDispose]();
    },
  };
}

async function killConnections(client: Client, database: string): Promise<void> {
  const sessions = `select session_id from sys.dm_exec_sessions
    where database_id = db_id('${database}') and session_id <> @@spid`;
  for (let found = await client.run(sessions); found.length > 0; found = await client.run(sessions)) {
    for (const [id] of found) await kill(client, Number(id));
  }
}

/** It may have ended already. */
async function kill(client: Client, id: number): Promise<void> {
  try {
    await client.run(`kill ${id}`);
  } catch (error) {
    if (!/not an active process/i.test(String(error))) throw error;
  }
}
