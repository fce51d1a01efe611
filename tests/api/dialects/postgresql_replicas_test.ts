/** @module A streaming standby of PostgreSQL as a read replica. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { type OwnServer, startReplica, startServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import { shared, type TestService } from "@/tests/support/service.ts";
import { watchStatements } from "@/tests/support/statement_log.ts";
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
  // The connection with the new table may read the primary until the standby is connected, too.
  await until(async () => await readsStandby(service));
  await standby.exec("SELECT pg_wal_replay_resume();");
  assert.doesNotMatch(await service.log(), /failed unexpectedly/);
});

test("no statement reads the records of several requests: which server reads depends on who has written", async ({ service }) => {
  const statements: string[] = [];
  using _watch = watchStatements((each) => statements.push(...each));
  const read = Array.from({ length: 30 }, () => get(service, "/db/Pg/entry/id/1/note.json"));
  for (const { text } of await Promise.all(read)) assert.equal(text, '"first"');
  assert.equal(statements.filter((text) => / from .*"entry"/.test(text)).length, 30);
});

test("a standby in place of the primary is told to be read-only", async ({ standby, database }) => {
  await using service = await serveDatabase(standby, database);
  const change = { note: "changed" };
  assert.equal(await statusOf(service, "PUT", "/db/Pg/entry/id/1.json", change), 403, "alone");
  assert.equal(
    await statusOf(service, "PUT", "/db/Pg/entry/note/first.json", change),
    403,
    "in a transaction",
  );
});

/** Keeps the standby from taking over anything while the work runs. */
async function heldBack(standby: OwnServer, work: () => Promise<void>): Promise<void> {
  await standby.exec("SELECT pg_wal_replay_pause();");
  await until(async () => (await standby.exec("SELECT pg_get_wal_replay_pause_state();")) === "paused\n");
  try {
    await work();
  } finally {
    await standby.exec("SELECT pg_wal_replay_resume();");
  }
}

/** Another service with the same servers. */
async function another(
  { primary, standby, database }: Setting,
  { sticky, ...replica }: { readonly sticky?: number; readonly max_lag?: number },
): Promise<TestService> {
  const replicas = [{ db_host: standby.host, db_port: standby.port, ...replica }];
  const login = { dbuser: primary.user, dbpass: primary.password };
  const users = { reader: { apikey: READER, databases: { Pg: login } } };
  const definition = { replicas, ...(sticky === undefined ? {} : { sticky }) };
  return await serveDatabase(primary, database, { definition, users });
}

const READER = "reader-0123456789-0123456789-0123456789";

test("a standby that is late by more than max_lag is left out until it has caught up", async (setting) => {
  const { primary, standby, database } = setting;
  await using service = await another(setting, { max_lag: 1 });
  await until(async () => await readsStandby(service));
  await heldBack(standby, async () => {
    await primary.exec("INSERT INTO entry VALUES (2, 'second');", database);
    assert.equal((await get(service, "/db/Pg/entry/id/2.json")).status, 404);
    await until(async () => !await readsStandby(service));
    assert.equal((await get(service, "/db/Pg/entry/id/2.json")).status, 200);
    assert.match(await service.log(), /WARN Replica .* is late by \d+ s \(max_lag 1\), the primary is read/);
    assert.doesNotMatch(await service.log(), /cannot be reached/);
  });
  await until(async () => {
    // Without commits the primary may keep the end of a record, and the standby waits for it.
    await primary.exec("UPDATE entry SET note = 'again' WHERE id = 2;", database);
    return await readsStandby(service);
  });
  assert.match(await service.log(), /INFO Replica .* has caught up and is read again/);
});

test("who has written reads the primary for sticky seconds, everybody else the standby", async (setting) => {
  const { standby } = setting;
  await using service = await another(setting, { sticky: 4 });
  await until(async () => await readsStandby(service));
  await heldBack(standby, async () => {
    const reader = async () => {
      const answer = await service.fetch("/db/Pg/entry/id/2.json", { headers: { apikey: READER } });
      await answer.body?.cancel();
      return answer.status;
    };
    assert.equal(await statusOf(service, "POST", "/db/Pg/entry", { id: 2, note: "second" }), 201);
    const own = await get(service, "/db/Pg/entry/id/2.json");
    assert.deepEqual([own.status, await reader()], [200, 404]);
    assert.equal((await get(service, "/db/Pg/entry.csv?stream&headers=false")).text.split("\r\n").length, 3);
    const shown = async (path: string) => (await get(service, path)).text.replaceAll(/<[^>]*>|\s/g, " ");
    const summary = () => shown("/db/Pg/entry.html?ui.chart&ui.x=note");
    assert.match(await summary(), / second /);
    assert.match(await shown("/db/Pg/entry.html?limit=1&ui.facet=note"), / second /);
    assert.match(await shown("/db/Pg.html"), / entry .* 2 /);
    await until(async () => (await get(service, "/db/Pg/entry/id/2.json")).status === 404);
    assert.doesNotMatch(await summary(), / second /);
  });
});

test("a record that was just made is in the answer, however late the standby is", async ({ standby, service }) => {
  await heldBack(standby, async () => {
    const answer = await service.fetch("/db/Pg/entry.json", {
      method: "POST",
      headers: { "Content-Type": "application/json", Prefer: "return=representation" },
      body: JSON.stringify({ id: 2, note: "second" }),
    });
    assert.deepEqual([answer.status, JSON.parse(await answer.text()).note], [201, "second"]);
  });
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
