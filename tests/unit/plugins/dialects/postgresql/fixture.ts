/**
 * Databases for the PostgreSQL tests, on a real server.
 *
 * @module
 */

import type { Database, DatabaseDefinition, Dialect, Login, PoolSettings } from "@/plugins/contract.ts";
import postgresql from "@/plugins/dialects/postgresql/mod.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { hostOf, plainDefinition, POOL } from "@/tests/support/databases/plain_definition.ts";
import { type Address, type TestServer, useServer, whyNoServer } from "@/tests/support/servers/mod.ts";

/** A database that is removed at the end, with the helpers of every test. */
export interface Place extends AsyncDisposable {
  readonly server: TestServer;
  readonly definition: DatabaseDefinition;
  readonly login: Login;
  readonly messages: string[];
  readonly dialect: Dialect;
  /** Runs SQL like another program; returns the output of `psql`. */
  change(sql: string): Promise<string>;
  /** Ends something with the database, after its connections. */
  keep<T extends AsyncDisposable>(resource: T): T;
  connect(changes?: Partial<DatabaseDefinition>, pool?: Partial<PoolSettings>): Promise<Database>;
}

/** Why there is no server, for the names of tests that are ignored. */
export const WHY_NOT = whyNoServer("postgresql");

/** Registers a test that needs a server. */
export function testOnServer(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: WHY_NOT ? `${name} (${WHY_NOT})` : name, ignore: WHY_NOT !== undefined, fn });
}

/** Makes a database from statements. */
export async function makePlace(name: string, ...statements: string[]): Promise<Place> {
  const server = await useServer("postgresql");
  const dbName = await server.createDatabase(`pg_${name}`);
  if (statements.length > 0) await server.exec(`${statements.join(";\n")};`, dbName);
  return placeOf(server, dbName);
}

/** A database that is there already; it is removed at the end, unless it is kept. */
export function placeOf(server: TestServer, dbName: string, isKept = false): Place {
  const messages: string[] = [];
  const opened: Database[] = [];
  const kept = new AsyncDisposableStack();
  const definition = definitionOf(server, dbName);
  const login = { dbuser: server.user, dbpass: server.password };
  const dialect = dialectOf(messages);
  return {
    server,
    definition,
    login,
    messages,
    dialect,
    change: (sql) => server.exec(sql, dbName),
    keep: (resource) => kept.use(resource),
    async connect(changes = {}, pool = {}) {
      const changed = { ...definition, ...changes, pool: { ...POOL, ...pool } };
      const database = await dialect.connect(changed, login, { signal: NEVER });
      opened.push(database);
      return database;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((database) => database[Symbol.asyncDispose]()));
      await kept.disposeAsync();
      if (!isKept) await server.dropDatabase(dbName);
    },
  };
}

/** The dialect, set up with a host whose log goes into `messages`. */
export function dialectOf(messages: string[] = [], echo = false): Dialect {
  return postgresql.setup({}, hostOf(messages, { directory: Deno.cwd(), echo }));
}

/** The login is that of the server's owner. */
export function definitionOf({ host, port, user, password }: Address, dbName: string): DatabaseDefinition {
  const autoloadUser = { dbuser: user, dbpass: password };
  return plainDefinition({ dbType: "postgresql", dbName, dbHost: host, dbPort: port, autoloadUser });
}
