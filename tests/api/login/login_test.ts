import assert from "node:assert/strict";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { Browser, hiddenFields, homeOf, KEY, logIn, PASSWORD, sessionOf, whoIs } from "./home.ts";

const service = sharedService(homeOf());
const REFUSED = "The login or the password is not right: log in, or resend with a valid API key";

Deno.test("a login with JSON gives 200 and the cookie of a session", async () => {
  const answer = await logIn(service(), "anna", PASSWORD);
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { user: "anna" });
  const [cookie = "", ...others] = answer.headers.getSetCookie();
  assert.match(cookie, /^auth_tkt=[^;]{20,}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.deepEqual(others, []);
  assert.equal(answer.headers.get("cache-control"), "private, no-cache");
  assert.equal(await whoIs(service(), { Cookie: cookie.split(";", 1)[0] ?? "" }), "anna");
});

Deno.test("a login with JSON and a logout succeed whatever format Accept names", async () => {
  for (const accept of ["text/html", "*/*", "text/csv", "text/xsd"]) {
    assert.equal(await statusOf(logIn(service(), "anna", PASSWORD, { Accept: accept })), 200, accept);
    const leaving = service().fetch("/logout", { headers: { Accept: accept }, redirect: "manual" });
    assert.equal(await statusOf(leaving), accept === "text/html" ? 302 : 200, accept);
  }
});

Deno.test("the refusal of a login with an extension says that its path has none", async () => {
  const asked = [["POST", "/login.json", "/login"], ["GET", "/logout.json", "/logout"]] as const;
  for (const [method, path, right] of asked) {
    const answer = await service().fetch(path, { method });
    assert.equal(answer.status, 404);
    const { description } = await answer.json();
    assert.equal(description, `Cannot find "${path}": "${right}" has no extension`);
  }
  const nothing = await service().fetch("/nothing.json");
  assert.match(await nothing.text(), /Cannot find \\"\/nothing\\"; data is below \/db/);
});

const REFUSALS: readonly (readonly [login: string, password: string, what: string])[] = [
  ["anna", "wrong", "a wrong password"],
  ["nobody", PASSWORD, "an unknown login"],
  ["keyless", "", "a user without a password"],
  ["anna", "", "an empty password"],
  ["", "", "an empty login"],
  ["public", "", "public"],
  ["__proto__", "x", "a name that every object has"],
  ["ANNA", PASSWORD, "a login in other letters"],
];

for (const [login, password, what] of REFUSALS) {
  Deno.test(`${what} gets 403 with one text and no cookie`, async () => {
    const answer = await logIn(service(), login, password);
    assert.equal(answer.status, 403);
    assert.deepEqual(await answer.json(), { http_code: 403, description: REFUSED });
    assert.equal(answer.headers.get("warning"), REFUSED);
    assert.equal(answer.headers.has("www-authenticate"), false, "browsers show no box of their own");
    assert.deepEqual(answer.headers.getSetCookie(), []);
  });
}

const BAD_BODIES: readonly (readonly [status: number, type: string, body: string, text: RegExp])[] = [
  [400, "application/json", "", /Could not parse JSON: this is no JSON/],
  [400, "application/json", '{"login": "anna", "password": "s3cret', /Could not parse JSON: this is no JSON/],
  [400, "application/json", "[]", /expected an object/],
  [400, "application/json", "null", /expected an object/],
  [400, "application/json", '{"login": "anna"}', /the text "password" is missing/],
  [400, "application/json", '{"password": "x"}', /the text "login" is missing/],
  [400, "application/json", '{"login": 7, "password": "x"}', /the text "login" is missing/],
  [400, "application/json", '{"login": {"$ne": ""}, "password": {"$ne": ""}}', /"login" is missing/],
  [400, "application/x-www-form-urlencoded", "login=a&login=b&password=c", /"login" stands twice/],
  [415, "text/plain", '{"login": "anna", "password": "x"}', /Cannot read a body of "text\/plain"/],
  [415, "application/xml", "<login/>", /send application\/json or application\/x-www-form-urlencoded/],
  [415, "application/json; charset=klingon", "{}", /The charset "klingon" is unknown/],
  [
    413,
    "application/json",
    JSON.stringify({ login: "anna", password: "x".repeat(70_000) }),
    /at most 65536 bytes/,
  ],
];

for (const [status, type, body, text] of BAD_BODIES) {
  Deno.test(`a login with ${type} ${body.slice(0, 40)} is refused with ${status}`, async () => {
    const headers = { "Content-Type": type, Origin: service().url };
    const answer = await service().fetch("/login", { method: "POST", headers, body });
    const { http_code, description } = await answer.json();
    assert.deepEqual([answer.status, http_code], [status, status]);
    assert.match(description, text);
    assert.equal(description.includes("s3cret"), false);
  });
}

