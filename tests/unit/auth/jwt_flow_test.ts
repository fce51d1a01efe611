import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { RouteAnswer } from "@/plugins/contract.ts";
import { CLEARED } from "@/tests/conformance/auth_host.ts";
import { ask, makeSubject, type Subject, type SubjectOptions } from "./jwt_method.ts";
import { blockFor, type Claims, makeKey, NOW, sign, startProvider } from "@/tests/api/auth/oidc/provider.ts";

/** A login that a browser has begun. */
interface Begun {
  /** The query that the provider was sent. */
  readonly query: URLSearchParams;
  readonly state: string;
  readonly nonce: string;
  /** The browser's `Cookie` header. */
  readonly cookie: string;
}

async function begin(subject: Subject, { id = "acme", next = "/db/Demo" } = {}): Promise<Begun> {
  const answer = await ask(subject, `/login/oidc?idp_id=${id}&next=${encodeURIComponent(next)}`);
  assert.equal(answer.kind, "redirect");
  if (answer.kind !== "redirect") throw new Error("There is no redirect");
  const query = new URL(answer.to).searchParams;
  const [cookie = ""] = answer.cookies ?? [];
  return {
    query,
    state: query.get("state") ?? "",
    nonce: query.get("nonce") ?? "",
    cookie: cookie.split(";", 1)[0] ?? "",
  };
}

