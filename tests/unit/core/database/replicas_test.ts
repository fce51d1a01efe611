import assert from "node:assert/strict";
import { RecentWriters } from "@/core/database/recent_writers.ts";
import { withReplicas } from "@/core/database/replicas.ts";
import type { Database, Row } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { makePlace, type Place } from "@/tests/unit/plugins/dialects/sqlite/fixture.ts";
import { until } from "@/tests/support/until.ts";

const COLUMNS = [{ type: "text", declaredType: "TEXT" }] as const;

/** A database file that holds its own name. */
async function named(place: Place, name: string): Promise<Database> {
  place.create("CREATE TABLE it (name TEXT)", `INSERT INTO it VALUES ('${name}')`);
  return await place.connect();
}

async function nameRead(database: Database): Promise<unknown> {
  const prepared = database.prepare({ sql: "SELECT name FROM it", columns: COLUMNS });
  const [rows] = await database.read([{ prepared, parameters: [] }], { signal: NEVER });
  return rows?.[0]?.[0];
}

async function namesStreamed(database: Database): Promise<readonly Row[]> {
  const prepared = database.prepare({ sql: "SELECT name FROM it", columns: COLUMNS });
  const chunks = database.stream({ prepared, parameters: [] }, { signal: NEVER, fetchSize: 10 });
  return (await Array.fromAsync(chunks)).flat();
}

interface Setting extends AsyncDisposable {
  readonly database: Database;
  readonly primary: Database;
  readonly replica: Database;
  readonly messages: readonly string[];
  /** The results of the next attempts to connect; empty: the replica is unreachable. */
  readonly reachable: Database[];
}

