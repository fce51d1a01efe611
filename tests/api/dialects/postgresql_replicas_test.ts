/** @module A streaming standby of PostgreSQL as a read replica. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { type OwnServer, startReplica, startServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import { shared, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { serveDatabase } from "./postgresql_service.ts";

const WHY_NOT = whyNoOwnServer("postgresql");

const TABLES = `CREATE TABLE entry (id integer PRIMARY KEY, note text NOT NULL);
  CREATE VIEW place AS SELECT pg_is_in_recovery() AS standby;
  CREATE VIEW slow AS SELECT id, pg_sleep(2)::text AS slept FROM entry WHERE id = 1;`;

interface Setting extends AsyncDisposable {
  readonly primary: OwnServer;
  readonly standby: OwnServer;
  readonly database: string;
  readonly service: TestService;
}

const RESET = "TRUNCATE entry; INSERT INTO entry VALUES (1, 'first');";

/** A service that reads from the standby. */
async function open(): Promise<Setting> {
  const stack = new AsyncDisposableStack();
  try {
    const primary = stack.use(await startServer("postgresql", { durable: true }));
    const database = await primary.createDatabase("replicated");
    await primary.exec(TABLES, database);
    const standby = stack.use(await startReplica(primary));
    const replicas = [{ db_host: standby.host, db_port: standby.port }];
    const service = stack.use(await serveDatabase(primary, database, { definition: { replicas } }));
    return { primary, standby, database, service, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** One pair of servers for all tests: each costs two seconds of work. */
const setting = shared(open, WHY_NOT);

/** Registers a test that begins with one record, which the standby has. */
function test(name: string, fn: (setting: Setting) => Promise<void>): void {
  Deno.test({
    name: `postgresql: ${name}${WHY_NOT === undefined ? "" : ` (${WHY_NOT})`}`,
    ignore: WHY_NOT !== undefined,
    async fn() {
      const { primary, standby, database, service } = setting();
      await primary.exec(RESET, database);
      await until(async () => (await standby.exec("SELECT * FROM entry;", database)) === "1|first\n");
      await until(async () => await readsStandby(service));
      await fn(setting());
    },
  });
}

async function readsStandby(service: TestService): Promise<boolean> {
  const { status, text } = await get(service, "/db/Pg/place/standby.json");
  assert.equal(status, 200, text);
  return JSON.parse(text)[0];
}

async function get(
  service: TestService,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await service.fetch(path);
  return { status: answer.status, text: await answer.text() };
}

async function statusOf(service: TestService, method: string, path: string, body?: object): Promise<number> {
  const answer = await service.fetch(path, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  await answer.body?.cancel();
  return answer.status;
}

test("reads go to a standby, writes to the primary", async ({ primary, service, database }) => {
  assert.equal(await statusOf(service, "POST", "/db/Pg/entry", { id: 2, note: "second" }), 201);
  assert.equal(await primary.exec("SELECT note FROM entry WHERE id = 2;", database), "second\n");
  await until(async () => (await get(service, "/db/Pg/entry/id/2/note.json")).status === 200);
  assert.equal(await statusOf(service, "PUT", "/db/Pg/entry/id/2.json", { note: "changed" }), 204);
  await until(async () => (await get(service, "/db/Pg/entry/id/2/note.json")).text === '"changed"');
  const streamed = await get(service, "/db/Pg/entry/note.csv?stream&sort=id&headers=false");
  assert.deepEqual([streamed.status, streamed.text], [200, "first\r\nchanged\r\n"]);
  assert.equal(await readsStandby(service), true);
});

test("a standby that lags shows what it has; what is written is the primary's", async (setting) => {
  const { primary, standby, service, database } = setting;
  await standby.exec("SELECT pg_wal_replay_pause();");
  await until(async () => (await standby.exec("SELECT pg_get_wal_replay_pause_state();")) === "paused\n");
  assert.equal(await statusOf(service, "POST", "/db/Pg/entry", { id: 2, note: "second" }), 201);
  assert.equal((await get(service, "/db/Pg/entry/id/2.json")).status, 404);
  assert.equal(await statusOf(service, "PUT", "/db/Pg/entry/id/2.json", { note: "changed" }), 204);
  assert.equal(await statusOf(service, "DELETE", "/db/Pg/entry/id/2.json"), 204);
  assert.equal(await statusOf(service, "DELETE", "/db/Pg/entry/id/2.json"), 404);
  await primary.exec("CREATE TABLE fresh (id integer PRIMARY KEY); INSERT INTO fresh VALUES (7);", database);
  await until(async () => (await get(service, "/db/Pg/fresh/id.json")).text.replace(/\s/g, "") === "[7]");
  assert.equal(await readsStandby(service), true);
  await standby.exec("SELECT pg_wal_replay_resume();");
  assert.doesNotMatch(await service.log(), /failed unexpectedly/);
});

test("a standby that is gone is left out, and read again when it is back", async ({ standby, service }) => {
  await standby.kill();
  assert.equal(await readsStandby(service), false, "The same request is answered by the primary");
  assert.equal((await get(service, "/db/Pg/entry/id.json?stream")).status, 200);
  const [{ status }] = await (await service.fetch("/db.json")).json();
  assert.equal(status, "Connected");
  await until(async () => /Replica .* cannot be reached, the primary is read/.test(await service.log()));
  await standby.restart();
  await until(async () => await readsStandby(service));
  assert.match(await service.log(), /Replica .* is there again/);
});

test("a read that stands in the way of what the standby takes over is answered by the primary", async (setting) => {
  const { primary, standby, service, database } = setting;
  await standby.exec("ALTER SYSTEM SET max_standby_streaming_delay = 0; SELECT pg_reload_conf();");
  await until(async () => (await standby.exec("SHOW max_standby_streaming_delay;")) === "0\n");
  const reading = get(service, "/db/Pg/slow/id.json");
  const sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep';";
  await until(async () => (await standby.exec(sleeping)) === "1\n");
  await primary.exec("BEGIN; LOCK TABLE entry IN ACCESS EXCLUSIVE MODE; COMMIT;", database);
  const { status, text } = await reading;
  assert.deepEqual([status, JSON.parse(text)], [200, [1]]);
  assert.match(
    await standby.exec(
      "SELECT confl_lock FROM pg_stat_database_conflicts WHERE datname = '" + database + "';",
    ),
    /^[1-9]/,
  );
});

// The last one: it leaves the primary killed.
test("a standby that was promoted takes over with a new definition", async ({ primary, standby, service }) => {
  assert.equal(await statusOf(service, "POST", "/db/Pg/entry", { id: 2, note: "second" }), 201);
  await until(async () => (await get(service, "/db/Pg/entry/id/2.json")).status === 200);
  await primary.kill();
  await until(async () => await statusOf(service, "POST", "/db/Pg/entry", { id: 3, note: "x" }) === 503);
  await standby.exec("SELECT pg_promote();");
  const file = join(service.home, "config", "databases.cfg");
  const { Pg: { replicas: _, ...definition } } = parse(await Deno.readTextFile(file));
  await Deno.writeTextFile(file, stringify({ Pg: { ...definition, db_port: standby.port } }));
  await until(async () => await statusOf(service, "POST", "/db/Pg/entry", { id: 3, note: "third" }) === 201);
  const { text } = await get(service, "/db/Pg/entry/id.json");
  assert.deepEqual(JSON.parse(text), [1, 2, 3]);
});