/** The provider's answer with a code, as the browser brings it. */
async function comeBack(
  subject: Subject,
  cookie: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<RouteAnswer> {
  const target = `/login/callback?${new URLSearchParams({ idp_id: "acme", ...query })}`;
  return await ask(subject, target, { headers: { Cookie: cookie, ...headers } });
}

/** The provider gives out one token for every code. */
function redeemable(subject: Subject, token: () => string | Promise<string>): void {
  subject.provider.redeem = async () => ({
    access_token: "access",
    token_type: "Bearer",
    id_token: await token(),
  });
}

/** A whole login with a code; the claims are added to those of a right token. */
async function logInWithCode(subject: Subject, claims: Claims = {}): Promise<RouteAnswer> {
  const { state, nonce, cookie } = await begin(subject);
  redeemable(subject, () => sign(subject.provider, { nonce, ...claims }));
  return await comeBack(subject, cookie, { code: "code", state });
}

/** Where the answer to a form leads. */
async function sendForm(
  subject: Subject,
  fields: Readonly<Record<string, string>>,
  id = "acme",
): Promise<string> {
  const answer = await ask(subject, `/login/callback?idp_id=${id}`, { method: "POST", fields });
  assert.equal(answer.kind, "redirect");
  return answer.kind === "redirect" ? answer.to : "";
}

const summary = (answer: RouteAnswer) =>
  answer.kind === "refused" ? `${answer.code}: ${answer.message}` : answer.kind;
const reasonOf = (answer: RouteAnswer) => "event" in answer ? answer.event?.reason : undefined;
const INVALID =
  "forbidden: The answer of ACME is not valid (request request-1): try again, or tell the administrator";
const OVERTAKEN =
  "forbidden: The answer of ACME is not for the login that this browser has begun last: go on with that one, or try again";
const LOST = "forbidden: The login at ACME has expired, or was not begun in this browser: try again";
const ENDED = "auth_sso=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax";
const NO_PROVIDER = "not-found: There is no such identity provider";
const NOT_ASKED = "identity provider acme: an answer that was not asked for";
const FORM: SubjectOptions = { block: { response_type: "id_token" } };

Deno.test("a login leads to the provider with PKCE, state and nonce", async () => {
  await using subject = await makeSubject();
  const { query, cookie } = await begin(subject);
  const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(query);
  assert.deepEqual(rest, {
    client_id: "rowhouse-test",
    redirect_uri: "http://service.example/login/callback?idp_id=acme",
    response_type: "code",
    scope: "openid email",
    code_challenge_method: "S256",
  });
  for (const random of [state, nonce, challenge]) assert.match(random ?? "", /^[\w-]{32,}$/);
  assert.equal(new Set([state, nonce, challenge]).size, 3);
  for (const secret of [state, nonce]) {
    assert.equal(cookie.includes(secret ?? ""), false, "the cookie is sealed");
  }
  const again = await begin(subject);
  assert.notEqual(again.state, state);
  assert.notEqual(again.nonce, nonce);
});

Deno.test("the state's cookie is for this service, for a while, and for no script", async () => {
  await using subject = await makeSubject();
  const answer = await ask(subject, "/login/oidc?idp_id=acme");
  const cookies = answer.kind === "redirect" ? answer.cookies : [];
  assert.match(cookies?.join() ?? "", /^auth_sso=[\w-]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
});

Deno.test("the state's cookie is for HTTPS only where the browser uses it", async () => {
  await using subject = await makeSubject();
  const begun = await ask(subject, "/login/oidc?idp_id=acme", { isHttps: true });
  const ended = await ask(subject, "/login/callback?idp_id=acme&code=c", { isHttps: true });
  for (const answer of [begun, ended]) {
    const cookies = "cookies" in answer ? answer.cookies ?? [] : [];
    assert.match(cookies.at(-1) ?? "", /^__Host-auth_sso=.*; HttpOnly; Secure; SameSite=Lax$/);
  }
});

Deno.test("below a prefix everything leads below it", async () => {
  await using subject = await makeSubject({ ...FORM, host: { changes: { prefix: "/rowhouse" } } });
  const [button] = subject.method.buttons?.({ next: "/rowhouse/db" }) ?? [];
  assert.equal(button?.href, "/rowhouse/login/oidc?idp_id=acme&next=%2Frowhouse%2Fdb");
  const begun = await ask(subject, "/login/oidc?idp_id=acme");
  assert.match(begun.kind === "redirect" ? begun.cookies?.join() ?? "" : "", /; Path=\/rowhouse; /);
  assert.match(await sendForm(subject, { error: "x" }), /^\/rowhouse\/login\/callback\?idp_id=acme&note=/);
  assert.deepEqual(await ask(subject, "/login/callback?idp_id=acme"), {
    kind: "fragment",
    to: "/rowhouse/login/callback?idp_id=acme",
  });
});

Deno.test("a code is redeemed with the verifier of the challenge, and the login leads to the last page", async () => {
  await using subject = await makeSubject();
  const { query, state, nonce, cookie } = await begin(subject);
  const forms: URLSearchParams[] = [];
  subject.provider.redeem = async (form) => {
    forms.push(form);
    return { access_token: "a", token_type: "Bearer", id_token: await sign(subject.provider, { nonce }) };
  };
  assert.deepEqual(await comeBack(subject, cookie, { code: "the-code", state }), {
    kind: "done",
    to: "/db/Demo",
    status: 303,
    result: { user: "anna" },
    cookies: ["auth_tkt=ticket-of-anna; Max-Age=60; Path=/; SameSite=Lax", ENDED],
    event: {
      action: "login",
      outcome: "success",
      user: "anna",
      reason: "identity provider acme",
      value: "anna-at-the-provider",
    },
  });
  const { code_verifier: verifier = "", ...form } = Object.fromEntries(forms[0] ?? []);
  assert.equal(forms.length, 1);
  assert.deepEqual(form, {
    client_id: "rowhouse-test",
    code: "the-code",
    grant_type: "authorization_code",
    redirect_uri: "http://service.example/login/callback?idp_id=acme",
  });
  assert.equal(hash("sha256", verifier, "base64url"), query.get("code_challenge"));
});

/** How the secret comes to the provider that says this of itself, and with this block. */
const SECRETS: readonly (readonly [
  what: string,
  supported: readonly string[] | undefined,
  block: Readonly<Record<string, unknown>>,
  sent: "basic" | "post" | "not at all",
])[] = [
  ["that says nothing", undefined, {}, "basic"],
  ["that takes both", ["client_secret_post", "client_secret_basic"], {}, "basic"],
  ["that takes a form only", ["client_secret_post"], {}, "post"],
  [
    "where the configuration says so",
    undefined,
    { token_endpoint_auth_method: "client_secret_post" },
    "post",
  ],
  [
    "where the configuration says so",
    ["client_secret_post"],
    { token_endpoint_auth_method: "client_secret_basic" },
    "basic",
  ],
  ["where the configuration says so", undefined, { token_endpoint_auth_method: "none" }, "not at all"],
];

for (const [what, supported, more, sent] of SECRETS) {
  Deno.test(`a client_secret is sent ${sent} to a provider ${what}`, async () => {
    await using subject = await makeSubject({
      block: { client_secret: "s3cret", ...more },
      prepare: (made) => void (made.metadata = { token_endpoint_auth_methods_supported: supported }),
    });
    const { state, nonce, cookie } = await begin(subject);
    let seen: readonly unknown[] = [];
    subject.provider.redeem = async (form, headers) => {
      seen = [headers.get("authorization"), form.get("client_secret")];
      return { access_token: "a", token_type: "Bearer", id_token: await sign(subject.provider, { nonce }) };
    };
    assert.equal(summary(await comeBack(subject, cookie, { code: "c", state })), "done");
    const basic = `Basic ${btoa("rowhouse%2Dtest:s3cret")}`;
    const expected = { basic: [basic, null], post: [null, "s3cret"], "not at all": [null, null] };
    assert.deepEqual(seen, expected[sent]);
  });
}

/** UserInfo as a signed token, which some providers always give. */
async function infoToken({ provider }: Subject, claims: Claims): Promise<Response> {
  return new Response(await sign(provider, claims), { headers: { "Content-Type": "application/jwt" } });
}

/** The user that an ID token without e-mail and UserInfo identify, or the reason why none. */
const INFO: readonly (readonly [what: string, token: Claims, info: unknown, outcome: string | RegExp])[] = [
  ["the e-mail", {}, { email: "anna@example.com", email_verified: true }, "anna"],
  ["that the e-mail is verified", { email: "anna@example.com" }, {
    email: "anna@example.com",
    email_verified: true,
  }, "anna"],
  [
    "the e-mail of somebody else",
    {},
    { sub: "eve", email: "anna@example.com", email_verified: true },
    /"sub"/,
  ],
  ["the e-mail in a token", {}, (subject: Subject) => infoToken(subject, {}), "anna"],
  ["a token about somebody else", {}, (subject: Subject) => infoToken(subject, { sub: "eve" }), /"sub"/],
  ["a token for another client", {}, (subject: Subject) => infoToken(subject, { aud: "other" }), /"aud"/],
  ["no sub", {}, { sub: undefined, email: "anna@example.com", email_verified: true }, /"sub"/],
  [
    "an e-mail that is not verified",
    {},
    { email: "anna@example.com", email_verified: false },
    /not verified/,
  ],
  ["that another e-mail is verified", { email: "anna@example.com" }, {
    email: "eve@example.com",
    email_verified: true,
  }, /no user/],
  ["no e-mail", {}, {}, /without a text "email"/],
  ["no JSON", {}, () => new Response("<html>", { headers: { "Content-Type": "text/html" } }), /UserInfo: /],
  [
    "status 401",
    {},
    () => new Response(null, { status: 401, headers: { "WWW-Authenticate": "Bearer" } }),
    /its own access token/,
  ],
  ["status 404", {}, () => new Response(null, { status: 404 }), /UserInfo: .*status/],
  [
    "status 500",
    {},
    () => new Response(null, { status: 500 }),
    /cannot be asked for: it answers with .* 500/,
  ],
  [
    "a redirect",
    {},
    () => new Response(null, { status: 302, headers: { Location: "/elsewhere" } }),
    /UserInfo: .*status/,
  ],
];

for (const [what, token, info, outcome] of INFO) {
  Deno.test(`what the ID token does not say is fetched from UserInfo: ${what}`, async () => {
    const signing = { userinfo_signing_alg_values_supported: ["RS256"] };
    await using subject = await makeSubject({ prepare: (made) => void (made.metadata = signing) });
    const asked: (string | null)[] = [];
    subject.provider.userInfo = (headers) => {
      asked.push(headers.get("authorization"));
      return typeof info === "function" ? info(subject) : { sub: "anna-at-the-provider", ...info as object };
    };
    const answer = await logInWithCode(subject, { email: undefined, email_verified: undefined, ...token });
    assert.deepEqual(asked, ["Bearer access"]);
    assert.equal(subject.provider.asked.has("/elsewhere"), false, "the access token goes nowhere else");
    if (typeof outcome === "string") assert.equal(answer.kind === "done" && answer.result["user"], outcome);
    else assert.match(reasonOf(answer) ?? answer.kind, outcome);
  });
}

Deno.test("UserInfo is not asked where the ID token says it all, nor while its signature is wrong", async () => {
  await using subject = await makeSubject();
  assert.equal((await logInWithCode(subject)).kind, "done");
  const { state, nonce, cookie } = await begin(subject);
  const key = await makeKey("RS256", "first");
  redeemable(subject, () => sign(subject.provider, { nonce, email: undefined }, { key }));
  assert.equal(summary(await comeBack(subject, cookie, { code: "c", state })), INVALID);
  assert.equal(subject.provider.asked.has("/userinfo"), false);
});

Deno.test("a provider that has no UserInfo has to say everything in the ID token", async () => {
  const prepare = (made: Subject["provider"]) => void (made.metadata = { userinfo_endpoint: undefined });
  await using subject = await makeSubject({ prepare });
  assert.match(reasonOf(await logInWithCode(subject, { email: undefined })) ?? "", /without a text "email"/);
});

Deno.test("a client_secret is sent with the code, and token_endpoint of the configuration goes first", async () => {
  await using other = startProvider();
  const block = { client_secret: "s3cret", token_endpoint: `${other.url}/token` };
  await using subject = await makeSubject({
    block,
    prepare: (made) =>
      void (made.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] }),
  });
  const { state, nonce, cookie } = await begin(subject);
  let secret: string | null = null;
  other.redeem = async (form) => {
    secret = form.get("client_secret");
    return { access_token: "a", token_type: "Bearer", id_token: await sign(subject.provider, { nonce }) };
  };
  assert.equal(summary(await comeBack(subject, cookie, { code: "c", state })), "done");
  assert.equal(secret, "s3cret");
  assert.equal(subject.provider.asked.has("/token"), false);
});

