import assert from "node:assert/strict";
import { sharedService, startService, type TestService } from "@/tests/support/service.ts";
import { Browser, browserOf, hiddenFields, homeOf, KEY, logIn, PASSWORD, sessionOf, whoIs } from "./home.ts";

const service = sharedService(homeOf());
const TARGET = "/db/Demo/Amenity/AmenityId/1.json";

type Names = Readonly<Record<string, string>>;

async function change(target: TestService, headers: Names, method = "PUT"): Promise<number> {
  const answer = await target.fetch(TARGET, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(method === "PUT" ? { body: '{"Name": "Bar"}' } : {}),
  });
  const { status } = answer;
  if (status !== 403) await answer.body?.cancel();
  else assert.match((await answer.json()).description, /^Another site may have sent this request: /);
  return status;
}

/** tests/unit/core/identity/cross_site_test.ts has every kind of origin. */
const ATTACKS: readonly (readonly [what: string, headers: (url: URL) => Names])[] = [
  ["another site", () => ({ Origin: "https://evil.example" })],
  ["another port", ({ port }) => ({ Origin: `http://127.0.0.1:${Number(port) + 1}` })],
  ["a link in a mail", () => ({ "Sec-Fetch-Site": "none" })],
  [
    "a forwarded scheme from nobody's proxy",
    ({ host }) => ({ Origin: `https://${host}`, "X-Forwarded-Proto": "https" }),
  ],
  [
    "a made-up token",
    () => ({ Origin: "null", "X-CSRF-Token": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }),
  ],
];

for (const [what, headers] of ATTACKS) {
  for (const method of ["PUT", "DELETE"]) {
    Deno.test(`${what} cannot ${method} with the cookie of a session`, async () => {
      const Cookie = await sessionOf(service(), "anna", PASSWORD);
      assert.equal(await change(service(), { ...headers(new URL(service().url)), Cookie }, method), 403);
    });
  }
}

Deno.test("a program that has logged in may change something with the cookie alone", async () => {
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  assert.equal(await change(service(), { Cookie }), 204);
});

Deno.test("a page of the service may change something with the cookie", async () => {
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  assert.equal(await change(service(), { Cookie, Origin: service().url }), 204);
  assert.equal(await change(service(), { Cookie, "Sec-Fetch-Site": "same-origin" }), 204);
});

Deno.test("any site may read with the cookie: nothing changes", async () => {
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  const answer = await service().fetch("/db/Demo/Amenity.json", {
    headers: { Cookie, Origin: "https://evil.example" },
  });
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
});

Deno.test("credentials that the request itself carries may come from everywhere", async () => {
  const Origin = "https://evil.example";
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  assert.equal(await change(service(), { apikey: KEY, Origin, Cookie }), 204);
  assert.equal(
    await change(service(), { Authorization: `Basic ${btoa(`anna:${PASSWORD}`)}`, Origin, Cookie }),
    204,
  );
});

Deno.test("trusted origins may change something, others may not", async () => {
  await using own = await startService(homeOf({ ini: ["cors.trusted_origins = https://app.example"] }));
  const Cookie = await sessionOf(own, "anna", PASSWORD);
  assert.equal(await change(own, { Cookie, Origin: "https://app.example" }), 204);
  assert.equal(
    await change(own, { Cookie, Origin: "https://app.example", "Sec-Fetch-Site": "cross-site" }),
    204,
  );
  assert.equal(await change(own, { Cookie, Origin: "https://x.app.example" }), 403);
});

Deno.test("behind a trusted proxy its word on the scheme counts", async () => {
  await using own = await startService(homeOf({ ini: ["trusted_proxies = 127.0.0.1"] }));
  const forwarded = { "X-Forwarded-Proto": "https" };
  const login = await logIn(own, "anna", PASSWORD, forwarded);
  await login.body?.cancel();
  const [Cookie = ""] = (login.headers.getSetCookie()[0] ?? "").split(";", 1);
  assert.match(Cookie, /^__Host-auth_tkt=./);
  assert.equal(await whoIs(own, { ...forwarded, Cookie }), "anna");
  assert.equal(await whoIs(own, { ...forwarded, Cookie: Cookie.replace("__Host-", "") }), "public");
  const { host } = new URL(own.url);
  assert.equal(await change(own, { Cookie, Origin: `https://${host}`, "X-Forwarded-Proto": "https" }), 204);
  assert.equal(await change(own, { Cookie, Origin: `http://${host}`, "X-Forwarded-Proto": "https" }), 403);
  const fooled = { Origin: "https://evil.example", "X-Forwarded-Host": "evil.example" };
  assert.equal(await change(own, { Cookie, ...fooled, "X-Forwarded-Proto": "https" }), 403);
});

