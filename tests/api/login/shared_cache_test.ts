import assert from "node:assert/strict";
import { hashPassword } from "@/core/identity/passwords.ts";
import { homeOf, logIn, PASSWORD, USERS, whoIs } from "@/tests/api/login/home.ts";
import { HAS_MEMCACHED, startMemcached, type TestCache } from "@/tests/support/memcached.ts";
import { NO_REDIS, startRedis } from "@/tests/support/redis.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

/** Nodes have the same hashes: a session ends with the password of its user. */
const HASH = await hashPassword(PASSWORD, { memoryCost: 8, timeCost: 1 });
const HASHED = USERS.replace(`anna: {password: ${PASSWORD},`, `anna: {password: '${HASH}',`);
/** The password of the user in Redis. */
const SECRET = "p@ss:w/ö#r?d%";
const LOGIN = { user: "rowhouse", password: SECRET };
/** The rights that docs/operations.md tells. */
const ACL = [
  "--user",
  LOGIN.user,
  "on",
  `>${SECRET}`,
  "~rowhouse:*",
  "+get",
  "+set",
  "+del",
  "+pexpire",
  "+eval",
];

interface Place {
  readonly name: string;
  readonly missing: string | undefined;
  start(): Promise<TestCache>;
  ini(cache: TestCache): readonly string[];
}

const PLACES: readonly Place[] = [
  {
    name: "memcached",
    missing: HAS_MEMCACHED ? undefined : "memcached is not installed",
    start: () => startMemcached(),
    ini: ({ address }) => [`memcached_server = ${address}`],
  },
  {
    name: "redis",
    missing: NO_REDIS,
    start: () =>
      startRedis({
        args: [...ACL, "--user", "default", "on", ">other", "~*", "+@all"],
        login: { password: "other" },
      }),
    ini: ({ address }) => [
      "session.type = ext:redis",
      `session.url = "${address.replace("//", "//rowhouse:${REDIS_PASSWORD}@")}"`,
    ],
  },
];

/** A cookie of a new session. */
async function sessionAt(service: TestService): Promise<string> {
  const answer = await logIn(service, "anna", PASSWORD);
  assert.equal(answer.status, 200, await answer.text());
  return answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
}

async function textOf(service: TestService, path: string): Promise<string> {
  return await (await service.fetch(path)).text();
}

for (const { name, missing, start, ini } of PLACES) {
  const two = (cache: TestCache, more: readonly string[] = []) => {
    const secret = "session.secret = nodes-0123456789-0123456789-0123456789";
    const home = homeOf({ ini: [...ini(cache), secret, ...more], users: HASHED });
    const node = () => startService({ ...home, env: { REDIS_PASSWORD: SECRET.replace("%", "%25") } });
    return [node, node] as const;
  };
  const nodesTest = (title: string, fn: () => Promise<void>) =>
    Deno.test({ name: `${name}: ${title}`, ignore: missing !== undefined, fn });

  nodesTest("a session of one node is one of the other, and a logout there ends it", async () => {
    await using cache = await start();
    const [first, second] = two(cache);
    await using one = await first();
    await using other = await second();
    const Cookie = await sessionAt(one);
    assert.equal(await whoIs(other, { Cookie }), "anna");
    assert.equal(await statusOf(other.fetch("/logout", { headers: { Cookie } })), 200);
    assert.equal(await whoIs(one, { Cookie }), "public");
  });

  nodesTest("failed logins count for both nodes", async () => {
    await using cache = await start();
    const [first, second] = two(cache, ["login_throttle.burst = 4"]);
    await using one = await first();
    await using other = await second();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      const answer = await logIn(attempt % 2 === 0 ? one : other, "anna", "wrong");
      await answer.body?.cancel();
      statuses.push(answer.status);
    }
    assert.deepEqual(statuses, [403, 403, 403, 403, 429, 429]);
  });

  nodesTest(
    "an outage costs requests with a session, is told without secrets, and ends by itself",
    async () => {
      await using cache = await start();
      const [first] = two(cache);
      await using node = await first();
      const Cookie = await sessionAt(node);
      await cache.stop();
      const refused = await node.fetch("/db.json", { headers: { Cookie } });
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
      const shown = [await refused.text()];
      const login = await logIn(node, "anna", PASSWORD);
      assert.equal(login.status, 503);
      shown.push(await login.text());
      assert.equal(await statusOf(node.fetch("/db.json")), 200, "public needs no session");
      const ready = await textOf(node, "/readyz");
      assert.match(ready, /shared cache for sessions: /);
      const metrics = await textOf(node, "/metrics");
      assert.match(metrics, /^rowhouse_part_down\{part="shared cache for sessions"\} 1$/m);
      await cache.start();
      const again = await sessionAt(node);
      assert.equal(await whoIs(node, { Cookie: again }), "anna");
      assert.equal((await textOf(node, "/readyz")).includes("shared cache for sessions"), false);
      const log = await node.log();
      const lines = log.split("\n").filter((line) => /The shared cache .* sessions/.test(line));
      assert.deepEqual(lines.map((line) => /(cannot be used|can be used)/.exec(line)?.[0]), [
        "cannot be used",
        "can be used",
      ]);
      for (const text of [...shown, ready, metrics, log]) {
        for (const secret of [SECRET, encodeURIComponent(SECRET), "p@ss"]) {
          assert.equal(text.includes(secret), false);
        }
      }
    },
  );
}

Deno.test({
  name: "redis: a wrong password costs requests with a session, and /readyz says so without it",
  ignore: NO_REDIS !== undefined,
  async fn() {
    await using cache = await startRedis({ args: ["--requirepass", "right"], login: { password: "right" } });
    const url = cache.address.replace("//", "//:open-sesame@");
    const ini = [
      "session.type = ext:redis",
      `session.url = ${url}`,
      "session.secret = 0123456789abcdef0123456789abcdef",
    ];
    await using node = await startService(homeOf({ ini }));
    assert.equal((await (await logIn(node, "anna", PASSWORD)).json()).http_code, 503);
    const ready = await textOf(node, "/readyz");
    assert.match(ready, /shared cache for sessions: It refuses the user or the password: WRONGPASS/);
    assert.equal((ready + await node.log()).includes("open-sesame"), false);
  },
});