Deno.test("a token of a person in a thousand groups is accepted for a code", async () => {
  await using subject = await makeSubject();
  const groups = Array.from({ length: 1000 }, () => crypto.randomUUID());
  assert.equal(summary(await logInWithCode(subject, { groups })), "done");
});

Deno.test("a token for a code may have expired for less than the skew", async () => {
  await using subject = await makeSubject();
  const exp = Math.floor(Date.now() / 1000) - 45;
  assert.equal(summary(await logInWithCode(subject, { exp })), "done");
});

/** Wrong tokens for a code. */
const WRONG: readonly (readonly [attack: string, claims: Claims, reason: RegExp])[] = [
  ["the nonce of another login", { nonce: "other" }, /nonce/],
  ["no nonce", { nonce: undefined }, /nonce/],
  ["another issuer", { iss: "https://evil.example" }, /iss/],
  ["another audience", { aud: "other" }, /aud/],
  ["an exp that is over", { exp: NOW - 3600 }, /exp/],
  ["too many characters", { filling: "x".repeat(50_000) }, /a token of more than 65536 characters/],
  ["an unverified e-mail", { email_verified: false }, /e-mail address that is not verified/],
  ["an e-mail of nobody", { email: "eve@example.com" }, /no user has the "email"/],
];

for (const [attack, claims, reason] of WRONG) {
  Deno.test(`attack: a code for a token with ${attack} opens no session, and ends the one that there is`, async () => {
    await using subject = await makeSubject();
    const answer = await logInWithCode(subject, claims);
    assert.match(summary(answer), /^forbidden: /);
    assert.match(reasonOf(answer) ?? "", reason);
    assert.deepEqual("cookies" in answer && answer.cookies, [CLEARED, ENDED]);
    const isProven = "event" in answer && answer.event?.value !== undefined;
    assert.equal(
      subject.counted(),
      isProven ? 0 : 1,
      "colleagues do not wait for a person without an account",
    );
  });
}

