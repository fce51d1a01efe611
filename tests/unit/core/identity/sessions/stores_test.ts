import assert from "node:assert/strict";
import { join } from "node:path";
import { Clock, openSessionsAt, userNamed } from "@/tests/conformance/session_place.ts";
import { type OpenPlace, testSessionStore } from "@/tests/conformance/session_store.ts";
import { CACHE_SERVERS } from "@/tests/support/shared_caches.ts";

const NO_SERVER = "the session is in the cookie, and the service keeps nothing of it";

testSessionStore("cookies", {
  open: () =>
    Promise.resolve({
      place: { kind: "cookie" },
      dump: () => Promise.resolve(""),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  skip: {
    "make one new ticket, however many requests come at once": NO_SERVER,
    "go on when the answer with the new ticket was lost": NO_SERVER,
    "end at logout": NO_SERVER,
    "end at logout under every ticket they had": NO_SERVER,
    "end when the same browser logs in again": NO_SERVER,
    "end a minute after the first use of their new ticket": NO_SERVER,
    "all end that a user has, when they are revoked": NO_SERVER,
    "end for a subject in every process, and only those that are meant": NO_SERVER,
    "end for a subject that logs in many times at once": NO_SERVER,
    "are not brought back by a request that was under way when they ended": NO_SERVER,
    "end in another process when they are closed in this one": NO_SERVER,
    "lose no change when two processes make changes at the same time": NO_SERVER,
  },
});

testSessionStore("files", {
  async open(): Promise<OpenPlace> {
    const directory = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
    return {
      place: { kind: "file", directory },
      dump: () => Promise.resolve(dumpFiles(directory)),
      [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
    };
  },
});

for (const { name, missing, start } of CACHE_SERVERS) {
  testSessionStore(name, {
    async open(): Promise<OpenPlace> {
      const cache = await start();
      return {
        place: { kind: "cache", name, location: cache.address },
        dump: () => cache.dump(),
        [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose](),
      };
    },
    missing,
  });
}

Deno.test("sessions in cookies cannot be ended for a subject, and the caller is told so", async () => {
  const anna = userNamed("anna");
  const users = new Map([["anna", anna]]);
  await using sessions = await openSessionsAt({ kind: "cookie" }, { users, now: new Clock().now });
  const { ticket } = await sessions.open(anna, { method: "saml", subject: "idp anna" });
  assert.equal(await sessions.endFor({ method: "saml", subject: "idp anna" }, () => true), undefined);
  assert.equal((await sessions.resume(ticket))?.session.login, "anna");
});

/** Names and contents of all files. */
function dumpFiles(directory: string): string {
  const entries = [...Deno.readDirSync(directory)].toSorted((one, other) => one.name < other.name ? -1 : 1);
  return entries.map(({ name, isDirectory }) => {
    const path = join(directory, name);
    return `${name}\n${isDirectory ? dumpFiles(path) : Deno.readTextFileSync(path)}\n`;
  }).join("");
}
