import assert from "node:assert/strict";
import { homeOf, logIn, PASSWORD, USERS, whoIs } from "@/tests/api/login/home.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { mistakesOf, ODD_CACHE } from "./mistakes.ts";

const INI = [
  "session.type = ext:odd",
  "session.url = anywhere",
  "session.secret = 0123456789abcdef0123456789abcdef",
  "cookie_reissue_time = 1",
  "server.plugin_timeout = 1",
];

function odd(name: string): void {
  Reflect.set(globalThis, "oddCache", name);
}

/** The cookie of a new session. */
async function sessionOf(service: TestService, login: string): Promise<string> {
  const answer = await logIn(service, login, PASSWORD);
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  return answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
}

/** The status of the request that reaches a member, with the name of its caller where it is answered. */
async function reach(service: TestService, member: string, login: string, Cookie: string): Promise<unknown> {
  if (member === "add" || member === "touch") {
    return await statusOf(logIn(service, login, PASSWORD));
  }
  const path = member === "remove" ? "/logout" : "/db.json";
  const answer = await service.fetch(path, { headers: { Cookie } });
  await answer.body?.cancel();
  if (answer.status !== 200 || member !== "get") return answer.status;
  return await whoIs(service, { Cookie }) === "public" ? "no session" : 200;
}

Deno.test("a cache with a mistake in any member costs requests with sessions only, and the log names it", async () => {
  const people = mistakesOf("cache").map(({ name }) =>
    `${name}: {password: ${PASSWORD}, databases: {Demo: {}}}\n`
  );
  using folder = pluginFolder({ "plugins/caches/odd/mod.ts": ODD_CACHE });
  const ini = [...INI, `plugins_path = ${folder.path}`];
  await using service = await startService(homeOf({ ini, users: USERS + people.join("") }));
  for (const { name, member, effect } of mistakesOf("cache")) {
    odd("");
    const cookie = member === "add" ? "" : await sessionOf(service, name);
    // From now on the session wants a new ticket.
    if (member === "replace") await new Promise((resolve) => setTimeout(resolve, 1100));
    odd(name);
    const expected = effect === "no effect" ? 200 : effect;
    assert.equal(await reach(service, member, name, cookie), expected, name);
    for (
      const path of ["/db/Demo/Port/PortId/1/Name.json", "/login", "/settings.json", "/metrics", "/db.csv"]
    ) {
      assert.equal(await statusOf(service.fetch(path)), 200, `${path} beside ${name}`);
    }
  }
  assert.match(
    await service.log(),
    /The shared cache at anywhere \(cache "odd"\) cannot be used for sessions/,
  );
});

for (const mistake of ["throws", "hangs", "nothing", "wrong"]) {
  Deno.test(`a cache whose closing ${mistake} does not keep the service from stopping`, async () => {
    using folder = pluginFolder({ "plugins/caches/odd/mod.ts": ODD_CACHE });
    odd("");
    const service = await startService(homeOf({ ini: [...INI, `plugins_path = ${folder.path}`] }));
    try {
      await sessionOf(service, "anna");
      odd(`dispose_${mistake}`);
    } finally {
      await service[Symbol.asyncDispose]();
      odd("");
    }
  });
}

/** The throttle alone: sessions are in cookies. */
const THROTTLE = [
  ...["shared_cache = odd", "session.type = cookie"],
  ...INI.filter((line) => !/^session\.type|reissue/.test(line)),
];

for (const { name, member } of mistakesOf("cache")) {
  if (member === "dispose") continue;
  Deno.test(`logins are checked and counted although the cache of the throttle has the mistake ${name}`, async () => {
    using folder = pluginFolder({ "plugins/caches/odd/mod.ts": ODD_CACHE });
    odd(name);
    await using service = await startService(homeOf({ ini: [...THROTTLE, `plugins_path = ${folder.path}`] }));
    const answers = [
      await logIn(service, "anna", PASSWORD),
      await logIn(service, "anna", "wrong"),
      await service.fetch("/db.json", { headers: { apikey: "wrong" } }),
      await service.fetch("/db.json"),
    ];
    for (const answer of answers) await answer.body?.cancel();
    odd("");
    // A cache that has a count but does not give it looks like one that many nodes change at once.
    const isEmpty = name === "get_nothing";
    assert.deepEqual(answers.map(({ status }) => status), [200, isEmpty ? 429 : 403, 403, 200]);
    const isUsed = ["get", "add", "replace"].includes(member);
    const told = (await service.log()).includes('(cache "odd") cannot be used for the login throttle');
    assert.equal(told, isUsed && !isEmpty, await service.log());
  });
}