Deno.test("a login that is compressed is refused, and one without a body, too", async () => {
  const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
  assert.equal(await statusOf(service().fetch("/login", { method: "POST", headers, body: "x" })), 415);
  const none = await sendRaw(service().port, { method: "POST", target: "/login" });
  assert.equal(none.status, 415);
  assert.match(none.headers.get("warning") ?? "", /^Cannot read a body without Content-Type: send /);
});

Deno.test("the login page has the form, and works without script", async () => {
  const page = await new Browser(service()).get("/login?next=/db/Demo.html");
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(page.headers.get("cache-control"), "no-store");
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
  assert.match(page.text, /<form method="post" accept-charset="utf-8" action="\/login">/);
  assert.match(page.text, /<label for="field-login">Login<\/label>/);
  assert.match(page.text, /<input id="field-password" name="password" type="password"/);
  assert.doesNotMatch(page.text, /<script(?! src="\/assets)|https?:\/\/|value="[^"]*walrus/i);
  assert.equal(hiddenFields(page.text)["next"], "/db/Demo.html");
});

Deno.test("the login page is a page whatever is accepted, and HEAD has its headers", async () => {
  for (const accept of ["application/json", "image/png"]) {
    const answer = await service().fetch("/login", { headers: { Accept: accept } });
    await answer.body?.cancel();
    assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8", accept);
  }
  const head = await sendRaw(service().port, { method: "HEAD", target: "/login" });
  assert.deepEqual([head.status, head.text], [200, ""]);
});

Deno.test("other methods of the login get 405 with those that there are", async () => {
  const answer = await service().fetch("/login", { method: "PUT", body: "x" });
  await answer.body?.cancel();
  assert.equal(answer.status, 405);
  assert.equal(answer.headers.get("allow"), "GET, POST, HEAD, OPTIONS");
  const options = await service().fetch("/login", { method: "OPTIONS" });
  assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, POST, HEAD, OPTIONS"]);
});

Deno.test("the form logs in and leads to the page where one was", async () => {
  const browser = new Browser(service());
  const page = await browser.get("/login?next=/db/Demo/Port.html");
  const answer = await browser.post("/login", {
    ...hiddenFields(page.text),
    login: "anna",
    password: PASSWORD,
  });
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.get("location"), "/db/Demo/Port.html");
  assert.match((await browser.get("/db.html")).text, /Logged in as <\/span>anna.*Log out/);
});

Deno.test("a refused form shows the page again, in words, with the login and without the password", async () => {
  const browser = new Browser(service());
  const page = await browser.get("/login?next=/db");
  const answer = await browser.post("/login", {
    ...hiddenFields(page.text),
    login: "<anna>",
    password: "guess-1",
  });
  assert.equal(answer.status, 403);
  assert.equal(answer.headers.get("warning"), REFUSED);
  assert.match(answer.text, /<p role="alert">The login or the password is not right<\/p>/);
  assert.match(answer.text, /value="&lt;anna&gt;"/);
  assert.equal(answer.text.includes("guess-1"), false);
  assert.equal(hiddenFields(answer.text)["next"], "/db");
});

Deno.test("a form that cannot be read shows the page with the reason", async () => {
  const answer = await new Browser(service()).post("/login", { login: "anna" });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /role="alert">Cannot log in: the text &quot;password&quot; is missing</);
});

const HOSTILE = [
  "//evil.example",
  "/\\evil.example",
  "https://evil.example/",
  "https:evil.example",
  "/%2f%2fevil.example",
  "/\t/evil.example",
  "/\r\nLocation: //evil.example",
  "javascript:alert(1)",
  "/login?next=//evil.example",
];

for (const next of HOSTILE) {
  Deno.test(`a login never leads to ${JSON.stringify(next)}`, async () => {
    const browser = new Browser(service());
    const page = await browser.get(`/login?next=${encodeURIComponent(next)}`);
    assert.equal(hiddenFields(page.text)["next"], "/");
    const answer = await browser.post("/login", { login: "anna", password: PASSWORD, next });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/"]);
  });
}

Deno.test("the page that led to the login is where it leads back, unless it is another site's", async () => {
  const browser = new Browser(service());
  const nextAfter = async (referer: string) =>
    hiddenFields((await browser.get("/login", { Referer: referer })).text)["next"];
  assert.equal(await nextAfter(`${service().url}/db/Demo.html?limit=3`), "/db/Demo.html?limit=3");
  assert.equal(await nextAfter("http://evil.example/db/Demo.html"), "/");
  assert.equal(await nextAfter(`${service().url}/login`), "/");
});

Deno.test("a login leads to no address with a key: the browser would be the owner of the key again", async () => {
  const browser = new Browser(service());
  const key = `/db/Demo.html?limit=3&apikey=${KEY}`;
  const next = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    hiddenFields((await browser.get(path, headers)).text)["next"];
  assert.equal(await next("/login", { Referer: service().url + key }), "/db/Demo.html");
  assert.equal(await next(`/login?next=${encodeURIComponent(key)}`), "/db/Demo.html");
  assert.equal(
    await next(`/login?next=${encodeURIComponent("/db/Demo.html?limit=3")}`),
    "/db/Demo.html?limit=3",
  );
});

Deno.test("a page that is forbidden leads to the login and back", async () => {
  const answer = await new Browser(service()).get("/db/Nowhere/Table.html?sort=Name&apikey=x");
  assert.equal(answer.status, 403);
  assert.match(
    answer.text,
    /<a class="button main" href="\/login\?next=%2Fdb%2FNowhere%2FTable.html">Log in<\/a>/,
    "without the key",
  );
  const hidden = await new Browser(service()).get("/db/Demo/Port.html", { apikey: "wrong" });
  assert.match(
    hidden.text,
    /<a class="button main" href="\/login\?next=%2Fdb%2FDemo%2FPort.html">Log in<\/a>/,
  );
});

Deno.test("logging in again ends the session before, and the new one has another id", async () => {
  const browser = new Browser(service());
  await browser.post("/login", { login: "anna", password: PASSWORD });
  const first = `auth_tkt=${browser.cookies.get("auth_tkt")}`;
  await browser.post("/login", { login: "bert", password: `${PASSWORD}-bert` });
  const second = `auth_tkt=${browser.cookies.get("auth_tkt")}`;
  assert.notEqual(first, second);
  assert.equal(await whoIs(service(), { Cookie: first }), "public");
  assert.equal(await whoIs(service(), { Cookie: second }), "bert");
});

Deno.test("a session that somebody else chose is not taken over at a login", async () => {
  const chosen = "auth_tkt=0123456789abcdef0123456789abcdef.AAAAAAAAAAAAAAAAAAAAAA";
  const answer = await logIn(service(), "anna", PASSWORD, { Cookie: chosen });
  await answer.body?.cancel();
  assert.equal(answer.headers.getSetCookie()[0]?.startsWith(`${chosen};`), false);
  assert.equal(await whoIs(service(), { Cookie: chosen }), "public");
});

Deno.test("a program may send the form, too, and gets 200", async () => {
  const answer = await service().fetch("/login", {
    method: "POST",
    headers: { Origin: service().url },
    body: new URLSearchParams({ login: "anna", password: PASSWORD }),
  });
  assert.deepEqual([answer.status, await answer.json()], [200, { user: "anna" }]);
});

for (const verb of ["GET", "POST"]) {
  Deno.test(`${verb} /logout ends the session and clears the cookie: 302 for people, 200 for others`, async () => {
    for (const [accept, status] of [["text/html", 302], ["application/json", 200], ["*/*", 200]] as const) {
      const Cookie = await sessionOf(service(), "anna", PASSWORD);
      const answer = await service().fetch("/logout", { method: verb, headers: { Cookie, Accept: accept } });
      await answer.body?.cancel();
      assert.equal(answer.status, status, accept);
      assert.equal(answer.headers.get("location"), status === 302 ? "/" : null);
      assert.deepEqual(answer.headers.getSetCookie(), [
        "auth_tkt=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
      ]);
      assert.equal(await whoIs(service(), { Cookie }), "public");
    }
  });
}

Deno.test("logging out without a session is fine", async () => {
  assert.equal(await statusOf(service().fetch("/logout")), 200);
});

Deno.test("HEAD of the logout is answered and does not log out", async () => {
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  const head = await sendRaw(service().port, { method: "HEAD", target: "/logout", headers: { Cookie } });
  assert.deepEqual([head.status, head.text, head.headers.has("set-cookie")], [200, "", false]);
  const options = await sendRaw(service().port, { method: "OPTIONS", target: "/logout" });
  assert.match(options.headers.get("allow") ?? "", /\bHEAD\b/);
  assert.equal(await whoIs(service(), { Cookie }), "anna");
});

Deno.test("logins and their failures are in the log with who and where from, and nothing secret", async () => {
  await using own = await startService(homeOf());
  await (await logIn(own, "anna", "guess-4711")).body?.cancel();
  const Cookie = await sessionOf(own, "anna", PASSWORD);
  await (await own.fetch("/logout", { headers: { Cookie } })).body?.cancel();
  await (await own.fetch("/db.json", { headers: { Authorization: `Basic ${btoa("anna:guess-4712")}` } })).body
    ?.cancel();
  const log = await own.log();
  assert.match(log, /A login of "anna" by login_form from 127\.0\.0\.1: refused: a wrong login or password/);
  assert.match(log, /A login of "anna" by login_form from 127\.0\.0\.1: success/);
  assert.match(log, /A logout of "anna" by cookie from 127\.0\.0\.1: success/);
  assert.match(log, /Authentication by basic from 127\.0\.0\.1 rejected: a wrong login or password/);
  for (const secret of ["guess-4711", "guess-4712", PASSWORD, Cookie.slice("auth_tkt=".length)]) {
    assert.equal(log.includes(secret), false);
  }
});

Deno.test("the other HTTP server does it the same way", async () => {
  await using own = await startService(homeOf({ args: ["--adapter", "node"] }));
  const browser = new Browser(own);
  const hidden = hiddenFields((await browser.get("/login?next=/db.html")).text);
  const answer = await browser.post("/login", { ...hidden, login: "anna", password: PASSWORD }, {});
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/db.html"]);
  assert.match((await browser.get("/db.html")).text, /Logged in as <\/span>anna/);
  assert.equal((await browser.post("/login", {}, { Origin: "https://evil.example" })).status, 403);
  const large = { login: "anna", password: "x".repeat(70_000) };
  assert.equal((await browser.post("/login", large)).status, 413);
  const out = await browser.get("/logout");
  assert.deepEqual([out.status, browser.cookies.has("auth_tkt")], [302, false]);
});

Deno.test("without the format of pages there is no login page, and programs log in all the same", async () => {
  await using own = await startService(homeOf({ ini: ["formats = json,csv"] }));
  const page = await own.fetch("/login");
  assert.equal(page.status, 404);
  assert.match((await page.json()).description, /no format that has pages is enabled/);
  assert.equal(await statusOf(logIn(own, "anna", PASSWORD)), 200);
});

Deno.test("a form that is hidden or switched off is not on the login page", async () => {
  const block = (lines: string) =>
    `authentication_policies:\n  cookie: {enabled: true, priority: 6}\n${lines}`;
  const hidden = "  login_form: {enabled: true, priority: 5, gui: {visible: false}}\n";
  await using first = await startService(homeOf({ auth: block(hidden) }));
  const page = await new Browser(first).get("/login");
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /<form/);
  assert.match(page.text, /<p>Nobody can log in here\.<\/p>/);
  assert.doesNotMatch(page.text, /API key/, "nor does anybody have one");
  assert.equal(await statusOf(logIn(first, "anna", PASSWORD)), 200, "it is hidden, not switched off");
  await using second = await startService(homeOf({ auth: block("") }));
  assert.equal(await statusOf(logIn(second, "anna", PASSWORD)), 405);
});

