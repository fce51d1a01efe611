import assert from "node:assert/strict";
import { ConfigurationError } from "@/config/mod.ts";
import { updateYamlFile } from "@/config/store.ts";
import { TestDirectory } from "./directory.ts";

const WRITER = new URL("./store_writer.ts", import.meta.url).pathname;

function startWriter(...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-read", "--allow-write", "--allow-env", "--no-check", WRITER, ...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

Deno.test("an update keeps comments, order and references to the environment", async () => {
  using directory = new TestDirectory({
    "users.cfg": "# who\nbob:\n  name: ${BOB} # first\n# second\nann:\n  name: Ann\n  view: [ann]\n",
  });
  await updateYamlFile(
    directory.file("users.cfg"),
    (document) => document.setIn(["bob", "password"], "$argon2id$x"),
  );
  assert.equal(
    directory.read("users.cfg"),
    "# who\nbob:\n  name: ${BOB} # first\n  password: $argon2id$x\n# second\nann:\n  name: Ann\n  view: [ ann ]\n",
  );
});

Deno.test("a file that is not there is made, for its owner only", async () => {
  using directory = new TestDirectory();
  await updateYamlFile(directory.file("users.cfg"), (document) => document.setIn(["ann", "name"], "Ann"));
  assert.equal(directory.read("users.cfg"), "ann:\n  name: Ann\n");
  assert.equal((Deno.statSync(directory.file("users.cfg")).mode ?? 0) & 0o777, 0o600);
});

Deno.test("an update keeps the file's mode and its symbolic link", async () => {
  using directory = new TestDirectory({ "real.cfg": "a: 1\n" });
  Deno.chmodSync(directory.file("real.cfg"), 0o640);
  Deno.symlinkSync("real.cfg", directory.file("users.cfg"));
  await updateYamlFile(directory.file("users.cfg"), (document) => document.setIn(["b"], 2));
  assert.ok(Deno.lstatSync(directory.file("users.cfg")).isSymlink);
  assert.equal(directory.read("real.cfg"), "a: 1\nb: 2\n");
  assert.equal((Deno.statSync(directory.file("real.cfg")).mode ?? 0) & 0o777, 0o640);
});

Deno.test("a file is written where directories cannot be flushed, as on some network shares", async () => {
  using directory = new TestDirectory({ "users.cfg": "a: 1\n" });
  const { sync } = Deno.FsFile.prototype;
  Deno.FsFile.prototype.sync = async function () {
    if ((await this.stat()).isDirectory) throw new TypeError("Invalid argument (os error 22)");
    await sync.call(this);
  };
  try {
    assert.equal(
      await updateYamlFile(directory.file("users.cfg"), (document) => document.setIn(["b"], 2)),
      true,
    );
  } finally {
    Deno.FsFile.prototype.sync = sync;
  }
  assert.equal(directory.read("users.cfg"), "a: 1\nb: 2\n");
});

const SOMEBODY = 65_534;

Deno.test({
  name: "what root changes stays the file of its owner, and so does the lock",
  ignore: Deno.uid() !== 0,
  async fn() {
    using directory = new TestDirectory({ "users.cfg": "a: 1\n" });
    const ownerOf = (name: string) => Deno.statSync(directory.file(name)).uid;
    Deno.chownSync(directory.file("users.cfg"), SOMEBODY, SOMEBODY);
    await updateYamlFile(directory.file("users.cfg"), (document) => document.setIn(["b"], 2));
    assert.equal(directory.read("users.cfg"), "a: 1\nb: 2\n");
    assert.deepEqual([ownerOf("users.cfg"), ownerOf("users.cfg.lock")], [SOMEBODY, SOMEBODY]);
    Deno.chownSync(directory.path, SOMEBODY, SOMEBODY);
    await updateYamlFile(directory.file("new.cfg"), (document) => document.setIn(["a"], 1));
    assert.deepEqual([ownerOf("new.cfg"), ownerOf("new.cfg.lock")], [SOMEBODY, SOMEBODY]);
  },
});

Deno.test({
  name: "attack: the owner of a directory gets no file of root by a link in place of the lock",
  ignore: Deno.uid() !== 0,
  async fn() {
    using directory = new TestDirectory({ "users.cfg": "a: 1\n", "other": "" });
    Deno.chownSync(directory.file("users.cfg"), SOMEBODY, SOMEBODY);
    Deno.symlinkSync(directory.file("other"), directory.file("users.cfg.lock"));
    await updateYamlFile(directory.file("users.cfg"), (document) => document.setIn(["b"], 2));
    assert.equal(Deno.statSync(directory.file("other")).uid, 0);
  },
});

Deno.test("a file that is no YAML is left as it is", async () => {
  using directory = new TestDirectory({ "users.cfg": "a: [hush" });
  const file = directory.file("users.cfg");
  await assert.rejects(updateYamlFile(file, () => {}), (error) => {
    assert.ok(error instanceof ConfigurationError);
    assert.equal(error.complaints[0]?.file, file);
    assert.ok(!error.message.includes("hush"));
    return true;
  });
  assert.equal(directory.read("users.cfg"), "a: [hush");
});

Deno.test("a file that is no UTF-8 is left as it is: a change would spoil what it cannot read", async () => {
  using directory = new TestDirectory();
  const path = directory.file("users.cfg");
  const bytes = new Uint8Array(
    [..."public: {name: M"].map((letter) => letter.charCodeAt(0)).concat(0xfc, 0x7d, 0x0a),
  );
  Deno.writeFileSync(path, bytes);
  await assert.rejects(
    updateYamlFile(path, (document) => document.setIn(["ann"], {})),
    { complaints: [{ file: path, key: "", message: "Expected UTF-8 text, found other bytes" }] },
  );
  assert.deepEqual(Deno.readFileSync(path), bytes);
});

Deno.test("a change that fails leaves the file as it is and gives the lock back", async () => {
  using directory = new TestDirectory({ "users.cfg": "a: 1\n" });
  const fail = (document: { setIn(path: Iterable<unknown>, value: unknown): void }) => {
    document.setIn(["a"], 2);
    throw new RangeError("No");
  };
  await assert.rejects(updateYamlFile(directory.file("users.cfg"), fail), RangeError);
  assert.equal(directory.read("users.cfg"), "a: 1\n");
  await updateYamlFile(directory.file("users.cfg"), (document) => document.setIn(["a"], 3));
  assert.equal(directory.read("users.cfg"), "a: 3\n");
});

Deno.test("what an interrupted write left behind is replaced", async () => {
  using directory = new TestDirectory({
    "users.cfg": "a: 1\n",
    ".users.cfg.tmp": "half",
    "users.cfg.lock": "",
  });
  await updateYamlFile(directory.file("users.cfg"), (document) => document.setIn(["a"], 2));
  assert.equal(directory.read("users.cfg"), "a: 2\n");
  assert.deepEqual([...Deno.readDirSync(directory.path)].map(({ name }) => name).toSorted(), [
    "regular-initial",
    "users.cfg",
    "users.cfg.lock",
  ]);
});

Deno.test("updates within one process wait for each other", async () => {
  using directory = new TestDirectory({ "users.cfg": "" });
  const keys = Array.from({ length: 10 }, (_, index) => `key${index}`);
  await Promise.all(
    keys.map((key) => updateYamlFile(directory.file("users.cfg"), (document) => document.setIn([key], 1))),
  );
  assert.deepEqual(directory.read("users.cfg").trim().split("\n").toSorted(), keys.map((key) => `${key}: 1`));
});

Deno.test("two processes that write at the same time lose nothing", async () => {
  using directory = new TestDirectory({ "users.cfg": "# kept\n" });
  const writers = ["a", "b"].map((name) => startWriter(directory.file("users.cfg"), name, "25"));
  const results = await Promise.all(writers.map((writer) => writer.output()));
  assert.deepEqual(results.map(({ code }) => code), [0, 0]);
  const lines = directory.read("users.cfg").trim().split("\n");
  const expected = ["a", "b"].flatMap((name) =>
    Array.from({ length: 25 }, (_, index) => `${name}${index}: 1`)
  );
  assert.deepEqual(
    lines.filter((line) => !line.startsWith("#") && line !== "").toSorted(),
    expected.toSorted(),
  );
  assert.equal(lines[0], "# kept");
});

Deno.test("a process that is killed while it writes leaves a whole file and no lock", async () => {
  using directory = new TestDirectory({ "users.cfg": "" });
  const file = directory.file("users.cfg");
  const writer = startWriter(file, "a", "100000");
  const reader = writer.stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "writing\n");
  writer.kill("SIGKILL");
  await writer.status;
  await reader.cancel();
  await updateYamlFile(file, (document) => document.setIn(["after"], 1));
  const lines = directory.read("users.cfg").trim().split("\n");
  assert.equal(lines.at(-1), "after: 1");
  assert.deepEqual(lines.slice(0, -1), lines.slice(0, -1).map((_, index) => `a${index}: 1`));
});

