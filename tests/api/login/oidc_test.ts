import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { join } from "node:path";
import { CookieJar } from "@/tests/support/cookie_jar.ts";
import { shared, type TestService } from "@/tests/support/service.ts";
import { type Answer, Browser, whoIs } from "./home.ts";
import { ALLOWED, startBoth } from "./oidc_home.ts";

const running = shared(() => startBoth());

/** Follows the provider's pages like a browser; returns the request that it finally sends to the service. */
async function visit(url: string, service: TestService): Promise<Response | URL> {
  const jar = new Map<string, string>();
  let target = url;
  for (let hop = 0; hop < 12; hop++) {
    const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(target, { redirect: "manual", headers: { Cookie, Accept: "text/html" } });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) return answer;
    await answer.body?.cancel();
    const next = new URL(location, target);
    if (next.origin === service.url) return next;
    target = next.href;
  }
  throw new Error("The provider redirects without end");
}

/** Begins a login on the login page and goes to the provider; returns the next request of the browser. */
async function goToProvider(browser: Browser, name: string, next = "/db/Demo.html"): Promise<Response | URL> {
  const { service } = running();
  const page = await browser.get(`/login?next=${encodeURIComponent(next)}`);
  const button = new RegExp(`href="([^"]+)">Log in with ${name}<`).exec(page.text)?.[1]?.replaceAll(
    "&amp;",
    "&",
  );
  assert.notEqual(button, undefined, "there is a button");
  const begun = await browser.get(button ?? "", { "Sec-Fetch-Site": "same-origin" });
  assert.equal(begun.status, 302);
  return await visit(begun.headers.get("location") ?? "", service);
}

const pathOf = ({ pathname, search }: URL) => pathname + search;

/** The user of a browser's session. */
async function userOf(browser: Browser): Promise<string | number> {
  const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return await whoIs(running().service, { Cookie });
}

/** The fields of the form that the provider's page would send by script. */
async function formOf(page: Response | URL): Promise<Record<string, string>> {
  if (page instanceof URL) throw new Error(`The provider leads to ${page.pathname}`);
  const text = await page.text();
  const fields = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]));
}

function assertLoggedOut({ status, text }: Answer, message: RegExp): void {
  assert.equal(status, 403);
  assert.match(
    text,
    /<form method="post" accept-charset="utf-8" action="\/login">/,
    "this is the login page",
  );
  assert.match(text, message);
}

Deno.test("the login page has a button for each provider that works, and the form", async () => {
  const page = await new Browser(running().service).get("/login");
  const labels = [...page.text.matchAll(/Log in with (\w+)</g)].map(([, name]) => name);
  assert.deepEqual(labels, ["codes", "forms"]);
  assert.match(page.text, /name="password"/);
  assert.doesNotMatch(page.text, /cannot be reached/);
});

Deno.test("what is wrong with one provider is named in the log by file and key", async () => {
  const { service } = running();
  const log = await service.log();
  const key = "authentication_policies.jwt.identity_providers.broken.client_id: Is required, found nothing";
  assert.equal(log.includes(`${service.home}/config/auth.cfg: ${key}`), true);
});

Deno.test("a login with a code at a certified provider opens a session on the page where one was", async () => {
  const browser = new Browser(running().service);
  const back = await goToProvider(browser, "codes");
  assert.equal(back instanceof URL, true);
  if (!(back instanceof URL)) return;
  assert.match(pathOf(back), /^\/login\/callback\?idp_id=codes&code=/);
  const done = await browser.get(pathOf(back), { "Sec-Fetch-Site": "cross-site" });
  assert.deepEqual([done.status, done.headers.get("location")], [303, "/db/Demo.html"]);
  assert.equal(await userOf(browser), "anna");
  assert.equal(browser.cookies.has("auth_sso"), false);
  assertLoggedOut(await browser.get(pathOf(back)), /was not begun in this browser/);
});

Deno.test("a logout ends the session here, asks the provider to end its own, and comes back", async () => {
  const { partner, service } = running();
  const browser = new Browser(service);
  const back = await goToProvider(browser, "codes");
  if (!(back instanceof URL)) throw new Error("The provider does not lead back");
  await browser.get(pathOf(back));
  assert.equal(await userOf(browser), "anna");
  const left = await browser.get("/logout", { "Sec-Fetch-Site": "same-origin" });
  const location = left.headers.get("location") ?? "";
  assert.deepEqual([left.status, location.split("?", 1)], [302, [`${partner.url}/session/end`]]);
  assert.equal(await userOf(browser), "public");
  const jar = new CookieJar();
  const asked = await fetch(location);
  jar.keep(asked.headers);
  const [, xsrf = ""] = /name="xsrf" value="(\w+)"/.exec(await asked.text()) ?? [];
  const ended = await fetch(`${partner.url}/session/end/confirm`, {
    method: "POST",
    headers: { Cookie: jar.header },
    body: new URLSearchParams({ xsrf, logout: "yes" }),
    redirect: "manual",
  });
  await ended.body?.cancel();
  assert.deepEqual([ended.status, ended.headers.get("location")], [303, `${service.url}/db`]);
});

