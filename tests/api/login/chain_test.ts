import assert from "node:assert/strict";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { Browser, homeOf, KEY, logIn, PASSWORD, sessionOf, USERS, whoIs } from "./home.ts";

const service = sharedService(homeOf());
const basic = (text: string) => ({ Authorization: `Basic ${btoa(text)}` });
const REFUSED = "The credentials are not valid: log in, or resend with a valid API key";

Deno.test("each method says who it is", async () => {
  assert.equal(await whoIs(service(), {}), "public");
  assert.equal(await whoIs(service(), { apikey: KEY }), "anna");
  assert.equal(await whoIs(service(), basic(`bert:${PASSWORD}-bert`)), "bert");
  assert.equal(await whoIs(service(), { Cookie: await sessionOf(service(), "anna", PASSWORD) }), "anna");
});

Deno.test("of several credentials the method with the lowest priority decides", async () => {
  const Cookie = await sessionOf(service(), "admin", `${PASSWORD}-admin`);
  const bert = basic(`bert:${PASSWORD}-bert`);
  assert.equal(await whoIs(service(), { apikey: KEY, ...bert, Cookie }), "anna");
  assert.equal(await whoIs(service(), { ...bert, Cookie }), "bert");
});

Deno.test("another order of priorities is followed", async () => {
  const auth = `authentication_policies:
  apikey: {enabled: true, priority: 30}
  basic: {enabled: true, priority: 20}
  login_form: {enabled: true, priority: 40}
  cookie: {enabled: true, priority: -1}
`;
  await using own = await startService(homeOf({ auth }));
  const Cookie = await sessionOf(own, "admin", `${PASSWORD}-admin`);
  const bert = basic(`bert:${PASSWORD}-bert`);
  assert.equal(await whoIs(own, { apikey: KEY, ...bert, Cookie }), "admin");
  assert.equal(await whoIs(own, { apikey: KEY, ...bert }), "bert");
});

const REJECTED: readonly (readonly [what: string, headers: Readonly<Record<string, string>>])[] = [
  ["a wrong API key", { apikey: "wrong" }],
  ["a wrong password", basic("anna:wrong")],
  ["an unknown login", basic(`nobody:${PASSWORD}`)],
  ["a header of Basic that cannot be read", { Authorization: "Basic ???" }],
];

for (const [what, headers] of REJECTED) {
  Deno.test(`${what} is 403 at once, and neither public nor a session takes its place`, async () => {
    const Cookie = await sessionOf(service(), "anna", PASSWORD);
    for (const sent of [headers, { ...headers, Cookie }]) {
      const answer = await service().fetch("/db/Demo/Country.json?limit=1", { headers: sent });
      assert.equal(answer.status, 403);
      assert.deepEqual(await answer.json(), { http_code: 403, description: REFUSED });
      assert.equal(answer.headers.has("www-authenticate"), false);
    }
  });
}

Deno.test("a valid key does not make up for a wrong one before it", async () => {
  assert.equal(await whoIs(service(), { apikey: "wrong", ...basic(`anna:${PASSWORD}`) }), 403);
});

const OVER: readonly string[] = [
  "auth_tkt=",
  "auth_tkt=unknown",
  "auth_tkt=0123456789abcdef0123456789abcdef.AAAAAAAAAAAAAAAAAAAAAA.AAAA",
  "auth_tkt=../../../etc/passwd",
  "auth_tkt=%00%2e%2e",
  'auth_tkt="quoted"',
  `auth_tkt=${"x".repeat(4000)}`,
];

