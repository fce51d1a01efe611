import assert from "node:assert/strict";
import { type Answer, formFields, isLogin, readBegun, SsoBrowser } from "./saml/browser.ts";
import { pemOf } from "./saml/certificate.ts";
import { type Both, PROVIDERS, sharedPartner } from "./saml/partner_home.ts";

const running = sharedPartner();

/** The words on the login page. */
const problemIn = (text: string) => /role="alert"[^>]*>([^<]*)/.exec(text)?.[1] ?? "";

/** Follows the provider's pages; returns the form that its last page would send to the service. */
async function visitProvider(answer: Answer): Promise<{ readonly path: string; readonly fields: Fields }> {
  const begun = readBegun(answer);
  const response = begun.binding === "redirect"
    ? await fetch(answer.headers.get("location") ?? "")
    : await fetch(begun.destination, { method: "POST", body: begun.fields });
  const page = await response.text();
  assert.equal(response.status, 200, page);
  const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
  return { path: new URL(action).pathname, fields: Object.fromEntries(formFields(page)) };
}
type Fields = Readonly<Record<string, string>>;

/** Follows a login from the button on the login page to its last page. */
async function logIn(both: Both, id: string, browser = new SsoBrowser(both.service)) {
  const page = await browser.get("/login?next=%2Fdb%2FDemo.html");
  const button = new RegExp(`href="([^"]+)">Log in with ${id}<`).exec(page.text)?.[1]?.replaceAll(
    "&amp;",
    "&",
  );
  assert.notEqual(button, undefined, "there is a button");
  const { path, fields } = await visitProvider(await browser.get(button ?? ""));
  assert.equal(path, `/sso/callback/saml/${id}`);
  return { browser, ...await browser.follow(path, await browser.sendForm(path, fields)) };
}

Deno.test("what the provider says of itself is all that the service has to be told", async () => {
  const both = running();
  await using _ = both.fresh();
  const { user, path } = await logIn(both, "redirect");
  assert.deepEqual([user, path], ["anna", "/db/Demo.html"]);
  assert.deepEqual(both.partner.received, ["/sso SAMLRequest redirect"]);
});

/** Ways in which the provider answers: the service's provider block, and options of samlp. */
const WAYS: readonly (readonly [what: string, id: string, options: (both: Both) => Fields | object])[] = [
  ["a request by redirect, the assertion signed", "redirect", () => ({})],
  ["a request by POST, the assertion signed", "post", () => ({})],
  ["the response signed", "redirect", () => ({ signResponse: true, signAssertion: false })],
  ["both signed", "redirect", () => ({ signResponse: true, signAssertion: true })],
  ["a prefix for signatures", "redirect", () => ({ signatureNamespacePrefix: "ds", signResponse: true })],
  ["the assertion encrypted", "sealed", ({ own }) => encryptionFor(own)],
  [
    "the assertion encrypted, the response signed",
    "sealed",
    ({ own }) => ({ ...encryptionFor(own), signResponse: true }),
  ],
  ["the assertion encrypted with CBC", "sealed", ({ own }) => ({
    ...encryptionFor(own),
    encryptionAlgorithm: "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
    disallowEncryptionWithInsecureAlgorithm: false,
    warnOnInsecureEncryptionAlgorithm: false,
  })],
  ["the group as what tells who it is", "groups", () => ({})],
];

function encryptionFor(own: Both["own"]) {
  return {
    encryptionCert: pemOf(own),
    encryptionPublicKey: String(own.publicKey.export({ type: "spki", format: "pem" })),
  };
}

for (const [what, id, options] of WAYS) {
  Deno.test(`a login at samlp opens a session on the last page: ${what}`, async () => {
    const both = running();
    await using _ = both.fresh();
    both.partner.options = options(both) as Fields;
    const { user, path } = await logIn(both, id);
    assert.deepEqual(
      [user, path],
      [id === "groups" ? "crew" : "anna", "/db/Demo.html"],
      await both.lastRefusal(),
    );
  });
}

Deno.test("samlp verifies the signatures of requests, by redirect and by POST", async () => {
  const both = running();
  for (const id of ["redirect", "post"] as const) {
    await using _ = both.fresh();
    both.partner.requestCertificate = pemOf(both.own);
    assert.equal((await logIn(both, id)).user, "anna");
    both.partner.requestCertificate = pemOf(both.stranger);
    await assert.rejects(() => logIn(both, id), /samlp refuses/);
  }
});

