/** @module Faults of database servers say what they are: in the answer, the log, `/readyz` and `/metrics`. */

import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { stringify } from "yaml";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { startRelay } from "@/tests/support/relay.ts";
import { type TestServer, useServer, whyNoServer } from "@/tests/support/servers/mod.ts";
import { until } from "@/tests/support/until.ts";
import { ADMIN, assertDocumented, type Sight } from "./faults.ts";

/** The engines, with a statement that takes four seconds, and how the operator knows the engine. */
const ENGINES = {
  postgresql: { wait: "SELECT 1 AS n FROM pg_sleep(4)", product: "PostgreSQL" },
  mysql: { wait: "SELECT SLEEP(4) AS n", product: "MariaDB" },
} as const;

type Engine = keyof typeof ENGINES;

/** A server of another kind that speaks first, as those for mail and for shells do. */
async function startForeign(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.write("SSH-2.0-OpenSSH_9.2\r\n");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A service with databases of one server: each is reached on a port of its own. */
async function start(
  engine: Engine,
  server: TestServer,
  ports: Readonly<Record<string, number>>,
): Promise<{ readonly service: TestProcess; readonly name: string }> {
  const name = await server.createDatabase(`faults_${crypto.randomUUID().slice(0, 8)}`);
  await server.exec("CREATE TABLE port (id INT PRIMARY KEY);\nINSERT INTO port VALUES (1);\n", name);
  const login = { dbuser: server.user, dbpass: server.password };
  const databases = Object.entries(ports).map(([id, port]) => {
    const place = { db_type: engine, db_host: "127.0.0.1", db_port: port, db_name: name };
    const pool = { max: id === "Busy" ? 1 : 10, acquire_timeout: id === "Busy" ? 1 : 10 };
    return [id, { ...place, autoload_user: login, pool }];
  });
  const mappings = Object.fromEntries(Object.keys(ports).map((id) => [id, login]));
  const wait = { database: "Busy", sqlstr: ENGINES[engine].wait, execute: ["public"] };
  const service = await startProcess({
    files: {
      "config/users.cfg": stringify({ admin: ADMIN, public: { databases: mappings } }),
      "config/databases.cfg": stringify(Object.fromEntries(databases)),
      "config/querydefs.cfg": stringify({ wait }),
    },
  });
  return { service, name };
}

async function answerOf(service: TestProcess, path: string): Promise<string> {
  const response = await service.fetch(path);
  return `${response.status} ${await response.text()}`;
}

/** What is shown of a database that is not connected. */
function disconnected(id: string, words: string): Sight & { readonly log: RegExp } {
  return {
    log: new RegExp(`WARN Database ${id} .*is disconnected: .*${words}`),
    readyz: new RegExp(`^${id}: disconnected: .*${words}`),
    metrics: new RegExp(`^rowhouse_database_connected\\{database="${id}"\\} 0`),
  };
}

for (const engine of Object.keys(ENGINES) as Engine[]) {
  const { product } = ENGINES[engine];
  const reason = whyNoServer(engine);
  Deno.test({
    name: `${product}: a server that says nothing, speaks something else or has no free connection is named${
      reason === undefined ? "" : ` (${reason})`
    }`,
    ignore: reason !== undefined,
    async fn() {
      await using server = await useServer(engine);
      const place = { hostname: server.host, port: server.port };
      await using relay = await startRelay(place);
      await using foreign = await startForeign();
      await using down = await startRelay(place);
      const { service, name } = await start(engine, server, {
        Silent: relay.port,
        Foreign: foreign.port,
        Down: down.port,
        Busy: server.port,
      });
      await using _service = service;
      try {
        await testForeign(service, product);
        await testBusy(service, product);
        await testSilent(service, relay, product);
        await down[Symbol.asyncDispose]();
        await until(async () => (await answerOf(service, "/readyz")).includes("Down: disconnected: "));
        await until(async () => /Down .*ECONNREFUSED/.test(await service.log()));
        await assertDocumented(service, `${product}: nothing listens`, disconnected("Down", "ECONNREFUSED"));
      } finally {
        await service.stop();
        await server.dropDatabase(name);
      }
    },
  });
}

async function testForeign(service: TestProcess, product: string): Promise<void> {
  const sight = disconnected("Foreign", "does not speak");
  await until(async () => sight.log.test(await service.log()));
  await assertDocumented(service, `${product}: a server of another kind`, sight);
}

/** The only connection has a statement that takes longer than others wait for one. */
async function testBusy(service: TestProcess, product: string): Promise<void> {
  const slow = answerOf(service, "/query/wait.json");
  await until(async () => (await answerOf(service, "/db/Busy/port/id/1.json")).startsWith("503 "));
  assert.match(await slow, /^200 /);
  await assertDocumented(service, `${product}: no connection is free`, {
    log: /WARN Database Busy: it does not serve all requests/,
    readyz: /^Busy: it does not serve all requests/,
    metrics: /^rowhouse_database_faults_total\{database="Busy",fault="unavailable"\} [1-9]/,
  });
}

/** The network swallows everything, on connections that were used before as on new ones. */
async function testSilent(
  service: TestProcess,
  relay: { swallow(): void; recover(): void },
  product: string,
): Promise<void> {
  const read = () => answerOf(service, "/db/Silent/port/id/1.json");
  const lists = Array.from({ length: 6 }, () => answerOf(service, "/db/Silent/port.json?stream"));
  for (const list of await Promise.all(lists)) assert.match(list, /^200 /);
  relay.swallow();
  const pending = read();
  await until(async () => (await answerOf(service, "/readyz")).includes("Silent: disconnected"));
  assert.match(await read(), /^503 .*disconnected/s);
  await assertDocumented(service, `${product}: a server, or a network, that says nothing`, {
    ...disconnected("Silent", "did not answer within 7 s"),
    readyz: /^Silent: disconnected: The server did not answer within \d+ s/,
  });
  relay.recover();
  // MariaDB's reads are repeated once on another connection.
  assert.match(await pending, /^(200|503|504) /);
  await until(async () => (await read()).startsWith("200 "));
}