for (const Cookie of OVER) {
  Deno.test(`the cookie ${Cookie.slice(0, 40)} counts as none and is cleared`, async () => {
    const answer = await service().fetch("/db/Demo/Country.json?limit=1", { headers: { Cookie } });
    await answer.body?.cancel();
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.headers.getSetCookie(), ["auth_tkt=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]);
  });
}

Deno.test("without public every request needs credentials, and a cookie that is over is cleared all the same", async () => {
  await using own = await startService(homeOf({ users: USERS.replace(/^public:.*\n/, "") }));
  for (const path of ["/", "/db.json", "/settings.json", "/version.txt", "/nowhere"]) {
    const answer = await own.fetch(path, { headers: { Cookie: "auth_tkt=over" } });
    assert.equal(answer.status, 403, path);
    assert.match(await answer.text(), /Your session has ended: log in, or resend with a valid API key/);
    assert.equal(answer.headers.getSetCookie().length, 1, path);
  }
  const bare = await own.fetch("/db.json");
  assert.match(await bare.text(), /This service needs credentials: log in, or resend with a valid API key/);
  const page = await new Browser(own).get("/login");
  assert.equal(page.status, 200);
  assert.equal(await whoIs(own, { Cookie: await sessionOf(own, "anna", PASSWORD) }), "anna");
});

Deno.test("without public also a request that cannot be read is 403, and tells its mistake to who may ask", async () => {
  await using own = await startService(homeOf({ users: USERS.replace(/^public:.*\n/, "") }));
  const unread = [
    ["/db.json?bogus", {}, 400],
    ["/db/Demo/Port.json?limit=%zz", {}, 400],
    ["/db", { Accept: "image/png" }, 406],
    [`/db/${"x/".repeat(300)}`, {}, 400],
    ["/db.json", { "Content-Length": "999999999" }, 413],
  ] as const;
  for (const [target, headers, status] of unread) {
    const method = "Content-Length" in headers ? "POST" : "GET";
    const statusFor = async (more: Readonly<Record<string, string>>) =>
      (await sendRaw(own.port, { method, target, headers: { ...headers, ...more } })).status;
    assert.equal(await statusFor({}), 403, target);
    assert.equal(await statusFor({ apikey: "wrong" }), 403, target);
    assert.equal(await statusFor({ apikey: KEY }), status, target);
  }
});

Deno.test("who may run a query sees its template also if a parameter cannot be read, and nobody else does", async () => {
  const home = homeOf();
  const query = 'named: {database: Demo, sqlstr: "SELECT :name", execute: [anna]}\n';
  await using own = await startService({ ...home, files: { ...home.files, "config/querydefs.cfg": query } });
  const templateFor = async (headers: Readonly<Record<string, string>>) =>
    (await (await own.fetch("/query/named/name/x.json?limit=x", { headers })).json()).url_template;
  assert.equal(await templateFor({ apikey: KEY }), "/query/named/name/{name}.json");
  assert.equal(await templateFor({}), undefined);
});

for (const Authorization of ["Bearer a.b.c", "bearer x", "Bearer", "Negotiate abc", "x"]) {
  Deno.test(`attack: "${Authorization}", which no method takes, never becomes public`, async () => {
    for (const path of ["/db.json", "/db/Demo/Country.json?limit=1", "/nowhere"]) {
      const answer = await service().fetch(path, { headers: { Authorization } });
      assert.equal(answer.status, 403, path);
      assert.match(
        (await answer.json()).description,
        /^No authentication method takes this Authorization header/,
      );
    }
    assert.equal(await whoIs(service(), { Authorization, apikey: KEY }), "anna");
  });
}

Deno.test("a valid API key on a page opens a session, on data it does not", async () => {
  const browser = new Browser(service());
  const data = await browser.send("/db.json", { headers: { apikey: KEY } });
  assert.deepEqual(data.headers.getSetCookie(), []);
  const page = await browser.get("/db.html", { apikey: KEY });
  assert.match(page.headers.getSetCookie()[0] ?? "", /^auth_tkt=[^;]{20,}; Max-Age=86400; Path=\/; /);
  assert.match((await browser.get("/db.html")).text, /Logged in as <\/span>anna/);
  const again = await browser.get("/db.html", { apikey: KEY });
  assert.deepEqual(again.headers.getSetCookie(), [], "there is a session already");
});

Deno.test("Basic on a page opens no session", async () => {
  const answer = await new Browser(service()).get("/db.html", basic(`anna:${PASSWORD}`));
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.headers.getSetCookie(), []);
});

