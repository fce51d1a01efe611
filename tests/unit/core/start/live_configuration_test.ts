import assert from "node:assert/strict";
import { type Environment, hashCost, loadConfiguration, replacePassword } from "@/config/mod.ts";
import { createService, type RunningService } from "@/core/start/create_service.ts";
import { hashPassword, verifyPassword } from "@/core/identity/passwords.ts";
import json from "@/formats/json/mod.ts";
import { QUIET } from "@/tests/unit/core/quiet_service.ts";
import { LONG_AGO, TestDirectory } from "@/tests/unit/config/directory.ts";

/**
 * A service that follows the files of a directory; looks are taken by the test,
 * and time passes when it says so.
 */
class Followed implements AsyncDisposable {
  readonly messages: string[] = [];
  #now = Date.parse("2030-01-01T00:00:00Z");

  private constructor(readonly directory: TestDirectory, readonly running: RunningService | undefined) {}

  static async start(
    directory: TestDirectory,
    environment: Environment = {},
  ): Promise<Followed & { readonly running: RunningService }> {
    const followed = new Followed(directory, undefined);
    const note = (message: string) => void followed.messages.push(message);
    const places = { config: directory.path, state: directory.path, log: directory.path };
    const running = await createService({
      ...QUIET,
      configuration: loadConfiguration(places, {}),
      environment,
      log: { info: note, warn: note, error: note },
      now: () => followed.#now,
      plugins: [json],
    });
    return Object.assign(followed, { running });
  }

  get logins(): readonly string[] {
    return [...this.running?.service.users.keys() ?? []];
  }

  get users(): string {
    return this.directory.read("users.cfg");
  }

  write(text: string, name = "users.cfg"): void {
    Deno.writeTextFileSync(this.directory.file(name), text);
    // No update waits for the clock of the machine.
    Deno.utimeSync(this.directory.file(name), LONG_AGO, LONG_AGO);
  }

  /** Advances the clock and runs one check. */
  async after(seconds: number): Promise<void> {
    this.#now += seconds * 1000;
    await this.running?.look();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running?.[Symbol.asyncDispose]();
  }
}

/** Hashes that cost next to nothing. */
const CHEAP = "[service]\nargon2.memory_cost = 8\nargon2.time_cost = 1\n";

Deno.test("what is changed while the service starts is in force when it has started", async () => {
  using directory = new TestDirectory({ "users.cfg": "ann: {}\nbob: {}\n" });
  await using followed = await Followed.start(directory);
  followed.write("ann: {}\nbob: {enabled: false}\ncleo: {}\n");
  assert.deepEqual(followed.logins, ["ann", "bob"]);
  await followed.running.watch();
  assert.deepEqual(followed.logins, ["ann", "cleo"]);
  assert.equal(followed.running.service.files.reloads, 1);
});

Deno.test("a start without changes puts nothing in force anew", async () => {
  using directory = new TestDirectory({ "users.cfg": "ann: {}\n" });
  await using followed = await Followed.start(directory);
  const { service } = followed.running;
  await followed.running.watch();
  assert.equal(followed.running.service, service);
  assert.equal(service.files.reloads, 0);
});

Deno.test("a file that was broken while the service started changes nothing but the log", async () => {
  using directory = new TestDirectory({ "users.cfg": "ann: {}\n" });
  await using followed = await Followed.start(directory);
  followed.write("ann: {passwrd: x}\n");
  await followed.running.watch();
  assert.deepEqual(followed.logins, ["ann"]);
  assert.equal(followed.messages.length, 1);
  assert.match(followed.messages[0] ?? "", /is not used: .*users\.cfg: ann\.passwrd: Unknown member/);
});

Deno.test("a dialect that there is not is told with the file and the database that names it", async () => {
  using directory = new TestDirectory({ "users.cfg": "ann: {}\n" });
  await using followed = await Followed.start(directory);
  followed.write("Shop: {db_type: postgresq, db_name: shop}\n", "databases.cfg");
  await followed.running.watch();
  assert.equal(followed.messages.length, 1);
  assert.match(
    followed.messages[0] ?? "",
    /databases\.cfg: Shop\.db_type: There is no dialect "postgresq" .*"postgresql"\?$/,
  );
});

