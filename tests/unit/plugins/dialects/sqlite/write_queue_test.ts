/**
 * @module Writes of one statement that share a transaction: each has its own
 * result, and none is lost or half done.
 */

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Accepted, Database, Outcome } from "@/plugins/contract.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { identifyFile } from "@/plugins/dialects/sqlite/file.ts";
import type { Receiver } from "@/plugins/dialects/sqlite/lane.ts";
import type { PackedResult, PackedWrite } from "@/plugins/dialects/sqlite/protocol.ts";
import { turnsOf } from "@/plugins/dialects/sqlite/turns.ts";
import { WriteQueue } from "@/plugins/dialects/sqlite/write_queue.ts";
import { Writer } from "@/plugins/dialects/sqlite/writer.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { textOf } from "@/tests/conformance/dialect_writes.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";
import { changeFile, makePlace, type Place } from "./fixture.ts";
import { canSeeWorkers, killWorkers } from "./processes.ts";

const INSERT = "INSERT INTO t VALUES (?)";
/** A statement without end. */
const ENDLESS = `INSERT INTO t WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
  SELECT n FROM c WHERE n < 0`;

function write(
  database: Database,
  sql: string,
  parameters: readonly unknown[] = [],
  accepted: Accepted = {},
  signal: AbortSignal = NEVER,
): Promise<Outcome> {
  const writing = database.write?.({ statement: textOf(sql), parameters, ...accepted }, { signal });
  assert.ok(writing);
  return writing;
}

function storedIn({ file }: Place): unknown[] {
  const handle = new Handle(file, { readonly: true });
  try {
    return handle.prepare("SELECT x FROM t ORDER BY x").raw().all().map((row) => (row as unknown[])[0]);
  } finally {
    handle.close();
  }
}

/** The failure of each write; undefined for one that succeeded. */
async function failuresOf(database: Database, writes: readonly Promise<Outcome>[]): Promise<unknown[]> {
  const results = await Promise.allSettled(writes);
  return results.map((result) => {
    return result.status === "rejected" ? database.classify(result.reason) ?? result.reason : undefined;
  });
}

/** Another program that reads the table, from now on. */
function readerOf({ file }: Place): Disposable & { begin(): void; end(): void } {
  const handle = new Handle(file, { readonly: true });
  const begin = () => void handle.exec("BEGIN; SELECT x FROM t");
  begin();
  return { begin, end: () => void handle.exec("COMMIT"), [Symbol.dispose]: () => handle.close() };
}

Deno.test("large writes share no transaction, whose message would block the service", async () => {
  const groups: number[] = [];
  const queue = new WriteQueue(async ({ take }) => {
    await Promise.resolve();
    const writes = take();
    groups.push(writes.length);
    return writes.map((): PackedResult => ({ rows: [], packed: false, changes: 1 }));
  });
  const large = "x".repeat(2_000_000);
  const values = [large, { bytes: large }, "a", "b", large, "c"];
  await Promise.all(
    values.map((value) =>
      queue.add({ sql: INSERT, columns: [], parameters: [value], looks: [] }, { signal: NEVER })
    ),
  );
  assert.deepEqual(groups, [1, 1, 3, 1]);
});

Deno.test("writes that wait together are one transaction, up to a limit", async () => {
  const groups: number[] = [];
  const queue = new WriteQueue(async ({ take }) => {
    await Promise.resolve();
    const writes = take();
    groups.push(writes.length);
    return writes.map(({ parameters }): PackedResult => ({
      rows: [],
      packed: false,
      changes: Number(parameters[0]),
    }));
  });
  const packed = (count: number): PackedWrite => ({
    sql: INSERT,
    columns: [],
    parameters: [count],
    looks: [],
  });
  const outcomes = await Promise.all(
    Array.from({ length: 600 }, (_, at) => queue.add(packed(at), { signal: NEVER })),
  );
  assert.deepEqual(outcomes.map(({ changes }) => changes), Array.from({ length: 600 }, (_, at) => at));
  assert.deepEqual(groups, [250, 250, 100]);
  const large = { sql: INSERT, columns: [], parameters: new Array<number>(6000).fill(1), looks: [] };
  await Promise.all([1, 2, 3].map(() => queue.add(large, { signal: NEVER })));
  assert.deepEqual(groups.slice(3), [2, 1]);
});

