import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openSessionFiles, type SessionFilesOptions } from "@/core/identity/sessions/session_files.ts";
import type { Session } from "@/core/identity/sessions/store.ts";
import { randomToken } from "@/core/identity/sessions/secret.ts";
import { TicketStore } from "@/core/identity/sessions/ticket_store.ts";
import { Clock } from "@/tests/conformance/session_place.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import { ROOT } from "@/tests/support/root.ts";

function sessionOf(login: string, { now }: Clock, lives = 60_000): Session {
  const at = now();
  return {
    id: randomToken(16),
    login,
    method: "basic",
    createdAt: at,
    lastSeenAt: at,
    issuedAt: at,
    expiresAt: at + lives,
    csrfToken: "c",
    fingerprint: "f",
  };
}

/** Milliseconds of the longest session. */
const ABSOLUTE = 20_000_000;

/** The store of one process, and its files. */
class FileStore extends TicketStore {
  constructor(readonly files: Awaited<ReturnType<typeof openSessionFiles>>, now: () => number) {
    super({ cache: files, now, absolute: ABSOLUTE });
  }

  swept(): Promise<void> {
    return this.files.swept();
  }
}

async function open(directory: TestDirectory, clock: Clock, changes: Partial<SessionFilesOptions> = {}) {
  const files = await openSessionFiles({
    dataDirectory: directory.file("data"),
    lockDirectory: directory.file("lock"),
    now: clock.now,
    log: { info: () => {}, warn: () => {}, error: (line) => assert.fail(line) },
    ...changes,
  });
  return new FileStore(files, clock.now);
}

/** Paths of session files below the data directory, without the words of users. */
function filesOf(directory: TestDirectory): readonly string[] {
  const data = directory.file("data");
  return [...Deno.readDirSync(data)].flatMap(({ name, isDirectory }) =>
    isDirectory ? [...Deno.readDirSync(join(data, name))].map((file) => join(data, name, file.name)) : []
  ).filter((path) => !path.endsWith("word"));
}

Deno.test("session files and their directories are for their owner only", async () => {
  using directory = new TestDirectory();
  await using store = await open(directory, new Clock());
  await store.create(sessionOf("anna", new Clock()));
  const [file = ""] = filesOf(directory);
  const modeOf = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;
  assert.equal(modeOf(file), 0o600);
  assert.equal(modeOf(join(file, "..")), 0o700);
  assert.equal(modeOf(directory.file("data")), 0o700);
  assert.equal(modeOf(directory.file("lock")), 0o700);
});

Deno.test("names of session files are hashes and no part of a ticket that opens anything", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  await using store = await open(directory, clock);
  const ticket = await store.create(sessionOf("anna", clock));
  const [file = ""] = filesOf(directory);
  assert.match(file, /\/[0-9a-f]{32}\/[0-9a-f]{64}$/);
  const [, id = "", secret = ""] = ticket.split(".");
  assert.equal([id, secret, "anna"].some((part) => file.slice(directory.path.length).includes(part)), false);
});

Deno.test("sessions that have ended are swept when others are opened, and nothing else is", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const store = await open(directory, clock);
  await store.create(sessionOf("anna", clock, 1000));
  await store.create(sessionOf("bert", clock, 1000));
  const long = await store.create(sessionOf("bert", clock, 10_000_000));
  Deno.writeTextFileSync(join(directory.file("data"), "README"), "of the operator");
  await store.swept();
  clock.pass(700_000);
  await store.create(sessionOf("carl", clock));
  await store.swept();
  await store[Symbol.asyncDispose]();
  assert.equal(filesOf(directory).length, 2);
  assert.equal(directory.read("data/README"), "of the operator");
  await using again = await open(directory, clock);
  assert.equal((await again.load(long))?.login, "bert");
  clock.pass(ABSOLUTE + 100_000);
  await using later = await open(directory, clock);
  await later.swept();
  assert.deepEqual([...Deno.readDirSync(directory.file("data"))].map(({ name }) => name), ["README"]);
});

Deno.test("what crashes have left behind is swept at the next start", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const store = await open(directory, clock);
  const ticket = await store.create(sessionOf("anna", clock));
  const [file = ""] = filesOf(directory);
  Deno.writeTextFileSync(join(file, "..", ".half.tmp"), '{"sess');
  Deno.writeTextFileSync(join(file, "..", "0".repeat(64)), '{"sess');
  await store[Symbol.asyncDispose]();
  await using next = await open(directory, clock);
  await next.swept();
  assert.deepEqual(filesOf(directory), [file]);
  assert.equal((await next.load(ticket))?.login, "anna");
});

