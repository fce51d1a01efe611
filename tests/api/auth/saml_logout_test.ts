import assert from "node:assert/strict";
import { NEXT, rightAnswer } from "./saml/attempt.ts";
import { type Answer, readBegun, SsoBrowser, whoHas } from "./saml/browser.ts";
import { makeIdentity, privateKeyOf } from "./saml/certificate.ts";
import { acsOf, audienceOf, type Block, blockOf, issuerOf, sharedSaml, signOffOf } from "./saml/home.ts";
import { decrypt, HAS_XMLLINT, HAS_XMLSEC, validate, verifySignature } from "./saml/judges.ts";
import { logoutRequest, type LogoutRequestOptions, logoutResponse } from "./saml/logout.ts";
import { POST, REDIRECT } from "./saml/provider_metadata.ts";
import { isQuerySigned, queryOf, type QueryOptions } from "./saml/query_signature.ts";
import { buildResponse } from "./saml/response.ts";
import { EMAIL_FORMAT, SUCCESS } from "./saml/response_options.ts";
import { signElement } from "./saml/signature.ts";

const [key, own, attacker] = await Promise.all([
  makeIdentity("provider"),
  makeIdentity("service"),
  makeIdentity("attacker"),
]);

function providers(origin: string): Readonly<Record<string, unknown>> {
  const make = (id: string, binding: string | undefined, security: Block = {}) => {
    const sp = {
      entityId: audienceOf(origin, id),
      assertionConsumerService: { url: acsOf(origin, id) },
      x509cert: own.certificate,
      privatekey: privateKeyOf(own),
    };
    const idp = binding === undefined ? {} : { singleLogoutService: { url: signOffOf(id), binding } };
    return [id, blockOf(origin, id, { key, sp, idp, security })] as const;
  };
  const signed = { logoutRequestSigned: true, logoutResponseSigned: true };
  return Object.fromEntries([
    make("none", undefined),
    make("redirect", REDIRECT),
    make("post", POST),
    make("signed", REDIRECT, signed),
    make("signedpost", POST, signed),
    make("sealed", REDIRECT, { nameIdEncrypted: true }),
  ]);
}

const running = sharedSaml({ providers });
const pathOf = (id: string) => `/sso/logout/saml/${id}`;

interface Session {
  readonly browser: SsoBrowser;
  /** The content of its cookie. */
  readonly cookie: string;
}

/** A browser with a session of anna that this provider's answer opened. */
async function logIn(id: string, changes: { readonly sessionIndex?: string | null } = {}): Promise<Session> {
  const browser = new SsoBrowser(running());
  const begun = await browser.begin(id, NEXT);
  const right = rightAnswer({ service: running(), id, key }, begun);
  const { user } = await browser.bring(id, buildResponse({ ...right, ...changes }), begun.relayState);
  assert.equal(user, "anna");
  return { browser, cookie: `auth_tkt=${browser.cookies.get("auth_tkt")}` };
}

const userOf = ({ cookie }: Session) => whoHas(running(), cookie);
const textIn = (xml: string, name: string) => new RegExp(`<[\\w:]*${name}\\b[^>]*>([^<]*)<`).exec(xml)?.[1];
const attributeOf = (xml: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1];

// ── Begun here ─────────────────────────────────────────────────────────────

Deno.test("where the provider offers no logging out, it ends here", async () => {
  const session = await logIn("none");
  const answer = await session.browser.get("/logout");
  assert.deepEqual([answer.status, answer.headers.get("location")], [302, "/"]);
  assert.equal(await userOf(session), "public");
});