Deno.test("half of the clients' writes are prepared while those of the others are committed", async () => {
  const groups: number[] = [];
  const queue = new WriteQueue(async ({ take }) => {
    const writes = take();
    groups.push(writes.length);
    await delay(1); // meanwhile the clients that have their answers send their next write
    return writes.map((): PackedResult => ({ rows: [], packed: false, changes: 1 }));
  });
  const client = async () => {
    const packed = { sql: INSERT, columns: [], parameters: [1], looks: [] };
    for (let at = 0; at < 10; at++) await queue.add(packed, { signal: NEVER });
  };
  await Promise.all(Array.from({ length: 50 }, client));
  assert.deepEqual(groups.slice(0, 10), [1, 25, 25, 25, 25, 25, 25, 25, 25, 25]);
  assert.equal(groups.reduce((all, count) => all + count), 500);
});

Deno.test("a transaction that does not begin fails those that have waited for it, not later ones", async () => {
  const begin = Promise.withResolvers<void>();
  let isFirst = true;
  const queue = new WriteQueue(async ({ take }) => {
    if (isFirst) {
      isFirst = false;
      await begin.promise;
    }
    return take().map(() => ({ rows: [], packed: false, changes: 1 }));
  });
  const packed = { sql: INSERT, columns: [], parameters: [1], looks: [] };
  const early = queue.add(packed, { signal: NEVER });
  const late = queue.add(packed, { signal: NEVER });
  begin.reject(new Error("The file is locked"));
  await assert.rejects(early, /locked/);
  assert.equal((await late).changes, 1);
});

Deno.test("each write has its own result: a failing one undoes itself only", async () => {
  await using place = makePlace("CREATE TABLE t (x INTEGER PRIMARY KEY)");
  const database = await place.connect();
  const writes = [1, 2, 2, 3, 1, 4].map((x) => write(database, INSERT, [x]));
  const statement = textOf("INSERT INTO t VALUES (9007199254740993) RETURNING x, x'00ff'", [
    "integer",
    "binary",
  ]);
  const returned = database.write?.({ statement, parameters: [] }, { signal: NEVER });
  assert.deepEqual(await failuresOf(database, writes), [
    undefined,
    undefined,
    "integrity",
    undefined,
    "integrity",
    undefined,
  ]);
  const { rows = [] } = await returned ?? {};
  assert.equal(String(rows[0]?.[0]), "9007199254740993");
  assert.deepEqual(rows[0]?.[1], new Uint8Array([0, 255]));
  assert.deepEqual(storedIn(place).slice(0, 4), [1, 2, 3, 4]);
});

Deno.test("a write that changes another number of rows is undone, with the effects of its triggers", async () => {
  await using place = makePlace(
    "CREATE TABLE t (x INTEGER PRIMARY KEY)",
    "CREATE TABLE seen (x)",
    "INSERT INTO t VALUES (1), (2)",
    `CREATE TRIGGER kept BEFORE DELETE ON t WHEN old.x = 1
      BEGIN INSERT INTO seen VALUES (old.x); SELECT RAISE(IGNORE); END`,
  );
  const database = await place.connect();
  const [kept, many, done] = await Promise.all([
    write(database, "DELETE FROM t WHERE x = 1", [], { least: 1 }),
    write(database, "UPDATE t SET x = x + 10", [], { least: 1, most: 1 }),
    write(database, "DELETE FROM t WHERE x = 2", [], { least: 1, most: 1 }),
  ]);
  assert.deepEqual([kept, many, done].map(({ changes }) => changes), [0, 2, 1]);
  assert.deepEqual(storedIn(place), [1]);
  const handle = new Handle(place.file, { readonly: true });
  assert.deepEqual(handle.prepare("SELECT * FROM seen").all(), []);
  handle.close();
});

