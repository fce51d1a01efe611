/**
 * One database behind a service on each engine. A request can be sent to all of them.
 *
 * @module
 */

import { join } from "node:path";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { stringify } from "yaml";
import { onServer, withLogins } from "@/tests/support/databases/configure.ts";
import { connectTo } from "@/tests/support/databases/connection.ts";
import {
  ENGINES,
  fixtureOf,
  loadDatabase,
  SOURCES,
  type TestDialect,
} from "@/tests/support/databases/mod.ts";
import { statementsOf } from "@/tests/support/databases/parse_database.ts";
import { resetScript } from "@/tests/support/databases/script.ts";
import { RawConnection } from "@/tests/support/raw_request.ts";
import { type ServerDialect, useServer } from "@/tests/support/servers/mod.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { CONFIGURED, type MirrorSource } from "./facts.ts";

/** The database's name in URLs. */
export const DATABASE = "Mirror";

const DATABASES = stringify({
  [DATABASE]: {
    db_type: "sqlite",
    db_name: "${ROWHOUSE_STATE}/mirror.db",
    alternate_key: CONFIGURED.alternateKey,
    foreign_keys: CONFIGURED.foreignKeys,
  },
});
const USERS = stringify({ public: { databases: { [DATABASE]: {} } } });

/** One engine's service. */
export interface Mirror extends AsyncDisposable {
  readonly dialect: TestDialect;
  readonly service: TestService;
  readonly connection: RawConnection;
  /** Restores the first content of every table. */
  reset(): void | Promise<void>;
}

/** Opens all at once. The others are compared with the first. */
export async function openMirrors(dialects: readonly TestDialect[], source: MirrorSource): Promise<Mirrors> {
  const opened = await Promise.allSettled(dialects.map((dialect) => openMirror(dialect, source)));
  const mirrors = opened.flatMap((result) => result.status === "fulfilled" ? [result.value] : []);
  const failed = opened.find((result) => result.status === "rejected");
  if (!failed) return new Mirrors(mirrors);
  for (const mirror of mirrors) await mirror[Symbol.asyncDispose]();
  throw failed.reason;
}

/** The services, one for each engine. */
export class Mirrors implements AsyncDisposable {
  readonly list: readonly Mirror[];

  constructor(list: readonly Mirror[]) {
    this.list = list;
  }

  async reset(): Promise<void> {
    await Promise.all(this.list.map((mirror) => mirror.reset()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const mirror of this.list) await mirror[Symbol.asyncDispose]();
  }
}

function openMirror(dialect: TestDialect, source: MirrorSource): Promise<Mirror> {
  return dialect === "sqlite" ? openOnSqlite(source) : openOnServer(dialect, source);
}

async function openOnSqlite(source: MirrorSource): Promise<Mirror> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(
    await startService({
      files: configuration(DATABASES, USERS),
      sqlite: { Mirror: SOURCES[source].script() },
    }),
  );
  const handle = new Sqlite(join(service.home, "state", "mirror.db"));
  stack.defer(() => void handle.close());
  const connection = stack.use(await RawConnection.open(service.port));
  const rest = stack.move();
  return {
    ...{ dialect: "sqlite", service, connection, reset: () => resetSqlite(handle, source) },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

async function openOnServer(dialect: ServerDialect, source: MirrorSource): Promise<Mirror> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await useServer(dialect));
  const database = await loadDatabase(server, source, `differential_${crypto.randomUUID().slice(0, 8)}`);
  stack.defer(() => server.dropDatabase(database));
  const beside = stack.use(await connectTo(server, database));
  const script = resetScript(fixtureOf(source), ENGINES[dialect]);
  // Once before the service reads the catalog: SQL Server's counters are part of it.
  await beside.run(script);
  const files = configuration(onServer(DATABASES, server, { mirror: database }), withLogins(USERS, server));
  const service = stack.use(await startService({ files }));
  const connection = stack.use(await RawConnection.open(service.port));
  const rest = stack.move();
  return {
    ...{ dialect, service, connection, reset: () => beside.run(script) },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

function configuration(databases: string, users: string): Readonly<Record<string, string>> {
  return {
    "config/databases.cfg": databases,
    "config/users.cfg": users,
    "config/service.ini": "[service]\n",
  };
}

function resetSqlite(handle: Sqlite, source: MirrorSource): void {
  const statements = statementsOf(SOURCES[source].script());
  const tables = fixtureOf(source).tables.map(({ name }) => name);
  handle.pragma("foreign_keys = OFF");
  handle.exec("BEGIN IMMEDIATE");
  for (const table of [...tables, "sqlite_sequence"]) handle.exec(`DELETE FROM "${table}"`);
  for (const sql of statements) if (sql.startsWith("INSERT")) handle.exec(sql);
  handle.exec("COMMIT");
  handle.pragma("foreign_keys = ON");
}
