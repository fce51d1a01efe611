/**
 * Throw-away database servers on free loopback ports, or those that
 * `ROWHOUSE_TEST_{POSTGRES,MYSQL,MSSQL}_URL` name (`postgres://user:password@host:port`).
 *
 * @module
 */

import { join } from "node:path";
import { keepBeside, Keeper, type Kept, readLog } from "./keeper.ts";
import { MARIADB } from "./mariadb.ts";
import { MSSQL } from "./mssql.ts";
import { POSTGRES } from "./postgres.ts";
import { freePort, makeServerDirectory, serverFolder } from "./programs.ts";
import type { Address, OwnServer, Product, ServerDialect, TestServer } from "./server.ts";
import { oncePerRun } from "./shared.ts";

export * from "./server.ts";

const PRODUCTS: Readonly<Record<ServerDialect, Product>> = {
  postgresql: POSTGRES,
  mysql: MARIADB,
  mssql: MSSQL,
};

const STARTED = { host: "127.0.0.1", user: "rowhouse", password: "rowhouse-test" } as const;
const START_TIMEOUT = 60_000;

/**
 * Why tests cannot have a server of this kind, for the names of tests that are
 * ignored; undefined where they can.
 */
export function whyNoServer(dialect: ServerDialect): string | undefined {
  const { variable, missing } = PRODUCTS[dialect];
  const program = Deno.env.get(variable) === undefined ? missing() : undefined;
  return program && `${program} is not installed and ${variable} is not set`;
}

/** The reason why tests cannot have their own server; undefined if they can. */
export function whyNoOwnServer(dialect: ServerDialect): string | undefined {
  const program = PRODUCTS[dialect].missing();
  return program && `${program} is not installed`;
}

/**
 * The server that all test files of this run share. The first that asks starts it; it ends with the run.
 * Disposing of what this gives does nothing: databases are all that a test makes of its own.
 */
export async function useServer(dialect: ServerDialect): Promise<TestServer> {
  const product = PRODUCTS[dialect];
  const url = Deno.env.get(product.variable);
  const address = url === undefined
    ? await oncePerRun(dialect, (directory) => startShared(product, directory))
    : parseAddress(url, product);
  return { ...operations(product, address), [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Starts a server for one test; `durable` keeps committed data through a crash. */
export async function startServer(
  dialect: ServerDialect,
  { durable = false }: { readonly durable?: boolean } = {},
): Promise<OwnServer> {
  const product = PRODUCTS[dialect];
  return await startOwn(product, durable, (directory) => product.install?.(directory));
}

/** Starts a read-only replica of the durable server `primary`. */
export async function startReplica(primary: OwnServer): Promise<OwnServer> {
  const product = PRODUCTS[primary.dialect];
  if (!product.follow) throw new Error(`No replica of ${primary.dialect} can be started`);
  return await startOwn(product, true, (directory) => product.follow?.(directory, primary));
}

async function startOwn(product: Product, durable: boolean, fill: Fill): Promise<OwnServer> {
  const directory = join(serverFolder(), `rowhouse-server-${crypto.randomUUID()}`);
  const { address, kept } = await install(product, { directory, durable, fill });
  const keeper = new Keeper(kept);
  const start = async () => {
    await keeper.tell("start");
    await answering(product, address, directory);
  };
  const dispose = () => keeper[Symbol.asyncDispose]();
  await start().catch(async (error) => {
    await dispose();
    throw error;
  });
  return {
    ...operations(product, address),
    kill: () => keeper.tell("kill"),
    restart: start,
    [Symbol.asyncDispose]: dispose,
  };
}

async function startShared(product: Product, directory: string): Promise<Address> {
  const fill = () => product.install?.(directory);
  const { address, kept } = await install(product, { directory, durable: false, fill });
  await keepBeside(Deno.pid, kept);
  await answering(product, address, directory);
  return address;
}

type Fill = (directory: string) => Promise<void> | undefined;

interface Installation {
  readonly directory: string;
  readonly durable: boolean;
  readonly fill: Fill;
}

async function install(
  product: Product,
  { directory, durable, fill }: Installation,
): Promise<{ readonly address: Address; readonly kept: Kept }> {
  const { command, stopSignal: signal = "KILL" } = product;
  if (!product.install || !command) {
    throw new Error(`Cannot start ${product.dialect}: set ${product.variable}`);
  }
  await makeServerDirectory(directory);
  await fill(directory);
  const port = freePort();
  return {
    address: { ...STARTED, port },
    kept: { directory, signal, command: command({ directory, port, durable }) },
  };
}

/** Waits until the server answers. */
async function answering(product: Product, address: Address, directory: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT;
  while (true) {
    try {
      await product.exec(address, "SELECT 1;");
      return;
    } catch (cause) {
      if (Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
      else throw new Error(`${product.dialect} did not start: ${await readLog(directory)}`, { cause });
    }
  }
}

function operations(product: Product, address: Address): Omit<TestServer, typeof Symbol.asyncDispose> {
  return {
    dialect: product.dialect,
    ...address,
    createDatabase: async (name) => {
      const database = `rowhouse_${name}`;
      await product.createDatabase(address, database);
      return database;
    },
    dropDatabase: (database) => product.dropDatabase(address, database),
    exec: (sql, database) => product.exec(address, sql, database),
  };
}

function parseAddress(text: string, { defaultPort }: Product): Address {
  const { hostname: host, port, username, password } = new URL(text);
  return {
    host,
    port: port === "" ? defaultPort : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}
