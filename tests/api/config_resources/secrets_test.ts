import assert from "node:assert/strict";
import { join } from "node:path";
import { startProcess } from "@/tests/support/process.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { key, SECRETS, send, START, USERS } from "./people.ts";

const NEW_PASSWORD = "planted-new-password-walrus-42";
const NEW_KEY = "planted-new-api-key".padEnd(40, "7");
const LOGINS = ["public", "admin", "personnel", "architect", "reader", "friend", "boss"];
const FORMATS = ["json", "xml", "csv", "html", "txt"];

const PATHS = [
  "/",
  "/userdef",
  "/dbdef",
  "/querydef",
  ...LOGINS.map((login) => `/userdef/${login}`),
  "/dbdef/Demo",
  "/dbdef/Away",
  "/dbdef/Later",
  "/querydef/by-country",
  "/settings",
  "/settings/reflect-status",
  "/settings/reflect-status/Away",
  "/load-model/Away",
  "/unload-model/Away",
  "/reqstatus",
  "/db",
  "/db/Away",
  "/openapi",
  "/license",
];

/** All secrets, plain and in possible encodings. */
function planted(): readonly string[] {
  const all = [...Object.values(SECRETS), NEW_PASSWORD, NEW_KEY, ...LOGINS.map(key)];
  return all.flatMap((secret) => [secret, btoa(secret), encodeURIComponent(secret)]);
}

async function everything(service: TestService): Promise<string> {
  const answers: string[] = [];
  const keep = async (login: string, line: string, body?: unknown) => {
    const { text, headers } = await send(service, login, line, body);
    answers.push(`${line.split("?", 1)} as ${login}: ${text} ${[...headers].join()}`);
  };
  for (const login of LOGINS) {
    for (const path of PATHS) for (const format of FORMATS) await keep(login, `GET ${path}.${format}`);
    for (const path of PATHS) await keep(login, `GET ${path}.json?schema`);
  }
  const bodies: readonly (readonly [line: string, body: unknown])[] = [
    ["PUT /userdef/friend.json", { apikey: NEW_KEY, name: 7 }],
    ["PUT /userdef/friend.json", { password: NEW_PASSWORD, nmae: "x" }],
    ["PUT /userdef/reader.json", { password: NEW_PASSWORD }],
    ["PUT /userdef/reader.json", { password: "a", email: SECRETS.plain.length }],
    ["PUT /userdef/reader.json", { databases: { Demo: { dbuser: "demo", dbpass: [NEW_PASSWORD] } } }],
    ["PUT /dbdef/Away.json", { autoload_user: { dbuser: "c", dbpass: NEW_PASSWORD }, limit: "many" }],
    ["PUT /dbdef/Away.json", { ssl: { key: NEW_PASSWORD }, db_port: "x" }],
    ["PUT /dbdef/Away.json", { autoload_user: NEW_PASSWORD }],
    ["POST /settings/check-database-connection.json", { db_id: "Away", db_name: "elsewhere.db" }],
    ["POST /settings/check-database-connection.json", {
      db_type: "sqlite",
      db_name: NEW_PASSWORD,
      autoload_user: { dbuser: "x", dbpass: NEW_PASSWORD },
    }],
    ["POST /userdef.json", { user_id: "new", apikey: key("admin") }],
  ];
  for (const login of ["admin", "architect", "boss"]) {
    for (const [line, body] of bodies) await keep(login, line, body);
  }
  await keep("public", `GET /db.json?apikey=${NEW_KEY}`);
  await keep("public", `GET /db.json?api_key=${NEW_KEY}`);
  await keep("admin", "GET /reqstatus.json");
  answers.push(await (await service.fetch("/metrics")).text());
  return answers.join("\n");
}

Deno.test("no answer, log line or error shows a secret", async () => {
  await using service = await startProcess(START);
  const answers = await everything(service);
  const users = join(service.home, "config", "users.cfg");
  // A file that cannot be read any more is complained about, too.
  Deno.writeTextFileSync(users, `${USERS}broken: {password: ${NEW_PASSWORD}, apikey: [${NEW_KEY}]}\n`);
  await until(async () => (await service.log()).includes("broken.apikey"));
  assert.match(await service.log(), /broken\.apikey: Expected text/);
  const complaints = (await send(service, "admin", "GET /reqstatus.json")).text;
  const logs = [...Deno.readDirSync(join(service.home, "log"))].map(({ name }) =>
    Deno.readTextFileSync(join(service.home, "log", name))
  );
  const { stdout, stderr } = await service.stop();
  const seen = [answers, complaints, ...logs, stdout, stderr].join("\n");
  assert.ok(seen.length > 100_000, "there is something to look at");
  for (const secret of planted()) {
    const at = seen.indexOf(secret);
    assert.equal(at, -1, seen.slice(Math.max(0, at - 200), at + 100));
  }
});