Deno.test("a deferred constraint and a trigger that rolls back fail their own write only", async () => {
  await using place = makePlace(
    "CREATE TABLE parent (x INTEGER PRIMARY KEY)",
    "CREATE TABLE t (x INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)",
    "INSERT INTO parent VALUES (1), (2)",
    "CREATE TRIGGER ends BEFORE INSERT ON t WHEN new.x = 7 BEGIN SELECT RAISE(ROLLBACK, 'No sevens'); END",
  );
  const database = await place.connect();
  const deferred = [1, 5, 2].map((x) => write(database, INSERT, [x]));
  assert.deepEqual(await failuresOf(database, deferred), [undefined, "integrity", undefined]);
  const triggered = [1, 7, 2].map((x) => write(database, INSERT, [x]));
  assert.deepEqual(await failuresOf(database, triggered), [undefined, "integrity", undefined]);
  assert.deepEqual(storedIn(place), [1, 1, 2, 2]);
});

Deno.test("an abort takes a write that waits long out of the queue, and has no effect on one that runs", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const gone = new AbortController();
  const other = new Handle(place.file, { fileMustExist: true });
  other.exec("BEGIN IMMEDIATE");
  const kept = write(database, INSERT, [1]);
  const left = write(database, INSERT, [2], {}, gone.signal);
  gone.abort(new Error("Gone"));
  await assert.rejects(left, /Gone/);
  other.exec("COMMIT");
  other.close();
  await kept;
  gone.abort();
  assert.deepEqual(storedIn(place), [1]);
});

for (const isPutBack of [false, true]) {
  const what = isPutBack ? "counts once it is put back" : "has no effect";
  Deno.test(`an abort of a write that is taken ${what}`, async () => {
    const gone = new AbortController();
    const queue = new WriteQueue(async ({ take, putBack }) => {
      let writes = take();
      await delay(50);
      gone.abort(new Error("Gone"));
      if (isPutBack) {
        putBack();
        writes = take();
      }
      return writes.map((): PackedResult => ({ rows: [], packed: false, changes: 1 }));
    });
    const written = queue.add({ sql: INSERT, columns: [], parameters: [1], looks: [] }, {
      signal: gone.signal,
    });
    if (isPutBack) await assert.rejects(written, /Gone/);
    else assert.equal((await written).changes, 1);
  });
}

Deno.test("a client that leaves while another program writes leaves no lock behind", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const other = new Handle(place.file, { fileMustExist: true });
  other.exec("BEGIN IMMEDIATE");
  const gone = new AbortController();
  const left = write(database, INSERT, [1], {}, gone.signal);
  await delay(100);
  gone.abort(new Error("Gone"));
  await assert.rejects(left, /Gone/);
  other.exec("COMMIT");
  await using transaction = await database.begin({ signal: NEVER });
  await transaction.rollback();
  other.exec("BEGIN IMMEDIATE; COMMIT");
  other.close();
});

Deno.test("a file that another program keeps locked fails its writes as unavailable", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect({ acquireTimeout: 0.2 });
  const other = new Handle(place.file, { fileMustExist: true });
  other.exec("BEGIN IMMEDIATE");
  const writes = [1, 2].map((x) => write(database, INSERT, [x]));
  assert.deepEqual(await failuresOf(database, writes), ["unavailable", "unavailable"]);
  other.exec("COMMIT");
  other.close();
  await write(database, INSERT, [3]);
  assert.deepEqual(storedIn(place), [3]);
});

for (const count of [1, 3]) {
  Deno.test(`without a write-ahead log ${count} writes wait for programs that read, up to the limit`, async () => {
    await using place = makePlace("CREATE TABLE t (x)", "INSERT INTO t VALUES (0)");
    place.change("PRAGMA journal_mode = DELETE");
    using other = readerOf(place); // the service cannot turn the log on meanwhile
    const database = await place.connect({ acquireTimeout: 1 });
    const writeAll = () => Array.from({ length: count }, (_, at) => write(database, INSERT, [at + 1]));
    const kept = failuresOf(database, writeAll());
    setTimeout(() => other.end(), 200);
    assert.deepEqual(await kept, new Array(count).fill(undefined));
    assert.equal(storedIn(place).length, 1 + count);
    other.begin();
    assert.deepEqual(await failuresOf(database, writeAll()), new Array(count).fill("unavailable"));
    other.end();
    assert.equal(storedIn(place).length, 1 + count);
  });
}