for (const [id, binding] of [["redirect", "redirect"], ["post", "post"]] as const) {
  Deno.test(`logging out leads on to the provider by ${binding}, when it has ended here`, async () => {
    const session = await logIn(id);
    const begun = readBegun(await session.browser.get("/logout"));
    assert.equal(await userOf(session), "public");
    assert.deepEqual([begun.binding, begun.destination], [binding, `https://${id}.idp.example/slo`]);
    assert.match(begun.request, /<[\w:]*LogoutRequest /);
    assert.equal(attributeOf(begun.request, "Destination"), `https://${id}.idp.example/slo`);
    assert.equal(textIn(begun.request, "Issuer"), `${running().origin}/saml/${id}`);
    assert.equal(textIn(begun.request, "NameID"), "anna@example.com");
    const [nameId = ""] = /<[\w:]*NameID[^>]*>/.exec(begun.request) ?? [];
    assert.equal(attributeOf(nameId, "Format"), EMAIL_FORMAT);
    assert.equal(textIn(begun.request, "SessionIndex"), "session-1");
  });
}

Deno.test("a session without index is ended at the provider by its name", async () => {
  const { browser } = await logIn("redirect", { sessionIndex: null });
  const { request } = readBegun(await browser.get("/logout"));
  assert.equal(textIn(request, "NameID"), "anna@example.com");
  assert.equal(textIn(request, "SessionIndex"), undefined);
});

Deno.test("a session that SAML has not opened ends here only", async () => {
  const browser = new SsoBrowser(running());
  await browser.openSession();
  const answer = await browser.get("/logout");
  assert.deepEqual([answer.status, answer.headers.get("location")], [302, "/"]);
});

Deno.test("a request is signed where logoutRequestSigned is true", async () => {
  const { browser } = await logIn("signed");
  const location = (await browser.get("/logout")).headers.get("location") ?? "";
  assert.equal(isQuerySigned(location, own.publicKey), true);
  const unsigned = await logIn("redirect");
  assert.equal(
    ((await unsigned.browser.get("/logout")).headers.get("location") ?? "").includes("Signature"),
    false,
  );
});

Deno.test({
  name: "a request by POST is signed for an independent judge where logoutRequestSigned is true",
  ignore: !HAS_XMLSEC,
  async fn() {
    const { browser } = await logIn("signedpost");
    assert.equal(await verifySignature(readBegun(await browser.get("/logout")).request, own), "ok");
  },
});

Deno.test({
  name: "requests fit the schema of the protocol",
  ignore: !HAS_XMLLINT,
  async fn() {
    for (const id of ["redirect", "post", "signed", "signedpost", "sealed"]) {
      const { browser } = await logIn(id);
      assert.equal(await validate(readBegun(await browser.get("/logout")).request, "protocol"), "ok", id);
    }
  },
});

Deno.test({
  name: "the name is encrypted for the provider where nameIdEncrypted is true",
  ignore: !HAS_XMLSEC,
  async fn() {
    const { browser } = await logIn("sealed");
    const { request } = readBegun(await browser.get("/logout"));
    assert.equal(request.includes("anna@example.com"), false);
    assert.match(request, /<[\w:]*EncryptedID/);
    assert.match(await decrypt(request, key), /anna@example\.com/);
  },
});

/** A provider's answer to the message from the browser. */
const answerTo = (id: string, inResponseTo: string, status?: string) =>
  logoutResponse({
    issuer: issuerOf(id),
    destination: running().origin + pathOf(id),
    inResponseTo,
    ...(status === undefined ? {} : { status }),
  });

Deno.test("the provider's answer leads home, by redirect and by POST", async () => {
  for (const id of ["redirect", "post"]) {
    const { browser } = await logIn(id);
    const begun = readBegun(await browser.get("/logout"));
    const message = answerTo(id, begun.id);
    const relayState = begun.relayState ?? "";
    const path = pathOf(id);
    const first = id === "redirect"
      ? await browser.arrive(`${path}?${queryOf("SAMLResponse", message, { relayState, key })}`)
      : await browser.sendForm(path, {
        SAMLResponse: new TextEncoder().encode(signElement(message, key)).toBase64(),
        RelayState: relayState,
      });
    const landing = await browser.follow(path, first);
    assert.equal(landing.path, "/");
    assert.equal(landing.user, "public");
  }
});

