import assert from "node:assert/strict";
import { join } from "node:path";
import type { Database } from "@/plugins/contract.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { identifyFile } from "@/plugins/dialects/sqlite/file.ts";
import { LineBuffer } from "@/plugins/dialects/sqlite/protocol.ts";
import { startProcess, startThread } from "@/plugins/dialects/sqlite/lane.ts";
import { turnsOf } from "@/plugins/dialects/sqlite/turns.ts";
import { Writer } from "@/plugins/dialects/sqlite/writer.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { textOf } from "@/tests/conformance/dialect_writes.ts";
import { makePlace, type Place, runWithoutWriting } from "./fixture.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";
import { untilEnded, workersWith } from "./processes.ts";

const INSERT = textOf("INSERT INTO t VALUES (?)");

function filesIn(place: Place): string[] {
  return [...Deno.readDirSync(place.directory)].map(({ name }) => name).sort();
}

async function insert(database: Database): Promise<void> {
  await using transaction = await database.begin({ signal: NEVER });
  await transaction.run(INSERT, [1n]);
  await transaction.commit();
}

async function refusal(database: Database): Promise<readonly [string | undefined, string]> {
  const error = await database.begin({ signal: NEVER }).then(() => undefined, (reason) => reason);
  return [database.classify(error), String(error)];
}

for (const [name, start] of [["process", startProcess], ["thread", startThread]] as const) {
  Deno.test(`a writer may be a ${name}, and whatever it has not committed goes with it`, async () => {
    await using place = makePlace("CREATE TABLE t (x)");
    const settings = { ...POOL, statementTimeout: 5 };
    const identity = await identifyFile(place.file);
    await using writer = new Writer({
      file: place.file,
      identity,
      mayWrite: true,
      settings,
      start,
      takeTurn: turnsOf(1),
    });
    const counts: number[] = [];
    const onCommit = (changes: number) => void counts.push(changes);
    const controller = new AbortController();
    const lost = await writer.begin({ signal: controller.signal, onCommit });
    await lost.run(INSERT, ["lost"]);
    controller.abort(new Error("Gone"));
    const kept = await writer.begin({ signal: NEVER, onCommit });
    await kept.run(INSERT, ["kept"]);
    await kept.run(INSERT, [null]);
    assert.deepEqual((await kept.run(textOf("SELECT x FROM t", ["text"]), [])).rows, [["kept"], [null]]);
    await kept.commit();
    assert.deepEqual(counts, [2]);
  });
}

Deno.test("the service goes on reading while a transaction is written", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const run = { prepared: prepareText({ database }, "SELECT count(*) FROM t", ["integer"]), parameters: [] };
  const rows =
    "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 300000) SELECT n FROM c";
  await using transaction = await database.begin({ signal: NEVER });
  const writing = transaction.run(textOf(`INSERT INTO t ${rows}`), []);
  let isWriting = true;
  let reads = 0;
  writing.finally(() => isWriting = false);
  for (; isWriting; reads++) {
    assert.deepEqual(await database.read([run], { signal: NEVER }), [[[0]]]);
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert.ok(reads > 1);
  await transaction.commit();
  assert.deepEqual(await database.read([run], { signal: NEVER }), [[[300_000]]]);
});

const WAYS: readonly (readonly [name: string, write: (database: Database) => Promise<unknown>])[] = [
  ["a transaction", insert],
  ["a single write", async (database) => {
    await database.write?.({ statement: INSERT, parameters: [1n] }, { signal: NEVER });
  }],
];

for (const [name, write] of WAYS) {
  Deno.test(`a file whose format SQLite may only read is read-only until it has another (${name})`, async () => {
    await using place = makePlace("CREATE TABLE t (x)");
    const database = await place.connect();
    // The version of the format that writers need; 3 is that of a SQLite that is yet to come.
    const setVersion = (version: number) => {
      using file = Deno.openSync(place.file, { write: true });
      file.seekSync(18, Deno.SeekMode.Start);
      file.writeSync(new Uint8Array([version]));
    };
    setVersion(3);
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await write(database).then(() => undefined, (reason) => reason);
      assert.equal(database.classify(error), "read-only");
      assert.equal(error.message, "The database is read-only: its file may not be written");
    }
    setVersion(2);
    await write(database);
  });
}

Deno.test("a file that Deno may not write is read-only, also behind a link that it may write", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  await using links = makePlace("CREATE TABLE t (x)");
  const link = join(links.directory, "link.db");
  Deno.symlinkSync(place.file, link);
  const work = `await database.begin({ signal: new AbortController().signal })
    .catch((error) => console.log(database.classify(error), error.message));`;
  for (const file of [place.file, link]) {
    const lines = await runWithoutWriting(file, work, ["run", `write=${links.directory}`]);
    assert.equal(lines.at(-1), "read-only The database is read-only: its file may not be written");
  }
});

Deno.test("a file that has taken the place of the one that was opened is not written to", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  await insert(database);
  const replacement = join(place.directory, "new.db");
  createDatabase(replacement, "CREATE TABLE t (x)");
  Deno.renameSync(replacement, place.file);
  assert.deepEqual(await refusal(database), [
    "unavailable",
    "DatabaseFailure: The database's file has been removed or replaced",
  ]);
});

Deno.test("a time to wait that is no whole number of milliseconds is one for SQLite", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  for (const acquireTimeout of [2.01, 16.1, 1.23456]) await insert(await place.connect({ acquireTimeout }));
});

Deno.test("an idle writer ends by itself, and another one takes its place", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect({ idleTimeout: 0.01 });
  await insert(database);
  await untilEnded(place.file);
  await insert(database);
});

Deno.test("a database that is disconnected leaves no worker and no log", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  await insert(database);
  assert.ok(filesIn(place).includes("test.db-wal"));
  await database[Symbol.asyncDispose]();
  assert.deepEqual(filesIn(place), ["test.db"]);
  assert.deepEqual(workersWith(place.file), []);
});

Deno.test("a database that is disconnected within a transaction leaves no worker", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const transaction = await database.begin({ signal: NEVER });
  await transaction.run(INSERT, [1n]);
  await database[Symbol.asyncDispose]();
  assert.deepEqual(workersWith(place.file), []);
  await transaction[Symbol.asyncDispose]();
  const handle = new Handle(place.file);
  assert.deepEqual(handle.prepare("SELECT * FROM t").all(), []);
  handle.close();
});

Deno.test("a transaction that is open when the whole group of processes is stopped may be finished", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  await using transaction = await database.begin({ signal: NEVER });
  await transaction.run(INSERT, [1n]);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    for (const pid of workersWith(place.file)) Deno.kill(Number(pid), signal);
    await transaction.run(INSERT, [2n]);
  }
  await transaction.commit();
});

Deno.test("lines are whole however their bytes arrive", () => {
  const text = "one\n\nthree é 🎈\nfour\nrest";
  for (const size of [1, 2, 3, 7, 100]) {
    const buffer = new LineBuffer();
    const bytes = new TextEncoder().encode(text);
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += size) lines.push(...buffer.take(bytes.subarray(at, at + size)));
    assert.deepEqual(lines, ["one", "", "three é 🎈", "four"]);
  }
});