Deno.test("the login page tells how programs send API keys, unless that is hidden or switched off", async () => {
  const textWith = async (block: string) => {
    const auth = `authentication_policies:\n  cookie: {enabled: true, priority: 6}\n  apikey: ${block}\n`;
    await using own = await startService(homeOf({ auth }));
    return (await new Browser(own).get("/login")).text;
  };
  const shown = /<p>Programs send an API key with each request, in the header &quot;X-Key&quot;\.<\/p>/;
  assert.match(await textWith("{enabled: true, priority: 1, apikey_name: X-Key}"), shown);
  assert.match(
    await textWith("{enabled: true, priority: 1, apikey_name: X-Key, gui: {visible: true}}"),
    shown,
  );
  for (
    const block of ["{enabled: true, priority: 1, gui: {visible: false}}", "{enabled: false, priority: 1}"]
  ) {
    assert.doesNotMatch(await textWith(block), /API key/);
  }
});

Deno.test("behind a base URL everything of the login is below its path", async () => {
  await using own = await startService(homeOf({ args: ["--base-url", "https://data.example/api"] }));
  const browser = new Browser(own);
  const page = await browser.get("/api/login?next=/api/db");
  assert.match(page.text, /<form method="post" accept-charset="utf-8" action="\/api\/login">/);
  assert.match(page.headers.getSetCookie()[0] ?? "", /; Path=\/api; HttpOnly; Secure; SameSite=Lax$/);
  const fields = { ...hiddenFields(page.text), login: "anna", password: PASSWORD };
  const answer = await browser.post("/api/login", fields, { Origin: "https://data.example" });
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/api/db"]);
  assert.match(answer.headers.getSetCookie()[0] ?? "", /; Path=\/api; HttpOnly; Secure; SameSite=Lax$/);
  const outside = await browser.post("/api/login", { ...fields, next: "/db" }, {
    Origin: "https://data.example",
  });
  assert.equal(outside.headers.get("location"), "/api/");
});
