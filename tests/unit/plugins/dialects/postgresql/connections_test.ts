import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Row, Run } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { textOf } from "@/tests/conformance/dialect_writes.ts";
import { until } from "@/tests/support/until.ts";
import { definitionOf, dialectOf, makePlace, testOnServer } from "./fixture.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";
import { startBouncer, whyNoBouncer } from "./pgbouncer.ts";
import { ENDLESS } from "./tables.ts";

const OPTIONS = { signal: NEVER };

function runOf(database: Database, sql: string, parameters: readonly unknown[] = []): Run {
  return {
    prepared: database.prepare({ sql, columns: [{ type: "integer", declaredType: "" }] }),
    parameters,
  };
}

async function rowsOf(database: Database, sql: string): Promise<readonly Row[]> {
  const [rows = []] = await database.read([runOf(database, sql)], OPTIONS);
  return rows;
}

async function failureOf(database: Database, work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return database.classify(error);
  }
  return "none";
}

/** Connections of the service to the database, as the server sees them. */
const OURS =
  "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowhouse'";

testOnServer("each login has connections of its own, and the server's rights decide", async () => {
  const role = `reader_${crypto.randomUUID().slice(0, 8)}`;
  await using place = await makePlace(
    "logins",
    "CREATE TABLE open (id integer)",
    "CREATE TABLE secret (id integer)",
    `CREATE ROLE ${role} LOGIN PASSWORD 'it''s a "secret"'`,
    `GRANT SELECT ON open TO ${role}`,
  );
  const database = await place.connect();
  const reader = database.as?.({ dbuser: role, dbpass: `it's a "secret"` });
  assert.ok(reader);
  try {
    assert.deepEqual(await rowsOf(reader, "SELECT id FROM open"), []);
    assert.equal(await failureOf(reader, () => rowsOf(reader, "SELECT id FROM secret")), "permission");
    assert.deepEqual(await rowsOf(database, "SELECT id FROM secret"), []);
    assert.deepEqual(await rowsOf(reader, "SELECT current_user::text"), [[role]]);
  } finally {
    await reader[Symbol.asyncDispose]();
    await place.change(`DROP OWNED BY ${role}; DROP ROLE ${role};`);
  }
});

testOnServer("a login that the server refuses is the failure login, and disturbs no other", async () => {
  await using place = await makePlace("refused");
  const database = await place.connect();
  const logins = [{ dbuser: "nobody_at_all", dbpass: "x" }, { dbuser: place.login.dbuser, dbpass: "" }];
  for (const login of logins) {
    await using refused = database.as?.(login);
    assert.ok(refused);
    assert.equal(await failureOf(refused, () => rowsOf(refused, "SELECT 1")), "login", login.dbuser);
    assert.equal(await failureOf(refused, () => refused.begin(OPTIONS)), "login", login.dbuser);
  }
  assert.deepEqual(await rowsOf(database, "SELECT 1"), [[1]]);
  await assert.rejects(place.connect({ dbName: "rowhouse_not_there" }), /refuses the login/);
});

testOnServer("a statement that waits for a lock holds up none about another table", async () => {
  await using place = await makePlace("held", "CREATE TABLE a (id integer)", "CREATE TABLE b (id integer)");
  const database = await place.connect();
  const [a, b] = ["a", "b"].map((table) => runOf(database, `SELECT id FROM ${table}`)) as [Run, Run];
  for (let count = 0; count < 30; count++) await database.read([count % 2 ? a : b], OPTIONS);
  const other = await place.connect();
  await using holder = await other.begin(OPTIONS);
  await holder.run(textOf("LOCK TABLE a IN ACCESS EXCLUSIVE MODE"), []);
  let isHeldUp = true;
  const heldUp = Promise.resolve(database.read([a], OPTIONS)).finally(() => isHeldUp = false);
  await delay(100);
  for (let count = 0; count < 4; count++) await database.read([b], OPTIONS);
  assert.equal(isHeldUp, true);
  await holder.rollback();
  assert.deepEqual(await heldUp, [[]]);
});