Deno.test("what is written keeps no password and no key as it was sent", async () => {
  await using service = await startService(START);
  const body = { user_id: "new", password: NEW_PASSWORD, apikey: NEW_KEY };
  assert.equal((await send(service, "admin", "POST /userdef.json", body)).status, 201);
  const text = Deno.readTextFileSync(join(service.home, "config", "users.cfg"));
  assert.ok(!text.includes(NEW_PASSWORD) && !text.includes(NEW_KEY));
  assert.match(text, /password: \$argon2id\$/);
});

interface Line {
  readonly action: string;
  readonly user?: string;
  readonly outcome: string;
  readonly target?: string;
  readonly method?: string;
  readonly status?: number;
  readonly address?: string;
  readonly reason?: string;
  readonly request?: string;
  readonly via?: string;
}

Deno.test("changes, writes and failures are in the audit log with who, what, from where and how it went", async () => {
  await using service = await startService(START);
  const id = { "X-Request-Id": "r-1" };
  const json = { ...id, "Content-Type": "application/json" };
  await send(service, "admin", "PUT /userdef/friend.json", { name: "F" });
  await send(service, "boss", "PUT /userdef/reader.json", {
    password: "harbour-lantern-quartz-17",
    apikey: null,
  });
  await send(service, "personnel", "POST /userdef.json", { user_id: "newcomer" });
  await send(service, "friend", "DELETE /userdef/reader.json");
  await send(service, "boss", "GET /unload-model/Later.json");
  await send(service, "boss", "POST /unload-model/Demo.json");
  await send(service, "boss", "POST /load-model/Demo.json");
  await send(service, "architect", "PUT /db/Demo/Country/CountryCode/NO.json?limit=1", { Name: "Norway" });
  await send(service, "architect", "PUT /db/Demo/Country/CountryCode/NO.json", { Name: "Norge" });
  await send(service, "architect", "GET /db/Demo/Country/CountryCode/NO.json");
  await (await service.fetch("/db.json", { headers: { ...json, apikey: "x\r\n".trim() } })).body?.cancel();
  const lines = Deno.readTextFileSync(join(service.home, "log", "audit.log")).trimEnd().split("\n")
    .map((line): Line => JSON.parse(line));
  const shown = lines.map(({ action, user, outcome, method, target, status, reason, address }) => {
    return [action, user, outcome, method, target, status, reason, address];
  });
  const here = "127.0.0.1";
  assert.deepEqual(shown, [
    ["configure", "admin", "success", "PUT", "/userdef/friend", 204, undefined, here],
    ["password", "boss", "success", undefined, "userdef/reader", undefined, undefined, here],
    ["key", "boss", "success", undefined, "userdef/reader", undefined, undefined, here],
    ["configure", "boss", "success", "PUT", "/userdef/reader", 204, undefined, here],
    ["configure", "personnel", "success", "POST", "/userdef/newcomer", 201, undefined, here],
    ["configure", "friend", "refused", "DELETE", "/userdef/reader", 403, "forbidden", here],
    ["configure", "boss", "success", "POST", "/unload-model/Demo", 200, undefined, here],
    ["configure", "boss", "success", "POST", "/load-model/Demo", 200, undefined, here],
    ["write", "architect", "refused", "PUT", "/db/Demo/Country/CountryCode/NO", 400, "bad-request", here],
    ["write", "architect", "success", "PUT", "/db/Demo/Country/CountryCode/NO", 204, undefined, here],
    ["authenticate", undefined, "refused", "GET", "/db", undefined, "apikey: an unknown key", here],
  ]);
});

Deno.test("the audit log tells what was done with a key from what was done after a login", async () => {
  await using service = await startService(START);
  const json = { "Content-Type": "application/json" };
  const body = JSON.stringify({ login: "reader", password: SECRETS.plain });
  const login = await service.fetch("/login", { method: "POST", headers: json, body });
  await login.body?.cancel();
  const [Cookie = ""] = (login.headers.getSetCookie()[0] ?? "").split(";", 1);
  const page = await service.fetch("/db.html", { headers: { apikey: key("reader") } });
  await page.body?.cancel();
  const [opened = ""] = (page.headers.getSetCookie()[0] ?? "").split(";", 1);
  const basic = { Authorization: `Basic ${btoa(`reader:${SECRETS.plain}`)}` };
  for (const headers of [{ Cookie }, { Cookie: opened }, { apikey: key("reader") }, basic, {}]) {
    const init = { method: "PUT", headers: { ...json, ...headers }, body: JSON.stringify({ name: "R" }) };
    await (await service.fetch("/userdef/reader.json", init)).body?.cancel();
  }
  const lines = Deno.readTextFileSync(join(service.home, "log", "audit.log")).trimEnd().split("\n")
    .map((line): Line => JSON.parse(line)).filter(({ action }) => action === "configure");
  assert.deepEqual(lines.map(({ via }) => via), ["login_form", "apikey", "apikey", "basic", undefined]);
});

