import assert from "node:assert/strict";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { type CookieSettings, createSessionCookie } from "@/core/identity/sessions/cookies.ts";

const SETTINGS: CookieSettings = { cookie_max_age: 86_400, cookie_http_only: true, cookie_secure: "auto" };
const HTTP = { isHttps: false };
const HTTPS = { isHttps: true };

const GIVEN: readonly [
  what: string,
  changes: Partial<CookieSettings>,
  request: typeof HTTP,
  cookie: string,
][] = [
  ["the defaults over HTTP", {}, HTTP, "auth_tkt=T; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax"],
  [
    "the defaults over HTTPS",
    {},
    HTTPS,
    "__Host-auth_tkt=T; Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Lax",
  ],
  ["cookie_max_age", { cookie_max_age: 60 }, HTTP, "auth_tkt=T; Max-Age=60; Path=/; HttpOnly; SameSite=Lax"],
  [
    "cookie_http_only = False",
    { cookie_http_only: false },
    HTTP,
    "auth_tkt=T; Max-Age=86400; Path=/; SameSite=Lax",
  ],
  [
    "cookie_secure = True over HTTP",
    { cookie_secure: true },
    HTTP,
    "auth_tkt=T; Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Lax",
  ],
  [
    "cookie_secure = False over HTTPS",
    { cookie_secure: false },
    HTTPS,
    "auth_tkt=T; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax",
  ],
];

for (const [what, changes, request, expected] of GIVEN) {
  Deno.test(`the cookie that is given follows ${what}`, () => {
    assert.equal(createSessionCookie({ ...SETTINGS, ...changes }, "").give("T", request), expected);
  });
}

Deno.test("the cookie is sent below the path of the service only", () => {
  const cookie = createSessionCookie(SETTINGS, "/api/v1");
  assert.equal(
    cookie.give("T", HTTP),
    "auth_tkt=T; Max-Age=86400; Path=/api/v1; HttpOnly; SameSite=Lax",
  );
});

Deno.test("a cookie is cleared with the attributes that it was given with", () => {
  const cookie = createSessionCookie(SETTINGS, "/api");
  assert.equal(cookie.clear(HTTPS), "auth_tkt=; Max-Age=0; Path=/api; HttpOnly; Secure; SameSite=Lax");
});

const READ: readonly [header: string | undefined, ticket: string | undefined][] = [
  [undefined, undefined],
  ["", undefined],
  ["auth_tkt=T", "T"],
  ["auth_tkt=", ""],
  ["theme=dark; auth_tkt=a.b-c_d; x=y", "a.b-c_d"],
  ["theme=dark;auth_tkt=T", "T"],
  ["theme=dark ;\tauth_tkt=T ; x", "T"],
  ["auth_tkt=first; auth_tkt=second", undefined],
  ["auth_tkt=T; x=y; auth_tkt=T", "T"],
  ["__Host-auth_tkt=T", undefined],
  ["my_auth_tkt=T", undefined],
  ["auth_tkt2=T", undefined],
  ["x=auth_tkt=T", undefined],
  ["AUTH_TKT=T", undefined],
  ["auth_tkt", undefined],
  ["=auth_tkt; ; ;", undefined],
  ["auth_tkt=a=b", "a=b"],
  ['x=y; auth_tkt="T"; z="1"', "T"],
  ['auth_tkt="T', '"T'],
  ['auth_tkt="T"; auth_tkt=U', undefined],
];

for (const [header, ticket] of READ) {
  Deno.test(`the ticket in ${JSON.stringify(header)} is ${JSON.stringify(ticket)}`, () => {
    assert.equal(createSessionCookie(SETTINGS, "").read(senderOf(header)), ticket);
  });
}

function senderOf(header: string | undefined, isHttps = false) {
  return {
    headers: new Headers(header === undefined ? {} : { Cookie: header }),
    client: clientOf({ isHttps }),
  };
}

Deno.test("attack: over HTTPS no other host of the domain plants a ticket, before or beside the own one", () => {
  const { read } = createSessionCookie(SETTINGS, "");
  assert.equal(read(senderOf("auth_tkt=planted", true)), undefined);
  assert.equal(read(senderOf("auth_tkt=planted; __Host-auth_tkt=T", true)), "T");
  // Browsers take such a name for one without a prefix.
  assert.equal(read(senderOf("x=y; \xa0__Host-auth_tkt=planted", true)), undefined);
  assert.equal(read(senderOf("\xa0__Host-auth_tkt=planted; \t__Host-auth_tkt=T", true)), "T");
  const cases: readonly (readonly [settings: CookieSettings, prefix: string])[] = [
    [{ ...SETTINGS, cookie_secure: false }, ""],
    [SETTINGS, "/api"],
  ];
  for (const [settings, prefix] of cases) {
    const cookie = createSessionCookie(settings, prefix);
    assert.equal(cookie.read(senderOf("auth_tkt=T; __Host-auth_tkt=x", true)), "T", "the name cannot be had");
    assert.equal(cookie.read(senderOf("auth_tkt=planted; auth_tkt=T", true)), undefined);
  }
});

Deno.test("attack: the time to read a header grows with its length, however many blanks it has", () => {
  const sender = senderOf(`x=${" \t".repeat(50_000)}y;${" ".repeat(100_000)}auth_tkt=T`);
  const began = performance.now();
  assert.equal(createSessionCookie(SETTINGS, "").read(sender), "T");
  assert.ok(performance.now() - began < 1_000);
});