testOnServer(
  "a wait for a row of others is contention, behind a pooler and behind others that wait, too",
  async () => {
    await using place = await makePlace("locked", "CREATE TABLE t (id integer)", "INSERT INTO t VALUES (1)");
    await using holder = await (await place.connect()).begin(OPTIONS);
    const update = textOf("UPDATE t SET id = 2");
    await holder.run(update, []);
    const pooled = await place.connect({ prepare: false }, { acquireTimeout: 0.3, statementTimeout: 5 });
    await using waiting = await pooled.begin(OPTIONS);
    assert.equal(await failureOf(pooled, () => waiting.run(update, [])), "contention");
    const database = await place.connect({}, { acquireTimeout: 1.2, statementTimeout: 2 });
    const failures = await Promise.all([1, 2].map(() => {
      return failureOf(
        database,
        async () => await database.write?.({ statement: update, parameters: [] }, OPTIONS),
      );
    }));
    assert.deepEqual(failures, ["contention", "contention"]);
  },
);

testOnServer("a password of the environment is not tried where a login has none", async () => {
  await using place = await makePlace("environment");
  Deno.env.set("PGPASSWORD", place.login.dbpass);
  try {
    const login = { ...place.login, dbpass: "" };
    await assert.rejects(
      dialectOf().connect(place.definition, login, { signal: NEVER }),
      /refuses the login/,
    );
  } finally {
    Deno.env.delete("PGPASSWORD");
  }
});

testOnServer("the operating system's user is not tried where a login has no name", async () => {
  await using place = await makePlace("nameless");
  Deno.env.set("PGUSER", place.login.dbuser);
  try {
    const login = { ...place.login, dbuser: "" };
    await assert.rejects(
      dialectOf().connect(place.definition, login, { signal: NEVER }),
      /autoload_user has no dbuser$/,
    );
  } finally {
    Deno.env.delete("PGUSER");
  }
});

testOnServer("a pool opens no more connections than it may, and closes those that nobody uses", async () => {
  await using place = await makePlace("pool");
  const database = await place.connect({}, { max: 3, idleTimeout: 3 });
  const reads = Array.from({ length: 50 }, () => rowsOf(database, "SELECT pg_sleep(0.01)::text"));
  await Promise.all(reads);
  assert.equal(await place.change(OURS), "3\n");
  await until(async () => await place.change(OURS) === "0\n");
  assert.deepEqual(await rowsOf(database, "SELECT 1"), [[1]]);
});

testOnServer("who gets no connection in time is told that none is free", async () => {
  await using place = await makePlace("busy");
  const database = await place.connect({}, { max: 1, acquireTimeout: 2 });
  await using _transaction = await database.begin(OPTIONS);
  const one = runOf(database, "SELECT 1");
  const first = failureOf(database, async () => await database.read([one, one], OPTIONS));
  assert.equal(await failureOf(database, () => rowsOf(database, "SELECT 1")), "unavailable");
  assert.equal(database.usage?.()?.waiting, 0, "Nobody waits a second time");
  assert.equal(await first, "unavailable");
  assert.equal(await database.check(), "ok", "A pool that is busy is no server that is gone");
});

testOnServer("streams leave connections to others, and give theirs back when they are left", async () => {
  await using place = await makePlace("streams");
  const database = await place.connect({}, { max: 4, acquireTimeout: 2 });
  const open = async () => {
    const run = runOf(database, "SELECT n FROM generate_series(1, 100000) n");
    const stream = database.stream(run, { ...OPTIONS, fetchSize: 2 })[Symbol.asyncIterator]();
    assert.deepEqual(await stream.next(), { done: false, value: [[1], [2]] });
    return stream;
  };
  const first = await open();
  const second = await open();
  assert.equal(await failureOf(database, open), "unavailable");
  assert.deepEqual(await rowsOf(database, "SELECT 1"), [[1]]);
  await first.return?.();
  const third = await open();
  await second.return?.();
  await third.return?.();
});