Deno.test("a file is used when it has not changed for a second, and not while it is being copied", async () => {
  using directory = new TestDirectory({ "users.cfg": "admin: {}\nann: {}\nbob: {}\n" });
  await using followed = await Followed.start(directory);
  await followed.after(0);
  for (const part of ["admin: {}\n", "admin: {}\nann: {}\n", "admin: {}\nann: {}\ncleo: {}\n"]) {
    followed.write(part);
    await followed.after(0);
    await followed.after(0.9);
    assert.deepEqual(followed.logins, ["admin", "ann", "bob"]);
  }
  await followed.after(0.1);
  assert.deepEqual(followed.logins, ["admin", "ann", "cleo"]);
  assert.deepEqual(followed.messages, []);
});

Deno.test("attack: a file that begins to be copied while the files are read counts with its old content", async () => {
  const copied = "admin: {}\nann:\n  databases:\n    Demo:\n      dbuser: ann\n";
  const [before, after] = ["read", "create"].map((right) => `${copied}      access: {Port: [${right}]}\n`);
  using directory = new TestDirectory({ "users.cfg": before ?? "" });
  let meanwhile: (() => void) | undefined;
  // Read after the files were looked at, and before their content is read.
  const environment = {
    get HOOK() {
      meanwhile?.();
      return "";
    },
  };
  await using followed = await Followed.start(directory, environment);
  await followed.after(0);
  const rights = () => followed.running.service.users.get("ann")?.databases.get("Demo")?.access?.get("Port");
  followed.write("# Another file changes.\n", "querydefs.cfg");
  await followed.after(0);
  meanwhile = () => followed.write(copied);
  await followed.after(1);
  assert.deepEqual(rights(), new Set(["read"]));
  assert.equal(followed.running.service.files.reloads, 1);
  meanwhile = undefined;
  followed.write(after ?? "");
  await followed.after(0.9);
  assert.deepEqual(rights(), new Set(["read"]));
  await followed.after(1);
  assert.deepEqual(rights(), new Set(["create"]));
  assert.doesNotMatch(followed.messages.join(), /is not used/);
});

Deno.test("what the service writes itself is in force at once, and no file that is half-way with it", async () => {
  using directory = new TestDirectory({ "users.cfg": "admin: {}\nann: {password: $argon2id$x}\n" });
  await using followed = await Followed.start(directory);
  await followed.after(0);
  const { settings, files } = followed.running.service;
  followed.write("Half: {db_type: sql", "databases.cfg");
  await replacePassword(settings, { login: "ann", password: "$argon2id$x", hash: "$argon2id$y" });
  await files.refresh();
  assert.equal(followed.running.service.users.get("ann")?.password, "$argon2id$y");
  assert.deepEqual(followed.messages, []);
  await followed.after(1);
  assert.match(followed.messages.join(), /databases\.cfg: Line 1/);
});

const LOCKED_OUT: readonly (readonly [what: string, text: string, complaint: RegExp])[] = [
  ["empty", "", /users\.cfg: Expected a user "admin", found nobody at all$/],
  ["only a comment", "# later\n", /users\.cfg: Expected a user "admin", found nobody at all$/],
  ["without admin", "ann: {}\n", /users\.cfg: Expected a user "admin", found only others$/],
];

for (const [what, text, complaint] of LOCKED_OUT) {
  Deno.test(`a users.cfg that is ${what} is a complaint and changes nothing`, async () => {
    using directory = new TestDirectory({ "users.cfg": "admin: {}\nann: {}\n" });
    await using followed = await Followed.start(directory);
    await followed.after(0);
    followed.write(text);
    await followed.after(0);
    await followed.after(1);
    assert.deepEqual(followed.logins, ["admin", "ann"]);
    assert.equal(followed.messages.length, 1);
    assert.match(followed.messages[0] ?? "", complaint);
  });
}

Deno.test("of many complaints twenty are told, and how many more there are", async () => {
  using directory = new TestDirectory({ "users.cfg": "admin: {}\n" });
  await using followed = await Followed.start(directory);
  await followed.after(0);
  followed.write(Array.from({ length: 500 }, (_, index) => `u${index}: {colour: red}\n`).join(""));
  await followed.after(0);
  await followed.after(1);
  assert.equal(followed.messages.length, 21);
  assert.equal(followed.running.service.files.complaints.length, 21);
  assert.match(followed.messages[20] ?? "", /There are 480 more: main\.ts check tells all of them$/);
});

