import assert from "node:assert/strict";
import cookie from "@/auth/cookie/mod.ts";
import { CLEARED, hostOf } from "@/tests/conformance/auth_host.ts";
import { requestOf, routeRequestOf, testAuth } from "@/tests/conformance/auth.ts";
import { userOf } from "@/tests/conformance/users.ts";

const anna = userOf("anna");
const TICKET = "0123456789abcdef.fedcba9876543210";
const host = hostOf({ users: [anna], tickets: { [TICKET]: anna } });

testAuth("cookie", () => cookie, {
  host,
  accepted: [
    { name: "a ticket", headers: { Cookie: `auth_tkt=${TICKET}` }, secrets: [TICKET], login: "anna" },
    {
      name: "a ticket among other cookies",
      headers: { Cookie: `theme=dark; auth_tkt=${TICKET}; a=b` },
      secrets: [TICKET],
      login: "anna",
    },
  ],
  rejected: [],
  ignored: [
    { name: "an unknown ticket", headers: { Cookie: "auth_tkt=unknown" }, secrets: ["unknown"] },
    { name: "an empty ticket", headers: { Cookie: "auth_tkt=" }, secrets: [] },
  ],
});

Deno.test("a request with a session says so, so that its effects can be protected", async () => {
  const method = cookie.setup({}, host);
  const result = await method.authenticate(requestOf({ headers: { Cookie: `auth_tkt=${TICKET}` } }));
  assert.equal(result.outcome === "accepted" && result.session?.id, "session of anna");
});

Deno.test("sessions are not asked for a request without the cookie", async () => {
  const resume = () => assert.fail("sessions are asked");
  const method = cookie.setup({}, hostOf({ changes: { sessions: { ...host.sessions, resume } } }));
  assert.deepEqual(await method.authenticate(requestOf({ headers: { Cookie: "theme=dark" } })), {
    outcome: "absent",
  });
});

for (const verb of ["GET", "POST"] as const) {
  Deno.test(`${verb} /logout clears the cookie, whether there is a session or not`, async () => {
    const route = cookie.setup({}, host).routes?.find(({ method }) => method === verb);
    assert.equal(route?.path, "/logout");
    assert.equal(route?.from, "same-site", "another site must not log anybody out");
    const call = (headers: Readonly<Record<string, string>>) =>
      route?.handle(routeRequestOf({ route: { method: verb, path: "/logout" }, headers }));
    assert.deepEqual(await call({ Cookie: `auth_tkt=${TICKET}` }), {
      kind: "done",
      to: "/",
      status: 302,
      result: { logged_out: true },
      cookies: [CLEARED],
      event: { action: "logout", outcome: "success", user: "anna" },
    });
    assert.deepEqual(await call({}), {
      kind: "done",
      to: "/",
      status: 302,
      result: { logged_out: true },
      cookies: [CLEARED],
    });
  });
}

Deno.test("a logout leads people on to their provider, and programs nowhere", async () => {
  const onward = { kind: "redirect", status: 302, to: "https://provider.example/end" } as const;
  const logOut = () => Promise.resolve({ cookies: [CLEARED], onward });
  const [route] = cookie.setup({}, hostOf({ changes: { logOut } })).routes ?? [];
  const request = routeRequestOf({ route: { method: "GET", path: "/logout" }, headers: {} });
  const ask = async (wantsPage: boolean) => (await route?.handle({ ...request, wantsPage }))?.kind;
  assert.deepEqual([await ask(true), await ask(false)], ["redirect", "done"]);
});
