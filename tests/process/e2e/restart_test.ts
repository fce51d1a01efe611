import assert from "node:assert/strict";
import { onServer, withLogins } from "@/tests/support/databases/configure.ts";
import { connectTo } from "@/tests/support/databases/connection.ts";
import { ENGINES, loadDatabase } from "@/tests/support/databases/mod.ts";
import { type OwnServer, startServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { DATABASES, USERS } from "@/tests/api/writing/shop_files.ts";
import { Load } from "./load.ts";

const ROUNDS = 2;
/** Records that are created before and after each crash. */
const ENOUGH = 40;

for (const dialect of ["postgresql", "mysql"] as const) {
  const reason = whyNoOwnServer(dialect);
  Deno.test({
    name: `${dialect}: a server that is killed and restarted under load loses no committed write` +
      (reason === undefined ? "" : ` (${reason})`),
    ignore: reason !== undefined,
    fn: async () => {
      await using server = await startServer(dialect, { durable: true });
      const database = await loadDatabase(server, "shop", "restart");
      await using service = await startShop(server, database);
      await using load = new Load(`${service.url}/db/Shop`);
      for (let round = 0; round < ROUNDS; round++) await killAndRestart(server, service, load);
      await load.end();
      await assertKept(server, database, load);
      assert.deepEqual([...load.statuses.keys()].filter((status) => status >= 500 && status !== 504), [503]);
      assert.doesNotMatch(await service.log(), /failed unexpectedly|unhandled|uncaught|\bat file:/i);
    },
  });
}

async function startShop(server: OwnServer, shop: string): Promise<TestService> {
  return await startService({
    files: {
      "config/databases.cfg": onServer(DATABASES, server, { shop }),
      "config/users.cfg": withLogins(USERS, server),
      "config/service.ini": "[service]\n",
    },
  });
}

async function killAndRestart(server: OwnServer, service: TestService, load: Load): Promise<void> {
  const before = load.created.length;
  await until(load, () => load.created.length >= before + ENOUGH);
  assert.equal(await statusOf(service), "Connected");
  const refused = load.count(503);
  await server.kill();
  await until(load, async () => await statusOf(service) === "Disconnected" && load.count(503) > refused);
  const created = load.created.length;
  await server.restart();
  await until(
    load,
    async () => await statusOf(service) === "Connected" && load.created.length >= created + ENOUGH,
  );
}

async function statusOf(service: TestService): Promise<unknown> {
  const [shop] = await (await service.fetch("/db.json")).json();
  return shop.status;
}

/** Every confirmed change was stored; unconfirmed ones may have been stored, too. */
async function assertKept(server: OwnServer, database: string, load: Load): Promise<void> {
  const { quote } = ENGINES[server.dialect];
  await using connection = await connectTo(server, database);
  const [result] = await connection.query(
    `SELECT ${quote("Text")}, ${quote("Meaning")} FROM ${quote("Tag")}`,
  );
  const kept = new Map(result?.rows.map(([text, meaning]) => [String(text), String(meaning)]));
  assert.deepEqual(load.created.filter((text) => !kept.has(text)), []);
  for (const [key, round] of load.changed) {
    assert.ok(Number(kept.get(key.replace("__", "/"))) >= round, `${key} was changed ${round} times`);
  }
}

async function until(load: Load, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!await condition()) {
    load.check();
    assert.ok(
      Date.now() < deadline,
      `It did not happen within a minute: ${JSON.stringify([...load.statuses])}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
