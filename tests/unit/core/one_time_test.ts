import assert from "node:assert/strict";
import { join } from "node:path";
import { openOneTime } from "@/core/storage/one_time.ts";
import { createSharedCache } from "@/core/storage/shared_cache.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import { HAS_MEMCACHED, startMemcached } from "@/tests/support/memcached.ts";

Deno.test("a name is new once, also for other workers on the same directory, and at the same moment", async () => {
  using directory = new TestDirectory();
  const options = { directory: join(directory.path, "once"), now: Date.now };
  using first = await openOneTime(options);
  using second = await openOneTime(options);
  const uses = await Promise.all(Array.from({ length: 20 }, (_, index) => {
    return (index % 2 === 0 ? first : second).use("a", 60);
  }));
  assert.equal(uses.filter((isNew) => isNew).length, 1);
  assert.equal(await second.use("a", 60), false);
  assert.equal(await second.use("b", 60), true);
});

Deno.test("a directory that somebody has removed is made again", async () => {
  using directory = new TestDirectory();
  let time = Date.now();
  using once = await openOneTime({ directory: join(directory.path, "once"), now: () => time });
  assert.equal(await once.use("a", 60), true);
  Deno.removeSync(join(directory.path, "once"), { recursive: true });
  time += 700_000;
  assert.deepEqual([await once.use("b", 60), await once.use("b", 60)], [true, false]);
});

Deno.test("names may be anything: they are in no file name", async () => {
  using directory = new TestDirectory();
  using once = await openOneTime({ directory: directory.path, now: Date.now });
  for (const name of ["../../x", "", "a\0b", "ä".repeat(1000)]) assert.equal(await once.use(name, 60), true);
  for (const { name } of Deno.readDirSync(directory.path)) assert.match(name, /^[0-9a-f]{64}$/);
});

Deno.test("names of yesterday are removed, those of today stay", async () => {
  using directory = new TestDirectory();
  let time = Date.now();
  using once = await openOneTime({ directory: directory.path, now: () => time });
  const left = () => [...Deno.readDirSync(directory.path)].length;
  await once.use("a", 60);
  time += 23 * 3_600_000;
  assert.equal(await once.use("a", 60), false);
  time += 2 * 3_600_000;
  await once.use("b", 60);
  assert.equal(left(), 1);
});

Deno.test({
  name: "a name is new once for all nodes that share a cache; without it nobody can tell",
  ignore: !HAS_MEMCACHED,
  async fn() {
    await using memcached = await startMemcached();
    using directory = new TestDirectory();
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const open = async (name: string) =>
      await openOneTime({
        directory: join(directory.path, name),
        now: Date.now,
        cache: createSharedCache({ address: memcached.address, log, purpose: "logins" }),
      });
    using first = await open("first");
    using second = await open("second");
    assert.equal(await first.use("a", 60), true);
    assert.equal(await second.use("a", 60), false);
    await memcached.stop();
    await assert.rejects(second.use("b", 60), { code: "unavailable" });
  },
});
