/**
 * Forged tickets.
 *
 * @module
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { HOSTILE_TEXTS } from "@/tests/conformance/hostile.ts";
import { userNamed } from "@/tests/conformance/session_place.ts";
import type { StoreTest } from "@/tests/conformance/session_store.ts";

const INVENTED = [
  ...HOSTILE_TEXTS,
  ".",
  "..",
  "../../../etc/passwd",
  "../data/00000000000000000000000000000000",
  `${"0".repeat(32)}.${"A".repeat(22)}.${"A".repeat(43)}`,
  `${"0".repeat(30)}/..${"A".repeat(22)}.${"A".repeat(43)}`,
  `${".".repeat(32)}.${".".repeat(22)}.${".".repeat(43)}`,
  "A".repeat(100),
  "A".repeat(100_000),
  "a b\r\nset x 0 0 1\r\n1\r\n",
  "%2e%2e%2f",
];

/** Tests by title: sessions "are not there when …". */
export const FORGERIES: Readonly<Record<string, StoreTest>> = {
  "are not there for tickets that nobody was given": async ({ sessions, anna }) => {
    await sessions.open(anna, { method: "basic" });
    for (const ticket of INVENTED) {
      assert.equal(await sessions.resume(ticket), undefined, ticket.slice(0, 40));
      assert.equal(await sessions.update(ticket, () => ({ a: 1 })), undefined);
      await sessions.close(ticket);
    }
    for (let round = 0; round < 100; round++) {
      assert.equal(await sessions.resume(randomBytes(20 + round).toString("base64url")), undefined);
    }
  },

  "are not there when any character of the ticket is another": async ({ sessions, anna }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    for (let at = 0; at < ticket.length; at++) {
      for (const character of ["A", "B", "0", "f", "-", "_", ".", "=", "+", "/", "Ā"]) {
        if (character === ticket[at]) continue;
        const changed = ticket.slice(0, at) + character + ticket.slice(at + 1);
        assert.equal(await sessions.resume(changed), undefined, `${character} at ${at}`);
      }
    }
    assert.equal((await sessions.resume(ticket))?.session.login, "anna", "none of this ended it");
  },

  "are not there when the ticket has lost or got characters": async ({ sessions, anna }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    for (let at = 0; at <= ticket.length; at++) {
      if (at < ticket.length) {
        assert.equal(await sessions.resume(ticket.slice(0, at)), undefined);
        assert.equal(await sessions.resume(ticket.slice(0, at) + ticket.slice(at + 1)), undefined);
      }
      assert.equal(await sessions.resume(`${ticket.slice(0, at)}A${ticket.slice(at)}`), undefined);
    }
    for (const added of ["=", "==", " ", "\n", "\0", "."]) {
      assert.equal(await sessions.resume(ticket + added), undefined, JSON.stringify(added));
      assert.equal(await sessions.resume(added + ticket), undefined, JSON.stringify(added));
    }
  },

  "are not there for tickets put together from two": async ({ sessions, users, anna }) => {
    const admin = userNamed("admin");
    users.set("admin", admin);
    const mine = (await sessions.open(anna, { method: "basic" })).ticket;
    const other = (await sessions.open(admin, { method: "basic" })).ticket;
    for (let at = 1; at < mine.length; at++) {
      const mixed = other.slice(0, at) + mine.slice(at);
      // Both may begin or end alike.
      if (mixed === mine || mixed === other) continue;
      assert.equal(await sessions.resume(mixed), undefined, `cut at ${at}`);
    }
    const [owner, ...rest] = other.split(".");
    if (rest.length > 0) {
      assert.equal(await sessions.resume([owner, ...mine.split(".").slice(1)].join(".")), undefined);
    }
  },

  "are closed only by who has the whole ticket": async ({ sessions, anna }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    const other = ticket.slice(0, -1) + (ticket.endsWith("A") ? "B" : "A");
    await sessions.close(other);
    await sessions.update(other, () => ({ forged: true }));
    const { login, details } = (await sessions.resume(ticket))?.session ?? {};
    assert.deepEqual({ login, details }, { login: "anna", details: undefined });
  },

  "tell nobody who sees the ticket what is in them": async ({ sessions, anna }) => {
    const { ticket, session } = await sessions.open(anna, {
      method: "basic",
      details: { secret: "planted" },
    });
    const seen = ticket + Buffer.from(ticket, "base64url").toString("latin1");
    for (const text of ["anna", "planted", "basic", session.csrfToken, session.fingerprint]) {
      assert.equal(seen.includes(text), false);
    }
  },

  "leave nothing where they are kept that could be used as a ticket": async (
    { place, sessions, anna, dump },
  ) => {
    const { ticket, session } = await sessions.open(anna, { method: "basic" });
    const kept = await dump();
    assert.equal(kept.includes(session.id), place.kind !== "cookie", "what is kept is what is looked at");
    const secret = ticket.split(".").at(-1) ?? ticket;
    assert.equal(kept.includes(ticket) || kept.includes(secret), false);
    for (const part of [anna.password, anna.apikeyHash]) assert.equal(kept.includes(part ?? "?"), false);
    for (const guess of [session.id, session.fingerprint, ...kept.split(/[\s"/]+/)]) {
      assert.equal(await sessions.resume(guess), undefined);
    }
  },
};
