import assert from "node:assert/strict";
import { serve, type Served, startProcess } from "@/tests/support/process.ts";
import {
  assertAccepted,
  assertAttackFails,
  attemptWith,
  NEXT,
  type Place,
  rightAnswer,
} from "@/tests/api/auth/saml/attempt.ts";
import { isLogin, SsoBrowser, whoHas } from "@/tests/api/auth/saml/browser.ts";
import { makeIdentity } from "@/tests/api/auth/saml/certificate.ts";
import { blockOf, type SamlService, startSaml } from "@/tests/api/auth/saml/home.ts";
import { buildResponse, newId } from "@/tests/api/auth/saml/response.ts";

const key = await makeIdentity("provider");
const providers = (origin: string) => ({ acme: blockOf(origin, "acme", { key }) });
const ACS = "/sso/callback/saml/acme";

// A node of two workers, and another node with the same state directory.
let first: SamlService | undefined;
let second: Served | undefined;
Deno.test.beforeAll(async () => {
  first = await startSaml({ providers, args: ["--workers", "2"], start: startProcess });
  second = await serve(["--home", first.home, "--base-url", first.origin]);
});
Deno.test.afterAll(async () => {
  await second?.stop();
  await first?.[Symbol.asyncDispose]();
});

function nodes(): { readonly place: Place; readonly service: SamlService; readonly other: string } {
  if (!first || !second) throw new Error("The services are there only while tests run");
  return { place: { service: first, id: "acme", key }, service: first, other: second.url };
}

/** A login that has got as far as the provider's answer. */
async function beginLogin(browser = new SsoBrowser(nodes().service)) {
  const begun = await browser.begin("acme", NEXT);
  const right = rightAnswer(nodes().place, begun);
  const document = buildResponse(right);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const fields = {
    SAMLResponse: new TextEncoder().encode(document).toBase64(),
    RelayState: begun.relayState ?? "",
  };
  return { browser, right, document, cookie, fields };
}

/** Sends the answer to a node like the provider's page; returns the redirect. */
async function post(url: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(url + ACS, {
    method: "POST",
    headers: { Accept: "text/html", "Sec-Fetch-Site": "cross-site", Origin: "https://acme.idp.example" },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
  await answer.body?.cancel();
  assert.equal(answer.status, 303);
  return answer.headers.get("location") ?? "";
}

/** Continues with the cookies of the browser that began; returns the user of the new session. */
async function goOn(url: string, path: string, cookie: string): Promise<string> {
  const headers = { Accept: "text/html", Cookie: cookie, "Sec-Fetch-Site": "cross-site" };
  const answer = await fetch(url + path, { headers, redirect: "manual" });
  await answer.body?.cancel();
  assert.equal(answer.status < 500, true, `status ${answer.status}`);
  const ticket = answer.headers.getSetCookie().map((each) => /^auth_tkt=[^;]+/.exec(each)?.[0]).find(Boolean);
  return ticket === undefined ? "public" : await whoHas(nodes().service, ticket);
}

const logIn = async (url: string, fields: Readonly<Record<string, string>>, cookie: string) =>
  await goOn(url, await post(url, fields), cookie);
const sorted = (users: readonly string[]) => users.toSorted();

Deno.test("a login works on each node", async () => {
  const { service, other } = nodes();
  for (const url of [service.url, other]) {
    const { fields, cookie } = await beginLogin();
    assert.equal(await logIn(url, fields, cookie), "anna");
  }
});

Deno.test("a login may begin on one node, be answered on another and go on on the first", async () => {
  const { service, other } = nodes();
  const { fields, cookie } = await beginLogin();
  assert.equal(await goOn(service.url, await post(other, fields), cookie), "anna");
});

Deno.test("attack: an answer is good once, also on another node and with the cookies of then", async () => {
  const { service, other } = nodes();
  const { fields, cookie } = await beginLogin();
  assert.equal(await logIn(service.url, fields, cookie), "anna");
  for (const url of [service.url, other, service.url]) {
    assert.equal(await logIn(url, fields, cookie), "public");
  }
});

Deno.test("attack: of equal answers at the same moment one wins, on whichever node and worker", async () => {
  const { service, other } = nodes();
  for (let round = 0; round < 5; round++) {
    const { fields, cookie } = await beginLogin();
    const urls = [service.url, other, service.url, other, service.url, service.url];
    const users = await Promise.all(urls.map((url) => logIn(url, fields, cookie)));
    assert.deepEqual(sorted(users), ["anna", "public", "public", "public", "public", "public"]);
  }
});

Deno.test("attack: the note of an answer is good once, also at the same moment", async () => {
  const { service, other } = nodes();
  const { fields, cookie } = await beginLogin();
  const path = await post(service.url, fields);
  const users = await Promise.all(
    [service.url, other, service.url, other].map((url) => goOn(url, path, cookie)),
  );
  assert.deepEqual(sorted(users), ["anna", "public", "public", "public"]);
  assert.equal(await goOn(service.url, path, cookie), "public");
});

Deno.test("attack: a second answer to the same request is refused", async () => {
  const { service } = nodes();
  const { fields, cookie, right } = await beginLogin();
  assert.equal(await logIn(service.url, fields, cookie), "anna");
  const another = new TextEncoder().encode(buildResponse(right)).toBase64();
  assert.equal(await logIn(service.url, { ...fields, SAMLResponse: another }, cookie), "public");
});

Deno.test("attack: an assertion that was used is refused in another response", async () => {
  const { service, place } = nodes();
  const { fields, cookie } = await beginLogin();
  assert.equal(await logIn(service.url, fields, cookie), "anna");
  const assertionId = newId();
  assertAccepted(
    await attemptWith(
      place,
      (browser, right, begun) =>
        browser.bring("acme", buildResponse({ ...right, assertionId }), begun.relayState),
    ),
  );
  await assertAttackFails(place, (right) => buildResponse({ ...right, assertionId }));
});

Deno.test("attack: a replay ends the session of the browser that sends it", async () => {
  const { place } = nodes();
  const result = await attemptWith(place, async (browser, right, begun) => {
    const document = buildResponse(right);
    await browser.sendForm(ACS, {
      SAMLResponse: new TextEncoder().encode(document).toBase64(),
      RelayState: begun.relayState ?? "",
    });
    return await browser.bring("acme", document, begun.relayState);
  });
  assert.equal(result.user, "public");
  assert.equal(result.previous, "public");
  assert.equal(isLogin(result), true);
});