Deno.test("an answer that is wrong, or that says it failed, is no failure of the service", async () => {
  const status = "urn:oasis:names:tc:SAML:2.0:status:PartialLogout";
  const path = pathOf("redirect");
  for (
    const make of [
      (id: string) => queryOf("SAMLResponse", answerTo("redirect", id, status), { key }),
      () => queryOf("SAMLResponse", answerTo("redirect", "_other"), { key }),
      (id: string) => queryOf("SAMLResponse", answerTo("redirect", id), { key: attacker }),
      (id: string) => queryOf("SAMLResponse", answerTo("redirect", id)),
      () => "SAMLResponse=x",
    ]
  ) {
    const { browser } = await logIn("redirect");
    const begun = readBegun(await browser.get("/logout"));
    const landing = await browser.follow(path, await browser.arrive(`${path}?${make(begun.id)}`));
    assert.equal(landing.status < 500, true, `status ${landing.status}`);
    assert.equal(landing.user, "public");
  }
});

Deno.test("attack: an answer to no request does nothing to a session", async () => {
  const session = await logIn("redirect");
  const path = `${pathOf("redirect")}?${queryOf("SAMLResponse", answerTo("redirect", "_none"), { key })}`;
  const landing = await session.browser.follow(path, await session.browser.arrive(path));
  assert.equal(landing.status < 500, true);
  assert.equal(await userOf(session), "anna");
});

// ── Begun by the provider ──────────────────────────────────────────────────

/** The content of a valid request. */
const right = (id: string): LogoutRequestOptions => ({
  issuer: issuerOf(id),
  destination: running().origin + pathOf(id),
  nameId: "anna@example.com",
});

/** Brings a request of the provider by redirect. */
async function bringQuery(
  { browser }: Session,
  id: string,
  changes: Partial<LogoutRequestOptions> = {},
  query: QueryOptions = { key },
): Promise<Answer> {
  const message = queryOf("SAMLRequest", logoutRequest({ ...right(id), ...changes }), query);
  return await follow(browser, await browser.arrive(`${pathOf(id)}?${message}`));
}

/** Brings a request of the provider by POST. */
async function bringForm({ browser }: Session, id: string, message: string): Promise<Answer> {
  const encoded = new TextEncoder().encode(message).toBase64();
  return await follow(
    browser,
    await browser.sendForm(pathOf(id), { SAMLRequest: encoded, RelayState: "state 1" }),
  );
}

/** Follows redirects within the service. */
async function follow(browser: SsoBrowser, first: Answer): Promise<Answer> {
  let answer = first;
  for (let hop = 0; hop < 4; hop++) {
    const location = answer.headers.get("location");
    if (location === null || !location.startsWith("/")) return answer;
    answer = await browser.arrive(location);
  }
  return answer;
}

for (const [id, binding] of [["redirect", "redirect"], ["post", "post"]] as const) {
  Deno.test(`a request of the provider by ${binding} ends the session, and is answered`, async () => {
    const session = await logIn(id);
    const request = logoutRequest({ ...right(id), id: "_its-request" });
    const answer = binding === "redirect"
      ? await bringQuery(session, id, { id: "_its-request" }, { key, relayState: "state 1" })
      : await bringForm(session, id, signElement(request, key));
    assert.equal(await userOf(session), "public");
    const { request: message, destination, relayState, binding: back } = readBegun(answer);
    assert.deepEqual([back, destination, relayState], [binding, `https://${id}.idp.example/slo`, "state 1"]);
    assert.match(message, /<[\w:]*LogoutResponse /);
    assert.equal(attributeOf(message, "InResponseTo"), "_its-request");
    assert.equal(attributeOf(message, "Destination"), `https://${id}.idp.example/slo`);
    assert.equal(textIn(message, "Issuer"), `${running().origin}/saml/${id}`);
    assert.match(message, new RegExp(`Value="${SUCCESS}"`));
  });
}

