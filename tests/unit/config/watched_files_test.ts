import assert from "node:assert/strict";
import { WatchedFiles } from "@/config/mod.ts";
import { LONG_AGO, TestDirectory } from "./directory.ts";

Deno.test("files that nobody changed are not reported", async () => {
  using directory = new TestDirectory({ "a.cfg": "a: 1\n", "b.cfg": "b: 1\n" });
  const files = await WatchedFiles.open([directory.file("a.cfg"), directory.file("b.cfg")]);
  assert.deepEqual(await files.look(), []);
});

Deno.test("a change, a new file and a removed one are each reported once", async () => {
  using directory = new TestDirectory({ "a.cfg": "a: 1\n" });
  const [a, b] = [directory.file("a.cfg"), directory.file("b.cfg")];
  const files = await WatchedFiles.open([a, b]);
  Deno.writeTextFileSync(a, "a: 22\n");
  Deno.writeTextFileSync(b, "b: 1\n");
  assert.deepEqual(await files.look(), [a, b]);
  assert.deepEqual(await files.look(), []);
  Deno.removeSync(b);
  assert.deepEqual(await files.look(), [b]);
});

Deno.test("a change that keeps size, time and place is seen while the time is too young to prove anything", async () => {
  using directory = new TestDirectory({ "a.cfg": "a: 1\n" });
  const path = directory.file("a.cfg");
  const now = new Date();
  Deno.utimeSync(path, now, now);
  const files = await WatchedFiles.open([path]);
  Deno.writeTextFileSync(path, "a: 2\n");
  Deno.utimeSync(path, now, now);
  assert.deepEqual(await files.look(), [path]);
});

Deno.test("a file that was only touched is not reported", async () => {
  using directory = new TestDirectory({ "a.cfg": "a: 1\n" });
  const files = await WatchedFiles.open([directory.file("a.cfg")]);
  Deno.utimeSync(directory.file("a.cfg"), LONG_AGO, LONG_AGO);
  assert.deepEqual(await files.look(), []);
});

Deno.test("a file that was replaced by an older one is reported", async () => {
  using directory = new TestDirectory({ "a.cfg": "a: 1\n", "old.cfg": "a: 0\n" });
  const path = directory.file("a.cfg");
  const files = await WatchedFiles.open([path]);
  Deno.utimeSync(directory.file("old.cfg"), LONG_AGO, LONG_AGO);
  Deno.renameSync(directory.file("old.cfg"), path);
  assert.deepEqual(await files.look(), [path]);
});

Deno.test("a file that could not be read is reported once it can be, though only its rights have changed", async () => {
  using directory = new TestDirectory({ "a.cfg": "a: 1\n" });
  const { readFile } = Deno;
  try {
    Object.assign(Deno, { readFile: () => Promise.reject(new Deno.errors.PermissionDenied()) });
    const files = await WatchedFiles.open([directory.file("a.cfg")]);
    assert.deepEqual(await files.look(), []);
    Object.assign(Deno, { readFile });
    assert.deepEqual(await files.look(), [directory.file("a.cfg")]);
    assert.deepEqual(await files.look(), []);
  } finally {
    Object.assign(Deno, { readFile });
  }
});