Deno.test("plain passwords are hashed ten seconds after the last change, and no file keeps them", async () => {
  using directory = new TestDirectory({ "service.ini": CHEAP, "users.cfg": "admin: {}\n" });
  await using followed = await Followed.start(directory);
  await followed.after(0);
  const plain = "admin: {}\nann: {password: walrus-teapot}\n";
  followed.write(plain);
  Deno.chmodSync(directory.file("users.cfg"), 0o640);
  await followed.after(0);
  await followed.after(1);
  assert.equal(followed.running.service.users.get("ann")?.password, "walrus-teapot");
  await followed.after(8.9);
  assert.equal(followed.users, plain);
  await followed.after(0.1);
  assert.match(followed.users, /^admin: \{\}\nann: \{ ?password: "?\$argon2id\$/);
  const stored = followed.running.service.users.get("ann")?.password ?? "";
  assert.equal(await verifyPassword(stored, "walrus-teapot"), true);
  assert.equal((Deno.statSync(directory.file("users.cfg")).mode ?? 0) & 0o777, 0o640);
  const files = [...Deno.readDirSync(directory.path)].filter(({ isFile }) => isFile);
  for (const { name } of files) assert.doesNotMatch(directory.read(name), /walrus/, name);
  assert.match(followed.messages.join(), /are hashed now$/);
});

Deno.test("a copy that begins anew within ten seconds puts the hashing off, and nothing of it is lost", async () => {
  using directory = new TestDirectory({ "service.ini": CHEAP, "users.cfg": "admin: {}\n" });
  await using followed = await Followed.start(directory);
  await followed.after(0);
  const parts = ["admin: {}\nann: {password: walrus-teapot}\n", "bob: {password: walrus-kettle}\n"];
  using copy = Deno.openSync(directory.file("users.cfg"), { write: true, truncate: true });
  copy.writeSync(new TextEncoder().encode(parts[0] ?? ""));
  await followed.after(0);
  await followed.after(9);
  copy.writeSync(new TextEncoder().encode(parts[1] ?? ""));
  await followed.after(1);
  await followed.after(9);
  assert.equal(followed.users, parts.join(""));
  assert.deepEqual(followed.logins, ["admin", "ann", "bob"]);
  Deno.utimeSync(directory.file("users.cfg"), LONG_AGO, LONG_AGO);
  await followed.after(1);
  assert.doesNotMatch(followed.users, /walrus/);
});

/** Opens a session of ann, whose plain password the configuration then replaces by its hash. */
async function openBeforeHashing(
  followed: Awaited<ReturnType<typeof Followed.start>>,
  method: string,
) {
  await followed.after(0);
  const { service } = followed.running;
  const ann = service.users.get("ann") ?? assert.fail("There is no ann");
  const { ticket } = await service.sessions.open(ann, { method });
  await followed.after(10);
  assert.doesNotMatch(followed.users, /walrus/);
  return { service, ticket };
}

Deno.test("a session goes on when the password that opened it is only hashed", async () => {
  using directory = new TestDirectory({
    "service.ini": CHEAP,
    "users.cfg": "admin: {}\nann: {password: walrus-teapot}\n",
  });
  const now = Date.parse("2030-01-01T00:00:00Z") / 1000;
  Deno.utimeSync(directory.file("users.cfg"), now, now);
  await using followed = await Followed.start(directory);
  const { service, ticket } = await openBeforeHashing(followed, "login_form");
  assert.equal((await service.sessions.resume(ticket))?.user.login, "ann");
  const hash = await hashPassword("another", hashCost(service.settings));
  const password = followed.running.service.users.get("ann")?.password ?? "";
  await replacePassword(service.settings, { login: "ann", password, hash });
  await followed.after(0);
  assert.equal(await service.sessions.resume(ticket), undefined);
});

Deno.test("a session that a key opened ends with the key, also if the password was hashed since", async () => {
  const [first, second] = ["a".repeat(32), "b".repeat(32)];
  using directory = new TestDirectory({
    "service.ini": CHEAP,
    "users.cfg": `admin: {}\nann: {password: walrus-teapot, apikey: ${first}}\n`,
  });
  const now = Date.parse("2030-01-01T00:00:00Z") / 1000;
  Deno.utimeSync(directory.file("users.cfg"), now, now);
  await using followed = await Followed.start(directory);
  const { service, ticket } = await openBeforeHashing(followed, "apikey");
  followed.write(followed.users.replace(/"?\$sha256\$\w+"?/, second));
  await followed.after(0);
  await followed.after(1);
  assert.equal(await service.sessions.resume(ticket), undefined);
});
