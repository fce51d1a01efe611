import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { completeFirstRun, isFirstRun } from "@/config/mod.ts";

const DETAILS = { password: "$argon2id$hash", name: "Ada Lovelace", email: "ada@example.com" };

class Home implements Disposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  readonly paths = {
    initial_state_path: join(this.directory, "regular-initial"),
    users_path: join(this.directory, "users.cfg"),
  };

  constructor(users?: string) {
    Deno.writeTextFileSync(this.paths.initial_state_path, "first run");
    if (users !== undefined) Deno.writeTextFileSync(this.paths.users_path, users);
    if (users !== undefined) Deno.utimeSync(this.paths.users_path, 0, 0);
  }

  get users(): string {
    return Deno.readTextFileSync(this.paths.users_path);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}

const ADMIN = "name: Ada Lovelace\n  password: $argon2id$hash\n  email: ada@example.com\n";
const FILES: readonly (readonly [what: string, users: string | undefined, after: RegExp])[] = [
  [
    "a file with admin",
    "admin:\n  name: Administrator # later\n",
    /^admin:\n {2}name: Ada Lovelace # later\n/,
  ],
  ["a file whose admin is empty", "public: {}\nadmin:\n", /^public: \{\}\nadmin:\n? /],
  ["a file without admin", "# people\npublic: {}\n", /^# people\npublic: \{\}\nadmin:\n/],
  ["no file", undefined, /^admin:\n/],
];

for (const [what, users, after] of FILES) {
  Deno.test(`${what} has the details of admin after the first run`, async () => {
    using home = new Home(users);
    assert.equal(isFirstRun(home.paths), true);
    assert.equal(await completeFirstRun(home.paths, DETAILS), true);
    assert.equal(isFirstRun(home.paths), false);
    assert.match(home.users, after);
    for (const line of ADMIN.trim().split(/\n\s*/)) {
      assert.equal(home.users.includes(line.split(" #", 1)[0] ?? ""), true);
    }
    assert.deepEqual(
      [...Deno.readDirSync(home.directory)].map(({ name }) => name).filter((name) =>
        name.includes("initial")
      ),
      [],
    );
  });
}

Deno.test("of several who end the first run at once one succeeds", async () => {
  using home = new Home("admin: {}\n");
  const names = Array.from({ length: 10 }, (_, index) => `Person ${index}`);
  const results = await Promise.all(names.map((name) => completeFirstRun(home.paths, { ...DETAILS, name })));
  assert.equal(results.filter((succeeded) => succeeded).length, 1);
  const winner = names[results.indexOf(true)] ?? "";
  assert.equal(home.users.includes(winner), true);
});

Deno.test("a password that is in the file by now stays, and ends the first run", async () => {
  using home = new Home("admin: {password: chosen-by-hand}\n");
  assert.equal(await completeFirstRun(home.paths, DETAILS), false);
  assert.equal(isFirstRun(home.paths), false);
  assert.equal(home.users, "admin: {password: chosen-by-hand}\n");
});

Deno.test("the first run goes on when the details cannot be stored", async () => {
  using home = new Home("admin: [\n");
  await assert.rejects(completeFirstRun(home.paths, DETAILS), /users\.cfg/);
  assert.equal(existsSync(home.paths.initial_state_path), true);
  assert.equal(home.users, "admin: [\n");
});

Deno.test("a mark that cannot be removed, as in a directory that is only read, fails nothing", async () => {
  using home = new Home("admin: {}\n");
  Deno.removeSync(home.paths.initial_state_path);
  // Refused to root, too.
  Deno.mkdirSync(join(home.paths.initial_state_path, "full"), { recursive: true });
  assert.equal(await completeFirstRun(home.paths, DETAILS), true);
  assert.equal(await completeFirstRun(home.paths, DETAILS), false);
});
