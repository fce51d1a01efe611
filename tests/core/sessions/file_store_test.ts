import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type FileStoreOptions, openFileStore } from "@/core/sessions/file_store.ts";
import type { Session } from "@/core/sessions/session.ts";
import { randomToken } from "@/core/sessions/secret.ts";
import { Clock } from "@/tests/conformance/session_place.ts";
import { TestDirectory } from "@/tests/config/directory.ts";

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
    data: {},
  };
}

async function open(directory: TestDirectory, clock: Clock, changes: Partial<FileStoreOptions> = {}) {
  return await openFileStore({
    dataDirectory: directory.file("data"),
    lockDirectory: directory.file("lock"),
    now: clock.now,
    log: { info: () => {}, warn: () => {}, error: (line) => assert.fail(line) },
    ...changes,
  });
}

/** Paths of session files below the data directory. */
function filesOf(directory: TestDirectory): readonly string[] {
  const data = directory.file("data");
  return [...Deno.readDirSync(data)].flatMap(({ name, isDirectory }) =>
    isDirectory ? [...Deno.readDirSync(join(data, name))].map((file) => join(data, name, file.name)) : []
  );
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
  assert.equal([...Deno.readDirSync(directory.file("data"))].filter((entry) => entry.isDirectory).length, 2);
  assert.equal(directory.read("data/README"), "of the operator");
  await using again = await open(directory, clock);
  assert.equal((await again.load(long))?.login, "bert");
});

Deno.test("what crashes have left behind is swept at the next start", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const store = await open(directory, clock);
  const ticket = await store.create(sessionOf("anna", clock));
  const [file = ""] = filesOf(directory);
  Deno.writeTextFileSync(join(file, "..", ".half.tmp"), '{"sess');
  Deno.writeTextFileSync(join(file, "..", "0".repeat(64)), '{"sess');
  Deno.mkdirSync(join(directory.file("data"), ".removed-x", "inner"), { recursive: true });
  await store[Symbol.asyncDispose]();
  await using next = await open(directory, clock);
  await next.swept();
  assert.deepEqual(filesOf(directory), [file]);
  assert.equal(existsSync(join(directory.file("data"), ".removed-x")), false);
  assert.equal((await next.load(ticket))?.login, "anna");
});

Deno.test("a session file that is broken is no session and fails no request", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  await using store = await open(directory, clock);
  const ticket = await store.create(sessionOf("anna", clock));
  const [file = ""] = filesOf(directory);
  for (const text of ["", "{", "null", "[]", "7", '"x"', '{"session":{}}', "\0"]) {
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
  const whole = JSON.parse(Deno.readTextFileSync(file));
  const inside = Object.keys(whole.session);
  assert.equal(inside.length, 10, "all members are tried");
  const damaged = [undefined, null, [], { x: 1 }].flatMap((wrong) => [
    ...inside.filter((name) => name !== "data" || !wrong)
      .map((name) => ({ ...whole, session: { ...whole.session, [name]: wrong } })),
    { ...whole, current: wrong },
    ...(wrong === undefined ? [] : [{ ...whole, previous: wrong }, { ...whole, previousUntil: wrong }]),
    { ...whole, session: wrong },
  ]);
  for (const record of damaged) {
    const text = JSON.stringify(record);
    Deno.writeTextFileSync(file, text);
    assert.equal(await store.load(ticket), undefined, text);
    assert.equal(await store.update(ticket, (session) => ({ session, renew: true })), undefined, text);
  }
  Deno.writeTextFileSync(file, JSON.stringify(whole));
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
  await using store = await open(directory, clock, { log, longestWait: 10 });
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

Deno.test("a disk that takes nothing more is 503, and works again when it does", async () => {
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
  // Everything below this name fails now, as it would on a full disk.
  Deno.writeTextFileSync(path, "");
  const unavailable = { code: "unavailable", headers: { "Retry-After": "5" } };
  await assert.rejects(store.create(sessionOf("anna", clock)), unavailable);
  await assert.rejects(store.load(ticket), unavailable);
  assert.deepEqual(lines, ["A session cannot be kept or changed", "A session cannot be kept or changed"]);
  Deno.removeSync(path);
  assert.equal((await store.load(await store.create(sessionOf("anna", clock))))?.login, "anna");
});

Deno.test("a list of a subject's sessions is swept when the last of them has ended", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const subject = "a".repeat(64);
  const store = await open(directory, clock);
  await store.create({ ...sessionOf("anna", clock, 1_000_000), subject });
  await store.create({ ...sessionOf("anna", clock, 10_000_000), subject });
  await store.swept();
  const list = directory.file(`data/.subjects/${subject}`);
  const sweepAfter = async (milliseconds: number) => {
    clock.pass(milliseconds);
    await store.create(sessionOf("bert", clock));
    await store.swept();
  };
  await sweepAfter(2_000_000);
  assert.equal(existsSync(list), true);
  assert.equal((await store.removeFor(subject, () => true)).length, 1);
  await sweepAfter(700_000);
  assert.equal(existsSync(list), false);
  await store[Symbol.asyncDispose]();
});