Deno.test("sha1 of samlp is refused unless rejectDeprecatedAlgorithm is false", async () => {
  const both = running();
  await using _ = both.fresh();
  both.partner.options = { signatureAlgorithm: "rsa-sha1", digestAlgorithm: "sha1" };
  assert.equal((await logIn(both, "old")).user, "anna");
  assert.equal((await logIn(both, "redirect")).user, "public");
});

Deno.test("a login that is given up at the provider ends on the login page, in words, and ends the session", async () => {
  const both = running();
  await using _ = both.fresh();
  both.partner.account = undefined;
  const browser = new SsoBrowser(both.service);
  await browser.openSession();
  const landing = await logIn(both, "redirect", browser);
  assert.equal(landing.user, "public");
  assert.equal(isLogin(landing), true);
  assert.match(problemIn(landing.text), /^The login at redirect /);
  assert.match(landing.text, /value="\/db\/Demo\.html"/);
});

Deno.test("somebody whom nobody knows here ends on the login page, in words", async () => {
  const both = running();
  await using _ = both.fresh();
  both.partner.account = "eve@example.com";
  const landing = await logIn(both, "redirect");
  assert.equal(landing.user, "public");
  assert.match(problemIn(landing.text), /^There is no account for you here: redirect says that you are /);
});

Deno.test("another provider of the same key opens nothing", async () => {
  const both = running();
  await using _ = both.fresh();
  both.partner.options = { issuer: "http://127.0.0.1:1/metadata" };
  assert.equal((await logIn(both, "redirect")).user, "public");
});

/** Logs Anna in at a provider that ends logins with the binding of its name. */
async function logInForLogout(both: Both, id: "redirect" | "post"): Promise<SsoBrowser> {
  both.partner.logoutBinding = id;
  both.partner.requestCertificate = pemOf(both.own);
  const { browser, user } = await logIn(both, id);
  assert.equal(user, "anna");
  return browser;
}

Deno.test("logging out here logs out at samlp, and leads home", async () => {
  const both = running();
  for (const id of ["redirect", "post"] as const) {
    await using _ = both.fresh();
    const browser = await logInForLogout(both, id);
    assert.equal(both.partner.participants.length, 1);
    const left = await browser.get("/logout");
    assert.equal(await browser.whoAmI(), "public");
    const landing = await finishLogout(both, browser, left);
    assert.deepEqual(both.partner.participants, []);
    assert.equal(landing.path, "/");
  }
});

/** Brings the service's request to samlp, and its answer back. */
async function finishLogout(both: Both, browser: SsoBrowser, left: Answer) {
  const begun = readBegun(left);
  const response = begun.binding === "redirect"
    ? await fetch(left.headers.get("location") ?? "", { redirect: "manual" })
    : await fetch(begun.destination, { method: "POST", body: begun.fields, redirect: "manual" });
  return await takeBack(both, browser, response);
}

/** Brings samlp's answer to the service. */
async function takeBack(both: Both, browser: SsoBrowser, response: Response) {
  const text = await response.text();
  assert.equal(response.status < 400, true, text);
  const location = response.headers.get("location");
  if (location !== null) {
    const path = location.slice(both.service.origin.length);
    return await browser.follow(path, await browser.arrive(path));
  }
  const [, action = ""] = /action="([^"]+)"/.exec(text) ?? [];
  const path = new URL(action).pathname;
  return await browser.follow(path, await browser.sendForm(path, Object.fromEntries(formFields(text))));
}

Deno.test("logging out at samlp logs out here", async () => {
  const both = running();
  for (const id of ["redirect", "post"] as const) {
    await using _ = both.fresh();
    const browser = await logInForLogout(both, id);
    const asked = await fetch(`${both.partner.url}/slo`, { redirect: "manual" });
    const answer = await takeBack(both, browser, asked);
    assert.equal(await browser.whoAmI(), "public");
    const begun = readBegun(answer);
    const ended = begun.binding === "redirect"
      ? await fetch(answer.headers.get("location") ?? "")
      : await fetch(begun.destination, { method: "POST", body: begun.fields });
    assert.equal(ended.status, 200, await ended.text());
    assert.deepEqual(both.partner.participants, []);
  }
});

Deno.test("every provider of these tests is on the login page", async () => {
  const page = await new SsoBrowser(running().service).get("/login");
  const labels = [...page.text.matchAll(/Log in with (\w+)</g)].map(([, name]) => name);
  assert.deepEqual(labels, PROVIDERS);
});