Deno.test("a request that names no session ends that of its name, and one without end is good for a moment", async () => {
  for (
    const changes of [{ sessionIndexes: [] }, { notOnOrAfter: null }, {
      sessionIndexes: ["other", "session-1"],
    }]
  ) {
    const session = await logIn("redirect");
    await bringQuery(session, "redirect", changes);
    assert.equal(await userOf(session), "public");
  }
});

/** The status of an answer: its codes, the outer one first. */
const statusOf = (xml: string) =>
  [...xml.matchAll(/StatusCode Value="urn:oasis:names:tc:SAML:2\.0:status:(\w+)"/g)].map(([, code]) => code);

for (const binding of ["redirect", "post"] as const) {
  Deno.test(`a request by ${binding} in a browser or frame without cookies ends that login in every browser`, async () => {
    const sessionIndex = `index-${binding}`;
    const meant = [await logIn(binding, { sessionIndex }), await logIn(binding, { sessionIndex })];
    const other = await logIn(binding, { sessionIndex: "another" });
    const frame = { browser: new SsoBrowser(running()), cookie: "" };
    const changes = { sessionIndexes: [sessionIndex] };
    const answer = binding === "redirect"
      ? await bringQuery(frame, binding, changes)
      : await bringForm(frame, binding, signElement(logoutRequest({ ...right(binding), ...changes }), key));
    for (const session of meant) assert.equal(await userOf(session), "public");
    assert.equal(await userOf(other), "anna");
    assert.deepEqual(statusOf(readBegun(answer).request), ["Success"]);
    const policy = answer.headers.get("content-security-policy") ?? "";
    assert.equal(policy.includes("frame-ancestors https:"), binding === "post");
    assert.match(await running().log(), /A logout of "anna" by saml .*: 2 sessions/);
  });
}

Deno.test("a request without index ends every login of that name, and nobody else's", async () => {
  const sessions = [await logIn("redirect"), await logIn("redirect", { sessionIndex: null })];
  const elsewhere = await logIn("post");
  await bringQuery({ browser: new SsoBrowser(running()), cookie: "" }, "redirect", { sessionIndexes: [] });
  for (const session of sessions) assert.equal(await userOf(session), "public");
  assert.equal(await userOf(elsewhere), "anna", "another provider's login goes on");
});

Deno.test("a provider that offers no logging out, and asks for it all the same, ends the session", async () => {
  const session = await logIn("none");
  const answer = await bringQuery({ browser: new SsoBrowser(running()), cookie: "" }, "none");
  assert.equal(await userOf(session), "public");
  assert.equal(answer.status, 200, "it leads home");
});

for (const binding of ["redirect", "post"] as const) {
  Deno.test(`a refused request by ${binding} is answered, so that the provider can go on`, async () => {
    const message = logoutRequest({ ...right(binding), id: "_refused" });
    const browser = new SsoBrowser(running());
    const answer = binding === "redirect"
      ? await bringQuery({ browser, cookie: "" }, binding, { id: "_refused" }, {
        key: attacker,
        relayState: "state 1",
      })
      : await bringForm({ browser, cookie: "" }, binding, signElement(message, attacker));
    const { request, destination, relayState } = readBegun(answer);
    assert.deepEqual([destination, relayState], [`https://${binding}.idp.example/slo`, "state 1"]);
    assert.equal(attributeOf(request, "InResponseTo"), "_refused");
    assert.deepEqual(statusOf(request), ["Requester", "RequestDenied"]);
    if (HAS_XMLLINT) assert.equal(await validate(request, "protocol"), "ok");
  });
}

