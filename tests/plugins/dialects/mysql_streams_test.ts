import assert from "node:assert/strict";
import type { Database, Row } from "@/plugins/contract.ts";
import { POOL, testOnServer } from "./mysql_fixture.ts";
import { failureOf, NEVER, rowsOf, textOf } from "./mysql_statements.ts";

const DIGITS =
  "(SELECT 0 d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 " +
  "UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)";
/** A hundred rows. */
const HUNDRED = `SELECT a.d * 10 + b.d FROM ${DIGITS} a, ${DIGITS} b`;
/** Ten thousand rows of forty thousand characters. */
const LARGE = `SELECT repeat('x', 40000) FROM ${
  ["a", "b", "c", "d"].map((name) => `${DIGITS} ${name}`).join(", ")
}`;

function stream(database: Database, sql: string, fetchSize: number): AsyncIterator<readonly Row[]> {
  const prepared = database.prepare(textOf(sql, ["text"]));
  return database.stream({ prepared, parameters: [] }, { signal: NEVER, fetchSize })[Symbol.asyncIterator]();
}

/** What the connections to the test's database do. */
async function statesOf(database: Database): Promise<readonly Row[]> {
  return await rowsOf(
    database,
    "SELECT command FROM information_schema.processlist WHERE db = database() AND id <> connection_id()",
    ["text"],
  );
}

testOnServer("mysql: the rows of a stream are waited for, not collected", async (place) => {
  const database = await place.connect();
  let count = 0;
  let most = 0;
  const before = Deno.memoryUsage().rss;
  const chunks = stream(database, LARGE, 100);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    count += next.value.length;
    most = Math.max(most, Deno.memoryUsage().rss - before);
  }
  assert.equal(count, 10_000);
  assert.ok(most < 200_000_000, `400 MB were read with ${most} bytes`);
});

testOnServer(
  "mysql: a stream whose reader rests makes the server wait, not the service collect",
  async (place) => {
    const database = await place.connect();
    const chunks = stream(database, LARGE, 10);
    await chunks.next();
    const before = Deno.memoryUsage().rss;
    for (let round = 0; round < 20; round++) await rowsOf(database, "SELECT sleep(0.02)");
    assert.ok(Deno.memoryUsage().rss - before < 40_000_000);
    assert.deepEqual(await statesOf(database), [["Execute"]]);
    await chunks.return?.();
  },
);

testOnServer("mysql: a stream that is left does not keep its connection busy", async (place) => {
  const database = await place.connect({ pool: { ...POOL, max: 1 } });
  for (let round = 0; round < 5; round++) {
    const chunks = stream(database, LARGE, 10);
    await chunks.next();
    await chunks.return?.();
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
  }
});

testOnServer("mysql: a stream may take longer than one statement as long as its rows come", async (place) => {
  const database = await place.connect({ pool: { ...POOL, max: 1, statementTimeout: 0.5 } });
  const chunks = stream(database, `SELECT concat(sleep(0.01), repeat('x', 20000)) FROM (${HUNDRED}) t`, 5);
  let count = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) count += next.value.length;
  assert.equal(count, 100);
  const error = await failureOf(rowsOf(database, "SELECT sleep(5) FROM information_schema.schemata"));
  assert.equal(database.classify(error), "timeout", "The connection has its limit again");
});

testOnServer("mysql: a stream whose first row is late is a timeout", async (place) => {
  const database = await place.connect({ pool: { ...POOL, statementTimeout: 0.3 } });
  const error = await failureOf(stream(database, "SELECT sleep(60)", 5).next());
  assert.equal(database.classify(error), "timeout");
});

testOnServer("mysql: a stream that nobody reads ends, and its connection is free again", async (place) => {
  const database = await place.connect({ pool: { ...POOL, max: 1, statementTimeout: 0.3 } });
  const chunks = stream(database, LARGE, 10);
  await chunks.next();
  assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
  assert.equal(database.classify(await failureOf(chunks.next())), "timeout");
});

testOnServer("mysql: a table that is streamed can be altered when its reader's time is up", async (place) => {
  await place.exec(`CREATE TABLE wide (text LONGTEXT); INSERT INTO wide ${LARGE};`);
  const database = await place.connect({ pool: { ...POOL, statementTimeout: 1 } });
  const chunks = stream(database, "SELECT text FROM wide", 10);
  await chunks.next();
  await place.exec("INSERT INTO wide VALUES ('beside'); ALTER TABLE wide ADD COLUMN more INT;");
  assert.equal(database.classify(await failureOf(chunks.next())), "timeout");
});

testOnServer("mysql: a stream whose connection is lost fails, and so does nothing else", async (place) => {
  const database = await place.connect();
  const chunks = stream(database, LARGE, 10);
  await chunks.next();
  await place.exec(
    await place.exec(`SELECT concat('KILL ', id, ';') FROM information_schema.processlist
    WHERE db = '${place.name}' AND command = 'Execute';`),
  );
  const rest = async () => {
    for (let next = await chunks.next(); !next.done; next = await chunks.next());
  };
  assert.equal(database.classify(await failureOf(rest())), "unavailable");
  assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
});

testOnServer("mysql: values of a stream are decoded as those of a list", async (place) => {
  await place.exec(`CREATE TABLE t (id INT PRIMARY KEY, big BIGINT, at DATETIME(3), flag BOOLEAN, bytes BLOB);
    INSERT INTO t VALUES (1, 9007199254740993, '2024-01-01 10:00:00.5', 1, x'00ff'), (2, NULL, NULL, NULL, NULL);`);
  const database = await place.connect();
  const columns = (await database.catalog()).tables[0]?.columns ?? [];
  const prepared = database.prepare({ sql: "SELECT * FROM t ORDER BY id", columns });
  const run = { prepared, parameters: [] };
  const streamed = await Array.fromAsync(database.stream(run, { signal: NEVER, fetchSize: 1 }));
  assert.deepEqual(streamed.flat(), [
    [1, 9007199254740993n, "2024-01-01T10:00:00.5", true, new Uint8Array([0, 255])],
    [2, null, null, null, null],
  ]);
});