Deno.test("attack: the signature of a token is verified although it came from the provider's endpoint", async () => {
  await using subject = await makeSubject();
  const { state, nonce, cookie } = await begin(subject);
  const key = await makeKey("RS256", "first");
  redeemable(subject, () => sign(subject.provider, { nonce }, { key }));
  const answer = await comeBack(subject, cookie, { code: "c", state });
  assert.equal(reasonOf(answer), "identity provider acme: signature verification failed");
});

const STATES: readonly (readonly [attack: string, change: (begun: Begun) => Record<string, string>])[] = [
  ["another state", () => ({ state: "other" })],
  ["an empty state", () => ({ state: "" })],
  ["a longer state", ({ state }) => ({ state: `${state}x` })],
];

for (const [attack, change] of STATES) {
  Deno.test(`attack: an answer with ${attack} opens no session`, async () => {
    await using subject = await makeSubject();
    const begun = await begin(subject);
    redeemable(subject, () => sign(subject.provider, { nonce: begun.nonce }));
    const answer = await comeBack(subject, begun.cookie, { code: "c", ...change(begun) });
    assert.equal(summary(answer), OVERTAKEN);
    assert.equal(reasonOf(answer), "identity provider acme: an answer to another login");
    assert.equal(subject.provider.asked.has("/token"), false, "the code is not redeemed");
  });
}

Deno.test("attack: an answer in a browser that has not begun, or in another one, opens no session", async () => {
  await using subject = await makeSubject();
  const { state, nonce } = await begin(subject);
  redeemable(subject, () => sign(subject.provider, { nonce }));
  assert.equal(summary(await comeBack(subject, "", { code: "c", state })), LOST);
  assert.equal(summary(await comeBack(subject, "auth_sso=forged", { code: "c", state })), LOST);
  const other = await begin(subject);
  assert.equal(summary(await comeBack(subject, other.cookie, { code: "c", state })), OVERTAKEN);
  assert.equal(subject.provider.asked.has("/token"), false);
  assert.equal(subject.counted(), 3, "they count as failed attempts");
});

Deno.test("a login that was begun in another tab goes on when an answer to an earlier one comes", async () => {
  await using subject = await makeSubject();
  const earlier = await begin(subject);
  const later = await begin(subject);
  redeemable(subject, () => sign(subject.provider, { nonce: later.nonce }));
  const stale = await comeBack(subject, later.cookie, { code: "c", state: earlier.state });
  assert.equal(summary(stale), OVERTAKEN);
  assert.deepEqual(stale.kind === "refused" && stale.cookies, [CLEARED], "the later one is kept");
  assert.equal((await comeBack(subject, later.cookie, { code: "c", state: later.state })).kind, "done");
});

Deno.test("attack: a link on another site ends no session of a browser that has not begun a login", async () => {
  await using subject = await makeSubject();
  const cookiesOf = async (cookie: string, site?: string) => {
    const headers = site === undefined ? {} : { "Sec-Fetch-Site": site };
    const answer = await comeBack(subject, cookie, { code: "c", state: "x" }, headers);
    return answer.kind === "refused" ? answer.cookies : undefined;
  };
  assert.deepEqual(await cookiesOf("", "cross-site"), [ENDED]);
  assert.deepEqual(await cookiesOf("", "same-site"), [ENDED]);
  assert.deepEqual(await cookiesOf(""), [ENDED], "without TLS browsers do not tell");
  assert.deepEqual(await cookiesOf("", "none"), [CLEARED, ENDED]);
  assert.deepEqual(await cookiesOf((await begin(subject)).cookie, "cross-site"), [CLEARED]);
});

Deno.test("attack: an answer that is brought a second time opens nothing, also at the same moment", async () => {
  await using subject = await makeSubject();
  const { state, nonce, cookie } = await begin(subject);
  redeemable(subject, () => sign(subject.provider, { nonce }));
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => comeBack(subject, cookie, { code: "c", state })),
  );
  answers.push(await comeBack(subject, cookie, { code: "c", state }));
  assert.deepEqual(answers.map(summary).toSorted(), ["done", ...Array<string>(5).fill(INVALID)]);
  assert.equal(subject.provider.asked.get("/token"), 1);
});

