import assert from "node:assert/strict";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Database, Run } from "@/plugins/contract.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { makePlace, type Place } from "./fixture.ts";

function countOf(database: Database): Run {
  return { prepared: prepareText({ database }, "SELECT count(*) FROM t", ["integer"]), parameters: [] };
}

Deno.test("a schema that another program changes is noticed, and read anew", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  await database.catalog();
  place.change("CREATE TABLE u (x)");
  assert.equal(await database.check(), "changed");
  assert.deepEqual((await database.catalog()).tables.map(({ name }) => name), ["t", "u"]);
  assert.equal(await database.check(), "ok");
});

Deno.test("rows that another program writes are no change of the catalog, and are read", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const run = countOf(database);
  assert.deepEqual(await database.read([run], { signal: NEVER }), [[[0]]]);
  place.change("INSERT INTO t VALUES (1), (2)");
  assert.equal(await database.check(), "ok");
  assert.deepEqual(await database.read([run], { signal: NEVER }), [[[2]]]);
});

Deno.test("a file that is removed or replaced is gone", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const replacement = join(place.directory, "new.db");
  createDatabase(replacement, "CREATE TABLE t (x)");
  Deno.removeSync(place.file);
  assert.equal(await database.check(), "gone");
  Deno.renameSync(replacement, place.file);
  assert.equal(await database.check(), "gone");
});

/** The number of rows that a new connection reads, as the service connects again. */
async function countAnew(place: Place): Promise<unknown> {
  const database = await place.connect();
  return (await database.read([countOf(database)], { signal: NEVER }))[0]?.[0]?.[0];
}

Deno.test("a file that is closed has all commits in itself, and leaves no log behind", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  place.change("INSERT INTO t VALUES (1)");
  assert.ok(Deno.statSync(`${place.file}-wal`).size > 0);
  await database[Symbol.asyncDispose]();
  assert.deepEqual([...Deno.readDirSync(place.directory)].map(({ name }) => name), ["test.db"]);
  assert.equal(await countAnew(place), 1);
});

Deno.test("a file in another's place gets nothing of its log", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const before = await place.connect();
  place.change("INSERT INTO t VALUES (1)");
  const replacement = join(place.directory, "new.db");
  createDatabase(replacement, "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)");
  Deno.renameSync(replacement, place.file);
  const stream = before.stream(countOf(before), { signal: NEVER, fetchSize: 1 });
  await assert.rejects(Array.fromAsync(stream), /has been removed or replaced/);
  assert.equal(await countAnew(place), 3);
  await before[Symbol.asyncDispose]();
  place.change("INSERT INTO t VALUES (4)");
  assert.equal(await countAnew(place), 4);
});

Deno.test("a new file after a removed one, which may have its number, gets nothing of its log", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const before = await place.connect();
  place.change("INSERT INTO t VALUES (1)");
  Deno.removeSync(place.file);
  await before[Symbol.asyncDispose]();
  place.create("CREATE TABLE t (x)");
  assert.equal(await countAnew(place), 0);
});

Deno.test("a file that was moved away and back has the commits in its log", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const before = await place.connect();
  place.change("INSERT INTO t VALUES (1)");
  Deno.renameSync(place.file, `${place.file}.away`);
  await before[Symbol.asyncDispose]();
  await assert.rejects(place.connect());
  Deno.renameSync(`${place.file}.away`, place.file);
  assert.equal(await countAnew(place), 1);
});

Deno.test("a read goes on while another program writes, and sees none of it", async () => {
  await using place = makePlace("CREATE TABLE t (x)", "INSERT INTO t VALUES (1)");
  const database = await place.connect();
  const run = countOf(database);
  const writer = new Handle(place.file).exec("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)");
  assert.deepEqual(await database.read([run, run], { signal: NEVER }), [[[1]], [[1]]]);
  writer.exec("COMMIT").close();
  await setImmediate();
  assert.deepEqual(await database.read([run], { signal: NEVER }), [[[2]]]);
});

Deno.test("a stream sees the database as it was when the stream began", async () => {
  await using place = makePlace("CREATE TABLE t (x)", "INSERT INTO t VALUES (1), (2), (3)");
  const database = await place.connect();
  const run = { prepared: prepareText({ database }, "SELECT x FROM t", ["integer"]), parameters: [] };
  const seen: unknown[] = [];
  for await (const rows of database.stream(run, { signal: NEVER, fetchSize: 1 })) {
    seen.push(...rows);
    place.change("DELETE FROM t");
  }
  assert.deepEqual(seen, [[1], [2], [3]]);
});

Deno.test("a file that stays locked is unavailable, and the service is not held up meanwhile", async () => {
  await using place = makePlace();
  const other = new Handle(place.file).exec("CREATE TABLE t (x); BEGIN IMMEDIATE");
  const database = await place.connect({ acquireTimeout: 0.2 });
  const run = countOf(database);
  other.exec("COMMIT; BEGIN EXCLUSIVE");
  const read = database.read([run], { signal: NEVER });
  assert.ok(read instanceof Promise, "A worker waits for the lock");
  const error = await read.then(() => assert.fail("The lock was ignored"), (reason) => reason);
  assert.equal(database.classify(error), "unavailable");
  assert.equal(await database.check(), "ok");
  other.exec("COMMIT").close();
  assert.deepEqual(await database.read([run], { signal: NEVER }), [[[0]]]);
});
