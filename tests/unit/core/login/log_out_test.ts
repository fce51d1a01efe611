import assert from "node:assert/strict";
import {
  browserSessions,
  resumeSession,
  type SessionPlace,
} from "@/core/identity/sessions/browser_sessions.ts";
import { logOut } from "@/core/login/log_out.ts";
import type { NamedMethod } from "@/core/service.ts";
import { createSessionCookie } from "@/core/identity/sessions/cookies.ts";
import { routeRequestOf } from "@/tests/conformance/auth.ts";
import { openSessionsAt, type Place, userNamed } from "@/tests/conformance/session_place.ts";
import type { AuthSession, RouteRequest } from "@/plugins/contract.ts";

const COOKIE = { cookie_max_age: 60, cookie_http_only: true, cookie_secure: "auto" } as const;
const anna = userNamed("anna");

/** The longest details that a method may keep. */
const DETAILS = { idp: "acme", nameId: { value: "ä".repeat(550) }, sessionIndex: "_1" };

const LOG = { info: () => {}, warn: () => {}, error: (message: string) => assert.fail(message) };

async function openPlace(place: Place) {
  const sessions = await openSessionsAt(place, { users: new Map([["anna", anna]]), now: Date.now });
  return {
    sessions,
    sessionCookie: createSessionCookie(COOKIE, ""),
    settings: { "server.plugin_timeout": 5 },
    log: LOG,
    [Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
  };
}

/** A request of the browser that a method has opened a session in. */
async function logIn(method: string, place: SessionPlace): Promise<RouteRequest> {
  const [cookie = ""] = await browserSessions(method, place).open(anna, routeRequestOf({}), {
    details: DETAILS,
  });
  assert.equal(cookie.length < 4096, true, "browsers keep no longer cookie");
  return routeRequestOf({ headers: { Cookie: cookie.split(";")[0] ?? "" } });
}

const leading = (to: string, seen: AuthSession[] = []): NamedMethod["method"] => ({
  authenticate: () => ({ outcome: "absent" }),
  afterLogout: (session) => {
    seen.push(session);
    return Promise.resolve({ kind: "redirect", status: 302, to });
  },
});

const KINDS = ["cookie", "file"] as const;

for (const kind of KINDS) {
  Deno.test(`the method that opened a session in a ${kind} says where logging out leads, and knows its details`, async () => {
    const directory = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
    try {
      await using place = await openPlace(kind === "file" ? { kind, directory } : { kind });
      const request = await logIn("saml", place);
      assert.deepEqual((await resumeSession(request, place)).session?.details, DETAILS);
      const seen: AuthSession[] = [];
      const methods = [
        { name: "jwt", method: leading("https://wrong.example") },
        { name: "saml", method: leading("https://idp.example/slo", seen) },
      ];
      const { session, cookies, onward } = await logOut(request, { ...place, methods });
      assert.equal(session?.user.login, "anna");
      assert.deepEqual(onward, { kind: "redirect", status: 302, to: "https://idp.example/slo" });
      assert.deepEqual(seen.map(({ method, details }) => [method, details]), [["saml", DETAILS]]);
      assert.match(cookies.join("\n"), /^auth_tkt=; Max-Age=0;/);
      if (kind === "file") assert.equal((await resumeSession(request, place)).session, undefined);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}

Deno.test("a session is over before its method is asked, and methods that lead nowhere are left alone", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  try {
    await using place = await openPlace({ kind: "file", directory });
    const request = await logIn("saml", place);
    const method: NamedMethod["method"] = {
      authenticate: () => ({ outcome: "absent" }),
      afterLogout: async () => {
        assert.equal((await resumeSession(request, place)).session, undefined);
        return undefined;
      },
    };
    const { onward, session } = await logOut(request, { ...place, methods: [{ name: "saml", method }] });
    assert.deepEqual([onward, session?.method], [undefined, "saml"]);
    const again = await logOut(request, {
      ...place,
      methods: [{ name: "saml", method: leading("https://x.example") }],
    });
    assert.deepEqual([again.session, again.onward], [undefined, undefined]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("a method that leads on without a right status leads nowhere, and is named", async () => {
  await using place = await openPlace({ kind: "cookie" });
  const method = {
    authenticate: () => ({ outcome: "absent" }),
    afterLogout: () => Promise.resolve({ kind: "redirect", to: "https://idp.example/slo" }),
  } as unknown as NamedMethod["method"];
  const told: string[] = [];
  const log = { ...LOG, error: (message: string) => void told.push(message) };
  const request = await logIn("saml", place);
  const { onward, cookies } = await logOut(request, { ...place, log, methods: [{ name: "saml", method }] });
  assert.deepEqual([onward, told], [undefined, ['The authentication method "saml" failed in afterLogout()']]);
  assert.match(cookies.join("\n"), /^auth_tkt=; Max-Age=0;/);
});