async function open(): Promise<Setting> {
  const stack = new AsyncDisposableStack();
  const places = [makePlace(), makePlace()] as const;
  for (const place of places) stack.use(place);
  const primary = await named(places[0], "primary");
  const replica = await named(places[1], "replica");
  const messages: string[] = [];
  const note = (message: string) => void messages.push(message);
  const reachable = [replica];
  const connect = () => {
    const next = reachable.shift();
    return next ? Promise.resolve(next) : Promise.reject(new Error("no route"));
  };
  const sources = [{ name: "D at r1", connect }];
  const log = { info: note, warn: note, error: note };
  const writers = new RecentWriters("D", 0);
  const database = stack.use(withReplicas(primary, sources, { log, writers }));
  await until(async () => await nameRead(database) === "replica");
  return {
    database,
    primary,
    replica,
    messages,
    reachable,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

Deno.test("reads and streams go to a replica", async () => {
  await using setting = await open();
  assert.equal(await nameRead(setting.database), "replica");
  assert.deepEqual(await namesStreamed(setting.database), [["replica"]]);
});

Deno.test("connections to a replica count beside those to the primary", async () => {
  await using setting = await open();
  setting.primary.usage = () => ({ open: 2, idle: 1, waiting: 0 });
  setting.replica.usage = () => ({ open: 3, idle: 0, waiting: 4, ends: 1 });
  assert.deepEqual(setting.database.usage?.(), { open: 5, idle: 1, waiting: 4, ends: 1 });
});

Deno.test("a replica whose check never ends is left out after a while, and does not keep the database open", async () => {
  const setting = await open();
  const never = Promise.withResolvers<never>().promise;
  setting.replica.check = () => never;
  await setting.database.check();
  await until(() => setting.messages.some((message) => message.includes("cannot be reached")));
  assert.equal(await nameRead(setting.database), "primary");
  await setting[Symbol.asyncDispose]();
});

Deno.test("writes and what they read go to the primary", async () => {
  await using setting = await open();
  await using transaction = await setting.database.begin({ signal: NEVER });
  const { rows } = await transaction.run({ sql: "SELECT name FROM it", columns: COLUMNS }, []);
  assert.deepEqual(rows, [["primary"]]);
});

Deno.test("the primary tells the plan of a statement, and where the mistake in one is", async () => {
  await using setting = await open();
  const { database } = setting;
  const written = (sql: string) => ({ sql, verb: "SELECT", parameters: [] });
  assert.match(String(await database.plan?.(written("SELECT name FROM it"), [])), /SCAN it/);
  const error = await database.describe(written("SELECT FROM it")).catch((reason) => reason);
  assert.equal(database.place?.(error), 7);
});

Deno.test("a replica that is lost is left out, with a word in the log, until it is there again", async () => {
  await using setting = await open();
  await setting.replica[Symbol.asyncDispose]();
  assert.equal(await nameRead(setting.database), "primary");
  assert.deepEqual(await namesStreamed(setting.database), [["primary"]]);
  await until(() => Promise.resolve(setting.messages.length > 0));
  assert.match(setting.messages[0] ?? "", /^Replica D at r1 cannot be reached, the primary is read: /);
  await setting.database.check();
  await setting.database.check();
  assert.equal(setting.messages.length, 1, "an attempt that fails again is not told again");
  await using place = makePlace();
  setting.reachable.push(await named(place, "again"));
  await until(async () => {
    assert.equal(await setting.database.check(), "ok");
    return await nameRead(setting.database) === "again";
  });
  assert.deepEqual(setting.messages.slice(1), ["Replica D at r1 is there again"]);
});

Deno.test("what a replica does not have yet is read from the primary", async () => {
  await using setting = await open();
  await setting.primary.begin({ signal: NEVER }).then(async (transaction) => {
    await using _ = transaction;
    await transaction.run({ sql: "CREATE TABLE fresh (name TEXT)", columns: [] }, []);
    await transaction.run({ sql: "INSERT INTO fresh VALUES ('new')", columns: [] }, []);
    await transaction.commit();
  });
  const run = () => {
    return {
      prepared: setting.database.prepare({ sql: "SELECT name FROM fresh", columns: COLUMNS }),
      parameters: [],
    };
  };
  assert.deepEqual(await setting.database.read([run()], { signal: NEVER }), [[["new"]]]);
  const chunks = await Array.fromAsync(setting.database.stream(run(), { signal: NEVER, fetchSize: 10 }));
  assert.deepEqual(chunks.flat(), [["new"]]);
  assert.equal(await nameRead(setting.database), "replica");
  assert.deepEqual(setting.messages, [], "the replica is well");
});

Deno.test("a failure that is the request's own is told, not tried again on the primary", async () => {
  await using setting = await open();
  const prepared = setting.database.prepare({
    sql: "SELECT abs(-9223372036854775807 - 1)",
    columns: COLUMNS,
  });
  await assert.rejects(
    async () => await setting.database.read([{ prepared, parameters: [] }], { signal: NEVER }),
    /integer overflow/,
  );
  assert.equal(await nameRead(setting.database), "replica");
});

Deno.test("a replica that does not know how late it is is left out where that matters", async () => {
  await using stack = new AsyncDisposableStack();
  const places = [makePlace(), makePlace()] as const;
  for (const place of places) stack.use(place);
  const [primary, replica] = [await named(places[0], "primary"), await named(places[1], "replica")];
  const lags = [() => Promise.resolve(1), () => Promise.reject(new Error("no such function"))];
  replica.lag = () => lags.shift()?.() ?? Promise.resolve(undefined);
  const messages: string[] = [];
  const note = (message: string) => void messages.push(message);
  const database = stack.use(
    withReplicas(primary, [{ name: "D at r1", maxLag: 2, connect: () => Promise.resolve(replica) }], {
      log: { info: note, warn: note, error: note },
      writers: new RecentWriters("D", 0),
    }),
  );
  await until(async () => await nameRead(database) === "replica");
  await database.check();
  await until(async () => await nameRead(database) === "primary");
  await database.check();
  await until(() => lags.length === 0);
  assert.equal(await nameRead(database), "primary");
  const late =
    "Replica D at r1 is late by an unknown time: no such function (max_lag 2), the primary is read";
  assert.deepEqual(messages, [late]);
});

Deno.test("a replica whose delay is asked for while the database is closed is not called late", async () => {
  await using setting = await open();
  const { replica } = setting;
  const asked = Promise.withResolvers<void>();
  replica.lag = () => {
    asked.resolve();
    return new Promise(() => {});
  };
  const messages: string[] = [];
  const note = (message: string) => void messages.push(message);
  const own = withReplicas(
    setting.primary,
    [{ name: "D at r1", maxLag: 2, connect: () => Promise.resolve(replica) }],
    { log: { info: note, warn: note, error: note }, writers: new RecentWriters("D", 0) },
  );
  await asked.promise;
  await own[Symbol.asyncDispose]();
  assert.deepEqual(messages, []);
});
