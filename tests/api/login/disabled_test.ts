import assert from "node:assert/strict";
import { join } from "node:path";
import { startProcess } from "@/tests/support/process.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { until } from "@/tests/support/until.ts";
import { Browser, homeOf, KEY, logIn, PASSWORD, sessionOf, USERS, whoIs } from "./home.ts";

const ADMIN = { Authorization: `Basic ${btoa(`admin:${PASSWORD}-admin`)}` };
const BASIC = { Authorization: `Basic ${btoa(`anna:${PASSWORD}`)}` };

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly cookies: readonly string[];
}

async function send(target: TestService, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await target.fetch(path, init);
  return { status: answer.status, text: await answer.text(), cookies: answer.headers.getSetCookie() };
}

async function administer(target: TestService, line: string, body?: unknown): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { ...ADMIN, "Content-Type": "application/json" };
  return await send(target, path, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
}

async function enable(target: TestService, login: string, enabled: boolean): Promise<void> {
  const { status, text } = await administer(target, `PUT /userdef/${login}.json`, { enabled });
  assert.equal(status, 204, text);
}

Deno.test("attack: whoever is disabled gets in by no method, and is told what a stranger is told", async () => {
  await using own = await startService(homeOf());
  const before = [await whoIs(own, { apikey: KEY }), await whoIs(own, BASIC)];
  assert.deepEqual(before, ["anna", "anna"]);
  await enable(own, "anna", false);
  const stranger = {
    key: await send(own, "/db.json", { headers: { apikey: "x".repeat(KEY.length) } }),
    basic: await send(own, "/db.json", { headers: { Authorization: `Basic ${btoa(`nobody:${PASSWORD}`)}` } }),
    form: await (await logIn(own, "nobody", PASSWORD)).text(),
  };
  assert.deepEqual(await send(own, "/db.json", { headers: { apikey: KEY } }), stranger.key);
  assert.deepEqual(await send(own, "/db.json", { headers: BASIC }), stranger.basic, "nothing is remembered");
  const login = await logIn(own, "anna", PASSWORD);
  assert.deepEqual([login.status, await login.text()], [403, stranger.form]);
  assert.deepEqual(login.headers.getSetCookie(), []);
  const page = await new Browser(own).get("/db.html", { apikey: KEY });
  assert.deepEqual([page.status, page.headers.getSetCookie()], [403, []]);
  await enable(own, "anna", true);
  assert.deepEqual([await whoIs(own, { apikey: KEY }), await whoIs(own, BASIC)], before);
});

Deno.test("attack: sessions of whoever is disabled end at once, those of keys too, and do not come back", async () => {
  await using own = await startService(homeOf());
  const browser = new Browser(own);
  await browser.get("/db.html", { apikey: KEY });
  const sessions = [
    await sessionOf(own, "anna", PASSWORD),
    await sessionOf(own, "anna", PASSWORD),
    `auth_tkt=${browser.cookies.get("auth_tkt")}`,
  ];
  const other = await sessionOf(own, "bert", `${PASSWORD}-bert`);
  for (const Cookie of sessions) assert.equal(await whoIs(own, { Cookie }), "anna");
  await enable(own, "anna", false);
  const [first, second, third] = sessions;
  for (const Cookie of [first ?? "", third ?? ""]) {
    const answer = await send(own, "/settings.json", { headers: { Cookie } });
    assert.equal(JSON.parse(answer.text).user, "public");
    assert.match(answer.cookies[0] ?? "", /^auth_tkt=; Max-Age=0;/);
  }
  await enable(own, "anna", true);
  // The second session was not used while anna was disabled.
  for (const Cookie of [first ?? "", second ?? "", third ?? ""]) {
    assert.equal(await whoIs(own, { Cookie }), "public");
  }
  assert.equal(await whoIs(own, { Cookie: other }), "bert");
});

for (const type of ["file", "cookie"]) {
  Deno.test(`sessions of type ${type} end in every worker when the user is disabled in the file`, async () => {
    const ini = [`session.type = ${type}`, `session.secret = ${"s".repeat(40)}`];
    await using own = await startProcess(homeOf({ ini, args: ["--workers", "2"] }));
    const Cookie = await sessionOf(own, "bert", `${PASSWORD}-bert`);
    const path = join(own.home, "config", "users.cfg");
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace("bert: {", "bert: {enabled: false, "));
    await until(async () => {
      const ask = () => whoIs(own, { Cookie, Connection: "close" });
      const found = await Promise.all(Array.from({ length: 12 }, ask));
      return found.every((user) => user === "public");
    });
    await until(async () => {
      const statuses = await Promise.all(Array.from({ length: 8 }, async () => {
        return await statusOf(logIn(own, "bert", `${PASSWORD}-bert`, { Connection: "close" }));
      }));
      return statuses.every((status) => status === 403);
    });
  });
}