Deno.test("a page that another origin can read holds no token", async () => {
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  const Origin = "https://evil.example";
  for (const path of ["/login", "/db.html", "/db/Demo/Amenity.html?limit=3"]) {
    const answer = await service().fetch(path, { headers: { Cookie, Origin, Accept: "text/html" } });
    await answer.body?.cancel();
    assert.equal(answer.headers.has("access-control-allow-origin"), false, path);
  }
  const anonymous = await service().fetch("/db.html", { headers: { Origin } });
  await anonymous.body?.cancel();
  assert.equal(anonymous.headers.get("access-control-allow-origin"), "*");
});

async function tokenIn(target: TestService, headers: Names): Promise<unknown> {
  const answer = await target.fetch("/settings.json", { headers });
  assert.equal(answer.status, 200);
  return (await answer.json()).csrf_token;
}

Deno.test("a program with a session finds its token in the settings, and may change something with it", async () => {
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  const Origin = "https://app.example";
  const token = await tokenIn(service(), { Cookie });
  assert.equal(await change(service(), { Cookie, Origin }), 403);
  assert.equal(await change(service(), { Cookie, Origin, "X-CSRF-Token": String(token) }), 204);
  const other = await sessionOf(service(), "anna", PASSWORD);
  assert.equal(await change(service(), { Cookie: other, Origin, "X-CSRF-Token": String(token) }), 403);
  assert.equal(await tokenIn(service(), { apikey: KEY }), undefined);
  assert.equal(await tokenIn(service(), {}), undefined);
});

Deno.test("attack: no page of a foreign origin reads the token, not even with cors.open", async () => {
  const evil = { Origin: "https://evil.example" };
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  const answer = await service().fetch("/settings.json", { headers: { ...evil, Cookie } });
  await answer.body?.cancel();
  const allowed = ["access-control-allow-origin", "access-control-allow-credentials"];
  assert.deepEqual(allowed.map((name) => answer.headers.get(name)), ["*", null]);
  const ini = ["cors.open = True", "cors.trusted_origins = https://app.example"];
  await using own = await startService(homeOf({ ini }));
  const ticket = await sessionOf(own, "anna", PASSWORD);
  for (const headers of [evil, { Origin: "null" }, { Origin: "" }]) {
    assert.equal(await tokenIn(own, { ...headers, Cookie: ticket }), undefined, headers.Origin);
  }
  assert.equal(typeof await tokenIn(own, { Origin: "https://app.example", Cookie: ticket }), "string");
});

const LOGIN_ATTACKS: readonly (readonly [what: string, headers: Names])[] = [
  ["another site", { Origin: "https://evil.example" }],
  ["a page of a sub-domain", { "Sec-Fetch-Site": "same-site" }],
];

for (const [what, headers] of LOGIN_ATTACKS) {
  Deno.test(`${what} can log nobody in, neither with a form nor with JSON`, async () => {
    const form = await new Browser(service()).post("/login", { login: "anna", password: PASSWORD }, headers);
    const json = await logIn(service(), "anna", PASSWORD, headers);
    await json.body?.cancel();
    assert.deepEqual([form.status, json.status], [403, 403]);
    assert.deepEqual([...form.headers.getSetCookie(), ...json.headers.getSetCookie()].filter(isSession), []);
  });

  Deno.test(`${what} can log nobody out`, async () => {
    const Cookie = await sessionOf(service(), "anna", PASSWORD);
    for (const method of ["GET", "POST"]) {
      const answer = await service().fetch("/logout", { method, headers: { ...headers, Cookie } });
      await answer.body?.cancel();
      assert.equal(answer.status, 403, method);
    }
    assert.equal(await whoIs(service(), { Cookie }), "anna");
  });
}

Deno.test("a link of another site, or in the data, with an API key logs nobody in, and ends nobody's session", async () => {
  await using own = await startService(homeOf({ ini: ["allow_apikey_in_query_string = True"] }));
  const Cookie = await sessionOf(own, "bert", `${PASSWORD}-bert`);
  const follow = async (headers: Names) => {
    const answer = await own.fetch(`/db.html?apikey=${KEY}`, { headers: { Cookie, ...headers } });
    await answer.body?.cancel();
    return [answer.status, answer.headers.getSetCookie().filter(isSession).length];
  };
  for (const [what, headers] of LOGIN_ATTACKS) assert.deepEqual(await follow(headers), [200, 0], what);
  assert.deepEqual(await follow({ Referer: "https://evil.example/" }), [200, 0]);
  assert.deepEqual(await follow({ "Sec-Fetch-Site": "same-origin" }), [200, 0], "a link in the data");
  assert.equal(await whoIs(own, { Cookie }), "bert");
  assert.deepEqual(await follow({ "Sec-Fetch-Site": "none" }), [200, 1]);
});

