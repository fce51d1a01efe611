/**
 * PostgreSQL, as Debian's `postgresql` installs it.
 *
 * @module
 */

import { join } from "node:path";
import { asServerUser, findProgram, run } from "./programs.ts";
import type { Address, Product } from "./server.ts";

/** Its own server listens on a loopback address only. */
export const POSTGRES: Product = {
  dialect: "postgresql",
  variable: "ROWHOUSE_TEST_POSTGRES_URL",
  defaultPort: 5432,
  missing: () => ["initdb", "postgres", "psql", "pg_basebackup"].find((name) => !program(name)),
  install,
  follow,
  command: ({ directory, port, durable }) => {
    const settings = Object.entries({ ...SETTINGS, ...(durable ? {} : VOLATILE) });
    return [
      ...[program("postgres") ?? "postgres", "-D", join(directory, "data"), "-p", String(port)],
      ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ];
  },
  stopSignal: "QUIT", // at once, and its shared memory is given back
  createDatabase: async (address, database) => {
    const locale = "LOCALE 'C.UTF-8' ENCODING 'UTF8' TEMPLATE template0";
    await exec(address, `${drop(database)};\nCREATE DATABASE "${database}" ${locale};`);
  },
  dropDatabase: async (address, database) => {
    await exec(address, `${drop(database)};`);
  },
  exec,
};

const drop = (database: string) => `DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`;

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_buffers: "64MB",
  max_connections: "300", // several test files run at a time
  log_min_messages: "fatal",
};

/** Committed changes may be lost with the machine, which makes the server faster. */
const VOLATILE = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
};

async function install(directory: string): Promise<void> {
  const password = join(directory, "password");
  await Deno.writeTextFile(password, "rowhouse-test");
  const args = ["--username=rowhouse", `--pwfile=${password}`, "--auth=scram-sha-256"];
  const kind = ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"];
  const data = join(directory, "data");
  await run(asServerUser([program("initdb") ?? "initdb", "-D", data, ...args, ...kind]));
}

/** A copy of the primary that follows its changes. */
async function follow(directory: string, { host, port, user, password }: Address): Promise<void> {
  const place = ["-D", join(directory, "data"), "-h", host, "-p", String(port), "-U", user];
  const kind = ["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"];
  const command = asServerUser([program("pg_basebackup") ?? "pg_basebackup", ...place, ...kind]);
  await run(command, { env: { PGPASSWORD: password } });
}

async function exec(address: Address, sql: string, database = "postgres"): Promise<string> {
  const { host, port, user, password } = address;
  const target = ["-h", host, "-p", String(port), "-U", user, "-d", database];
  const command = [program("psql") ?? "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", ...target, "-f", "-"];
  return await run(command, {
    env: { PGPASSWORD: password, PGOPTIONS: "-c client_min_messages=warning", PGCLIENTENCODING: "UTF8" },
    stdin: sql,
  });
}

/** The newest version's, which Debian keeps outside `PATH`. */
function program(name: string): string | undefined {
  return findProgram(name, versions().map((version) => `/usr/lib/postgresql/${version}/bin`));
}

function versions(): readonly string[] {
  try {
    return [...Deno.readDirSync("/usr/lib/postgresql")].map(({ name }) => name)
      .toSorted((a, b) => Number(b) - Number(a));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