Deno.test("without public, whether removed or disabled, every request needs credentials", async () => {
  await using own = await startService(homeOf());
  assert.equal((await send(own, "/db/Demo/Country.json?limit=1")).status, 200);
  const open = async () => {
    const { text } = await send(own, "/openapi.json", { headers: { apikey: KEY } });
    return text.replace(/\s/g, "").includes('"security":[{},');
  };
  assert.equal(await open(), true);
  await enable(own, "public", false);
  for (const path of ["/", "/db.json", "/settings.json", "/openapi.json", "/nowhere"]) {
    const { status, text } = await send(own, path);
    assert.equal(status, 403, path);
    assert.match(text, /This service needs credentials: log in, or resend with a valid API key/);
  }
  const page = await send(own, "/", { headers: { Accept: "text/html" } });
  assert.match(page.text, /<h1>Login needed<\/h1><\/div>\n<p>You need a login for this service<\/p>/);
  assert.equal(await open(), false);
  await enable(own, "public", true);
  assert.equal((await send(own, "/db/Demo/Country.json?limit=1")).status, 200);
});

Deno.test("attack: admin cannot lock itself out", async () => {
  await using own = await startService(homeOf());
  for (const enabled of [false, "false"]) {
    const { status, text } = await administer(own, "PUT /userdef/admin.json", {
      enabled,
      email: "a@b.example",
    });
    assert.equal(status, 403);
    assert.match(JSON.parse(text).description, /"admin" cannot be disabled: nobody could administer/);
  }
  const shown = JSON.parse((await administer(own, "GET /userdef/admin.json")).text);
  assert.deepEqual([shown.enabled, shown.email], [true, ""], "nothing of it was taken");
  assert.equal((await administer(own, "PUT /userdef/admin.json", shown)).status, 204);
  const bare = await administer(own, "PUT /userdef/admin.json", { password: null });
  assert.equal(bare.status, 403);
  assert.match(JSON.parse(bare.text).description, /"admin" needs a password or an API key: nobody could/);
  const apikey = `admin-${KEY}`;
  assert.equal((await administer(own, "PUT /userdef/admin.json", { password: null, apikey })).status, 204);
  const last = { apikey, "Content-Type": "application/json" };
  const body = '{"apikey": null}';
  assert.equal((await send(own, "/userdef/admin.json", { method: "PUT", headers: last, body })).status, 403);
});

Deno.test("attack: nobody else can disable admin", async () => {
  const users = `${USERS}chief: {password: ${PASSWORD}-chief, userdef: [create, view]}\n`;
  await using own = await startService(homeOf({ users }));
  const headers = {
    Authorization: `Basic ${btoa(`chief:${PASSWORD}-chief`)}`,
    "Content-Type": "application/json",
  };
  const body = JSON.stringify({ enabled: false });
  for (const login of ["admin", "anna", "public", "chief"]) {
    const { status } = await send(own, `/userdef/${login}.json`, { method: "PUT", headers, body });
    assert.equal(status, 403, login);
  }
});

Deno.test("attack: a session that was disabled while its change was on the way changes nothing", async () => {
  const users = `${USERS}chief: {password: ${PASSWORD}-chief, userdef: [create, view]}\n`;
  await using own = await startService(homeOf({ users }));
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const headers = {
    Authorization: `Basic ${btoa(`chief:${PASSWORD}-chief`)}`,
    "Content-Type": "application/json",
  };
  const created = own.fetch("/userdef.json", { method: "POST", headers, body: body.readable });
  await writer.write(new TextEncoder().encode('{"user_id": "mallory", '));
  const running = async () => {
    const { text } = await administer(own, "GET /reqstatus.json");
    return JSON.stringify(JSON.parse(text)).includes('"/userdef');
  };
  await until(running);
  await enable(own, "chief", false);
  await writer.write(new TextEncoder().encode('"name": "Mallory"}'));
  await writer.close();
  assert.equal(await statusOf(created), 403);
  assert.equal((await administer(own, "GET /userdef/mallory.json")).status, 404);
});

Deno.test("who disabled whom is in the audit log, and in the file, and nothing else changes", async () => {
  const users = `${USERS}# On leave\ncleo: {email: cleo@example.com} # until May\n`;
  await using own = await startService(homeOf({ users }));
  await enable(own, "cleo", false);
  await enable(own, "cleo", false);
  const text = await Deno.readTextFile(join(own.home, "config", "users.cfg"));
  assert.match(text, /# On leave\ncleo: \{ ?email: cleo@example.com, enabled: false ?\} # until May\n/);
  const shown = JSON.parse((await administer(own, "GET /userdef.json")).text);
  assert.deepEqual([shown.cleo.enabled, shown.anna.enabled], [false, true]);
  await administer(own, "PUT /userdef/cleo.json", { enabled: null });
  const lines = (await Deno.readTextFile(join(own.home, "log", "audit.log"))).trimEnd().split("\n");
  const switched = lines.map((line) => JSON.parse(line)).filter(({ action }) => action !== "configure");
  assert.deepEqual(switched.map(({ at: _, request: _id, ...line }) => line), [
    { user: "admin", action: "disable", target: "userdef/cleo", outcome: "success", address: "127.0.0.1" },
    { user: "admin", action: "enable", target: "userdef/cleo", outcome: "success", address: "127.0.0.1" },
  ]);
});