Deno.test("a login with a token in a form goes through a page of this service's own", async () => {
  const { service } = running();
  const browser = new Browser(service);
  const fields = await formOf(await goToProvider(browser, "forms", "/db.html"));
  assert.deepEqual(Object.keys(fields).toSorted(), ["id_token", "state"]);
  // The provider's page sends the form, so the browser sends no cookies.
  const stranger = new Browser(service);
  const posted = await stranger.post("/login/callback?idp_id=forms", fields, {
    Origin: "http://127.0.0.1:1",
    "Sec-Fetch-Site": "cross-site",
  });
  assert.equal(posted.status, 303);
  assert.equal(stranger.cookies.size, 0);
  const note = posted.headers.get("location") ?? "";
  assertLoggedOut(await stranger.get(note), /was not begun in this browser/);
  const done = await browser.get(note, { "Sec-Fetch-Site": "cross-site" });
  assert.deepEqual([done.status, done.headers.get("location")], [303, "/db.html"]);
  assert.equal(await userOf(browser), "anna");
});

Deno.test("an answer behind # is sent on by a page that may run this one script only", async () => {
  const { service } = running();
  const page = await new Browser(service).get("/login/callback?idp_id=fragments");
  assert.equal(page.status, 200);
  assert.match(page.text, /<form method="post" action="\/login\/callback\?idp_id=fragments"><\/form>/);
  const [, script = ""] = /<script>([^]*)<\/script>/.exec(page.text) ?? [];
  assert.equal(
    page.headers.get("content-security-policy"),
    `default-src 'none'; script-src 'sha256-${hash("sha256", script, "base64")}'; form-action 'self'; ` +
      "base-uri 'none'; frame-ancestors 'none'",
  );
  assert.equal(page.headers.get("cache-control"), "no-store");
});

Deno.test("the token of a login says with a request who sends it, and opens a session for pages", async () => {
  const { service } = running();
  const { id_token: token = "" } = await formOf(await goToProvider(new Browser(service), "forms"));
  const headers = { Authorization: `Bearer ${token}`, "X-Identity-Provider-Id": "forms" };
  assert.equal(await whoIs(service, headers), "anna");
  assert.equal(await whoIs(service, { ...headers, Authorization: `Bearer ${btoa(token)}` }), "anna");
  const page = await service.fetch("/db.html", { headers });
  await page.body?.cancel();
  assert.equal(page.status, 200);
  const [cookie = ""] = page.headers.getSetCookie();
  assert.match(cookie, /^auth_tkt=/);
  assert.equal(await whoIs(service, { Cookie: cookie.split(";", 1)[0] ?? "" }), "anna");
  const data = await service.fetch("/db.json", { headers });
  await data.body?.cancel();
  assert.deepEqual(data.headers.getSetCookie(), []);
});

Deno.test("attack: the token of somebody who is disabled is worth nothing, in the form of a login neither", async () => {
  const { partner, service } = running();
  partner.account = "dora@example.com";
  try {
    const browser = new Browser(service);
    const { id_token: token = "" } = await formOf(await goToProvider(browser, "forms"));
    const claims = JSON.parse(atob(token.split(".")[1]?.replace(/-/g, "+").replace(/_/g, "/") ?? ""));
    assert.equal(claims.email, "dora@example.com");
    const headers = { Authorization: `Bearer ${token}`, "X-Identity-Provider-Id": "forms" };
    assert.equal(await whoIs(service, headers), 403);
    const page = await service.fetch("/db.html", { headers });
    await page.body?.cancel();
    assert.deepEqual([page.status, page.headers.getSetCookie()], [403, []]);
  } finally {
    partner.account = "anna@example.com";
  }
});

const REJECTED: readonly (readonly [what: string, change: (token: string) => Record<string, string>])[] = [
  ["the id of a provider with another client", () => ({ "X-Identity-Provider-Id": "codes" })],
  ["the id of a provider that is configured wrongly", () => ({ "X-Identity-Provider-Id": "broken" })],
  ["a changed token", (token) => ({ Authorization: `Bearer ${token.slice(0, -8)}AAAAAAAA` })],
];

