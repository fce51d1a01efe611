/**
 * Databases for the PostgreSQL tests, on a real server.
 *
 * @module
 */

import type {
  Database,
  DatabaseDefinition,
  Dialect,
  DialectHost,
  Login,
  PoolSettings,
} from "@/plugins/contract.ts";
import postgresql from "@/plugins/dialects/postgresql/mod.ts";
import { type Address, type TestServer, useServer, whyNoServer } from "@/tests/support/servers/mod.ts";

/** Small enough to be used up by a test; times are seconds. */
export const POOL: PoolSettings = { max: 2, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

/** A signal that is never aborted. */
export const NEVER: AbortSignal = new AbortController().signal;

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

/** A database that is there already; it is removed at the end. */
export function placeOf(server: TestServer, dbName: string): Place {
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
      const database = await dialect.connect(changed, login);
      opened.push(database);
      return database;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((database) => database[Symbol.asyncDispose]()));
      await kept.disposeAsync();
      await server.dropDatabase(dbName);
    },
  };
}

/** The dialect, set up with a host whose log goes into `messages`. */
export function dialectOf(messages: string[] = [], echo = false): Dialect {
  const note = (message: string) => void messages.push(message);
  const host: DialectHost = {
    directory: Deno.cwd(),
    echo,
    ignoreDefaultFields: false,
    log: { info: note, warn: note, error: note },
  };
  return postgresql.setup({}, host);
}

/** The login is that of the server's owner. */
export function definitionOf({ host, port, user, password }: Address, dbName: string): DatabaseDefinition {
  const none = new Map<string, never>();
  return {
    id: "Test",
    dbType: "postgresql",
    description: "",
    dbName,
    dbHost: host,
    dbPort: port,
    dbSchema: [],
    prepare: true,
    autoconnect: true,
    autoloadUser: { dbuser: user, dbpass: password },
    alternateKey: none,
    foreignKeys: none,
    excludedColumns: none,
    excludedTables: [],
    replicas: [],
    pool: POOL,
    creator: "admin",
    read: [],
    write: [],
    execute: [],
  };
}
