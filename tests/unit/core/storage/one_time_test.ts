import assert from "node:assert/strict";
import { join } from "node:path";
import { SILENT } from "@/core/storage/log.ts";
import { openOneTime, sharedOneTime } from "@/core/storage/one_time.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import { CACHE_SERVERS, openCache } from "@/tests/support/shared_caches.ts";

Deno.test("a name is new once, also for other workers on the same directory, and at the same moment", async () => {
  using directory = new TestDirectory();
  const open = () => openOneTime(join(directory.path, "once"), Date.now, SILENT);
  const [first, second] = [await open(), await open()];
  const uses = await Promise.all(Array.from({ length: 20 }, (_, index) => {
    return (index % 2 === 0 ? first : second)("a", 60);
  }));
  assert.equal(uses.filter((isNew) => isNew).length, 1);
  assert.equal(await second("a", 60), false);
  assert.equal(await second("b", 60), true);
});

Deno.test("a directory that somebody has removed is made again", async () => {
  using directory = new TestDirectory();
  let time = Date.now();
  const once = await openOneTime(join(directory.path, "once"), () => time, SILENT);
  assert.equal(await once("a", 60), true);
  Deno.removeSync(join(directory.path, "once"), { recursive: true });
  time += 700_000;
  assert.deepEqual([await once("b", 60), await once("b", 60)], [true, false]);
});

Deno.test("while names cannot be stored nobody can tell, and the log says why", async () => {
  using directory = new TestDirectory();
  const path = join(directory.path, "once");
  const lines: string[] = [];
  const once = await openOneTime(path, Date.now, { ...SILENT, error: (line) => void lines.push(line) });
  Deno.removeSync(path);
  Deno.writeTextFileSync(path, "");
  for (const name of ["a", "b"]) await assert.rejects(once(name, 60), { code: "unavailable" });
  assert.deepEqual(lines, Array(2).fill("It cannot be noted that a login was used"));
});

Deno.test("names may be anything: they are in no file name", async () => {
  using directory = new TestDirectory();
  const once = await openOneTime(directory.path, Date.now, SILENT);
  for (const name of ["../../x", "", "a\0b", "ä".repeat(1000)]) assert.equal(await once(name, 60), true);
  for (const { name } of Deno.readDirSync(directory.path)) assert.match(name, /^[0-9a-f]{64}$/);
});

Deno.test("names of yesterday are removed, those of today stay", async () => {
  using directory = new TestDirectory();
  let time = Date.now();
  const once = await openOneTime(directory.path, () => time, SILENT);
  const left = () => [...Deno.readDirSync(directory.path)].length;
  await once("a", 60);
  time += 23 * 3_600_000;
  assert.equal(await once("a", 60), false);
  time += 2 * 3_600_000;
  await once("b", 60);
  assert.equal(left(), 1);
});

for (const { name, missing, start } of CACHE_SERVERS) {
  Deno.test({
    name: `a name is new once for all nodes that share ${name}; without it nobody can tell`,
    ignore: missing !== undefined,
    async fn() {
      await using server = await start();
      const connect = () => openCache(name, { location: server.address, log: SILENT, purpose: "logins" });
      await using cache = connect();
      await using other = connect();
      const uses = await Promise.all(Array.from({ length: 20 }, (_, index) => {
        return sharedOneTime(index % 2 === 0 ? cache : other)("a", 60);
      }));
      assert.equal(uses.filter((isNew) => isNew).length, 1);
      await server.stop();
      await assert.rejects(sharedOneTime(other)("b", 60), { code: "unavailable" });
    },
  });
}
