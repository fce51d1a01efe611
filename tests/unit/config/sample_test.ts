import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { writeSample } from "@/config/sample.ts";
import { TestDirectory } from "./directory.ts";

const ALL = ["auth.cfg", "databases.cfg", "querydefs.cfg", "regular-initial", "service.ini", "users.cfg"];

Deno.test("the sample configuration is complete and without complaint or warning", async () => {
  using directory = new TestDirectory();
  const written = await writeSample(directory.path);
  assert.deepEqual(written.map((path) => basename(path)).toSorted(), ALL);
  assert.ok(written.every((path) => path.startsWith(directory.path)));
  const { authentication, databases, users, queries, warnings } = directory.load();
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    authentication.filter(({ enabled }) => enabled).map(({ name, priority }) => [name, priority]),
    [
      ["apikey", 1],
      ["basic", 2],
      ["login_form", 5],
      ["cookie", 6],
    ],
  );
  assert.equal(databases.get("Demo")?.dbName, "/var/state/demo.db");
  assert.deepEqual(users.get("public")?.databases.get("Demo")?.access, new Map([["*", new Set(["read"])]]));
  assert.equal(users.get("admin")?.password, undefined);
  assert.deepEqual([...users.get("admin")?.databases.keys() ?? []], ["Demo"]);
  assert.deepEqual([...queries.keys()], ["bookings-by-year"]);
});

Deno.test("the sample's service.ini changes only yield_per, also with every example switched on", async () => {
  using plain = new TestDirectory();
  using sample = new TestDirectory();
  await writeSample(sample.path);
  const relative = (directory: TestDirectory) =>
    JSON.stringify(directory.load().settings).replaceAll(directory.path, "{config}");
  const { "orm_sdb.yield_per": yieldPer } = sample.load().settings;
  assert.equal(yieldPer, 10, "as the specification says of the sample");
  Deno.writeTextFileSync(plain.file("service.ini"), "[service]\norm_sdb.yield_per = 10\n");
  assert.equal(relative(sample), relative(plain));
  const examples = sample.read("service.ini").replaceAll(/^; (?=[a-zA-Z_.]+ =)/gm, "");
  assert.match(examples, /^db\.Demo\.limit = 1000$/m);
  Deno.writeTextFileSync(sample.file("service.ini"), examples);
  assert.equal(relative(sample), relative(plain));
});

for (const name of ["service.ini", "databases.cfg", "users.cfg"]) {
  Deno.test(`the sample's ${name} is for its owner only`, async () => {
    using directory = new TestDirectory();
    await writeSample(directory.path);
    assert.equal((Deno.statSync(directory.file(name)).mode ?? 0) & 0o777, 0o600);
  });
}

Deno.test("files that are there are left alone", async () => {
  using directory = new TestDirectory({ "databases.cfg": "# mine\n" });
  const written = await writeSample(directory.path);
  assert.ok(!written.includes(directory.file("databases.cfg")));
  assert.equal(directory.read("databases.cfg"), "# mine\n");
  assert.deepEqual(await writeSample(directory.path), []);
});

Deno.test("the first run does not start again when users are defined", async () => {
  using directory = new TestDirectory({ "users.cfg": "admin: {}\n" });
  const written = await writeSample(directory.path);
  assert.deepEqual(written.map((path) => basename(path)).toSorted(), [
    "auth.cfg",
    "databases.cfg",
    "querydefs.cfg",
    "service.ini",
  ]);
});

Deno.test("a directory that is not there is made", async () => {
  using directory = new TestDirectory();
  const written = await writeSample(join(directory.path, "a", "b"));
  assert.equal(written.length, ALL.length);
});
