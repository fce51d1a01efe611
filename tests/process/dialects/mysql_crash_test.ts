import assert from "node:assert/strict";
import { stringify } from "yaml";
import { addressOf } from "@/tests/support/databases/configure.ts";
import { startServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { until } from "@/tests/support/until.ts";

const reason = whyNoOwnServer("mysql");
const KEY = "crash-0123456789-0123456789-0123456789";

/** Requests that are sent one after the other until they are told to stop, and how each was answered. */
class Client {
  readonly answers: number[] = [];
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(request: () => Promise<number>) {
    this.#running = this.#run(request);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(request: () => Promise<number>): Promise<void> {
    while (!this.#stopped) this.answers.push(await request());
  }
}

async function send(service: TestProcess, path: string, init: RequestInit = {}): Promise<Response> {
  return await service.fetch(path, {
    ...init,
    headers: { apikey: KEY, "Content-Type": "application/json" },
  });
}

async function statusOf(service: TestProcess, path: string, init: RequestInit = {}): Promise<number> {
  const response = await send(service, path, init);
  await response.body?.cancel();
  return response.status;
}

Deno.test({
  name:
    `mysql: a server that is killed under load loses nothing that was committed, and comes back by itself${
      reason === undefined ? "" : ` (${reason})`
    }`,
  ignore: reason !== undefined,
  async fn() {
    await using server = await startServer("mysql", { durable: true });
    const database = await server.createDatabase("crash_test");
    await server.exec("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT UNIQUE);", database);
    const { user: dbuser, password: dbpass } = server;
    await using service = await startProcess({
      files: {
        "config/databases.cfg": stringify({ D: { ...addressOf(server), db_name: database } }),
        "config/users.cfg": stringify({ crash: { apikey: KEY, databases: { D: { dbuser, dbpass } } } }),
      },
    });
    let serial = 0;
    const created: number[] = [];
    const create = async () => {
      const n = ++serial;
      const status = await statusOf(service, "/db/D/t.json", { method: "POST", body: JSON.stringify({ n }) });
      if (status === 201) created.push(n);
      return status;
    };
    const writers = Array.from({ length: 3 }, () => new Client(create));
    const readers = Array.from(
      { length: 3 },
      () => new Client(() => statusOf(service, "/db/D/t.json?depth=1&count")),
    );
    const streams = [new Client(() => statusOf(service, "/db/D/t.json?stream"))];
    const clients = [...writers, ...readers, ...streams];
    try {
      for (let round = 0; round < 2; round++) {
        const before = created.length;
        await until(() => created.length > before + 30);
        await server.kill();
        await until(() => clients.every(({ answers }) => answers.at(-1) === 503));
        await until(async () => (await (await send(service, "/db.json")).text()).includes('"Disconnected"'));
        await server.restart();
        await until(() => clients.every(({ answers }) => (answers.at(-1) ?? 0) < 300));
        assert.match(await (await send(service, "/db.json")).text(), /"Connected"/);
      }
    } finally {
      await Promise.allSettled(clients.map((client) => client.stop()));
    }
    await Promise.all(clients.map((client) => client.stop()));

    const statuses = new Set(clients.flatMap(({ answers }) => answers));
    assert.deepEqual([...statuses].filter((status) => ![200, 201, 503, 504].includes(status)), []);
    const kept = new Set((await server.exec("SELECT n FROM t;", database)).trim().split("\n").map(Number));
    assert.deepEqual(created.filter((n) => !kept.has(n)), [], "Everything that was answered 201 is there");
    assert.doesNotMatch(await service.log(), /unhandled|uncaught|\bat file:/i);
    assert.equal((await service.stop()).code, 0);
  },
});
