import assert from "node:assert/strict";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { makePlace } from "./fixture.ts";

Deno.test("a database is made whole, with statistics and a write-ahead log", async () => {
  await using place = makePlace();
  createDatabase(
    place.file,
    `CREATE TABLE t (x, y TEXT, z BLOB);
    CREATE INDEX i ON t (y);
    INSERT INTO t VALUES (5, 'five', x'05'), (0.5, NULL, 1);`,
  );
  const handle = new Handle(place.file);
  const rows = handle.prepare("SELECT typeof(x), y, hex(z) FROM t").raw().all();
  assert.deepEqual(rows, [["integer", "five", "05"], ["real", null, "31"]]);
  assert.equal(handle.pragma("journal_mode", { simple: true }), "wal");
  assert.deepEqual(handle.prepare("SELECT idx FROM sqlite_stat1").raw().all(), [["i"]]);
  handle.close();
});

Deno.test("a file that is there is never overwritten", async () => {
  await using place = makePlace();
  Deno.writeTextFileSync(place.file, "mine");
  assert.throws(() => place.create("CREATE TABLE t (x)"), { message: /test\.db": the file exists$/ });
  assert.equal(Deno.readTextFileSync(place.file), "mine");
  assert.equal([...Deno.readDirSync(place.directory)].length, 1);
});

Deno.test("nothing is left of a database that could not be made", async () => {
  await using place = makePlace();
  assert.throws(() => place.create("CREATE TABLE t (x)", "INSERT INTO nowhere VALUES (1)"), /no such table/);
  assert.deepEqual([...Deno.readDirSync(place.directory)], []);
});
