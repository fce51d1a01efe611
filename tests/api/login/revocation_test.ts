import assert from "node:assert/strict";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import { runMain, startProcess } from "@/tests/support/process.ts";
import { sharedService, startService, type TestService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { until } from "@/tests/support/until.ts";
import { Browser, hiddenFields, homeOf, KEY, logIn, PASSWORD, sessionOf, whoIs } from "./home.ts";

const ADMIN = `${PASSWORD}-admin`;
const NEW = "meridian-lantern-quartz-7";
const service = sharedService(homeOf());

async function administer(
  target: TestService,
  method: string,
  path: string,
  body?: unknown,
): Promise<number> {
  return await statusOf(target.fetch(path, {
    method,
    headers: { Authorization: `Basic ${btoa(`admin:${ADMIN}`)}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }));
}

Deno.test("every session of a user ends at once when the password changes, and no other one", async () => {
  const sessions = [
    await sessionOf(service(), "bert", `${PASSWORD}-bert`),
    await sessionOf(service(), "bert", `${PASSWORD}-bert`),
  ];
  const other = await sessionOf(service(), "anna", PASSWORD);
  assert.equal(await administer(service(), "PUT", "/userdef/bert.json", { password: NEW }), 204);
  for (const Cookie of sessions) assert.equal(await whoIs(service(), { Cookie }), "public");
  assert.equal(await whoIs(service(), { Cookie: other }), "anna");
  assert.equal(await whoIs(service(), { Cookie: await sessionOf(service(), "bert", NEW) }), "bert");
  assert.equal(await statusOf(logIn(service(), "bert", `${PASSWORD}-bert`)), 403);
});

Deno.test("a remembered password of Basic is forgotten at once when it changes", async () => {
  const headers = { Authorization: `Basic ${btoa(`anna:${PASSWORD}`)}` };
  assert.equal(await whoIs(service(), headers), "anna");
  assert.equal(await administer(service(), "PUT", "/userdef/anna.json", { password: NEW }), 204);
  assert.equal(await whoIs(service(), headers), 403);
  assert.equal(await administer(service(), "PUT", "/userdef/anna.json", { password: PASSWORD }), 204);
  assert.equal(await whoIs(service(), headers), "anna");
});

Deno.test("a session goes on when something else of its user changes", async () => {
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  assert.equal(await administer(service(), "PUT", "/userdef/anna.json", { email: "anna@example.com" }), 204);
  assert.equal(await whoIs(service(), { Cookie }), "anna");
});

Deno.test("a session that an API key opened ends when the key changes, one of a login goes on", async () => {
  await using own = await startService(homeOf());
  const browser = new Browser(own);
  await browser.get("/db.html", { apikey: KEY });
  const Cookie = `auth_tkt=${browser.cookies.get("auth_tkt")}`;
  const ofLogin = await sessionOf(own, "anna", PASSWORD);
  assert.equal(await whoIs(own, { Cookie }), "anna");
  assert.equal(await administer(own, "PUT", "/userdef/anna.json", { apikey: "k".repeat(40) }), 204);
  assert.equal(await whoIs(own, { Cookie }), "public");
  assert.equal(await whoIs(own, { Cookie: ofLogin }), "anna");
});

for (const type of ["file", "cookie"]) {
  Deno.test(`sessions of type ${type} end at once when the user is removed, in every worker`, async () => {
    const ini = [`session.type = ${type}`, `session.secret = ${"s".repeat(40)}`];
    await using own = await startProcess(homeOf({ ini, args: ["--workers", "3"] }));
    const Cookie = await sessionOf(own, "bert", `${PASSWORD}-bert`);
    assert.equal(await administer(own, "DELETE", "/userdef/bert.json"), 204);
    const ask = () => whoIs(own, { Cookie, Connection: "close" });
    if (type === "file") {
      const found = await Promise.all(Array.from({ length: 12 }, ask));
      assert.deepEqual(new Set(found), new Set(["public"]));
    }
    await until(async () => {
      const found = await Promise.all(Array.from({ length: 12 }, ask));
      return found.every((user) => user === "public");
    });
  });
}

Deno.test("who logs in with a new password stays logged in when every worker has heard of it; who did before does not", async () => {
  await using own = await startProcess(homeOf({ args: ["--workers", "3"] }));
  const before = await sessionOf(own, "anna", PASSWORD);
  const ask = () => whoIs(own, { Cookie: before, Connection: "close" });
  assert.equal(await administer(own, "PUT", "/userdef/anna.json", { password: NEW }), 204);
  assert.deepEqual(
    new Set(await Promise.all(Array.from({ length: 12 }, ask))),
    new Set(["public"]),
    "at once",
  );
  let Cookie = "";
  await until(async () => {
    const answer = await logIn(own, "anna", NEW, { Connection: "close" });
    await answer.body?.cancel();
    [Cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";", 1);
    return answer.status === 200;
  });
  await until(async () => {
    const metrics = await (await own.fetch("/metrics", { headers: { Connection: "close" } })).text();
    const [, reloads] = /^rowhouse_configuration_reloads_total (\d+)$/m.exec(metrics) ?? [];
    return Number(reloads) > 0;
  });
  const found = await Promise.all(
    Array.from({ length: 12 }, () => whoIs(own, { Cookie, Connection: "close" })),
  );
  assert.deepEqual(new Set(found), new Set(["anna"]));
});

Deno.test("attack: an old cookie does not make the service read its configuration again and again", async () => {
  const ini = ["session.type = cookie", `session.secret = ${"s".repeat(40)}`];
  await using own = await startService(homeOf({ ini }));
  const Cookie = await sessionOf(own, "anna", PASSWORD);
  assert.equal(await administer(own, "PUT", "/userdef/anna.json", { password: NEW }), 204);
  const reloads = async () => {
    const metrics = await (await own.fetch("/metrics")).text();
    return Number(/^rowhouse_configuration_reloads_total\S* (\d+)$/m.exec(metrics)?.[1]);
  };
  const before = await reloads();
  for (let count = 0; count < 20; count++) assert.equal(await whoIs(own, { Cookie }), "public");
  // The service itself notices the change of the file and may hash a password in it.
  const caused = await reloads() - before;
  assert.ok(caused < 10, `20 requests, ${caused} reloads`);
});

/** A login form that takes its time between the check of the password and the session. */
const SLOW = `export default { contract: 2, kind: "auth", name: "slow", setup: (_section, host) => ({
  authenticate: () => ({ outcome: "absent" }),
  routes: [{ method: "POST", path: "/slow", async handle(request) {
    const user = await host.checkPassword("anna", (await request.fields()).get("password"));
    await globalThis.meanwhile();
    const cookies = await host.sessions.open(user, request);
    return { kind: "done", to: "/", status: 303, result: {}, cookies };
  } }],
}) };
`;

Deno.test("attack: a password that changes during a login with the old one ends the session of this login", async () => {
  using plugins = pluginFolder({ "auth/slow/mod.ts": SLOW });
  const policies = ["slow", "cookie", "basic"].map((name, at) =>
    `  ${name}: {enabled: true, priority: ${at}}\n`
  );
  const auth = `authentication_policies:\n${policies.join("")}`;
  await using own = await startService(homeOf({ ini: [`plugins_path = ${plugins.path}`], auth }));
  const whoAfter = async (meanwhile: () => Promise<unknown>) => {
    Object.assign(globalThis, { meanwhile });
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ password: PASSWORD });
    const answer = await own.fetch("/slow", { method: "POST", headers, body });
    assert.equal(answer.status, 200, await answer.text());
    const [Cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";", 1);
    return await whoIs(own, { Cookie });
  };
  const change = (body: unknown) => () => administer(own, "PUT", "/userdef/anna.json", body);
  assert.equal(await whoAfter(change({ email: "anna@example.com" })), "anna");
  assert.equal(await whoAfter(change({ password: NEW })), "public");
});

Deno.test("main.ts set-password ends the sessions of a service that runs", async () => {
  await using own = await startService(homeOf());
  const Cookie = await sessionOf(own, "anna", PASSWORD);
  const env = { ROWHOUSE_PASSWORD: NEW };
  assert.equal((await runMain(["set-password", "anna", "--home", own.home], { env })).code, 0);
  await until(async () => await whoIs(own, { Cookie }) === "public");
});

Deno.test("who has a session finds out no password by changing it", async () => {
  await using own = await startService(homeOf({ ini: ["login_throttle.burst = 5"] }));
  const headers = {
    Cookie: await sessionOf(own, "anna", PASSWORD),
    Origin: own.url,
    "Content-Type": "application/json",
  };
  const statuses: number[] = [];
  for (let count = 0; count < 6; count++) {
    const body = JSON.stringify({ password: NEW, current_password: `guess-${count}` });
    const answer = await own.fetch("/userdef/anna.json", { method: "PUT", headers, body });
    await answer.body?.cancel();
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429]);
  const audit = await Deno.readTextFile(`${own.home}/log/audit.log`);
  const waiting = audit.trim().split("\n").map((line) => JSON.parse(line)).filter(({ action }) =>
    action === "throttle"
  );
  assert.deepEqual(waiting.map(({ user, address }) => ({ user, address })), [{
    user: "anna",
    address: undefined,
  }]);
});

Deno.test("after the first run admin can log in at once, and before it nothing can be administered", async () => {
  const { files } = homeOf({ users: `public: {}\nanna: {password: ${PASSWORD}, userdef: [create]}\n` });
  await using own = await startProcess({ files: files ?? {} });
  const create = async (credentials: string) => {
    const answer = await own.fetch("/userdef.json", {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(credentials)}`, "Content-Type": "application/json" },
      body: JSON.stringify({ user_id: "dora", name: "Dora" }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const early = await create(`anna:${PASSWORD}`);
  assert.equal(early.status, 403);
  assert.match(
    early.text,
    /Cannot administer this service yet: set the password of \\"admin\\" on \/first-run first/,
  );
  const browser = new Browser(own);
  const [, token = ""] = await own.said(/first-run\?token=(\S+)\n/);
  const hidden = hiddenFields((await browser.get(`/first-run?token=${token}`)).text);
  const details = { first_name: "Ada", last_name: "Lovelace", email: "ada@example.com" };
  const done = await browser.post("/first-run", { ...hidden, ...details, password: NEW, repeated: NEW });
  assert.equal(done.status, 303);
  assert.match((await browser.get("/db.html")).text, /Logged in as <\/span>admin/);
  assert.equal((await create(`admin:${NEW}`)).status, 201);
});