Deno.test("attack: the answer of one provider is none at another", async () => {
  await using evil = startProvider();
  await using subject = await makeSubject({ others: () => ({ evil: blockFor(evil, "evil") }) });
  const { state, cookie } = await begin(subject, { id: "acme" });
  assert.match(
    summary(await comeBack(subject, cookie, { idp_id: "evil", code: "c", state })),
    /^forbidden: .*EVIL/,
  );
  const both = `/login/callback?idp_id=acme&idp_id=evil&code=c&state=${state}`;
  assert.equal(summary(await ask(subject, both, { headers: { Cookie: cookie } })), NO_PROVIDER);
  assert.equal(evil.asked.has("/token"), false, "the code is not shown to the other provider");
});

Deno.test("attack: the note of one provider is none at another", async () => {
  await using evil = startProvider();
  const others = () => ({ evil: blockFor(evil, "evil", { response_type: "id_token" }) });
  await using subject = await makeSubject({ ...FORM, others });
  const { state, nonce, cookie } = await begin(subject);
  const fields = { id_token: await sign(evil, { nonce }), state };
  const note = await sendForm(subject, fields, "evil");
  const answer = await ask(subject, note.replace("evil", "acme"), { headers: { Cookie: cookie } });
  assert.equal(reasonOf(answer), "identity provider acme: a note that is not of this service");
});

Deno.test("attack: an answer that names another issuer than its provider is refused", async () => {
  await using subject = await makeSubject({
    prepare: (made) => void (made.metadata = { authorization_response_iss_parameter_supported: true }),
  });
  for (const iss of [{ iss: "https://evil.example" }, {}]) {
    const { state, cookie } = await begin(subject);
    assert.equal(summary(await comeBack(subject, cookie, { code: "c", state, ...iss })), INVALID);
  }
  assert.equal(subject.provider.asked.has("/token"), false);
});

Deno.test("attack: looking at an answer with HEAD does not use it up", async () => {
  await using subject = await makeSubject();
  const { state, nonce, cookie } = await begin(subject);
  redeemable(subject, () => sign(subject.provider, { nonce }));
  const target = `/login/callback?idp_id=acme&code=c&state=${state}`;
  const look = await ask(subject, target, { method: "HEAD", headers: { Cookie: cookie } });
  assert.equal(summary(look), "bad-request: Logins are finished with GET");
  assert.equal(summary(await comeBack(subject, cookie, { code: "c", state })), "done");
});

Deno.test("attack: a login that took longer than 15 minutes is over", async () => {
  await using subject = await makeSubject();
  const { state, cookie } = await begin(subject);
  subject.clock.pass(901);
  assert.equal(summary(await comeBack(subject, cookie, { code: "c", state })), LOST);
});

const ELSEWHERE = [
  "//evil.example",
  "/\\evil.example",
  "https://evil.example/",
  "javascript:alert(1)",
  "/\t/evil",
  "",
];

for (const next of ELSEWHERE) {
  Deno.test(`attack: a login with ${JSON.stringify(next)} as last page leads to the main page`, async () => {
    await using subject = await makeSubject();
    const { state, nonce, cookie } = await begin(subject, { next });
    redeemable(subject, () => sign(subject.provider, { nonce }));
    const answer = await comeBack(subject, cookie, { code: "c", state });
    assert.equal(answer.kind === "done" && answer.to, "/");
  });
}

for (const [origin, to] of [["http://service.example", "/db/Demo?x=1"], ["https://evil.example", "/"]]) {
  Deno.test(`a login for the page /db/Demo?x=1 of ${origin} leads to ${to}`, async () => {
    await using subject = await makeSubject();
    const target = encodeURIComponent(`${origin}/db/Demo?x=1`);
    const answer = await ask(subject, `/login/oidc?idp_id=acme&target_link_uri=${target}`);
    const cookie = "cookies" in answer ? answer.cookies?.[0]?.split(";", 1)[0] ?? "" : "";
    const state = answer.kind === "redirect" ? new URL(answer.to).searchParams.get("state") ?? "" : "";
    const back = await comeBack(subject, cookie, { error: "access_denied", state });
    assert.equal(back.kind === "refused" && back.next, to);
  });
}

const REFUSALS: readonly (readonly [error: string, message: string])[] = [
  ["access_denied", "forbidden: The login at ACME was refused or given up"],
  ["server_error", "forbidden: The login at ACME failed: ACME answers with server_error"],
  ["<script>alert(1)</script>", "forbidden: The login at ACME failed: ACME answers with an error"],
];

for (const [error, message] of REFUSALS) {
  Deno.test(`a provider's error ${error} is said in words`, async () => {
    await using subject = await makeSubject();
    const { state, cookie } = await begin(subject);
    assert.equal(summary(await comeBack(subject, cookie, { error, state })), message);
    await using forms = await makeSubject(FORM);
    const begun = await begin(forms);
    const note = await sendForm(forms, { error, state: begun.state });
    assert.equal(summary(await ask(forms, note, { headers: { Cookie: begun.cookie } })), message);
    assert.equal(subject.counted() + forms.counted(), 2, "anybody can bring one as often as they like");
  });
}

