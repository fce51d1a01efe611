/**
 * The tests of every store of sessions: the policy of sessions, other
 * processes beside it, and forged tickets.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { User } from "@/core/model.ts";
import {
  Clock,
  type OpenOptions,
  openSessionsAt,
  type Place,
  POLICY,
  type TestSessions,
  userNamed,
} from "@/tests/conformance/session_place.ts";
import { ENDINGS } from "@/tests/conformance/session_endings.ts";
import { FORGERIES } from "@/tests/conformance/session_forgeries.ts";
import { SHARING } from "@/tests/conformance/session_sharing.ts";

/** A place that is thrown away after the test. */
export interface OpenPlace extends AsyncDisposable {
  readonly place: Place;
  /** Everything that is kept there, names included, as text. */
  dump(): Promise<string>;
}

/** The facts about one store for its tests. */
export interface SessionStoreSuite {
  /** An empty place for each test. */
  open(): Promise<OpenPlace>;
  /** Titles of tests that do not apply, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
  /** The missing program without which the suite cannot run. */
  readonly missing?: string | undefined;
}

/** The context of one test, opened for it alone. */
export interface Bench {
  readonly place: Place;
  readonly clock: Clock;
  readonly anna: User;
  /** The users. A test changes them like an administrator. */
  readonly users: Map<string, User>;
  readonly sessions: TestSessions;
  /** The place as another process sees it, with the users and the clock of this one. */
  reopen(options?: Partial<OpenOptions>): Promise<TestSessions>;
  dump(): Promise<string>;
}

/** One test, with a place that is opened for it alone. */
export type StoreTest = (bench: Bench) => Promise<void>;

const MINUTE = 60_000;