testOnServer(
  "streams that begin at once, while connections are opened, leave some to others as well",
  async () => {
    await using place = await makePlace("cold");
    const database = await place.connect({}, { max: 4, acquireTimeout: 1, idleTimeout: 30 });
    const run = runOf(database, "SELECT generate_series(1, 100000)");
    const streams = Array.from({ length: 6 }, () => {
      return database.stream(run, { ...OPTIONS, fetchSize: 2 })[Symbol.asyncIterator]();
    });
    const begun = await Promise.allSettled(streams.map((stream) => stream.next()));
    assert.equal(begun.filter(({ status }) => status === "fulfilled").length, 2);
    assert.deepEqual(await rowsOf(database, "SELECT 1"), [[1]]);
    for (const stream of streams) await stream.return?.();
  },
);

testOnServer("a stream that nobody reads on is given up, and its reader is told so", async () => {
  await using place = await makePlace("forgotten");
  const database = await place.connect({}, { max: 1, statementTimeout: 0.3 });
  const run = runOf(database, "SELECT n FROM generate_series(1, 1000) n");
  const stream = database.stream(run, { ...OPTIONS, fetchSize: 2 })[Symbol.asyncIterator]();
  await stream.next();
  assert.deepEqual(
    await rowsOf(database, "SELECT 1"),
    [[1]],
    "Others wait for its connection no longer than that",
  );
  assert.equal(await failureOf(database, () => stream.next()), "timeout");
});

testOnServer("a read that is given up does not take its neighbours with it", async () => {
  await using place = await makePlace(
    "neighbours",
    "CREATE TABLE t (id integer)",
    "INSERT INTO t VALUES (1)",
  );
  const database = await place.connect({}, { max: 1 });
  const statement = "SELECT count(*) FROM generate_series(1, $1::bigint) n";
  const prepared = database.prepare({ sql: statement, columns: [{ type: "integer", declaredType: "" }] });
  // Known as quick, so that it shares its connection.
  for (let n = 0; n < 3; n++) await database.read([{ prepared, parameters: [1] }], OPTIONS);
  const controller = new AbortController();
  const gone = new Error("The client has gone");
  const slow = database.read([{ prepared, parameters: [1e12] }], { signal: controller.signal });
  const quick = Array.from({ length: 10 }, () => database.read([{ prepared, parameters: [2] }], OPTIONS));
  controller.abort(gone);
  await assert.rejects(Promise.resolve(slow), gone);
  assert.deepEqual(await Promise.all(quick), quick.map(() => [[[2]]]));
});

testOnServer("what is cancelled ends on the server, too", async () => {
  await using place = await makePlace("cancelled");
  const database = await place.connect();
  const controller = new AbortController();
  const endless = Promise.resolve(database.read([runOf(database, ENDLESS)], { signal: controller.signal }));
  const running = `${OURS} AND state = 'active' AND query LIKE '%generate_series%'`;
  while (await place.change(running) !== "1\n");
  controller.abort(new Error("The client has gone"));
  await assert.rejects(endless);
  while (await place.change(running) !== "0\n");
});

testOnServer("statements of many shapes do not fill the server's memory", async () => {
  await using place = await makePlace("shapes");
  const database = await place.connect({}, { max: 1 });
  for (let n = 0; n < 600; n++) await rowsOf(database, `SELECT ${n}`);
  const [[prepared] = []] = await rowsOf(database, "SELECT count(*) FROM pg_prepared_statements");
  assert.ok(Number(prepared) < 200, `${prepared} statements are kept`);
});

