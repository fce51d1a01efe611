import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hashPlainSecrets, loadConfiguration } from "@/config/mod.ts";
import { hashPassword, verifyPassword } from "@/core/identity/passwords.ts";
import { LONG_AGO } from "./directory.ts";
import { settingsOf } from "@/tests/unit/core/settings_of.ts";

const KEY = "0123456789abcdef0123456789abcdef";
/** Made with `printf %s 0123456789abcdef0123456789abcdef | sha256sum`. */
const HASHED = "$sha256$3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9";
const ARGON2 = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$VQWKvaTsjJ0LpMNkkCUaVg";

class UsersFile implements Disposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  readonly path = join(this.directory, "users.cfg");
  readonly settings = settingsOf({ users_path: this.path, "argon2.memory_cost": 8, "argon2.time_cost": 1 });

  constructor(text: string) {
    Deno.writeTextFileSync(this.path, text);
    Deno.utimeSync(this.path, LONG_AGO, LONG_AGO);
    Deno.writeTextFileSync(join(this.directory, "regular-initial"), "");
  }

  get text(): string {
    return Deno.readTextFileSync(this.path);
  }

  hash(text = existsSync(this.path) ? this.text : ""): Promise<number> {
    return hashPlainSecrets({ settings: this.settings, texts: new Map([[this.path, text]]) });
  }

  load(environment: Readonly<Record<string, string>> = {}) {
    const { directory } = this;
    return loadConfiguration({ config: directory, state: directory, log: directory }, environment);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}

Deno.test("plain passwords and keys are replaced by their hashes, and everything else stays", async () => {
  using file = new UsersFile(`# People
anna:
  name: Anna
  password: walrus-teapot # to be changed
  apikey: ${KEY}
bert: {user_id: bert, password: "smørrebrød: 1", api_key: "${KEY}-2"}
`);
  const before = file.load().users;
  assert.equal(await file.hash(), 4);
  const { text } = file;
  assert.match(
    text,
    /^# People\nanna:\n {2}name: Anna\n {2}password: \$argon2id\$v=19\$m=8,t=1,p=1\$\S+ # to be changed\n/,
  );
  for (const secret of ["walrus", "smørrebrød", KEY]) assert.equal(text.includes(secret), false);
  const { users } = file.load();
  assert.equal(await verifyPassword(users.get("anna")?.password ?? "", "walrus-teapot"), true);
  assert.equal(await verifyPassword(users.get("bert")?.password ?? "", "smørrebrød: 1"), true);
  for (const login of ["anna", "bert"]) {
    assert.equal(users.get(login)?.apikeyHash, before.get(login)?.apikeyHash);
    assert.notEqual(users.get(login)?.apikeyHash, undefined);
  }
});

Deno.test("a file without plain secrets is not touched, however it is written", async () => {
  const text = `anna:   {password: ${ARGON2},
   apikey:    "${HASHED}"}
bert: {password: ""}
cleo: {password: ~, apikey: ~}
`;
  using file = new UsersFile(text);
  assert.equal(await file.hash(), 0);
  assert.equal(file.text, text);
});

Deno.test("what comes from the environment stays a reference", async () => {
  const text = "anna: {password: '${SECRET}', apikey: 'prefix-${KEY}-0123456789abcdef0123456789'}\n";
  using file = new UsersFile(text);
  assert.equal(await file.hash(), 0);
  assert.equal(file.text, text);
});

Deno.test("a password with the characters of a reference in it is hashed as it is meant", async () => {
  using file = new UsersFile("anna: {password: 'a$${b}c'}\n");
  assert.equal(await file.hash(), 1);
  assert.equal(await verifyPassword(file.load().users.get("anna")?.password ?? "", "a${b}c"), true);
});

Deno.test("a file that is missing or empty has nothing to hash", async () => {
  using file = new UsersFile("");
  assert.equal(await file.hash(), 0);
  Deno.removeSync(file.path);
  assert.equal(await file.hash(), 0);
});

Deno.test("what is no text is left to be complained about", async () => {
  using file = new UsersFile("anna: {password: 7, apikey: [a]}\nbert: 3\n");
  assert.equal(await file.hash(), 0);
});

Deno.test("a file that has changed since it was read is left alone", async () => {
  const text = "anna: {password: walrus}\nbert: {password: kettle}\n";
  using file = new UsersFile(text);
  assert.equal(await file.hash("anna: {password: walrus}\n"), 0);
  assert.equal(file.text, text);
  assert.equal(existsSync(`${file.path}~`), false);
});

Deno.test("in a long file only the lines with plain secrets change", async () => {
  const entries = Array.from({ length: 600 }, (_, index) => {
    const key = index % 3 === 0 ? `  apikey: plain-${index} # of a program\n` : "";
    return `# user ${index}\nu${index}:\n  name: "User ${index}"\n${key}  databases: { Demo: {} }\n${
      index % 5 === 0 ? "\n\n" : ""
    }`;
  });
  const text = `# all users\n\nadmin: {}\n${entries.join("")}`;
  using users = new UsersFile(text);
  assert.ok(text.length > 32_768);
  assert.equal(await users.hash(), 200);
  const [before, after] = [text.split("\n"), users.text.split("\n")];
  assert.equal(after.length, before.length);
  for (const [at, line] of before.entries()) {
    if (line.includes("apikey:")) {
      assert.match(after[at] ?? "", /^ {2}apikey: \$sha256\$[0-9a-f]{64} # of a program$/);
    } else assert.equal(after[at], line);
  }
});

Deno.test("logins go on while many passwords are hashed", async () => {
  const people = Array.from(
    { length: 300 },
    (_, index) => `user${index}: {password: walrus-teapot-${index}}\n`,
  );
  using file = new UsersFile(people.join(""));
  const stored = await hashPassword("walrus-kettle", { memoryCost: 8, timeCost: 1 });
  const hashed = file.hash();
  await Promise.resolve();
  assert.equal(await verifyPassword(stored, "walrus-kettle"), true);
  assert.equal(await hashed, 300);
});
