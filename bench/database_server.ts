/**
 * Measures the service on a database server against a hand-written handler with the same driver. The server
 * is started for the benchmark, or named by `ROWHOUSE_TEST_POSTGRES_URL`, `ROWHOUSE_TEST_MYSQL_URL` or
 * `ROWHOUSE_TEST_MSSQL_URL`; no package installs the last one.
 *
 * Usage: deno task bench:postgresql --help; the same for bench:mysql and bench:mssql
 *
 * @module
 */

import { loadDatabase } from "@/tests/support/databases/mod.ts";
import { type TestServer, useServer } from "@/tests/support/servers/mod.ts";
import { type Place, writeConfiguration } from "./home.ts";
import { compare, interruption } from "./http.ts";
import { COMPARISON, type Options, withOptions } from "./options.ts";
import { API_KEY } from "./scenarios.ts";
import { Server } from "./server.ts";

/** Connections to the database that the service has, and a handler beside it. */
const POOL = 10;

/** The option for the size of the pool, by driver. */
const POOL_OPTIONS = { postgresql: "max", mysql: "connectionLimit", mssql: "max" } as const;

type BenchDialect = keyof typeof POOL_OPTIONS;

if (import.meta.main) {
  const [dialect, ...args] = Deno.args;
  Deno.exit(await withOptions(args, COMPARISON, (options) => benchmark(parseDialect(dialect), options)));
}

function parseDialect(dialect: string | undefined): BenchDialect {
  if (dialect === "postgresql" || dialect === "mysql" || dialect === "mssql") return dialect;
  throw new Error(`Expected ${Object.keys(POOL_OPTIONS).join(" or ")}`);
}

async function benchmark(dialect: BenchDialect, options: Options): Promise<void> {
  const interrupted = interruption();
  await using server = await useServer(dialect);
  const database = await loadDatabase(server, "demo", "bench");
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-bench-" });
  try {
    writeConfiguration(directory, placeOn(server, database));
    const { host, port, user, password } = server;
    const place = JSON.stringify({ host, port, user, password, database, [POOL_OPTIONS[dialect]]: POOL });
    const serve = ["main.ts", "serve", "--home", directory, "--port", "0"];
    await using service = await Server.start([...serve, "--workers", `${options.workers}`]);
    await using before = options.before === undefined ? undefined : await Server.start(serve, options.before);
    await using baseline = await Server.start([`bench/${dialect}_baseline.ts`, place, API_KEY]);
    await Promise.race([compare({ service, baseline, before }, options), interrupted]);
  } finally {
    await Deno.remove(directory, { recursive: true });
    await server.dropDatabase(database);
  }
}

/** The members of databases.cfg and of a user's login for a database on a server. */
export function placeOn(server: TestServer, database: string): Place {
  const login = `dbuser: ${server.user}, dbpass: ${server.password}`;
  return {
    login,
    quote: server.dialect === "mysql" ? "`" : '"',
    database: `  db_type: ${server.dialect}\n  db_name: ${database}\n  db_host: ${server.host}\n` +
      `  db_port: ${server.port}\n  autoload_user: {${login}}\n  pool: {max: ${POOL}}\n`,
  };
}