Deno.test("a provider that cannot be asked for tokens is said in words and in the log", async () => {
  await using subject = await makeSubject({ block: { token_endpoint: "http://127.0.0.1:1/token" } });
  const { state, cookie } = await begin(subject);
  const answer = await comeBack(subject, cookie, { code: "c", state });
  assert.equal(summary(answer), "unavailable: ACME cannot be reached at the moment: try again later");
  assert.match(
    subject.lines.join("\n"),
    /^error: The tokens of identity provider "acme" cannot be asked for: /,
  );
  assert.equal(subject.counted(), 0, "it is no failed attempt");
});

Deno.test("a failure of the provider is said as one, and is no failed attempt", async () => {
  await using subject = await makeSubject();
  const { state, cookie } = await begin(subject);
  subject.provider.failure = () => new Response("Bad gateway", { status: 502 });
  const answer = await comeBack(subject, cookie, { code: "c", state });
  assert.equal(summary(answer), "unavailable: ACME cannot be reached at the moment: try again later");
  assert.match(subject.lines.join("\n"), /cannot be asked for: it answers with status 502/);
  assert.equal(subject.counted(), 0);
  await using forms = await makeSubject(FORM);
  forms.provider.failure = () => new Response("Bad gateway", { status: 502 });
  const fields = { state: "s", id_token: await sign(forms.provider) };
  const form = await ask(forms, "/login/callback?idp_id=acme", { method: "POST", fields });
  assert.match(summary(form), /^unavailable: /);
  assert.equal(forms.counted(), 0);
});

Deno.test("a code that the provider does not redeem opens no session", async () => {
  await using subject = await makeSubject();
  const { state, cookie } = await begin(subject);
  subject.provider.failure = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  const answer = await comeBack(subject, cookie, { code: "c", state });
  assert.equal(summary(answer), INVALID);
  assert.equal(
    reasonOf(answer),
    "identity provider acme: the provider does not redeem the code: invalid_grant",
  );
});

for (const id of ["unknown", "", "__proto__"]) {
  Deno.test(`the provider ${JSON.stringify(id)} does not exist, on no path`, async () => {
    await using subject = await makeSubject();
    for (const path of ["/login/oidc", "/login/callback"]) {
      assert.equal(summary(await ask(subject, `${path}?idp_id=${id}`)), NO_PROVIDER);
    }
    const form = { method: "POST", fields: { id_token: "x" } } as const;
    assert.equal(summary(await ask(subject, `/login/callback?idp_id=${id}`, form)), NO_PROVIDER);
  });
}

// ── The answer in a form ──

Deno.test("a token is asked for in a form where the provider can do that, else behind #", async () => {
  await using subject = await makeSubject(FORM);
  const { query } = await begin(subject);
  assert.deepEqual([query.get("response_type"), query.get("response_mode")], ["id_token", "form_post"]);
  assert.equal(query.has("code_challenge"), false);
  await using plain = await makeSubject({
    ...FORM,
    prepare: (made) =>
      void (made.metadata = { response_modes_supported: undefined, token_endpoint: undefined }),
  });
  assert.equal((await begin(plain)).query.has("response_mode"), false);
  assert.deepEqual(await ask(plain, "/login/callback?idp_id=acme"), {
    kind: "fragment",
    to: "/login/callback?idp_id=acme",
  });
});

Deno.test("a form opens no session by itself; the way on with the browser's own cookie does, once", async () => {
  await using subject = await makeSubject(FORM);
  const { state, nonce, cookie } = await begin(subject);
  const answer = await ask(subject, "/login/callback?idp_id=acme", {
    method: "POST",
    fields: { id_token: await sign(subject.provider, { nonce }), state },
  });
  assert.equal(answer.kind, "redirect");
  if (answer.kind !== "redirect") return;
  assert.deepEqual([answer.status, answer.cookies], [303, undefined]);
  assert.match(answer.to, /^\/login\/callback\?idp_id=acme&note=[\w-]+$/);
  const finish = (Cookie: string) => ask(subject, answer.to, { headers: { Cookie } });
  assert.equal(summary(await finish("")), LOST);
  const done = await finish(cookie);
  assert.deepEqual(done.kind === "done" && [done.to, done.result, done.event?.value], [
    "/db/Demo",
    { user: "anna" },
    "anna-at-the-provider",
  ]);
  assert.equal(summary(await finish(cookie)), INVALID);
  assert.equal(reasonOf(await finish(cookie)), "identity provider acme: an answer that was used before");
});

