import assert from "node:assert/strict";
import type { Database, Row } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { reasonOf } from "@/tests/support/reason_of.ts";
import { until } from "@/tests/support/until.ts";
import { type Place, testOnServer } from "./fixture.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";
import { rowsOf, textOf } from "./statements.ts";

const DIGITS =
  "(SELECT 0 d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 " +
  "UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)";
/** A hundred rows. */
const HUNDRED = `SELECT a.d * 10 + b.d FROM ${DIGITS} a, ${DIGITS} b`;
/** Ten thousand rows of forty thousand characters. */
const HUGE = `SELECT repeat('x', 40000) FROM ${
  ["a", "b", "c", "d"].map((name) => `${DIGITS} ${name}`).join(", ")
}`;
/** Five thousand rows of forty thousand characters. */
const LARGE = `${HUGE} WHERE a.d < 5`;

function stream(database: Database, sql: string, fetchSize: number): AsyncIterator<readonly Row[]> {
  const prepared = database.prepare(textOf(sql, ["text"]));
  return database.stream({ prepared, parameters: [] }, { signal: NEVER, fetchSize })[Symbol.asyncIterator]();
}

/** The states of the connections to the test's database. */
async function statesOf(database: Database): Promise<readonly Row[]> {
  return await rowsOf(
    database,
    "SELECT command FROM information_schema.processlist WHERE db = database() AND id <> connection_id()",
    ["text"],
  );
}

/** Ends the connections to the test's database that are in this state, as the server names it. */
async function kill({ exec, name }: Place, command: string): Promise<void> {
  await exec(
    await exec(`SELECT concat('KILL ', id, ';') FROM information_schema.processlist
      WHERE db = '${name}' AND command = '${command}' AND id <> connection_id();`),
  );
}

/** Bytes that this test file holds; other files run in the same process. */
function memory(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

async function countAll(chunks: AsyncIterator<readonly Row[]>): Promise<number> {
  let count = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) count += next.value.length;
  return count;
}

testOnServer("mysql: the rows of a stream are waited for, not collected", async (place) => {
  const database = await place.connect();
  let count = 0;
  let most = 0;
  const before = memory();
  const chunks = stream(database, HUGE, 100);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    count += next.value.length;
    most = Math.max(most, memory() - before);
  }
  assert.equal(count, 10_000);
  assert.ok(most < 250_000_000, `400 MB were read with ${most} bytes`);
});

testOnServer(
  "mysql: a stream whose reader rests makes the server wait, not the service collect",
  async (place) => {
    const database = await place.connect();
    const chunks = stream(database, LARGE, 10);
    await chunks.next();
    const before = memory();
    for (let round = 0; round < 20; round++) await rowsOf(database, "SELECT sleep(0.02)");
    assert.ok(memory() - before < 40_000_000);
    assert.deepEqual(await statesOf(database), [["Execute"]]);
    await chunks.return?.();
  },
);

testOnServer("mysql: a stream that is left does not keep its connection busy", async (place) => {
  const database = await place.connect({ pool: { ...POOL, max: 1 } });
  for (let round = 0; round < 3; round++) {
    const chunks = stream(database, LARGE, 10);
    await chunks.next();
    await chunks.return?.();
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
  }
});

testOnServer("mysql: a connection has its limit again after a stream", async (place) => {
  const database = await place.connect({ pool: { ...POOL, max: 1, statementTimeout: 1 } });
  const id = await rowsOf(database, "SELECT connection_id()", ["integer"]);
  const chunks = stream(database, HUNDRED, 30);
  assert.equal((await chunks.next()).value?.length, 30);
  assert.equal(await countAll(chunks), 70);
  assert.deepEqual(await rowsOf(database, "SELECT connection_id()", ["integer"]), id);
  const error = await reasonOf(rowsOf(database, "SELECT sleep(5) FROM information_schema.schemata"));
  assert.equal(database.classify(error), "timeout");
});

testOnServer("mysql: a stream whose first row is late is a timeout", async (place) => {
  const database = await place.connect({ pool: { ...POOL, statementTimeout: 0.3 } });
  const error = await reasonOf(stream(database, "SELECT sleep(60)", 5).next());
  assert.equal(database.classify(error), "timeout");
});