Deno.test("a session file that is broken is no session and fails no request", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  await using store = await open(directory, clock);
  const ticket = await store.create(sessionOf("anna", clock));
  const [file = ""] = filesOf(directory);
  const texts = ["", "{", "null", "[]", "7", '"x"', '{"session":{}}', "\0"];
  for (const text of [...texts, ...texts.map((each) => `9999999999999\n${each}`)]) {
    Deno.writeTextFileSync(file, text);
    assert.equal(await store.load(ticket), undefined, text);
    assert.equal(await store.update(ticket, (session) => ({ session, renew: true })), undefined);
    await store.remove(ticket);
  }
});

Deno.test("a session file of which a part is lost or changed is no session: none goes on for ever", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  await using store = await open(directory, clock);
  const ticket = await store.create(sessionOf("anna", clock));
  const [file = ""] = filesOf(directory);
  const [end = "", ...lines] = Deno.readTextFileSync(file).split("\n");
  const whole = JSON.parse(lines.join("\n"));
  const inside = Object.keys(whole.session);
  assert.equal(inside.length, 9, "all members are tried");
  const damaged = [undefined, null, [], { x: 1 }].flatMap((wrong) => [
    ...inside.map((name) => ({ ...whole, session: { ...whole.session, [name]: wrong } })),
    { ...whole, current: wrong },
    { ...whole, word: wrong },
    ...(wrong === undefined ? [] : [{ ...whole, previous: wrong }, { ...whole, previousUntil: wrong }]),
    { ...whole, session: wrong },
  ]);
  for (const record of damaged) {
    const text = `${end}\n${JSON.stringify(record)}`;
    Deno.writeTextFileSync(file, text);
    assert.equal(await store.load(ticket), undefined, text);
    assert.equal(await store.update(ticket, (session) => ({ session, renew: true })), undefined, text);
  }
  Deno.writeTextFileSync(file, `${end}\n${JSON.stringify(whole)}`);
  assert.equal((await store.load(ticket))?.login, "anna");
});

Deno.test("directories that somebody has removed end the sessions in them, and are made again", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  await using store = await open(directory, clock);
  const ticket = await store.create(sessionOf("anna", clock));
  await store.swept();
  for (const name of ["data", "lock"]) Deno.removeSync(directory.file(name), { recursive: true });
  assert.equal(await store.load(ticket), undefined);
  await store.remove(ticket);
  await store.removeAllOf("anna");
  const next = await store.create(sessionOf("anna", clock));
  assert.equal((await store.load(next))?.login, "anna");
  assert.equal((Deno.statSync(directory.file("lock")).mode ?? 0) & 0o777, 0o700);
});

Deno.test("a user has a limited number of sessions: those that end first make room", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  await using store = await open(directory, clock, { mostPerUser: 3 });
  const first = await store.create(sessionOf("anna", clock, 5000));
  const soon = await store.create(sessionOf("anna", clock, 1000));
  const rest = [await store.create(sessionOf("anna", clock)), await store.create(sessionOf("anna", clock))];
  const ofBert = await store.create(sessionOf("bert", clock, 100));
  const loginOf = async (ticket: string) => (await store.load(ticket))?.login;
  assert.deepEqual(await Promise.all([soon, first, ...rest, ofBert].map(loginOf)), [
    undefined,
    "anna",
    "anna",
    "anna",
    "bert",
  ]);
});

Deno.test("a directory that cannot be made stops the start", async () => {
  using directory = new TestDirectory({ data: "a file" });
  await assert.rejects(open(directory, new Clock()), Deno.errors.AlreadyExists);
});

Deno.test("a sweep that fails is reported and ends no request", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const lines: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (line: string) => void lines.push(line) };
  const store = await open(directory, clock, { log });
  await store.swept();
  Deno.writeTextFileSync(join(directory.file("data"), "f".repeat(32)), "a file where a directory belongs");
  clock.pass(700_000);
  await store.create(sessionOf("anna", clock));
  await store.swept();
  await store[Symbol.asyncDispose]();
  assert.deepEqual(lines, ["Cannot remove sessions that have ended"]);
});

Deno.test("a lock that another process does not give back is 503 and no endless wait", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const lines: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (line: string) => void lines.push(line) };
  await using store = await open(directory, clock, { log, longestWait: 300 });
  const ticket = await store.create(sessionOf("anna", clock));
  await store.swept();
  const [lock = ""] = [...Deno.readDirSync(directory.file("lock"))].map(({ name }) => name);
  {
    using held = Deno.openSync(join(directory.file("lock"), lock), { write: true });
    held.lockSync(true);
    const unavailable = { code: "unavailable", headers: { "Retry-After": "5" } };
    await assert.rejects(store.update(ticket, (session) => ({ session, renew: true })), unavailable);
    await assert.rejects(store.create(sessionOf("anna", clock)), unavailable);
    assert.equal((await store.load(ticket))?.login, "anna", "reading needs no lock");
  }
  assert.deepEqual(lines, ["A session cannot be kept or changed", "A session cannot be kept or changed"]);
  assert.ok(await store.update(ticket, (session) => ({ session, renew: true })));
});