Deno.test("an API key on a page ends the session of somebody else", async () => {
  const browser = new Browser(service());
  await browser.post("/login", { login: "bert", password: `${PASSWORD}-bert` });
  const before = `auth_tkt=${browser.cookies.get("auth_tkt")}`;
  await browser.get("/db.html", { apikey: KEY });
  assert.match((await browser.get("/db.html")).text, /Logged in as <\/span>anna/);
  assert.equal(await whoIs(service(), { Cookie: before }), "public");
});

Deno.test("the settings tell how to log in, and nothing secret", async () => {
  const answer = await service().fetch("/settings.json");
  const { auth_settings: { authentication_policies: policies } } = await answer.json();
  assert.deepEqual(policies, {
    apikey: {
      enabled: true,
      priority: 1,
      gui: { visible: true },
      appid_name: "appid",
      apikey_name: "apikey",
    },
    basic: { enabled: true, priority: 2, gui: { visible: true } },
    jwt: { enabled: false, priority: 3, gui: { visible: true } },
    saml: { enabled: false, priority: 4, gui: { visible: true } },
    login_form: { enabled: true, priority: 5, gui: { visible: true } },
    cookie: { enabled: true, priority: 6, gui: { visible: true } },
  });
});

Deno.test("the sixth attempt to log in has to wait, and so has the sixth failure of Basic and of keys", async () => {
  const ini = ["login_throttle.burst = 5", "trusted_proxies = 127.0.0.1"];
  await using own = await startService(homeOf({ ini }));
  const statuses = async (send: () => Promise<Response>) => {
    const found: number[] = [];
    for (let count = 0; count < 6; count++) {
      const answer = await send();
      await answer.body?.cancel();
      found.push(answer.status);
      if (answer.status === 429) assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d?$/);
    }
    return found;
  };
  const wrong = [403, 403, 403, 403, 403, 429];
  assert.deepEqual(await statuses(() => own.fetch("/db.json", { headers: { apikey: "wrong" } })), wrong);
  assert.equal(
    await whoIs(own, { apikey: KEY }),
    "anna",
    "a right key does not wait for wrong ones of others",
  );
  assert.equal(await whoIs(own, { apikey: KEY, "X-Forwarded-For": "192.0.2.1" }), "anna");
  assert.equal(await whoIs(own, {}), "public");
  const form = () =>
    own.fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ login: "anna", password: PASSWORD }),
    });
  assert.deepEqual(await statuses(form), [200, 200, 200, 200, 200, 429]);
  const page = await new Browser(own).post("/login", { login: "anna", password: PASSWORD, next: "/db/Demo" });
  assert.equal(page.status, 429);
  assert.match(page.headers.get("retry-after") ?? "", /^\d+$/);
  assert.match(page.text, /name="login"[^>]* value="anna"/, "what was typed stays");
  assert.match(page.text, /name="next" value="\/db\/Demo"/);
  assert.match(page.text, /role="alert">Too many attempts: try again in \d+ seconds?</);
});

Deno.test("attack: strangers lock nobody out, and failures of one network count together", async () => {
  const ini = ["login_throttle.burst = 3", "trusted_proxies = 127.0.0.1"];
  await using own = await startService(homeOf({ ini }));
  const from = (last: number) => ({ "X-Forwarded-For": `192.0.2.${last}` });
  for (let network = 1; network <= 5; network++) {
    for (let count = 0; count < 3; count++) {
      assert.equal(await whoIs(own, { ...from(network), ...basic("anna:wrong") }), 403);
    }
    assert.equal(await whoIs(own, { ...from(network), ...basic(`anna:${PASSWORD}`) }), 429);
  }
  assert.equal(await whoIs(own, { ...from(9), ...basic(`anna:${PASSWORD}`) }), "anna");
  assert.equal(await statusOf(logIn(own, "anna", PASSWORD, from(10))), 200);
});
