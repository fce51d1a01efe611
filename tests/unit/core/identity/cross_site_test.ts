import assert from "node:assert/strict";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { requireOwnPage, type Site, siteOf } from "@/core/identity/cross_site.ts";
import { ServiceError } from "@/core/errors.ts";
import { sessionOf } from "@/tests/conformance/auth_host.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { settingsOf } from "@/tests/unit/core/settings_of.ts";

const HOST = "data.example:8080";
const settings = settingsOf({ "cors.trusted_origins": ["https://app.example"] });

interface Case {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isHttps?: boolean;
  /** `--base-url`. */
  readonly origin?: string;
  readonly site: Site;
}

const CASES: readonly Case[] = [
  { what: "the own origin", headers: { origin: `http://${HOST}` }, site: "own" },
  { what: "the own origin over HTTPS", headers: { origin: `https://${HOST}` }, isHttps: true, site: "own" },
  { what: "a trusted origin", headers: { origin: "https://app.example" }, site: "own" },
  {
    what: "a trusted origin, as a browser marks it",
    headers: { origin: "https://app.example", "sec-fetch-site": "cross-site" },
    site: "own",
  },
  {
    what: "a page of the same origin",
    headers: { "sec-fetch-site": "same-origin", referer: `http://${HOST}/db` },
    site: "own",
  },
  {
    what: "a page of the same origin behind a proxy with another name",
    headers: { origin: "https://public.example", "sec-fetch-site": "same-origin" },
    site: "own",
  },
  {
    what: "the origin of the base URL",
    headers: { origin: "https://public.example" },
    origin: "https://public.example",
    site: "own",
  },
  { what: "the own page as referrer", headers: { referer: `http://${HOST}/db?x` }, site: "own" },
  { what: "nothing at all", headers: {}, site: "unknown" },
  { what: "a link in a mail", headers: { "sec-fetch-site": "none" }, site: "unknown" },
  { what: "another site", headers: { origin: "https://evil.example" }, site: "foreign" },
  { what: "an opaque origin", headers: { origin: "null" }, site: "foreign" },
  { what: "an origin that is none", headers: { origin: "data.example" }, site: "foreign" },
  { what: "an empty origin", headers: { origin: "" }, site: "foreign" },
  { what: "a sub-domain", headers: { origin: "http://evil.data.example:8080" }, site: "foreign" },
  { what: "the domain above", headers: { origin: "http://example:8080" }, site: "foreign" },
  {
    what: "a domain that begins alike",
    headers: { origin: "http://data.example:8080.evil.example" },
    site: "foreign",
  },
  { what: "a domain that ends alike", headers: { origin: "http://evildata.example:8080" }, site: "foreign" },
  { what: "another port", headers: { origin: "http://data.example:8081" }, site: "foreign" },
  { what: "the default port", headers: { origin: "http://data.example" }, site: "foreign" },
  { what: "another scheme", headers: { origin: `https://${HOST}` }, site: "foreign" },
  {
    what: "plain HTTP where HTTPS is used",
    headers: { origin: `http://${HOST}` },
    isHttps: true,
    site: "foreign",
  },
  { what: "a trusted host with another scheme", headers: { origin: "http://app.example" }, site: "foreign" },
  { what: "a sub-domain of a trusted origin", headers: { origin: "https://x.app.example" }, site: "foreign" },
  { what: "a cross-site page without origin", headers: { "sec-fetch-site": "cross-site" }, site: "foreign" },
  { what: "a sub-domain's page without origin", headers: { "sec-fetch-site": "same-site" }, site: "foreign" },
  {
    what: "a cross-site page that claims the own origin",
    headers: { origin: `http://${HOST}`, "sec-fetch-site": "cross-site" },
    site: "foreign",
  },
  { what: "another site as referrer", headers: { referer: `https://evil.example/${HOST}` }, site: "foreign" },
  {
    what: "a forwarded name of another host",
    headers: { origin: "https://evil.example", "x-forwarded-host": "evil.example" },
    site: "foreign",
  },
];