Deno.test("logins, right and wrong, are in the audit log", async () => {
  await using service = await startService(START);
  const headers = { "Content-Type": "application/json" };
  for (const password of [SECRETS.plain, "wrong-password"]) {
    const body = JSON.stringify({ login: "reader", password });
    await (await service.fetch("/login", { method: "POST", headers, body })).body?.cancel();
  }
  const basic = { Authorization: `Basic ${btoa("reader:wrong-password")}` };
  await (await service.fetch("/db.json", { headers: basic })).body?.cancel();
  const text = Deno.readTextFileSync(join(service.home, "log", "audit.log"));
  const lines = text.trimEnd().split("\n").map((line): Line => JSON.parse(line));
  assert.deepEqual(lines.map(({ action, user, outcome, address }) => [action, user, outcome, address]), [
    ["login", "reader", "success", "127.0.0.1"],
    ["login", "reader", "refused", "127.0.0.1"],
    ["authenticate", "reader", "refused", "127.0.0.1"],
  ]);
  assert.doesNotMatch(text, /wrong-password|planted/);
});

Deno.test("attack: a flood of guesses is in the audit log, and washes nothing out of it", async () => {
  const ini = "[service]\nlogin_throttle.burst = 3\nlogin_throttle.rate = 0.001\n";
  await using service = await startService({
    ...START,
    files: { ...START.files, "config/service.ini": ini },
  });
  await send(service, "admin", "PUT /userdef/friend.json", { name: "F" });
  const flood = async (headers: Record<string, string>, init: RequestInit = {}) => {
    for (let count = 0; count < 20; count++) {
      await (await service.fetch(init.method === "POST" ? "/login" : "/db.json", { ...init, headers })).body
        ?.cancel();
    }
  };
  for (const target of ["/db/Demo/Customer.json", `/whatever/${"x".repeat(50_000)}`, "/userdef.json"]) {
    for (let count = 0; count < 10; count++) {
      const answer = await service.fetch(target, { method: count % 2 ? "POST" : "DELETE", body: "{}" });
      await answer.body?.cancel();
      assert.ok(answer.status >= 400);
    }
    await (await service.fetch("/db.json?apikey=planted")).body?.cancel();
  }
  await flood({ apikey: "wrong" });
  await flood({ Authorization: `Basic ${btoa("reader:wrong-password")}` });
  const body = JSON.stringify({ login: "reader", password: "wrong-password" });
  await flood({ "Content-Type": "application/json" }, { method: "POST", body });
  const text = Deno.readTextFileSync(join(service.home, "log", "audit.log"));
  const lines = text.trimEnd().split("\n").map((line): Line => JSON.parse(line));
  const counts = Map.groupBy(lines, ({ action }) => action);
  const count = (action: string) => counts.get(action)?.length ?? 0;
  assert.deepEqual(["configure", "write", "authenticate", "login"].map(count), [1, 1, 4, 3]);
  assert.equal((await service.log()).match(/Authentication by/g)?.length, 4);
  // Of 54; a line a minute.
  assert.ok(count("throttle") >= 1 && count("throttle") < 10);
  const [throttled] = counts.get("throttle") ?? [];
  assert.deepEqual([throttled?.address, throttled?.outcome, throttled?.reason], [
    "127.0.0.1",
    "refused",
    "too many attempts",
  ]);
});

Deno.test("each line of the audit log about a request has its id", async () => {
  await using service = await startService(START);
  await send(service, "admin", "PUT /userdef/friend.json", { enabled: false });
  await send(service, "admin", "PUT /db/Demo/Country/CountryCode/NO.json", { Name: "Norge" });
  for (const headers of [{ apikey: "x" }, { Authorization: `Basic ${btoa("reader:wrong-password")}` }]) {
    await (await service.fetch("/db.json", { headers })).body?.cancel();
  }
  const text = Deno.readTextFileSync(join(service.home, "log", "audit.log"));
  const lines = text.trimEnd().split("\n").map((line): Line => JSON.parse(line));
  assert.deepEqual(
    new Set(lines.map(({ action }) => action)),
    new Set(["disable", "configure", "write", "authenticate"]),
  );
  assert.deepEqual(lines.filter(({ request }) => request === undefined), []);
});

Deno.test("a path cannot begin a line of the audit log", async () => {
  await using service = await startService(START);
  const forged = encodeURIComponent('x\n{"action":"configure","user":"admin"}');
  await send(service, "boss", `DELETE /userdef/${forged}.json`);
  const text = Deno.readTextFileSync(join(service.home, "log", "audit.log"));
  assert.equal(text.split("\n").length, 2);
});
