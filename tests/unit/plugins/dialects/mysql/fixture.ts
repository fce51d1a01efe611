/**
 * Databases for the MySQL tests: each test has its own, on a shared server.
 *
 * @module
 */

import type { Database, DatabaseDefinition, Dialect, Login } from "@/plugins/contract.ts";
import mysql from "@/plugins/dialects/mysql/mod.ts";
import { hostOf, plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { type TestServer, useServer, whyNoServer } from "@/tests/support/servers/mod.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

/** Why there is no server, for the names of tests that are ignored. */
export const noServer = whyNoServer("mysql");

/** Registers a test that needs a server. */
export function testOnServer(name: string, fn: (place: Place) => Promise<void>): void {
  Deno.test({
    name: noServer === undefined ? name : `${name} (${noServer})`,
    ignore: noServer !== undefined,
    async fn() {
      await using place = await makePlace();
      await fn(place);
    },
  });
}

/** Whether the server is MariaDB: features of only one server are tested on it alone. */
export async function isMariadb(place: Pick<Place, "exec">): Promise<boolean> {
  return (await place.exec("SELECT version();")).includes("MariaDB");
}

/** A database that is removed at the end, with the helpers of every test. */
export interface Place extends AsyncDisposable {
  readonly server: TestServer;
  readonly name: string;
  readonly login: Login;
  readonly messages: string[];
  readonly dialect: Dialect;
  readonly definition: DatabaseDefinition;
  /** Runs SQL like another program, and returns its output. */
  exec(sql: string): Promise<string>;
  connect(changes?: Partial<DatabaseDefinition>, login?: Login): Promise<Database>;
}

/** An empty database; disposing disconnects from it and drops it. With `echo` its messages tell the SQL. */
export async function makePlace(echo = false): Promise<Place> {
  const server = await useServer("mysql");
  const name = await server.createDatabase(`mysql_${crypto.randomUUID().slice(0, 8)}`);
  const messages: string[] = [];
  const opened: Database[] = [];
  const login = { dbuser: server.user, dbpass: server.password };
  const dialect: Dialect = mysql.setup({}, hostOf(messages, { echo }));
  const definition = definitionOf(server, name);
  return {
    server,
    name,
    login,
    messages,
    dialect,
    definition,
    exec: (sql) => server.exec(sql, name),
    async connect(changes = {}, as = login) {
      const database = await dialect.connect({ ...definition, ...changes }, as, { signal: NEVER });
      opened.push(database);
      return database;
    },
    async [Symbol.asyncDispose]() {
      for (const database of opened) await database[Symbol.asyncDispose]();
      await server.dropDatabase(name);
    },
  };
}

/** Without a login: tests connect with their own. */
export function definitionOf(
  { host, port }: { readonly host: string; readonly port: number },
  dbName: string,
): DatabaseDefinition {
  return plainDefinition({ dbType: "mysql", dbName, dbHost: host, dbPort: port });
}