Deno.test("attack: what is no request of the provider is not answered", async () => {
  const browser = new SsoBrowser(running());
  const hostile = ["x y", "1", '"><script>', "a".repeat(300), ""];
  const changes = [{ issuer: "https://evil.example/metadata" }, ...hostile.map((id) => ({ id }))];
  for (const change of changes) {
    const answer = await bringQuery({ browser, cookie: "" }, "redirect", change, { key: attacker });
    assert.equal(
      answer.headers.get("location")?.includes("idp.example") ?? false,
      false,
      JSON.stringify(change),
    );
    assert.equal(answer.status < 500, true);
  }
});

Deno.test("the answer is signed where logoutResponseSigned is true", async () => {
  const session = await logIn("signed");
  const location = (await bringQuery(session, "signed")).headers.get("location") ?? "";
  assert.equal(isQuerySigned(location, own.publicKey), true);
  const other = await logIn("redirect");
  assert.equal((await bringQuery(other, "redirect")).headers.get("location")?.includes("Signature"), false);
});

Deno.test({
  name: "the answer by POST is signed for an independent judge where logoutResponseSigned is true",
  ignore: !HAS_XMLSEC,
  async fn() {
    const session = await logIn("signedpost");
    const answer = await bringForm(
      session,
      "signedpost",
      signElement(logoutRequest(right("signedpost")), key),
    );
    assert.equal(await verifySignature(readBegun(answer).request, own), "ok");
  },
});

Deno.test({
  name: "answers fit the schema of the protocol",
  ignore: !HAS_XMLLINT,
  async fn() {
    for (const id of ["redirect", "signed"]) {
      const answer = await bringQuery(await logIn(id), id);
      assert.equal(await validate(readBegun(answer).request, "protocol"), "ok", id);
    }
  },
});

Deno.test("a name that is encrypted for the service is read", async () => {
  const session = await logIn("redirect");
  await bringQuery(session, "redirect", { encryptNameIdFor: own });
  assert.equal(await userOf(session), "public");
});

/** Requests that end no session. */
const ATTACKS: Readonly<
  Record<string, readonly [changes: Partial<LogoutRequestOptions>, query?: QueryOptions]>
> = {
  "no signature": [{}, {}],
  "the signature of somebody else": [{}, { key: attacker }],
  "a signature of sha1": [{}, { key, algorithm: "rsa-sha1" }],
  "the name of somebody else": [{ nameId: "bert@example.com" }],
  "the name in another case": [{ nameId: "Anna@example.com" }],
  "another session": [{ sessionIndexes: ["session-2"] }],
  "another issuer": [{ issuer: "https://evil.example/metadata" }],
  "another provider of this service as issuer": [{ issuer: "https://post.idp.example/metadata" }],
  "another destination": [{ destination: "https://other.example/slo" }],
  "an end that is over": [{ notOnOrAfter: -61 }],
  "another version": [{ version: "1.1" }],
};

for (const [name, [changes, query]] of Object.entries(ATTACKS)) {
  Deno.test(`attack: a request to log out with ${name} does not`, async () => {
    const session = await logIn("redirect");
    const { status, text } = await bringQuery(session, "redirect", changes, query ?? { key });
    assert.equal(status < 500, true, `status ${status}`);
    assert.equal(text.slice(text.indexOf("<main")).includes("@example.com"), false);
    assert.equal(await userOf(session), "anna");
    await bringQuery(session, "redirect");
    assert.equal(await userOf(session), "public", "the right one does");
  });
}

Deno.test("attack: a request by POST without signature, or with the attacker's, does not log out", async () => {
  const session = await logIn("post");
  const message = logoutRequest(right("post"));
  const wrapped = signElement(message, key).replace("anna@example.com", "bert@example.com");
  for (const each of [message, signElement(message, attacker), wrapped]) {
    assert.equal((await bringForm(session, "post", each)).status < 500, true);
    assert.equal(await userOf(session), "anna");
  }
  await bringForm(session, "post", signElement(message, key));
  assert.equal(await userOf(session), "public");
});

