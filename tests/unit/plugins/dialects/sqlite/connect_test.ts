import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { changeFile, makePlace, runWithoutWriting } from "./fixture.ts";

const REFUSED: readonly { title: string; dbName: string; message: RegExp }[] = [
  { title: "no name", dbName: " ", message: /db_name is empty/ },
  { title: "memory", dbName: ":memory:", message: /expected the path of an SQLite file/ },
  { title: "a URI", dbName: "file:test.db?mode=rwc", message: /expected a path, not a file: URI/ },
  { title: "a directory", dbName: ".", message: /it is a directory$/ },
  { title: "a device", dbName: "/dev/null", message: /it is not a regular file$/ },
  { title: "no file", dbName: "missing.db", message: /missing\.db": there is no such file$/ },
  { title: "no directory", dbName: "no/where.db", message: /there is no such file$/ },
  { title: "another kind of file", dbName: "text.db", message: /text\.db": it is not an SQLite database$/ },
];

for (const { title, dbName, message } of REFUSED) {
  Deno.test(`a name that is no database file is refused: ${title}`, async () => {
    await using place = makePlace();
    Deno.writeTextFileSync(join(place.directory, "text.db"), "This is no database. ".repeat(100));
    await assert.rejects(place.connect({}, dbName), { message });
    assert.deepEqual([...Deno.readDirSync(place.directory)].map(({ name }) => name), ["text.db"]);
  });
}

Deno.test("a file that another program made gets a write-ahead log", async () => {
  await using place = makePlace();
  new Handle(place.file).exec("CREATE TABLE t (x)").close();
  await place.connect();
  const handle = new Handle(place.file);
  assert.equal(handle.pragma("journal_mode", { simple: true }), "wal");
  handle.close();
});

Deno.test("the log of a file stays while it is connected: to remove it locks out other workers", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const { close } = Handle.prototype;
  const isThere: boolean[] = [];
  Handle.prototype.close = function () {
    const closed = close.call(this);
    isThere.push(existsSync(`${place.file}-wal`));
    return closed;
  };
  try {
    await place.connect();
  } finally {
    Handle.prototype.close = close;
  }
  assert.deepEqual(isThere, [true]);
});

Deno.test("a file behind a link has its log beside itself, and so its size is known", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  Deno.symlinkSync(place.file, join(place.directory, "link.db"));
  const database = await place.connect({}, "link.db");
  changeFile(place.file, "INSERT INTO t VALUES (1)");
  const { size } = Deno.statSync(`${place.file}-wal`);
  assert.ok(size > 0);
  assert.equal(database.usage?.()?.walBytes, size);
});

Deno.test("a file that is locked keeps its journal mode and is connected all the same", async () => {
  await using place = makePlace();
  const other = new Handle(place.file).exec("CREATE TABLE t (x); BEGIN IMMEDIATE");
  const database = await place.connect();
  const run = { prepared: prepareText({ database }, "SELECT count(*) FROM t", ["integer"]), parameters: [] };
  assert.deepEqual(await database.read([run], { signal: NEVER }), [[[0]]]);
  await setImmediate();
  other.exec("COMMIT").close();
  assert.match(place.messages.join("\n"), /The journal mode of .* stays as it is: database is locked/);
});

Deno.test("a file whose log cannot be made is told to need a directory for it", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  Deno.mkdirSync(`${place.file}-wal`);
  await assert.rejects(place.connect(), /unable to open .*: its log or journal needs .* a directory/);
});

Deno.test("nothing can be written", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const prepared = prepareText({ database }, "INSERT INTO t VALUES (1) RETURNING x", ["integer"]);
  assert.throws(() => database.read([{ prepared, parameters: [] }], { signal: NEVER }), (error) => {
    return database.classify(error) === "read-only";
  });
});

Deno.test("a file that may be read only is connected and its mode is left alone", async () => {
  await using place = makePlace();
  new Handle(place.file).exec("CREATE TABLE t (x)").close();
  const work = "console.log((await database.catalog()).tables.map(({ name }) => name).join());";
  const lines = await runWithoutWriting(place.file, work);
  assert.deepEqual(lines, [
    `"${place.file}" may not be written: its journal mode stays as it is`,
    "Processes may not be started (--allow-run): a long SQLite statement can be given up, not stopped",
    "t",
  ]);
  changeFile(place.file, "SELECT 1");
});

Deno.test("a file behind a link is changed only with the permission for the file itself", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const link = join(place.directory, "link.db");
  Deno.symlinkSync(place.file, link);
  const work =
    `const transaction = await database.begin({ signal: new AbortController().signal }).catch(String);
    console.log(typeof transaction === "string" ? transaction : "begun");
    await transaction[Symbol.asyncDispose]?.();`;
  const lastOf = async (allowed: string) =>
    (await runWithoutWriting(link, work, [`write=${allowed}`])).at(-1);
  assert.match(await lastOf(link) ?? "", /read-only/);
  assert.equal(await lastOf(`${link},${place.file}`), "begun");
});

Deno.test("a file that cannot be opened is tried again and again: nothing but its reason is told", async () => {
  await using place = makePlace();
  const other = new Handle(place.file).exec("CREATE TABLE t (x); BEGIN EXCLUSIVE");
  await assert.rejects(place.connect(), /Cannot open database ".*": database is locked/);
  assert.deepEqual(place.messages, []);
  other.close();
});
