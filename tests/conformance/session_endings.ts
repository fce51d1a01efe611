/**
 * The end of sessions in every kind of store.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { User } from "@/core/model.ts";
import { POLICY, userNamed } from "@/tests/conformance/session_place.ts";
import type { StoreTest } from "@/tests/conformance/session_store.ts";

const MINUTE = 60_000;

/** Tests by title: sessions "end when they are not used". */
export const ENDINGS: Readonly<Record<string, StoreTest>> = {
  "end when they are not used": async ({ sessions, anna, clock }) => {
    const one = await sessions.open(anna, { method: "basic" });
    const other = await sessions.open(anna, { method: "basic" });
    clock.pass(POLICY.idle - 1);
    assert.equal((await sessions.resume(one.ticket))?.session.login, "anna");
    clock.pass(1);
    assert.equal(await sessions.resume(other.ticket), undefined);
  },

  "end when they come from the future, because the clock was set back": async ({ sessions, anna, clock }) => {
    const { ticket } = await sessions.open(anna, { method: "password" });
    clock.pass(-MINUTE);
    assert.equal((await sessions.resume(ticket))?.session.login, "anna");
    clock.pass(-1);
    assert.equal(await sessions.resume(ticket), undefined);
  },
  "end at the absolute limit, however much they are used": async ({ sessions, anna, clock }) => {
    let { ticket } = await sessions.open(anna, { method: "basic" });
    for (let minute = 0; minute < 24 * 60 - 10; minute += 10) {
      clock.pass(10 * MINUTE);
      ticket = (await sessions.resume(ticket))?.renewedTicket ?? ticket;
    }
    clock.pass(10 * MINUTE - 1);
    assert.equal((await sessions.resume(ticket))?.session.login, "anna");
    clock.pass(1);
    assert.equal(await sessions.resume(ticket), undefined);
  },

  "end by the limits of today, not by those they were opened with": async (
    { reopen, sessions, anna, clock },
  ) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    const stricter = await reopen({ policy: { ...POLICY, idle: MINUTE } });
    clock.pass(MINUTE - 1);
    assert.equal((await stricter.resume(ticket))?.session.login, "anna");
    const { ticket: second } = await sessions.open(anna, { method: "basic" });
    clock.pass(MINUTE);
    assert.equal(await stricter.resume(second), undefined);
  },

  "end at logout": async ({ sessions, anna }) => {
    const [one, other] = [
      await sessions.open(anna, { method: "basic" }),
      await sessions.open(anna, { method: "basic" }),
    ];
    await sessions.close(one.ticket);
    assert.equal(await sessions.resume(one.ticket), undefined);
    assert.equal((await sessions.resume(other.ticket))?.session.login, "anna");
    await sessions.close(one.ticket);
  },

  "end at logout under every ticket they had": async ({ sessions, anna, clock }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    clock.pass(POLICY.reissue);
    const renewed = (await sessions.resume(ticket))?.renewedTicket ?? "";
    await sessions.close(renewed);
    assert.equal(await sessions.resume(ticket), undefined);
    assert.equal(await sessions.resume(renewed), undefined);
  },

  "end when the same browser logs in again": async ({ sessions, anna }) => {
    const { ticket: previous, session } = await sessions.open(anna, { method: "login_form" });
    const next = await sessions.open(anna, { method: "login_form", previous });
    assert.notEqual(next.session.id, session.id);
    assert.equal(await sessions.resume(previous), undefined);
    assert.equal((await sessions.resume(next.ticket))?.session.id, next.session.id);
  },

  "end a minute after the first use of their new ticket": async ({ sessions, anna, clock }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    clock.pass(POLICY.reissue);
    const renewed = (await sessions.resume(ticket))?.renewedTicket ?? "";
    await sessions.resume(renewed);
    clock.pass(MINUTE);
    assert.equal(await sessions.resume(ticket), undefined, "the old ticket is no good any more");
    assert.equal((await sessions.resume(renewed))?.session.login, "anna");
  },

  "end when the password changes": (bench) => endsWith(bench, { password: "$argon2id$v=19$m=8,t=1,p=1$x$y" }),

  "end when the password is removed": async (bench) => {
    const { password: _, ...without } = bench.anna;
    await endsAs(bench, without);
  },

  "end when the user is removed": (bench) => endsAs(bench, undefined),

  "do not come back with a user of the same name": async (bench) => {
    const { ticket } = await bench.sessions.open(bench.anna, { method: "basic" });
    bench.users.set("anna", userNamed("anna", { password: "$argon2id$v=19$m=8,t=1,p=1$n$n" }));
    assert.equal(await bench.sessions.resume(ticket), undefined);
  },

  "end when the key changes, unless a login opened them": async ({ sessions, users, anna, clock }) => {
    const byKey = await sessions.open(anna, { method: "apikey" });
    const byToken = await sessions.open(anna, { method: "jwt", isLogin: false });
    const byLogin = await sessions.open(anna, { method: "apikey", isLogin: true });
    clock.pass(POLICY.reissue);
    const tickets: string[] = [];
    for (const { ticket } of [byKey, byToken, byLogin]) {
      tickets.push((await sessions.resume(ticket))?.renewedTicket ?? ticket);
    }
    users.set("anna", { ...anna, apikeyHash: "another" });
    const logins = await Promise.all(
      tickets.map(async (ticket) => (await sessions.resume(ticket))?.session.login),
    );
    assert.deepEqual(logins, [undefined, undefined, "anna"]);
  },

  "stay when anything else of the user changes": async ({ sessions, users, anna }) => {
    const { ticket } = await sessions.open(anna, { method: "login_form" });
    users.set("anna", { ...anna, name: "Anna the Second", email: "a@example.com", dbdef: ["view"] });
    assert.equal((await sessions.resume(ticket))?.user.name, "Anna the Second");
  },

  "do not end because this process has not heard of a change yet": async ({ reopen, users, anna }) => {
    const known = new Map([["anna", anna]]);
    users.set("anna", { ...anna, password: "$argon2id$v=19$m=8,t=1,p=1$x$y" });
    let refreshes = 0;
    const refreshUsers = () => {
      refreshes++;
      for (const [login, user] of users) known.set(login, user);
      return Promise.resolve();
    };
    const behind = await reopen({ users: known, refreshUsers });
    const { ticket } = await (await reopen()).open(users.get("anna") ?? anna, { method: "login_form" });
    assert.equal((await behind.resume(ticket))?.session.login, "anna");
    assert.equal(refreshes, 1);
    await behind.resume(ticket);
    assert.equal(refreshes, 1, "users are read anew only when a session does not fit");
  },

  "all end that a user has, when they are revoked": async ({ sessions, reopen, users, anna }) => {
    const bert = userNamed("bert");
    users.set("bert", bert);
    const ofBert = await sessions.open(bert, { method: "basic" });
    const ofAnna = await Promise.all([1, 2, 3].map(() => sessions.open(anna, { method: "basic" })));
    const elsewhere = await reopen();
    await elsewhere.revoke("anna");
    for (const { ticket } of ofAnna) assert.equal(await sessions.resume(ticket), undefined);
    assert.equal((await sessions.resume(ofBert.ticket))?.session.login, "bert");
    const later = await sessions.open(anna, { method: "basic" });
    assert.equal((await elsewhere.resume(later.ticket))?.session.login, "anna");
    assert.equal(await sessions.resume(ofAnna[0]?.ticket ?? ""), undefined, "a new login brings none back");
    await sessions.revoke("nobody");
  },

  "end when an identity provider says, if that is before their limits": async ({ sessions, anna, clock }) => {
    const open = (endsAt: number) => sessions.open(anna, { method: "saml", endsAt });
    const early = await open(clock.now() + MINUTE);
    const late = await open(clock.now() + 30 * 24 * 60 * MINUTE);
    assert.equal(early.session.expiresAt, clock.now() + MINUTE);
    clock.pass(MINUTE - 1);
    assert.equal((await sessions.resume(early.ticket))?.session.login, "anna");
    clock.pass(1);
    assert.equal(await sessions.resume(early.ticket), undefined);
    clock.pass(POLICY.idle - MINUTE - 1);
    const renewed = (await sessions.resume(late.ticket))?.renewedTicket ?? late.ticket;
    clock.pass(POLICY.idle);
    assert.equal(await sessions.resume(renewed), undefined);
  },

  "end for a subject in every process, and only those that are meant": async (
    { sessions, reopen, users, anna },
  ) => {
    const bert = userNamed("bert");
    users.set("bert", bert);
    const open = (user: User, subject: string, index: number, method = "saml") =>
      sessions.open(user, { method, subject, details: { index } });
    const meant = [await open(anna, "idp anna", 1), await open(bert, "idp anna", 1)];
    const others = [
      await open(anna, "idp anna", 2),
      await open(anna, "idp bert", 1),
      await open(anna, "idp anna", 1, "other"),
      await sessions.open(anna, { method: "saml", details: { index: 1 } }),
    ];
    const elsewhere = await reopen();
    const end = () =>
      elsewhere.endFor({ method: "saml", subject: "idp anna" }, ({ details }) => details?.["index"] === 1);
    assert.deepEqual((await end())?.map(({ login }) => login).toSorted(), ["anna", "bert"]);
    for (const { ticket } of meant) assert.equal(await sessions.resume(ticket), undefined);
    for (const { ticket, session } of others) {
      assert.equal((await sessions.resume(ticket))?.session.id, session.id);
    }
    assert.deepEqual(await end(), [], "they have ended");
    assert.deepEqual(await elsewhere.endFor({ method: "saml", subject: "idp nobody" }, () => true), []);
  },

  "end for a subject that logs in many times at once": async ({ sessions, anna }) => {
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => sessions.open(anna, { method: "saml", subject: "idp anna" })),
    );
    const ended = await sessions.endFor({ method: "saml", subject: "idp anna" }, () => true);
    assert.equal(ended?.length, 20);
    for (const { ticket } of opened) assert.equal(await sessions.resume(ticket), undefined);
  },

  "are not brought back by a request that was under way when they ended": async (
    { sessions, anna, clock },
  ) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    clock.pass(POLICY.reissue);
    const underWay = Array.from({ length: 10 }, () => sessions.resume(ticket));
    await sessions.revoke("anna");
    const renewed = (await Promise.all(underWay)).flatMap((each) => each?.renewedTicket ?? []);
    for (const each of [ticket, ...renewed]) assert.equal(await sessions.resume(each), undefined);
  },
};

type TestBench = Parameters<StoreTest>[0];

async function endsWith(bench: TestBench, changes: Partial<User>): Promise<void> {
  await endsAs(bench, { ...bench.anna, ...changes });
}

/** All sessions of Anna end once her user is this one, in every process. */
async function endsAs(
  { sessions, reopen, users, anna }: TestBench,
  changed: User | undefined,
): Promise<void> {
  const opened = await Promise.all(
    ["basic", "login_form", "apikey"].map((method) => sessions.open(anna, { method })),
  );
  if (changed) users.set("anna", changed);
  else users.delete("anna");
  const elsewhere = await reopen();
  for (const { ticket, session } of opened) {
    assert.equal(await elsewhere.resume(ticket), undefined, session.method);
    assert.equal(await sessions.resume(ticket), undefined, session.method);
  }
}