Deno.test("attack: a provider cannot end a session that another one opened", async () => {
  const session = await logIn("redirect");
  const answer = await bringQuery(session, "signed");
  assert.equal(answer.status < 500, true);
  assert.equal(await userOf(session), "anna");
});

Deno.test("attack: a request is good once", async () => {
  const id = "_used-once";
  await bringQuery(await logIn("redirect"), "redirect", { id });
  const session = await logIn("redirect");
  assert.equal((await bringQuery(session, "redirect", { id })).status < 500, true);
  assert.equal(await userOf(session), "anna");
});

Deno.test("attack: the signature covers RelayState, and whatever is sent comes back as it was", async () => {
  const session = await logIn("redirect");
  const query = queryOf("SAMLRequest", logoutRequest(right("redirect")), { key, relayState: "one" });
  await session.browser.arrive(`${pathOf("redirect")}?${query.replace("RelayState=one", "RelayState=two")}`);
  assert.equal(await userOf(session), "anna");
  const relayState = 'https://evil.example/"><script>';
  const answer = await bringQuery(session, "redirect", {}, { key, relayState });
  const location = new URL(answer.headers.get("location") ?? "");
  assert.equal(location.host, "redirect.idp.example");
  assert.equal(location.searchParams.get("RelayState"), relayState);
});

/** Queries that must not be unpacked. */
const HOSTILE: Readonly<Record<string, () => string>> = {
  "a bomb": () => queryOf("SAMLRequest", new Uint8Array(5_000_000), { key }),
  "a bomb of XML": () => queryOf("SAMLRequest", `<a>${"<b/>".repeat(1_000_000)}</a>`, { key }),
  "no base64": () => "SAMLRequest=%%%",
  "no deflated text": () => `SAMLRequest=${encodeURIComponent(btoa("not deflated"))}`,
  "no XML": () => queryOf("SAMLRequest", "text", { key }),
  "a DOCTYPE": () => queryOf("SAMLRequest", `<!DOCTYPE x []>${logoutRequest(right("redirect"))}`, { key }),
  "nothing": () => "",
  "an empty field": () => "SAMLRequest=",
  "both fields": () => "SAMLRequest=x&SAMLResponse=y",
  "a field twice": () => `${queryOf("SAMLRequest", logoutRequest(right("redirect")), { key })}&SAMLRequest=x`,
  "a field that stands before it, too": () =>
    `SAMLRequest=x&${queryOf("SAMLRequest", logoutRequest(right("redirect")), { key })}`,
  "another kind of message": () => queryOf("SAMLRequest", answerTo("redirect", "_x"), { key }),
};

for (const [name, query] of Object.entries(HOSTILE)) {
  Deno.test(`attack: ${name} at the address for logging out is no failure, and ends nothing`, async () => {
    const session = await logIn("redirect");
    const answer = await session.browser.arrive(`${pathOf("redirect")}?${query()}`);
    assert.equal((await follow(session.browser, answer)).status < 500, true, `status ${answer.status}`);
    assert.equal(await userOf(session), "anna");
  });
}

Deno.test("attack: a request that is looked at with HEAD ends nothing, and is not used up", async () => {
  const session = await logIn("redirect");
  const path = `${pathOf("redirect")}?${queryOf("SAMLRequest", logoutRequest(right("redirect")), { key })}`;
  const head = await running().fetch(path, { method: "HEAD", headers: { Cookie: session.cookie } });
  assert.equal(head.status, 400);
  assert.equal(await userOf(session), "anna");
  await follow(session.browser, await session.browser.arrive(path));
  assert.equal(await userOf(session), "public");
});

Deno.test("a browser without session is answered, too", async () => {
  const browser = new SsoBrowser(running());
  const answer = await bringQuery({ browser, cookie: "" }, "redirect");
  assert.match(readBegun(answer).request, /<[\w:]*LogoutResponse /);
});