/** An attack by a form, and the reason why the next step refuses it. */
const FORMS: readonly (readonly [
  attack: string,
  fields: (subject: Subject, begun: Begun) => Promise<Record<string, string>>,
  reason: string,
])[] = [
  [
    "a token of another login",
    async ({ provider }, { state }) => ({ id_token: await sign(provider, { nonce: "other" }), state }),
    "a token of another login",
  ],
  [
    "a token without nonce",
    async ({ provider }, { state }) => ({ id_token: await sign(provider), state }),
    "a token of another login",
  ],
  [
    "another state",
    async ({ provider }, { nonce }) => ({ id_token: await sign(provider, { nonce }), state: "other" }),
    "an answer to another login",
  ],
  [
    "no state",
    async ({ provider }, { nonce }) => ({ id_token: await sign(provider, { nonce }) }),
    "an answer to another login",
  ],
  ["no token", (_, { state }) => Promise.resolve({ state }), "a token that is no signed JSON Web Token"],
  [
    "a token with a wrong signature",
    async ({ provider }, { state, nonce }) => {
      return { state, id_token: await sign(provider, { nonce }, { key: await makeKey("RS256", "first") }) };
    },
    "signature verification failed",
  ],
  [
    "a code instead of a token",
    (_, { state }) => Promise.resolve({ state, code: "c" }),
    "a token that is no signed JSON Web Token",
  ],
];

const INVALID_TOKENS = ["a token that is no signed JSON Web Token", "signature verification failed"];

for (const [attack, fields, reason] of FORMS) {
  Deno.test(`attack: a form with ${attack} opens no session`, async () => {
    await using subject = await makeSubject(FORM);
    const begun = await begin(subject);
    const note = await sendForm(subject, await fields(subject, begun));
    assert.equal(subject.counted(), INVALID_TOKENS.includes(reason) ? 1 : 0, "a wrong token is an attempt");
    const answer = await ask(subject, note, { headers: { Cookie: begun.cookie } });
    const isOther = reason === "an answer to another login";
    assert.equal(summary(answer), isOther ? OVERTAKEN : INVALID);
    assert.equal(reasonOf(answer), `identity provider acme: ${reason}`);
    assert.deepEqual("cookies" in answer && answer.cookies, isOther ? [CLEARED] : [CLEARED, ENDED]);
  });
}

Deno.test("attack: somebody else's way on opens no session in this browser", async () => {
  await using subject = await makeSubject(FORM);
  const [attacker, victim] = [await begin(subject), await begin(subject)];
  const fields = { id_token: await sign(subject.provider, { nonce: attacker.nonce }), state: attacker.state };
  const note = await sendForm(subject, fields);
  assert.equal(summary(await ask(subject, note, { headers: { Cookie: victim.cookie } })), OVERTAKEN);
  assert.equal(summary(await ask(subject, note)), LOST);
});

Deno.test("attack: a state's cookie is no note, a note is no cookie, and neither can be made up", async () => {
  await using subject = await makeSubject(FORM);
  const { state, nonce, cookie } = await begin(subject);
  const note = await sendForm(subject, { id_token: await sign(subject.provider, { nonce }), state });
  const sealed = new URLSearchParams(note).get("note") ?? "";
  const own = cookie.slice("auth_sso=".length);
  const at = (value: string) => `/login/callback?idp_id=acme&note=${value}`;
  for (const value of [own, "", "made-up", `${sealed}x`, sealed.slice(1)]) {
    const answer = await ask(subject, at(value), { headers: { Cookie: cookie } });
    assert.equal(reasonOf(answer), "identity provider acme: a note that is not of this service", value);
  }
  assert.equal(summary(await ask(subject, note, { headers: { Cookie: `auth_sso=${sealed}` } })), LOST);
});

Deno.test("a way on stays short, whatever the provider says", async () => {
  await using subject = await makeSubject(FORM);
  const { state, nonce } = await begin(subject);
  const email = new Array(1000).fill("eve@example.com");
  const note = await sendForm(subject, { id_token: await sign(subject.provider, { nonce, email }), state });
  assert.ok(note.length < 1000, note);
});

Deno.test("a way on that is not taken for a minute is over", async () => {
  await using subject = await makeSubject(FORM);
  const { state, nonce, cookie } = await begin(subject);
  const note = await sendForm(subject, { id_token: await sign(subject.provider, { nonce }), state });
  subject.clock.pass(61);
  assert.equal(summary(await ask(subject, note, { headers: { Cookie: cookie } })), INVALID);
});

Deno.test("attack: a provider with forms takes no codes", async () => {
  await using subject = await makeSubject(FORM);
  const { state, cookie } = await begin(subject);
  assert.equal(reasonOf(await comeBack(subject, cookie, { code: "c", state })), NOT_ASKED);
  assert.equal(subject.provider.asked.has("/token"), false, "the code is not redeemed");
});

Deno.test("a provider with codes takes no forms", async () => {
  await using subject = await makeSubject();
  const form = { method: "POST", fields: { id_token: await sign(subject.provider), state: "x" } } as const;
  assert.equal((await ask(subject, "/login/callback?idp_id=acme", form)).kind, "refused");
});

Deno.test("a user who was removed in the meantime gets no session", async () => {
  await using subject = await makeSubject({ ...FORM, host: { changes: { findUser: () => undefined } } });
  const { state, nonce, cookie } = await begin(subject);
  const note = await sendForm(subject, { id_token: await sign(subject.provider, { nonce }), state });
  const answer = await ask(subject, note, { headers: { Cookie: cookie } });
  assert.equal(reasonOf(answer), "identity provider acme: a user who is no longer there");
});