Deno.test("a directory that is a file by now is 503, and works again when it is one", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const lines: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (line: string) => void lines.push(line) };
  await using store = await open(directory, clock, { log });
  await store.swept();
  const ticket = await store.create(sessionOf("anna", clock));
  const [owner = ""] = ticket.split(".");
  const path = join(directory.file("data"), owner);
  Deno.removeSync(path, { recursive: true });
  // Everything below this name fails now.
  Deno.writeTextFileSync(path, "");
  const unavailable = { code: "unavailable", headers: { "Retry-After": "5" } };
  await assert.rejects(store.create(sessionOf("anna", clock)), unavailable);
  await assert.rejects(store.load(ticket), unavailable);
  assert.deepEqual([...new Set(lines)], ["A session cannot be kept or changed"]);
  Deno.removeSync(path);
  assert.equal((await store.load(await store.create(sessionOf("anna", clock))))?.login, "anna");
});

Deno.test("a sweep that reads for long keeps no login waiting", async () => {
  using directory = new TestDirectory();
  const group = join(directory.file("data"), "subjects");
  Deno.mkdirSync(group, { recursive: true });
  // Reading a pipe waits for its writer.
  const pipe = join(group, "f".repeat(64));
  assert.ok((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
  await using store = await open(directory, new Clock(), { longestWait: 300 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const clock = new Clock();
  try {
    const ticket = await store.create({ ...sessionOf("anna", clock), subject: "a".repeat(64) });
    assert.equal((await store.load(ticket))?.login, "anna");
  } finally {
    // The file has not ended, so it is not read a second time.
    const written = Deno.writeTextFile(pipe, `${clock.now() + ABSOLUTE}\n`);
    await store.swept().finally(() => written);
  }
});

Deno.test("a list of a subject's sessions is swept when the last of them has ended", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const subject = "a".repeat(64);
  const store = await open(directory, clock);
  await store.create({ ...sessionOf("anna", clock, 1_000_000), subject });
  await store.create({ ...sessionOf("anna", clock, 10_000_000), subject });
  await store.swept();
  const list = directory.file(`data/subjects/${subject}`);
  const sweepAfter = async (milliseconds: number) => {
    clock.pass(milliseconds);
    await store.create(sessionOf("bert", clock));
    await store.swept();
  };
  await sweepAfter(2_000_000);
  assert.equal(existsSync(list), true);
  assert.equal((await store.removeFor(subject, () => true)).length, 1);
  await sweepAfter(ABSOLUTE);
  assert.equal(existsSync(list), false);
  await store[Symbol.asyncDispose]();
});

Deno.test("attack: no session outlives the logout at the provider because many others were opened", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const subject = "a".repeat(64);
  await using store = await open(directory, clock);
  const first = await store.create({ ...sessionOf("anna", clock), subject });
  const list = await store.files.get(`subjects:${subject}`);
  assert.ok(list);
  const others = Array.from({ length: 999 }, () => `${"b".repeat(32)}:${"c".repeat(64)}`);
  const longest = [list.value, ...others].join("\n");
  await store.files.replace(`subjects:${subject}`, longest, { seconds: 60, version: list.version });
  assert.equal((await store.load(first))?.login, "anna");
  await store.create({ ...sessionOf("anna", clock), subject });
  await store.removeFor(subject, () => true);
  assert.equal(await store.load(first), undefined);
});

/**
 * Prints the result of storing a session on a full disk. The directories exist, with one session of bert's.
 */
const ON_SUCH_A_DISK = `
  import { openSessionFiles } from "@/core/identity/sessions/session_files.ts";
  import { TicketStore } from "@/core/identity/sessions/ticket_store.ts";
  const [dataDirectory, lockDirectory, text, kept] = Deno.args;
  const fail = (line) => console.log("FAILED", line);
  const log = { info: () => {}, warn: (line) => console.log(line.split(":")[0]), error: fail };
  const now = () => 0;
  const cache = await openSessionFiles({ dataDirectory, lockDirectory, log, now });
  const store = new TicketStore({ cache, now, absolute: 20_000_000 });
  const session = JSON.parse(text);
  const ticket = await store.create(session);
  console.log((await store.load(ticket))?.login);
  const seen = (seconds) => (session) => ({ session: { ...session, lastSeenAt: session.lastSeenAt + seconds }, renew: false });
  await Promise.all([store.update(ticket, seen(1)), store.update(ticket, seen(2)), store.update(kept, seen(4))]);
  console.log((await store.load(ticket))?.lastSeenAt, (await store.load(kept))?.lastSeenAt);
  let [isChanged, missed] = [false, 0];
  void store.update(ticket, seen(0)).then(() => isChanged = true);
  while (!isChanged) if (!await store.load(ticket)) missed++;
  console.log(missed, "missed");
  const renewed = await store.update(ticket, (session) => ({ session, renew: true }));
  console.log((await store.load(renewed?.ticket))?.login);
  console.log((await store.removeFor(session.subject, () => true)).length, await store.load(renewed?.ticket));
  const [second, third] = [await store.create({ ...session, id: "2".repeat(22) }), await store.create({ ...session, id: "3".repeat(22) })];
  await store.remove(second);
  console.log(await store.load(second), (await store.load(third))?.login);
  await store.removeAllOf(session.login);
  console.log(await store.load(third));
`;

const DISKS = {
  full: ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"'],
  // Permissions bind root, too, without this capability.
  "read-only": Deno.uid() === 0
    ? ["setpriv", "--inh-caps=-dac_override", "--bounding-set=-dac_override"]
    : ["env"],
};

for (const [kind, [command = "", ...args]] of Object.entries(DISKS)) {
  Deno.test({
    name: `sessions are kept in memory while the disk is ${kind}`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      using directory = new TestDirectory();
      const clock = new Clock();
      const bert = { ...sessionOf("bert", clock), lastSeenAt: 0 };
      const store = await open(directory, clock);
      const kept = await store.create(bert);
      await store[Symbol.asyncDispose]();
      const [data, lock] = [directory.file("data"), directory.file("lock")];
      const files = filesOf(directory);
      const owner = join(files[0] ?? "", "..");
      if (kind === "read-only") {
        for (const { name } of Deno.readDirSync(lock)) Deno.chmodSync(join(lock, name), 0o400);
        for (const path of [data, lock, owner]) Deno.chmodSync(path, 0o500);
      }
      const session = { ...sessionOf("anna", clock), lastSeenAt: 0, subject: "5".repeat(32) };
      const script = ["eval", "--no-check", "--cached-only", "--ext=ts", ON_SUCH_A_DISK];
      const { stdout, stderr } = await new Deno.Command(command, {
        args: [...args, Deno.execPath(), ...script, data, lock, JSON.stringify(session), kept],
        cwd: ROOT,
        env: { NO_COLOR: "1" },
      }).output();
      for (const path of [data, lock, owner]) Deno.chmodSync(path, 0o700);
      assert.deepEqual(new TextDecoder().decode(stdout).trim().split("\n"), [
        "New and changed sessions are in the memory of this worker only",
        "anna",
        "3 4",
        "0 missed",
        "anna",
        "1 undefined",
        "undefined anna",
        "undefined",
      ], new TextDecoder().decode(stderr));
      assert.deepEqual(filesOf(directory).filter((path) => !path.endsWith(".tmp")), files);
    },
  });
}

Deno.test("a session that memory has stood in for is gone when another process has ended it since", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const lines: string[] = [];
  const log = { info: () => {}, error: () => {}, warn: (line: string) => void lines.push(line) };
  const directories = { dataDirectory: directory.file("data"), lockDirectory: directory.file("lock") };
  await using files = await openSessionFiles({ ...directories, log, now: clock.now });
  const LIFE = { seconds: 60 };
  const valueOf = async () => (await files.get("x:session"))?.value;
  assert.equal(await files.add("x:session", "first", LIFE), true);
  const path = directory.file("data/x/session");
  const first = Deno.readTextFileSync(path);
  const temporary = directory.file("data/x/.session.tmp");
  // A file of this name cannot be written: the target of the link is always full.
  Deno.symlinkSync("/dev/full", temporary);
  assert.equal(await files.replace("x:session", "second", { ...LIFE, version: "first" }), true);
  assert.equal(await valueOf(), "second");
  assert.equal(lines.length, 1);
  Deno.removeSync(path);
  assert.equal(await valueOf(), undefined);
  Deno.writeTextFileSync(path, first);
  assert.equal(await valueOf(), "first", "it does not come back");
  Deno.removeSync(temporary);
  assert.equal(await files.replace("x:session", "third", { ...LIFE, version: "first" }), true);
  assert.match(Deno.readTextFileSync(path), /^\d+\nthird$/);
});
