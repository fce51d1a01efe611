import assert from "node:assert/strict";
import type { Database, Row, StatementText } from "@/plugins/contract.ts";
import { requestCursor } from "@/plugins/dialects/mysql/cursor_protocol.ts";
import { createConnection } from "@/plugins/dialects/mysql/driver.ts";
import { until } from "@/tests/until.ts";
import { POOL, testOnServer } from "./mysql_fixture.ts";
import { failureOf, NEVER, rowsOf, textOf } from "./mysql_statements.ts";

/** One connection: what is counted of it is what one stream did. */
const ALONE = { pool: { ...POOL, max: 1 } };

/** Numbers from 1. */
const NUMBERS = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ?) SELECT n FROM s";

interface Streamed {
  readonly text: StatementText;
  readonly parameters?: readonly unknown[];
  readonly fetchSize: number;
}

function stream(database: Database, { text, parameters = [], fetchSize }: Streamed) {
  const prepared = database.prepare(text);
  const rows = database.stream({ prepared, parameters }, { signal: NEVER, fetchSize });
  return rows[Symbol.asyncIterator]();
}

async function sizesOf(database: Database, streamed: Streamed): Promise<readonly number[]> {
  const chunks = stream(database, streamed);
  const sizes: number[] = [];
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) sizes.push(next.value.length);
  return sizes;
}

/** How often the connection was asked to do something. */
async function countOf(database: Database, what: "fetch" | "reset"): Promise<number> {
  const rows = await rowsOf(database, `SHOW SESSION STATUS LIKE 'Com_stmt_${what}'`, ["text", "text"]);
  return Number(rows[0]?.[1]);
}

const FETCHES:
  readonly (readonly [rows: number, fetchSize: number, sizes: readonly number[], fetches: number])[] = [
    [25, 10, [10, 10, 5], 3],
    // That a row was the last is known when another one is asked for.
    [20, 10, [10, 10], 3],
    [7, 1000, [7], 1],
    [3, 1, [1, 1, 1], 4],
  ];

for (const [rows, fetchSize, sizes, fetches] of FETCHES) {
  testOnServer(`mysql: ${rows} rows are fetched from a cursor, ${fetchSize} at a time`, async (place) => {
    const database = await place.connect(ALONE);
    const text = textOf(NUMBERS, ["integer"]);
    assert.deepEqual(await sizesOf(database, { text, parameters: [rows], fetchSize }), sizes);
    assert.equal(await countOf(database, "fetch"), fetches);
  });
}

testOnServer("mysql: a result without rows is one fetch", async (place) => {
  const database = await place.connect(ALONE);
  assert.deepEqual(await sizesOf(database, { text: textOf("SELECT 1 WHERE FALSE"), fetchSize: 5 }), []);
  assert.equal(await countOf(database, "fetch"), 1);
});

testOnServer(
  "mysql: nothing is fetched where the definition says that there be no cursors",
  async (place) => {
    const database = await place.connect({ ...ALONE, cursors: false });
    const text = textOf(NUMBERS, ["integer"]);
    assert.deepEqual(await sizesOf(database, { text, parameters: [25], fetchSize: 10 }), [10, 10, 5]);
    assert.equal(await countOf(database, "fetch"), 0);
  },
);

testOnServer(
  "mysql: a cursor that is left is not read ahead, and is closed, and its connection goes on",
  async (place) => {
    const database = await place.connect(ALONE);
    const id = await rowsOf(database, "SELECT connection_id()", ["integer"]);
    const chunks = stream(database, { text: textOf(NUMBERS), parameters: [100], fetchSize: 10 });
    await chunks.next();
    await chunks.next();
    await chunks.return?.();
    assert.deepEqual(await rowsOf(database, "SELECT connection_id()", ["integer"]), id);
    assert.deepEqual([await countOf(database, "fetch"), await countOf(database, "reset")], [2, 1]);
    const again = { text: textOf(NUMBERS), parameters: [12], fetchSize: 10 };
    assert.deepEqual(await sizesOf(database, again), [10, 2]);
  },
);

testOnServer(
  "mysql: a table can be altered and written while its stream rests, which goes on as it began",
  async (place) => {
    await place.exec("CREATE TABLE t (n INT PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3), (4);");
    const database = await place.connect();
    const chunks = stream(database, {
      text: textOf("SELECT n FROM t ORDER BY n", ["integer"]),
      fetchSize: 2,
    });
    assert.deepEqual((await chunks.next()).value, [[1], [2]]);
    await place.exec(
      "SET lock_wait_timeout = 20; UPDATE t SET n = 40 WHERE n = 4; ALTER TABLE t ADD COLUMN more INT; DROP TABLE t;",
    );
    assert.deepEqual((await chunks.next()).value, [[3], [4]]);
    assert.equal((await chunks.next()).done, true);
  },
);