Deno.test("an update waits while somebody writes the file, and keeps all of it", async () => {
  using directory = new TestDirectory();
  const path = directory.file("users.cfg");
  Deno.writeTextFileSync(path, "ann: {}\n");
  const changed = Deno.statSync(path).mtime?.getTime() ?? 0;
  let now = changed + 999;
  const asked = Promise.withResolvers<void>();
  const update = updateYamlFile(path, {
    change: (document) => document.setIn(["cleo"], 1),
    now: () => {
      asked.resolve();
      return now;
    },
  });
  await asked.promise;
  Deno.writeTextFileSync(path, "ann: {}\nbob: {}\n");
  Deno.utimeSync(path, changed / 1000, changed / 1000);
  now = changed + 1000;
  await update;
  assert.equal(directory.read("users.cfg"), "ann: {}\nbob: {}\ncleo: 1\n");
});

Deno.test("a clock that was set back holds up no update", async () => {
  using directory = new TestDirectory();
  const path = directory.file("users.cfg");
  Deno.writeTextFileSync(path, "ann: {}\n");
  const before = Date.now();
  await updateYamlFile(path, {
    change: (document) => document.setIn(["bob"], 1),
    now: () => before - 3_600_000,
  });
  assert.ok(Date.now() - before < 5000);
});

Deno.test("an update of a file that changes under its hands is refused, and leaves what the other wrote", async () => {
  using directory = new TestDirectory({ "users.cfg": "ann: {}\n" });
  const path = directory.file("users.cfg");
  const update = updateYamlFile(path, {
    change: (document) => document.setIn(["bob"], 1),
    verify: () => Deno.writeTextFileSync(path, "ann: {}\ncleo: {}\n"),
  });
  await assert.rejects(update, /has just been changed by others/);
  assert.equal(directory.read("users.cfg"), "ann: {}\ncleo: {}\n");
});
