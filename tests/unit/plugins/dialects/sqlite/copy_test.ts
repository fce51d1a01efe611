import assert from "node:assert/strict";
import { join } from "node:path";
import { copyDatabase } from "@/plugins/dialects/sqlite/copy.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { makePlace, type Place, rename } from "./fixture.ts";

/** The number of rows of `t` in a copy that is made while another program writes. */
async function countInCopy({ directory, file, change }: Place): Promise<unknown> {
  const copy = join(directory, "copy.db");
  const copying = copyDatabase(file, copy);
  change("INSERT INTO t (x) VALUES ('late')");
  await copying;
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name.startsWith("copy")), ["copy.db"]);
  const handle = new Handle(copy);
  try {
    return handle.prepare("SELECT count(*) FROM t").pluck().get();
  } finally {
    handle.close();
  }
}

Deno.test("a copy of some megabytes has what was committed when it began", async () => {
  const rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)";
  await using place = makePlace("CREATE TABLE t (x)", `INSERT INTO t ${rows} SELECT zeroblob(2000) FROM n`);
  assert.equal(await countInCopy(place), 2000);
});

Deno.test("a file with a collation that only the program has that made it is copied", async () => {
  await using place = makePlace(
    "CREATE TABLE t (x)",
    "CREATE TABLE name (x TEXT COLLATE NOCASE UNIQUE)",
    "INSERT INTO t VALUES ('a')",
    "INSERT INTO name VALUES ('b')",
  );
  rename(place.file, "NOCASE", "LOCALE");
  assert.equal(await countInCopy(place), 1);
});