Deno.test("who has no account here is told so with what the provider said, and admin is told", async () => {
  await using subject = await makeSubject();
  subject.provider.userInfo = () => ({ sub: "anna-at-the-provider" });
  const cases = [
    [
      { email: "eve@example.com" },
      /^There is no account for you here: ACME says that you are "eve@example\.com"\./,
    ],
    [
      { email: "twin@example.com" },
      /^ACME says that you are "twin@example\.com", and two accounts here have that/,
    ],
    [
      { email: "anna@example.com", email_verified: false },
      /^ACME says that you are "anna@example\.com", and has not verified that address/,
    ],
    [
      { email: undefined },
      /^ACME has logged you in, but leaves out what your account here is found by/,
    ],
  ] as const;
  for (const [claims, told] of cases) {
    const answer = await logInWithCode(subject, claims);
    assert.match(answer.kind === "refused" ? answer.message : answer.kind, told);
    assert.equal("event" in answer && answer.event?.value, claims.email ?? "anna-at-the-provider");
  }
  assert.equal(subject.counted(), 0, "no such login is a failed attempt");
});

Deno.test("what a provider says in a form of somebody is told in the browser that began only", async () => {
  await using subject = await makeSubject(FORM);
  const { state, nonce, cookie } = await begin(subject);
  const token = await sign(subject.provider, { nonce, email: "eve@example.com" });
  const target = await sendForm(subject, { id_token: token, state });
  assert.equal(target.includes("eve"), false);
  const stranger = await ask(subject, target);
  assert.equal(summary(stranger), LOST);
  const answer = await ask(subject, target, { headers: { Cookie: cookie } });
  assert.match(
    summary(answer),
    /There is no account for you here: ACME says that you are "eve@example\.com"/,
  );
  assert.equal("event" in answer && answer.event?.value, "eve@example.com");
});

/** How a provider is asked to let people choose, by the prompts that it lists. */
const PROMPTS: readonly (readonly [listed: readonly string[] | undefined, prompt: string])[] = [
  [undefined, "select_account"],
  [["none", "select_account", "login"], "select_account"],
  [["none", "login", "consent"], "login"],
];

for (const [listed, prompt] of PROMPTS) {
  Deno.test(`the button after a failure asks a provider that lists ${listed ?? "nothing"} for ${prompt}`, async () => {
    const prepare = (made: Subject["provider"]) => void (made.metadata = { prompt_values_supported: listed });
    await using subject = await makeSubject({ prepare });
    const [first] = subject.method.buttons?.({ next: "/db" }) ?? [];
    const [again] = subject.method.buttons?.({ next: "/db", afterFailure: true }) ?? [];
    const promptOf = async (href = "") => {
      const answer = await ask(subject, href);
      return answer.kind === "redirect" ? new URL(answer.to).searchParams.get("prompt") : answer.kind;
    };
    assert.deepEqual([await promptOf(first?.href), await promptOf(again?.href)], [null, prompt]);
  });
}

Deno.test("a provider that does not know select_account is asked for a login instead, once", async () => {
  await using subject = await makeSubject();
  const refuse = async (answer: RouteAnswer, error = "invalid_request") => {
    if (answer.kind !== "redirect") throw new Error(`No login begins: ${summary(answer)}`);
    const query = new URL(answer.to).searchParams;
    const cookie = answer.cookies?.[0]?.split(";", 1)[0] ?? "";
    const back = await comeBack(subject, cookie, { error, state: query.get("state") ?? "" });
    return { prompt: query.get("prompt"), back };
  };
  const choose = () => ask(subject, "/login/oidc?idp_id=acme&next=%2Fdb&choose=true");
  assert.equal((await refuse(await choose(), "access_denied")).back.kind, "refused");
  const first = await refuse(await choose());
  const second = await refuse(first.back);
  assert.deepEqual([first.prompt, second.prompt], ["select_account", "login"]);
  assert.equal(
    summary(second.back),
    "forbidden: The login at ACME failed: ACME answers with invalid_request",
  );
  assert.equal(second.back.kind === "refused" && second.back.next, "/db");
});

Deno.test("right answers of several people that come from an address at once are all accepted", async () => {
  let [running, most] = [0, 0];
  const countMessage = () => {
    most = Math.max(most, ++running);
    return Promise.resolve({ succeeded: () => Promise.resolve(void running--) });
  };
  const free = () => Promise.resolve({ succeeded: () => Promise.resolve() });
  const throttle = { beginForm: free, beginPassword: free, requireTurn: () => {}, countMessage };
  await using subject = await makeSubject({ host: { changes: { throttle } } });
  const logins = await Promise.all(Array.from({ length: 8 }, () => begin(subject)));
  subject.provider.redeem = async (form) => ({
    access_token: "access",
    token_type: "Bearer",
    id_token: await sign(subject.provider, { nonce: form.get("code") }),
  });
  const answers = logins.map(({ cookie, state, nonce }) => comeBack(subject, cookie, { code: nonce, state }));
  assert.deepEqual(new Set((await Promise.all(answers)).map(summary)), new Set(["done"]));
  assert.deepEqual([running, most], [0, 2], "they take turns");
});
