import assert from "node:assert/strict";
import type { AuthSession, Onward } from "@/plugins/contract.ts";
import { routeRequestOf } from "@/tests/conformance/auth_attempt.ts";
import { makeSubject, type Subject } from "./jwt_method.ts";

const SESSION: AuthSession = {
  id: "session-1",
  user: { login: "anna", name: "", email: "anna@example.com" },
  method: "jwt",
  openedAt: 0,
  details: { idp: "acme" },
  csrfToken: "token",
};

/** Where a browser goes after its logout, if the provider names this end of its sessions. */
async function leadOn(
  { method, provider }: Subject,
  endpoint: unknown,
  session: AuthSession = SESSION,
): Promise<Onward | undefined> {
  provider.metadata = { end_session_endpoint: endpoint };
  const [route] = method.routes ?? [];
  if (!route) throw new Error("There is no route");
  return await method.afterLogout?.(session, routeRequestOf({ route }));
}

const BACK = { block: { post_logout_redirect_uri: "https://here.example/" } };

Deno.test("a logout goes on at the provider, for this client, and comes back", async () => {
  await using subject = await makeSubject(BACK);
  assert.deepEqual(await leadOn(subject, "https://acme.example/end?tenant=1"), {
    kind: "redirect",
    status: 302,
    to: "https://acme.example/end?tenant=1&client_id=rowhouse-test" +
      "&post_logout_redirect_uri=https%3A%2F%2Fhere.example%2F",
  });
});

Deno.test("a logout stays here unless the configuration says where it comes back to", async () => {
  await using subject = await makeSubject();
  assert.equal(await leadOn(subject, "https://acme.example/end"), undefined);
});

for (const endpoint of [undefined, null, "", "/end", "javascript:alert(1)"]) {
  Deno.test(`a provider whose logout is at ${JSON.stringify(endpoint)} has none, and logins work`, async () => {
    await using subject = await makeSubject(BACK);
    assert.equal(await leadOn(subject, endpoint), undefined);
    assert.deepEqual(subject.lines, []);
  });
}

Deno.test("a session that no login at a provider has opened, or at one that is gone, ends here only", async () => {
  await using subject = await makeSubject(BACK);
  for (const details of [undefined, {}, { idp: "gone" }]) {
    const { details: _, ...session } = SESSION;
    const ended = { ...session, ...(details ? { details } : {}) };
    assert.equal(await leadOn(subject, "https://acme.example/end", ended), undefined);
  }
});

Deno.test("a logout stays here while the provider cannot be reached", async () => {
  await using subject = await makeSubject(BACK);
  subject.provider.failure = () => new Response(null, { status: 500 });
  assert.equal(await leadOn(subject, "https://acme.example/end"), undefined);
});
