import assert from "node:assert/strict";
import type { Database, Transaction } from "@/plugins/contract.ts";
import { Handle, openHandle } from "@/plugins/dialects/sqlite/driver.ts";
import { StatementCache } from "@/plugins/dialects/sqlite/session.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { textOf } from "@/tests/conformance/dialect_writes.ts";
import { makePlace, type Place } from "./fixture.ts";

async function inTransaction(
  database: Database,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  await using transaction = await database.begin({ signal: NEVER });
  await work(transaction);
  await transaction.commit();
}

function rowsIn(place: Place, sql: string): unknown[] {
  const handle = new Handle(place.file, { readonly: true });
  try {
    return handle.prepare(sql).raw().all();
  } finally {
    handle.close();
  }
}

const RULES = [
  `CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE CONSTRAINT "has a name" CHECK (name <> ''))`,
  `CREATE TABLE child (id INTEGER PRIMARY KEY, a INT REFERENCES parent, b INT REFERENCES parent DEFERRABLE INITIALLY DEFERRED)`,
  "CREATE TABLE strict (a INT NOT NULL) STRICT",
  "CREATE TRIGGER few BEFORE INSERT ON child WHEN new.id > 9 BEGIN SELECT RAISE(ABORT, 'Too many children'); END",
  "CREATE TRIGGER none BEFORE INSERT ON child WHEN new.id > 99 BEGIN SELECT RAISE(ROLLBACK, 'Far too many'); END",
  "CREATE TABLE generated (a INT, b INT AS (a + 1))",
  "CREATE VIEW names AS SELECT name FROM parent",
  "INSERT INTO parent VALUES (1, 'one')",
];

const REFUSED: readonly (readonly [sql: string, failure: string, explanation?: string])[] = [
  ["INSERT INTO parent VALUES (5, 'one')", "integrity", "UNIQUE constraint failed: parent.name"],
  ["INSERT INTO parent VALUES (1, 'two')", "integrity", "UNIQUE constraint failed: parent.id"],
  ["INSERT INTO parent VALUES (5, '')", "integrity", "CHECK constraint failed: has a name"],
  ["INSERT INTO parent VALUES ('x', 'two')", "integrity", "datatype mismatch"],
  ["INSERT INTO child (a) VALUES (7)", "integrity", "FOREIGN KEY constraint failed"],
  ["INSERT INTO child (id) VALUES (10)", "integrity", "Too many children"],
  ["INSERT INTO child (id) VALUES (100)", "integrity", "Far too many"],
  ["INSERT INTO strict VALUES (NULL)", "integrity", "NOT NULL constraint failed: strict.a"],
  ["INSERT INTO strict VALUES ('x')", "integrity", "cannot store TEXT value in INT column strict.a"],
  ["INSERT INTO names VALUES ('x')", "permission"],
  ["UPDATE generated SET b = 1", "permission"],
  ["INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)", "permission"],
  ["INSERT INTO gone VALUES (1)", "changed"],
];

for (const [sql, failure, explanation] of REFUSED) {
  Deno.test(`what SQLite refuses is classified and explained: ${sql}`, async () => {
    await using place = makePlace(...RULES);
    const database = await place.connect();
    await using transaction = await database.begin({ signal: NEVER });
    await transaction.run(textOf("INSERT INTO parent (name) VALUES ('before')"), []);
    const error = await transaction.run(textOf(sql), []).then(() => undefined, (reason) => reason);
    assert.equal(database.classify(error), failure);
    if (explanation !== undefined) assert.equal(database.explain(error), explanation);
    await transaction.rollback();
    assert.deepEqual(rowsIn(place, "SELECT name FROM parent"), [["one"]]);
  });
}

Deno.test("a deferred foreign key is refused at the commit", async () => {
  await using place = makePlace(...RULES);
  const database = await place.connect();
  await using transaction = await database.begin({ signal: NEVER });
  await transaction.run(textOf("INSERT INTO child (b) VALUES (7)"), []);
  const error = await transaction.commit().then(() => undefined, (reason) => reason);
  assert.equal(database.classify(error), "integrity");
  assert.equal(database.explain(error), "FOREIGN KEY constraint failed");
  await assert.rejects(transaction.commit(), TypeError);
  await transaction.rollback();
  assert.deepEqual(rowsIn(place, "SELECT * FROM child"), []);
  await inTransaction(database, (next) => next.run(textOf("INSERT INTO child (b) VALUES (1)"), []));
});

Deno.test("triggers and cascades work, and do not count as changes", async () => {
  await using place = makePlace(
    "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT)",
    "CREATE TABLE child (parent_id INT REFERENCES parent ON DELETE CASCADE)",
    "CREATE TABLE log (name TEXT)",
    "CREATE VIRTUAL TABLE words USING fts5(name)",
    `CREATE TRIGGER added AFTER INSERT ON parent BEGIN
      INSERT INTO log VALUES (new.name), (new.name); INSERT INTO words VALUES (new.name); END`,
    "CREATE VIEW names AS SELECT name FROM parent",
    "CREATE TRIGGER named INSTEAD OF INSERT ON names BEGIN INSERT INTO parent (name) VALUES (new.name); END",
  );
  const database = await place.connect();
  const cases: readonly [string, number][] = [
    ["INSERT INTO parent VALUES (1, 'a'), (2, 'b')", 2],
    ["INSERT INTO parent VALUES (3, 'c') RETURNING id", 1],
    ["INSERT INTO child VALUES (1), (1), (1)", 3],
    ["DELETE FROM parent WHERE id = 1", 1],
    ["INSERT INTO names VALUES ('d')", 0],
    ["INSERT INTO names VALUES ('e') RETURNING name", 1],
  ];
  await inTransaction(database, async (transaction) => {
    for (const [sql, changes] of cases) {
      assert.equal((await transaction.run(textOf(sql, ["integer"]), [])).changes, changes, sql);
    }
  });
  assert.deepEqual(rowsIn(place, "SELECT * FROM child"), []);
  assert.deepEqual(rowsIn(place, "SELECT count(*) FROM log"), [[10]]);
  assert.deepEqual(rowsIn(place, "SELECT name FROM words WHERE words MATCH 'd'"), [["d"]]);
});