function senderOf({ headers, isHttps = false }: Pick<Case, "headers" | "isHttps">, method = "GET") {
  return { method, headers: new Headers({ host: HOST, ...headers }), client: clientOf({ isHttps }) };
}

for (const { site, what, origin, ...sent } of CASES) {
  Deno.test(`${what} is ${site}`, () => {
    const rules = { settings, ...(origin === undefined ? {} : { origin }) };
    assert.equal(siteOf(senderOf(sent), rules), site);
  });

  Deno.test(`${what} ${site === "own" ? "may" : "may not"} change something with a session's cookie`, () => {
    const session = sessionOf();
    const ask = (headers: Readonly<Record<string, string>>) =>
      requireOwnPage(senderOf({ ...sent, headers }), { user: userOf("anna"), anonymous: false, session }, {
        settings,
        ...(origin === undefined ? {} : { origin }),
      });
    if (site === "own") return ask(sent.headers);
    assert.throws(() => ask(sent.headers), (error) => error instanceof ServiceError && error.status === 403);
    assert.throws(() => ask({ ...sent.headers, "X-CSRF-Token": "0123456789abcdefghijklmX" }), ServiceError);
    assert.throws(() => ask({ ...sent.headers, "X-CSRF-Token": "" }), ServiceError);
    ask({ ...sent.headers, "X-CSRF-Token": session.csrfToken });
  });
}

Deno.test("a request without a session needs no page: no browser sends its credentials by itself", () => {
  const user = userOf("anna");
  const headers = { origin: "https://evil.example" };
  requireOwnPage(senderOf({ headers }), { user, anonymous: false }, { settings });
});

Deno.test("a request whose credentials are added by themselves needs a page of the service", () => {
  const caller = { user: userOf("anna"), anonymous: false, isAmbient: true } as const;
  const ask = (method: string, headers: Readonly<Record<string, string>>) =>
    requireOwnPage(senderOf({ headers }, method), caller, { settings });
  for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
    for (const method of ["GET", "POST"]) assert.throws(() => ask(method, headers), ServiceError, method);
    assert.throws(() => ask("POST", { ...headers, "X-CSRF-Token": "" }), ServiceError);
  }
  ask("POST", { origin: `http://${HOST}` });
  ask("POST", {});
});

Deno.test("a GET that the login page has led to changes nothing: a link may have named the destination", () => {
  const session = sessionOf();
  const caller = { user: userOf("anna"), anonymous: false, session };
  const ask = (method: string, path: string, more: Readonly<Record<string, string>> = {}) => {
    const headers = { "sec-fetch-site": "same-origin", referer: `http://${HOST}${path}`, ...more };
    requireOwnPage(senderOf({ headers }, method), caller, { settings });
  };
  const pages = [
    "/login",
    "/login?next=%2Fquery%2Fwipe",
    "/prefix/login",
    "/login/callback?code=x",
    "/sso/oauth2/callback",
  ];
  for (const path of pages) {
    assert.throws(() => ask("GET", path), ServiceError, path);
    ask("GET", path, { "X-CSRF-Token": session.csrfToken });
    ask("POST", path);
  }
  ask("GET", "/query/wipe.html");
});

Deno.test("a program that has logged in changes something with its cookie, a GET of it does not", () => {
  const session = sessionOf();
  const caller = { user: userOf("anna"), anonymous: false, session };
  const ask = (method: string, headers: Readonly<Record<string, string>> = {}) =>
    requireOwnPage(senderOf({ headers }, method), caller, { settings });
  for (const method of ["POST", "PUT", "DELETE"]) {
    ask(method);
    for (
      const headers of [{ origin: "null" }, { origin: "" }, { "sec-fetch-site": "none" }, { referer: "x" }]
    ) {
      assert.throws(() => ask(method, headers), ServiceError, `${method} ${JSON.stringify(headers)}`);
    }
  }
  assert.throws(() => ask("GET"), ServiceError);
});