Deno.test({
  name: "a write that takes too long fails as a timeout, and the next ones run",
  ignore: !canSeeWorkers,
  fn: async () => {
    await using place = makePlace("CREATE TABLE t (x)");
    const database = await place.connect({ statementTimeout: 0.5 });
    assert.deepEqual(await failuresOf(database, [write(database, ENDLESS)]), ["timeout"]);
    await write(database, INSERT, [1]);
    assert.deepEqual(storedIn(place), [1]);
  },
});

Deno.test("a write is not sent again if its worker ends before it answers: it may be stored", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  let groups = 0;
  const start = (receiver: Receiver) => ({
    send(line: string) {
      const { kind } = JSON.parse(line);
      if (kind !== "group") {
        return receiver.line(JSON.stringify({ kind: "done", changes: 0, milliseconds: 0 }));
      }
      groups++;
      receiver.ended();
    },
    stop: () => Promise.resolve(),
  });
  const { file } = place;
  const identity = await identifyFile(file);
  const takeTurn = turnsOf(1);
  await using writer = new Writer({ file, identity, mayWrite: true, settings: POOL, start, takeTurn });
  const packed = { sql: INSERT, columns: [], parameters: [1], looks: [] };
  await assert.rejects(writer.write(packed, { signal: NEVER }));
  assert.equal(groups, 1);
});

Deno.test("writes that wait for a transaction are counted", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const transaction = await database.begin({ signal: NEVER });
  const writes = [1, 2].map((x) => write(database, INSERT, [x]));
  assert.equal(database.usage?.()?.waiting, 2);
  await transaction.rollback();
  await Promise.all(writes);
  assert.equal(database.usage?.()?.waiting, 0);
});

Deno.test("a write waits for a transaction that was begun before, and the other way round", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const transaction = await database.begin({ signal: NEVER });
  await transaction.run(textOf(INSERT), [1]);
  const written = write(database, INSERT, [2]);
  await transaction.run(textOf("UPDATE t SET x = 3"), []);
  await transaction.commit();
  const [next] = await Promise.all([database.begin({ signal: NEVER }), written]);
  await next.run(textOf("UPDATE t SET x = x + 10"), []);
  await next.commit();
  assert.deepEqual(storedIn(place), [12, 13]);
});

Deno.test({
  name: "a writer that is killed loses no write that was confirmed, and writes none in halves: ten times",
  ignore: !canSeeWorkers,
  fn: async () => {
    await using place = makePlace("CREATE TABLE t (x INTEGER PRIMARY KEY)", "CREATE TABLE twin (x)");
    changeFile(
      place.file,
      "CREATE TRIGGER twins AFTER INSERT ON t BEGIN INSERT INTO twin VALUES (new.x); END",
    );
    const database = await place.connect();
    const confirmed: number[] = [];
    let next = 0;
    for (let round = 0; round < 10; round++) {
      let isOver = false;
      const callers = Array.from({ length: 20 }, async () => {
        while (!isOver) {
          const x = next++;
          const failure = await write(database, INSERT, [x]).then(
            () => confirmed.push(x) && undefined,
            (e) => e,
          );
          if (failure) assert.equal(database.classify(failure), "unavailable");
        }
      });
      const before = confirmed.length;
      while (confirmed.length < before + 100) await new Promise((resolve) => setTimeout(resolve, 5));
      await killWorkers(place.file);
      isOver = true;
      await Promise.all(callers);
    }
    const stored = new Set(storedIn(place));
    assert.deepEqual(confirmed.filter((x) => !stored.has(x)), []);
    const handle = new Handle(place.file, { readonly: true });
    assert.deepEqual(handle.prepare("SELECT x FROM t EXCEPT SELECT x FROM twin").all(), []);
    assert.deepEqual(handle.prepare("SELECT x FROM twin EXCEPT SELECT x FROM t").all(), []);
    handle.close();
  },
});