Deno.test("a handle that writes is durable, checks foreign keys, and keeps the schema safe", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const handle = openHandle(place.file, { readonly: false, writes: true, busyTimeout: 0 });
  try {
    const settings = ["journal_mode", "synchronous", "foreign_keys", "trusted_schema", "recursive_triggers"];
    const found = settings.map((name) => handle.pragma(name, { simple: true }));
    assert.deepEqual(found, ["wal", 3, 1, 0, 0]);
    handle.pragma("writable_schema = ON");
    assert.throws(() => handle.exec("UPDATE sqlite_schema SET sql = ''"), /may not be modified/);
  } finally {
    handle.close();
  }
});

Deno.test("a transaction waits while another program writes", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const other = new Handle(place.file).exec("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)");
  const begin = database.begin({ signal: NEVER });
  setTimeout(() => other.exec("COMMIT").close(), 200);
  await using transaction = await begin;
  const outcome = await transaction.run(textOf("SELECT x FROM t", ["integer"]), []);
  assert.deepEqual(outcome.rows, [[1]]);
});

Deno.test("a file that another program writes for too long is unavailable", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect({ acquireTimeout: 0.2 });
  const other = new Handle(place.file).exec("BEGIN IMMEDIATE");
  const error = await database.begin({ signal: NEVER }).then(() => undefined, (reason) => reason);
  assert.equal(database.classify(error), "unavailable");
  other.exec("COMMIT").close();
  await inTransaction(database, (transaction) => transaction.run(textOf("INSERT INTO t VALUES (1)"), []));
});

Deno.test("a statement cannot end the transaction it is in", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  await using transaction = await database.begin({ signal: NEVER });
  await transaction.run(textOf("INSERT INTO t VALUES (1)"), []);
  await assert.rejects(transaction.run(textOf("ROLLBACK"), []), /has ended the transaction/);
  await assert.rejects(transaction.commit(), TypeError);
  assert.deepEqual(rowsIn(place, "SELECT * FROM t"), []);
});

Deno.test("the most parameters there may be are as many as SQLite takes", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const { maxParameters } = database.sql;
  const insert = (count: number) => textOf(`INSERT INTO t VALUES ${Array(count).fill("(?)").join()}`);
  await using transaction = await database.begin({ signal: NEVER });
  const most = await transaction.run(insert(maxParameters), Array(maxParameters).fill("x"));
  assert.equal(most.changes, maxParameters);
  const error = await transaction.run(insert(maxParameters + 1), []).then(
    () => undefined,
    (reason) => reason,
  );
  assert.equal(database.classify(error), "too-complex");
});

Deno.test("many rows that come back are all there", async () => {
  await using place = makePlace("CREATE TABLE t (id INTEGER PRIMARY KEY, x)");
  const database = await place.connect();
  const rows = Array.from({ length: 1500 }, (_, n) => [n + 1]);
  await inTransaction(database, async (transaction) => {
    const sql = `INSERT INTO t (x) VALUES ${rows.map(() => "(0)").join()} RETURNING id`;
    assert.deepEqual(await transaction.run(textOf(sql, ["integer"]), []), { rows, changes: 1500 });
  });
});

Deno.test("a table that grows is not read in the service's own thread any more", async () => {
  await using place = makePlace("CREATE TABLE t (id INTEGER PRIMARY KEY, x)");
  const database = await place.connect();
  const run = {
    prepared: prepareText({ database }, "SELECT id FROM t WHERE x = 1", ["integer"]),
    parameters: [],
  };
  assert.ok(Array.isArray(database.read([run], { signal: NEVER })));
  const rows =
    "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 20000) SELECT n, 0 FROM c";
  await inTransaction(database, (transaction) => transaction.run(textOf(`INSERT INTO t ${rows}`), []));
  const read = database.read([run], { signal: NEVER });
  assert.ok(read instanceof Promise);
  assert.deepEqual(await read, [[]]);
});

Deno.test("a worker keeps few statements prepared, and those that were used last", () => {
  const handle = new Handle(":memory:");
  const cache = new StatementCache(handle);
  const first = cache.get("SELECT 0");
  for (let n = 1; n < 64; n++) cache.get(`SELECT ${n}`);
  assert.equal(cache.get("SELECT 0"), first);
  const second = cache.get("SELECT 2");
  cache.get("SELECT 64");
  assert.equal(cache.get("SELECT 0"), first);
  const long = cache.get(`SELECT ${"1 + ".repeat(900)} 1 ${" ".repeat(600_000)}`);
  assert.deepEqual(long.get(), [901]);
  assert.notEqual(cache.get("SELECT 2"), second);
  handle.close();
});