Deno.test("a form of whom nothing is known needs the token of its page, and one that was issued to this browser", async () => {
  const browser = new Browser(service());
  const fields = { login: "anna", password: PASSWORD };
  const bare = await browser.post("/login", fields, {});
  assert.equal(bare.status, 403);
  assert.match(
    bare.headers.get("warning") ?? "",
    /a program sends JSON instead, with the header Content-Type/,
  );
  const hidden = hiddenFields((await browser.get("/login")).text);
  assert.equal((await browser.post("/login", { ...fields, csrf_token: "x" }, {})).status, 403);
  const stranger = hiddenFields((await new Browser(service()).get("/login")).text);
  assert.equal((await browser.post("/login", { ...fields, ...stranger }, {})).status, 403);
  assert.equal((await browser.post("/login", { ...fields, ...hidden }, {})).status, 303);
});

Deno.test("a token that an attacker planted with its cookie does not help another site", async () => {
  const attacker = new Browser(service());
  const planted = hiddenFields((await attacker.get("/login")).text);
  const fields = { login: "anna", password: PASSWORD, ...planted };
  for (const headers of [{ Origin: "http://evil.127.0.0.1" }, { "Sec-Fetch-Site": "same-site" }]) {
    assert.equal((await attacker.post("/login", fields, headers)).status, 403);
  }
});

/** The service with a query that changes something by GET. */
async function startWithWipe(): Promise<TestService> {
  const home = homeOf();
  const sql = "UPDATE Amenity SET Name = 'x' WHERE AmenityId = 2";
  const wipe = `wipe: {database: Demo, sqlstr: "${sql}", read_only: false, execute: [anna]}`;
  return await startService({ ...home, files: { ...home.files, "config/querydefs.cfg": wipe } });
}

Deno.test("attack: the destination in a link to the login page changes nothing after the login", async () => {
  await using own = await startWithWipe();
  const browser = new Browser(own);
  const link = "/login?next=%2Fquery%2Fwipe.html";
  const fields = { ...hiddenFields((await browser.get(link)).text), login: "anna", password: PASSWORD };
  const done = await browser.post("/login", fields);
  assert.equal(done.headers.get("location"), "/query/wipe.html");
  const follow = async (referer: string) => {
    return await browser.get("/query/wipe.html", {
      "Sec-Fetch-Site": "same-origin",
      Referer: own.url + referer,
    });
  };
  const led = await follow(link);
  assert.equal(led.status, 403);
  assert.match(led.text, /Another site may have sent this request/);
  assert.equal((await follow("/query.html")).status, 200);
});

Deno.test("attack: a link that somebody has written into the data changes nothing", async () => {
  await using own = await startWithWipe();
  const browser = await browserOf(own, "anna", PASSWORD);
  const record = "/db/Demo/Amenity/AmenityId/1";
  const evil = `${own.url}/query/wipe.html`;
  const written = await own.fetch(`${record}.json`, {
    method: "PUT",
    headers: { apikey: KEY, "Content-Type": "application/json" },
    body: JSON.stringify({ Name: evil }),
  });
  assert.equal(written.status, 204);
  const { text } = await browser.get(`${record}.html`);
  assert.ok(text.includes(`<a href="${evil}" rel="noreferrer nofollow">`), text);
  const follow = async (more: Names) => {
    return (await browser.get("/query/wipe.html", { "Sec-Fetch-Site": "same-origin", ...more })).status;
  };
  assert.equal(await follow({}), 403);
  assert.equal(await follow({ Referer: `${own.url}/query.html` }), 200);
});

Deno.test("JSON hidden in a form of another type is refused", async () => {
  for (const type of ["text/plain", "multipart/form-data; boundary=x"]) {
    const answer = await service().fetch("/login", {
      method: "POST",
      headers: { "Content-Type": type },
      body: JSON.stringify({ login: "anna", password: PASSWORD }),
    });
    await answer.body?.cancel();
    assert.equal(answer.status, 415, type);
  }
});

function isSession(cookie: string): boolean {
  return cookie.startsWith("auth_tkt=");
}