testOnServer(
  "mysql: a stream that nobody reads ends, and its connection is free again",
  async (place) => {
    const database = await place.connect({ pool: { ...POOL, max: 1, statementTimeout: 3 } });
    const chunks = stream(database, `${LARGE} AND b.d < 1`, 10);
    await chunks.next();
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
    assert.equal(database.classify(await reasonOf(chunks.next())), "timeout");
  },
);

testOnServer(
  "mysql: a stream whose connection is lost fails, and so does nothing else",
  async (place) => {
    const database = await place.connect();
    const chunks = stream(database, LARGE, 10);
    await chunks.next();
    await kill(place, "Execute");
    assert.equal(database.classify(await reasonOf(countAll(chunks))), "unavailable");
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
  },
);

testOnServer("mysql: values of a stream are decoded as those of a list", async (place) => {
  await place.exec(
    `CREATE TABLE t (id INT PRIMARY KEY, big BIGINT, at DATETIME(3), flag BOOLEAN, bytes BLOB);
    INSERT INTO t VALUES (1, 9007199254740993, '2024-01-01 10:00:00.5', 1, x'00ff'),
      (2, NULL, NULL, NULL, NULL);`,
  );
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

testOnServer(
  "mysql: a stream may take longer than one statement as long as its rows come",
  async (place) => {
    const database = await place.connect({ pool: { ...POOL, statementTimeout: 0.5 } });
    const sql = `SELECT concat(sleep(0.01), repeat('x', 20000)) FROM (${HUNDRED}) t`;
    assert.equal(await countAll(stream(database, sql, 5)), 100);
  },
);

testOnServer(
  "mysql: a table that is streamed can be altered when its reader's time is up",
  async (place) => {
    await place.exec(`CREATE TABLE wide (text LONGTEXT); INSERT INTO wide ${LARGE};`);
    const database = await place.connect({ pool: { ...POOL, statementTimeout: 1 } });
    const chunks = stream(database, "SELECT text FROM wide", 10);
    await chunks.next();
    await place.exec("INSERT INTO wide VALUES ('beside'); ALTER TABLE wide ADD COLUMN more INT;");
    assert.equal(database.classify(await reasonOf(chunks.next())), "timeout");
  },
);

/** Statements other than SELECT, or that put their row elsewhere, and the number of their rows. */
const OTHERS: readonly (readonly [verb: string, sql: string, rows: number])[] = [
  ["SHOW", "SHOW VARIABLES LIKE 'sql\\_mode'", 1],
  ["EXPLAIN", "EXPLAIN SELECT 1", 1],
  ["CALL", "CALL three()", 3],
  ["SELECT", "SELECT 1 INTO @x", 0],
];

testOnServer("mysql: statements that are no plain SELECT can be streamed", async (place) => {
  await place.exec("CREATE PROCEDURE three() SELECT 1 UNION SELECT 2 UNION SELECT 3;");
  const database = await place.connect({ pool: { ...POOL, max: 1 } });
  for (const [verb, sql, rows] of OTHERS) {
    const prepared = database.prepare({ ...textOf(sql), verb });
    const chunks = database.stream({ prepared, parameters: [] }, { signal: NEVER, fetchSize: 2 });
    assert.equal(await countAll(chunks[Symbol.asyncIterator]()), rows, sql);
  }
});

testOnServer("mysql: a stream whose statement is ended by an operator is a timeout", async (place) => {
  const database = await place.connect();
  const failing = reasonOf(stream(database, "SELECT count(*) FROM (SELECT sleep(20)) t", 1).next());
  const running = `FROM information_schema.processlist WHERE db = '${place.name}' AND state = 'User sleep';`;
  await until(async () => (await place.exec(`SELECT count(*) ${running}`)).trim() === "1");
  await place.exec(await place.exec(`SELECT concat('KILL QUERY ', id, ';') ${running}`));
  const error = await failing;
  assert.equal(database.classify(error), "timeout", String(error));
  assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
});

testOnServer(
  "mysql: a column that is called like a member of every object can be streamed",
  async (place) => {
    const database = await place.connect();
    const sql = "SELECT 'a' AS __proto__, 'b' AS constructor, 'c' AS constructor";
    const prepared = database.prepare(textOf(sql, ["text", "text", "text"]));
    const chunks = database.stream({ prepared, parameters: [] }, { signal: NEVER, fetchSize: 10 });
    assert.deepEqual(await Array.fromAsync(chunks), [[["a", "b", "c"]]]);
  },
);