testOnServer(
  "mysql: the server's limit counts the opening of a cursor and not the time of its reader",
  async (place) => {
    const database = await place.connect({ pool: { ...POOL, max: 1, statementTimeout: 2 } });
    const chunks = stream(database, { text: textOf(NUMBERS), parameters: [50], fetchSize: 10 });
    for (let chunk = 0; chunk < 5; chunk++) {
      assert.equal((await chunks.next()).value?.length, 10);
      // Five of them are longer than the limit, and one is much shorter.
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    assert.equal((await chunks.next()).done, true);
  },
);

testOnServer(
  "mysql: a cursor that takes too long to open is a timeout, though its rows come one by one",
  async (place) => {
    const database = await place.connect({ pool: { ...POOL, statementTimeout: 0.5 } });
    const slow = `SELECT concat(sleep(0.05), n) FROM (${NUMBERS}) t`;
    const chunks = stream(database, { text: textOf(slow), parameters: [100], fetchSize: 1 });
    assert.equal(database.classify(await failureOf(chunks.next())), "timeout");
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
  },
);

testOnServer(
  "mysql: a statement that is ended while its cursor is opened is a timeout, and nothing else is",
  async (place) => {
    const database = await place.connect();
    const chunks = stream(database, {
      text: textOf("SELECT count(*) FROM (SELECT sleep(20)) t"),
      fetchSize: 1,
    });
    const failing = failureOf(chunks.next());
    const running =
      `FROM information_schema.processlist WHERE db = '${place.name}' AND state = 'User sleep';`;
    await until(async () => (await place.exec(`SELECT count(*) ${running}`)).trim() === "1");
    await place.exec(await place.exec(`SELECT concat('KILL QUERY ', id, ';') ${running}`));
    const error = await failing;
    assert.equal(database.classify(error), "timeout", String(error));
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
  },
);

/** What servers open no cursor for. */
const WITHOUT: readonly (readonly [verb: string, sql: string, rows: number])[] = [
  ["SHOW", "SHOW VARIABLES LIKE 'sql\\_mode'", 1],
  ["EXPLAIN", "EXPLAIN SELECT 1", 1],
  ["DESCRIBE", "DESCRIBE t", 1],
  ["CALL", "CALL three()", 3],
  ["SELECT", "SELECT 1 INTO @x", 0],
];

for (const [verb, sql, rows] of WITHOUT) {
  testOnServer(`mysql: what has no cursor is streamed all the same: ${sql}`, async (place) => {
    await place.exec(`CREATE TABLE t (n INT);
      CREATE PROCEDURE three() SELECT 1 UNION SELECT 2 UNION SELECT 3;`);
    const database = await place.connect(ALONE);
    const streamed = { text: { ...textOf(sql), verb }, fetchSize: 2 };
    assert.equal((await sizesOf(database, streamed)).reduce((sum, size) => sum + size, 0), rows);
    assert.equal(await countOf(database, "fetch"), 0);
  });
}

testOnServer(
  "mysql: a result that is wider than a row of a table may be has a cursor as well",
  async (place) => {
    const columns = Array.from({ length: 60 }, (_, at) => `c${at} VARCHAR(250)`).join(", ");
    const values = Array.from({ length: 60 }, () => "repeat('x', 250)").join(", ");
    await place.exec(`CREATE TABLE wide (${columns}) CHARSET utf8mb4; INSERT INTO wide VALUES (${values});`);
    const database = await place.connect(ALONE);
    const text = textOf("SELECT a.*, b.*, c.* FROM wide a, wide b, wide c", []);
    const { value } = await stream(database, { text, fetchSize: 10 }).next();
    assert.deepEqual(value?.map((row: Row) => row.length), [180]);
    assert.equal(value?.[0]?.[179], "x".repeat(250));
  },
);

testOnServer(
  "mysql: a column that is called like a member of every object can be streamed",
  async (place) => {
    const database = await place.connect(ALONE);
    const text = textOf("SELECT 1 AS __proto__, 2 AS constructor, 3 AS constructor", [
      "integer",
      "integer",
      "integer",
    ]);
    assert.deepEqual((await stream(database, { text, fetchSize: 10 }).next()).value, [[1, 2, 3]]);
  },
);

testOnServer(
  "mysql: another version of the driver is told that it is none that cursors are made for",
  async ({ server }) => {
    const { host, port, user, password } = server;
    const connection = createConnection({ host, port, user, password });
    const version = await new Promise((resolve, reject) => {
      connection.prepare("SELECT 1", (error, statement) => {
        if (error) return reject(error);
        const command = statement.execute([]);
        const changes = [{ _rowParser: 0 }, { ...command, start: undefined }, {}];
        for (const changed of changes) {
          assert.throws(
            () => requestCursor(changed, statement, () => {}),
            /not the version that cursors are made for/,
          );
        }
        command.on("end", () => resolve("known"));
      });
    });
    assert.equal(version, "known");
    await new Promise<void>((resolve) => connection.end(() => resolve()));
  },
);