testOnServer("a long statement is planned for its values each time", async () => {
  await using place = await makePlace("planned");
  const database = await place.connect({}, { max: 1 });
  const alone = runOf(database, "SELECT pg_sleep(0.1) AS alone");
  const together = runOf(database, "SELECT pg_sleep(0.1) AS together");
  for (let n = 0; n < 3; n++) {
    await database.read([alone], OPTIONS);
    await database.read([together, together], OPTIONS);
  }
  const prepared = "SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT pg_sleep%'";
  assert.deepEqual(await rowsOf(database, prepared), []);
});

testOnServer("a server that gives no more connections still serves on those that are open", async () => {
  const role = `limited_${crypto.randomUUID().slice(0, 8)}`;
  await using place = await makePlace("limited", `CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 2`);
  try {
    const database = await dialectOf().connect(
      { ...place.definition, pool: { ...POOL, max: 8 } },
      { dbuser: role, dbpass: "x" },
      { signal: NEVER },
    );
    await using _ = database;
    const reads = Array.from({ length: 20 }, () => rowsOf(database, "SELECT pg_sleep(0.02)::text"));
    assert.deepEqual(await Promise.all(reads), reads.map(() => [[""]]));
  } finally {
    await place.change(`DROP ROLE ${role};`);
  }
});

testOnServer("who waits gets another connection soon after the server gives more again", async () => {
  const role = `scarce_${crypto.randomUUID().slice(0, 8)}`;
  await using place = await makePlace("scarce", `CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 1`);
  try {
    const definition = { ...place.definition, pool: { ...POOL, max: 2, acquireTimeout: 10 } };
    const login = { dbuser: role, dbpass: "x" };
    await using database = await dialectOf().connect(definition, login, { signal: NEVER });
    await using _held = await database.begin(OPTIONS);
    let isServed = false;
    const waiting = rowsOf(database, "SELECT 1").finally(() => isServed = true);
    await delay(300);
    assert.equal(isServed, false);
    await place.change(`ALTER ROLE ${role} CONNECTION LIMIT 2;`);
    assert.deepEqual(await waiting, [[1]]);
  } finally {
    await place.change(`DROP ROLE ${role};`);
  }
});

testOnServer("a server that is not there is said so at once", async () => {
  const address = { host: "127.0.0.1", port: 1, user: "x", password: "y" };
  const error = await dialectOf().connect(definitionOf(address, "x"), { dbuser: "x", dbpass: "y" }, {
    signal: NEVER,
  })
    .then(() => undefined, (reason: Error) => reason);
  assert.match(error?.message ?? "", /ECONNREFUSED/);
});

testOnServer("encodings other than UTF-8 are refused with a reason", async () => {
  await using place = await makePlace("encoding");
  await assert.rejects(place.connect({ dbEncoding: "latin1" }), /leave db_encoding out/);
  for (const dbEncoding of ["utf8", "UTF-8", "unicode"]) await place.connect({ dbEncoding });
});

Deno.test({
  name: "behind a pooler that refuses sessions the operator is told what to set",
  ignore: whyNoBouncer() !== undefined,
  async fn() {
    await using place = await makePlace("hint");
    const { host, port } = place.keep(await startBouncer(place.server, 2));
    await assert.rejects(place.connect({ dbHost: host, dbPort: port }), /needs `prepare: false`/);
  },
});

testOnServer("several statements read one snapshot also after a column has got another type", async () => {
  await using place = await makePlace(
    "retyped",
    "CREATE TABLE t (id integer, n integer)",
    "INSERT INTO t VALUES (1, 2)",
  );
  const database = await place.connect({}, { max: 1 });
  const runs = ["SELECT n FROM t", "SELECT id, n FROM t", "SELECT count(*) FROM t"].map((sql) => {
    return { prepared: database.prepare({ sql, columns: [] }), parameters: [] };
  });
  assert.deepEqual(await database.read(runs, { signal: NEVER }), [[[2]], [[1, 2]], [[1]]]);
  await place.change("ALTER TABLE t ALTER n TYPE text");
  assert.deepEqual(await database.read(runs, { signal: NEVER }), [[["2"]], [[1, "2"]], [[1]]]);
});