for (const [what, change] of REJECTED) {
  Deno.test(`a request with ${what} is 403 with the usual text, and never public`, async () => {
    const { service } = running();
    const { id_token: token = "" } = await formOf(await goToProvider(new Browser(service), "forms"));
    const headers = { Authorization: `Bearer ${token}`, "X-Identity-Provider-Id": "forms", ...change(token) };
    const answer = await service.fetch("/db/Demo/Country.json?limit=1", { headers });
    assert.equal(answer.status, 403);
    assert.deepEqual(await answer.json(), {
      http_code: 403,
      description: "The credentials are not valid: log in, or resend with a valid API key",
    });
  });
}

Deno.test("a token without the id of its provider is 403 and says which header is missing", async () => {
  const { service } = running();
  const headers = { Authorization: "Bearer a.b.c" };
  const answer = await service.fetch("/db/Demo/Country.json?limit=1", { headers });
  assert.deepEqual(await answer.json(), {
    http_code: 403,
    description: "A token needs the header X-Identity-Provider-Id with the id of its identity provider: " +
      "log in, or resend with a valid API key",
  });
});

Deno.test("who gives up at the provider, or is nobody here, or disabled, reads so on the login page", async () => {
  const { partner, service } = running();
  try {
    for (
      const [account, message] of [[undefined, /refused or given up/], [
        "eve@example.com",
        /There is no account for you here: codes says that you are &quot;eve@example\.com&quot;/,
      ], ["dora@example.com", /There is no account for you here/]] as const
    ) {
      partner.account = account;
      const browser = new Browser(service);
      const back = await goToProvider(browser, "codes");
      if (!(back instanceof URL)) throw new Error("The provider does not lead back");
      assertLoggedOut(await browser.get(pathOf(back)), message);
      assert.equal(await userOf(browser), "public");
    }
  } finally {
    partner.account = "anna@example.com";
  }
});

Deno.test("a page of another site begins a login only where there is no session", async () => {
  const { service } = running();
  const browser = new Browser(service);
  const target = `${service.url}/db/Demo.html`;
  const query = new URLSearchParams({ idp_id: "codes", target_link_uri: target, login_hint: "anna" });
  const arrive = (site = "cross-site") => browser.get(`/login/oidc?${query}`, { "Sec-Fetch-Site": site });
  const begun = await arrive();
  assert.equal(new URL(begun.headers.get("location") ?? "").searchParams.get("login_hint"), "anna");
  const back = await visit(begun.headers.get("location") ?? "", service);
  if (!(back instanceof URL)) throw new Error("The provider does not lead back");
  const done = await browser.get(pathOf(back), { "Sec-Fetch-Site": "cross-site" });
  assert.deepEqual([done.status, done.headers.get("location")], [303, "/db/Demo.html"]);
  for (const site of ["cross-site", "same-site"]) {
    const again = await arrive(site);
    assert.deepEqual([again.status, again.headers.get("location")], [303, "/db/Demo.html"]);
  }
  assert.equal(browser.cookies.has("auth_sso"), false, "no other login begins");
});

Deno.test("attack: answers of providers, refusals as well, are counted before anything is kept or asked", async () => {
  await using own = await startBoth({ ini: ["login_throttle.burst = 3", ALLOWED] });
  const statuses: number[] = [];
  for (const answer of ["error=access_denied", "code=x", "error=x", "code=y", "error=access_denied"]) {
    const browser = new Browser(own.service);
    const begun = await browser.get("/login/oidc?idp_id=codes", { "Sec-Fetch-Site": "same-origin" });
    const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state");
    statuses.push((await browser.get(`/login/callback?idp_id=codes&${answer}&state=${state}`)).status);
  }
  assert.deepEqual(statuses, [403, 403, 403, 429, 429]);
  assert.equal([...Deno.readDirSync(join(own.service.home, "state", "once"))].length, 3);
  const audit = Deno.readTextFileSync(join(own.service.home, "log", "audit.log")).trimEnd().split("\n");
  const actions = audit.map((line) => JSON.parse(line).action);
  assert.deepEqual(actions, ["login", "login", "login", "throttle"]);
});

Deno.test("a provider at a private address is not asked unless that is allowed, and the page says so", async () => {
  await using own = await startBoth({ ini: [] });
  const browser = new Browser(own.service);
  const answer = await browser.get("/login/oidc?idp_id=codes");
  assert.equal(answer.status, 503);
  assert.match(answer.text, /codes cannot be reached at the moment: try again later/);
  assert.match(
    (await browser.get("/login")).text,
    /codes cannot be reached at the moment: logging in there may fail/,
  );
  assert.match(
    await own.service.log(),
    /is not asked without TLS unless sso\.allow_private_addresses is set/,
  );
});