const LIVES: Readonly<Record<string, StoreTest>> = {
  "keep a session with its details": async ({ sessions, anna, clock }) => {
    const details = { last_page: "/db/Demo.html", index: 7, nested: { "größe": [null, true, "\u{1F600}"] } };
    const { session, ticket } = await sessions.open(anna, { method: "login_form", details });
    assert.deepEqual(await sessions.resume(ticket), { session, user: anna });
    assert.equal(session.login, "anna");
    assert.equal(session.createdAt, clock.now());
    assert.deepEqual(session.details, details);
  },

  "keep sessions apart": async ({ sessions, users, anna }) => {
    const bert = userNamed("bert");
    users.set("bert", bert);
    const opened = await Promise.all(
      [anna, bert, anna].map((user) => sessions.open(user, { method: "basic" })),
    );
    const resumed = await Promise.all(opened.map(({ ticket }) => sessions.resume(ticket)));
    assert.deepEqual(resumed.map((each) => each?.session), opened.map(({ session }) => session));
    for (const part of ["id", "csrfToken"] as const) {
      assert.equal(new Set(opened.map(({ session }) => session[part])).size, 3, part);
    }
    assert.equal(new Set(opened.map(({ ticket }) => ticket)).size, 3);
  },

  "change a session's details and nothing else": async ({ sessions, anna }) => {
    const { session, ticket } = await sessions.open(anna, { method: "basic", details: { a: 1 } });
    const changed = await sessions.update(ticket, (data) => ({ ...data, b: 2 }));
    const resumed = await sessions.resume(changed ?? ticket);
    assert.deepEqual(resumed?.session, { ...session, details: { a: 1, b: 2 } });
  },

  "refuse details that no cookie could hold": async ({ sessions, anna }) => {
    const refusal = {
      code: "bad-request",
      message: 'Cannot keep "a, b" in the session: more than 2048 bytes',
    };
    const details = { a: 1, b: "x".repeat(2048) };
    await assert.rejects(sessions.open(anna, { method: "basic", details }), refusal);
  },

  "give tickets that a cookie can hold": async ({ sessions, users }) => {
    const login = "a".repeat(128);
    users.set(login, userNamed(login));
    const details = { last_page: "/".repeat(2000) };
    const { ticket } = await sessions.open(userNamed(login), { method: "login_form", details });
    assert.match(ticket, /^[A-Za-z0-9._-]+$/);
    assert.ok(ticket.length + 200 < 4096, `${ticket.length} characters`);
    assert.equal((await sessions.resume(ticket))?.session.login, login);
  },

  "go on while they are used, and not a write for each use": async ({ sessions, anna, clock, dump }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    const before = await dump();
    for (let second = 0; second < 59; second++) {
      clock.pass(1000);
      const resumed = await sessions.resume(ticket);
      assert.equal(resumed?.session.login, "anna");
      assert.equal(resumed?.renewedTicket, undefined);
    }
    assert.equal(await dump(), before);
  },

  "go on for hours while they are used": async ({ sessions, anna, clock }) => {
    let { ticket } = await sessions.open(anna, { method: "basic" });
    for (let hour = 0; hour < 23.5; hour += 0.5) {
      clock.pass(30 * MINUTE);
      const resumed = await sessions.resume(ticket);
      assert.equal(resumed?.session.login, "anna", `${hour} hours`);
      ticket = resumed.renewedTicket ?? ticket;
    }
  },

  "get a new ticket after the reissue time": async ({ sessions, anna, clock }) => {
    const { session, ticket } = await sessions.open(anna, { method: "basic" });
    clock.pass(POLICY.reissue - 1);
    assert.equal((await sessions.resume(ticket))?.session.issuedAt, session.issuedAt);
    clock.pass(1);
    const renewed = await sessions.resume(ticket);
    assert.equal(renewed?.session.issuedAt, clock.now());
    assert.ok(renewed.renewedTicket !== undefined && renewed.renewedTicket !== ticket);
    assert.equal(renewed.session.id, session.id);
    assert.equal(renewed.session.csrfToken, session.csrfToken, "forms that are open stay good");
    assert.equal((await sessions.resume(renewed.renewedTicket))?.renewedTicket, undefined);
  },

  "leave requests under way their ticket while a new one is made": async ({ sessions, anna, clock }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    clock.pass(POLICY.reissue);
    const resumed = await Promise.all(Array.from({ length: 20 }, () => sessions.resume(ticket)));
    assert.deepEqual(resumed.map((each) => each?.session.login), Array(20).fill("anna"));
    const renewed = resumed.find((each) => each?.renewedTicket !== undefined)?.renewedTicket ?? "";
    assert.equal((await sessions.resume(renewed))?.session.login, "anna");
    clock.pass(MINUTE - 1);
    assert.equal((await sessions.resume(ticket))?.session.login, "anna");
  },

  "make one new ticket, however many requests come at once": async ({ sessions, anna, clock }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    clock.pass(POLICY.reissue);
    const resumed = await Promise.all(Array.from({ length: 20 }, () => sessions.resume(ticket)));
    assert.equal(resumed.filter((each) => each?.renewedTicket !== undefined).length, 1);
  },

  "go on when the answer with the new ticket was lost": async ({ sessions, anna, clock }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    clock.pass(POLICY.reissue);
    const lost = (await sessions.resume(ticket))?.renewedTicket ?? "";
    for (let round = 0; round < 3; round++) {
      clock.pass(10 * MINUTE);
      const resumed = await sessions.resume(ticket);
      assert.ok(resumed?.renewedTicket, "it is offered another one");
    }
    assert.equal(await sessions.resume(lost), undefined, "nobody has the lost one");
  },
};

/** The tests by title; a title is a statement about sessions. */
const STORE_TESTS: Readonly<Record<string, StoreTest>> = {
  ...LIVES,
  ...ENDINGS,
  ...FORGERIES,
  ...SHARING,
};

/** Registers every test of the suite under the store's name. */
export function testSessionStore(name: string, { open, skip = {}, missing }: SessionStoreSuite): void {
  const unknown = Object.keys(skip).filter((title) => !Object.hasOwn(STORE_TESTS, title));
  assert.deepEqual(unknown, [], "Every test that is skipped exists");
  for (const [title, test] of Object.entries(STORE_TESTS)) {
    const reason = skip[title] ?? missing;
    Deno.test({
      name: `sessions in ${name} ${title}${reason === undefined ? "" : ` (skipped: ${reason})`}`,
      ignore: reason !== undefined,
      fn: () => run(test, open),
    });
  }
}

async function run(test: StoreTest, open: SessionStoreSuite["open"]): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { place, dump } = stack.use(await open());
  const clock = new Clock();
  const anna = userNamed("anna");
  const users = new Map([["anna", anna]]);
  const reopen = async (options: Partial<OpenOptions> = {}) =>
    stack.use(await openSessionsAt(place, { users, now: clock.now, ...options }));
  await test({ place, clock, anna, users, sessions: await reopen(), reopen, dump });
}
