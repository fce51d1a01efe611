import assert from "node:assert/strict";
import { requestOf, testAuth } from "@/tests/conformance/auth.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { sectionOf } from "@/tests/support/section_of.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import proxy from "./mod.ts";

const SECRET = "uUqfXKrnCYRQqTmbXYHGcQ";
const host = hostOf({ users: [userOf("anna")] });
const NGINX = { peer: { address: "10.0.0.5", isTrustedProxy: true } };
const attempt = (name: string, user: string, secret: string) => ({
  name,
  headers: { "X-Remote-User": user, "X-Proxy-Secret": secret },
  secrets: [secret],
});

testAuth("proxy", () => proxy, {
  skip: { "lets a network wait that has sent too many wrong credentials": "nobody guesses the proof" },
  section: { secret: SECRET },
  host,
  accepted: [{ ...attempt("a login of the proxy", "anna", SECRET), login: "anna" }],
  rejected: [
    attempt("a login with another secret", "anna", `${SECRET}x`),
    attempt("a login that is not there", "nobody-here", SECRET),
    { name: "a login of a client", headers: { "X-Remote-User": "anna" }, secrets: [] },
    { name: "a login of a trusted proxy", headers: { "X-Remote-User": "anna" }, secrets: [], ...NGINX },
  ],
});

const login = (name: string) => ({ name, headers: { "X-Remote-User": "anna" }, secrets: [] });

testAuth("proxy", () => proxy, {
  skip: { "lets a network wait that has sent too many wrong credentials": "nobody guesses the proof" },
  host,
  accepted: [{ ...login("a login of the proxy"), ...NGINX, login: "anna" }],
  rejected: [
    login("a login of a client"),
    { ...login("a login of an address that is not trusted"), peer: { address: "10.0.0.5" } },
    { name: "a login that is not there", headers: { "X-Remote-User": "nobody-here" }, secrets: [], ...NGINX },
  ],
});

const ANNA = userOf("anna", { email: "Anna@example.com", name: "CN=anna,O=Example" });
const TWINS = ["bert", "ben"].map((twin) => userOf(twin, { email: "b@example.com" }));

for (
  const [user_config_attribute, sent, expected] of [
    ["email", "anna@EXAMPLE.com", "anna"],
    ["name", "CN=anna,O=Example", "anna"],
    ["name", "cn=anna,o=example", "the proxy names no user of users.cfg by name"],
    ["email", "b@example.com", "the proxy names several users of users.cfg by email"],
  ] as const
) {
  Deno.test(`the ${user_config_attribute} ${sent} of a proxy: ${expected}`, async () => {
    const users = hostOf({ users: [ANNA, ...TWINS] });
    const method = proxy.setup(sectionOf(proxy, { secret: SECRET, user_config_attribute }), users);
    const headers = { "X-Remote-User": sent, "X-Proxy-Secret": SECRET };
    const found = await method.authenticate(requestOf({ headers }));
    const told = found.outcome === "rejected" ? found.reason : found.outcome;
    assert.equal(found.outcome === "accepted" ? found.user.login : told, expected);
  });
}

Deno.test("a request that the proxy has not authenticated has no credentials", () => {
  const headers = { "X-Proxy-Secret": SECRET, "X-Remote-User": "" };
  const withSecret = proxy.setup(sectionOf(proxy, { secret: SECRET }), host);
  assert.deepEqual(withSecret.authenticate(requestOf({ headers })), { outcome: "absent" });
  const { "X-Remote-User": _, ...only } = headers;
  assert.deepEqual(withSecret.authenticate(requestOf({ headers: only })), { outcome: "absent" });
  const byAddress = proxy.setup(sectionOf(proxy), host);
  const empty = requestOf({ headers: { "X-Remote-User": "" }, ...NGINX });
  assert.deepEqual(byAddress.authenticate(empty), { outcome: "absent" });
});

for (
  const [section, message] of [
    [{ secret: "short" }, "options.secret: Expected at least 22 random characters, found another value"],
    [{ secret: null }, "options.secret: Expected a secret, found nothing"],
    [{ secret: SECRET, header: "X Remote" }, "options.header: Expected the name of a header, found text"],
    [{ secret: SECRET, heder: "X-Login" }, 'options.heder: Unknown setting: did you mean "header"?'],
  ] as const
) {
  Deno.test(`the settings ${JSON.stringify(section)} are refused`, () => {
    assert.throws(() => sectionOf(proxy, section), { message });
  });
}

async function startBehindProxy(settings: string, block: string): Promise<TestService> {
  const folder = new URL("../../", import.meta.url).pathname;
  return await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder}\n${settings}`,
      "config/auth.cfg": `authentication_policies:\n  proxy: {enabled: true, priority: 1${block}}\n`,
      "config/users.cfg": "public: {}\nadmin: {}\nanna: {databases: {Demo: {}}}\n",
    },
    isAdministered: true,
  });
}

/** The status of a request with a login, as the service answers it. */
async function statuses(
  settings: string,
  block: string,
  requests: readonly Readonly<Record<string, string>>[],
): Promise<readonly number[]> {
  await using service = await startBehindProxy(settings, block);
  const found = [];
  for (const headers of requests) {
    const answer = await service.fetch("/db/Demo/Port/PortId/1/Name.json", { headers });
    await answer.body?.cancel();
    found.push(answer.status);
  }
  return found;
}

Deno.test("wrong secrets and people without an account make nobody wait whose login the proxy proves", async () => {
  await using service = await startBehindProxy("", `, secret: ${SECRET}`);
  const ask = async (login: string, secret = SECRET) => {
    const headers = { "X-Remote-User": login, "X-Proxy-Secret": secret };
    const answer = await service.fetch("/db/Demo/Port/PortId/1/Name.json", { headers });
    return [answer.status, (await answer.json()).description];
  };
  for (let times = 0; times < 8; times++) {
    const [status, told] = await ask("eve");
    assert.equal(status, 403);
    assert.match(
      told,
      /^The login at the proxy is that of no single account here: ask the administrator for one/,
    );
  }
  for (let times = 0; times < 5; times++) assert.equal((await ask("anna", `${SECRET}x`))[0], 403);
  assert.equal((await ask("anna", `${SECRET}x`))[0], 429);
  assert.equal((await ask("anna"))[0], 200);
});

Deno.test("attack: a form of another site changes nothing with the login that the proxy adds", async () => {
  const body = JSON.stringify({ user_id: "mallory", password: "correct-horse-teapot" });
  const statusOf = async (headers: Readonly<Record<string, string>>) => {
    await using service = await startBehindProxy("", `, secret: ${SECRET}`);
    const answer = await service.fetch("/userdef.json", {
      method: "POST",
      headers: {
        "X-Remote-User": "admin",
        "X-Proxy-Secret": SECRET,
        "Content-Type": "text/plain",
        ...headers,
      },
      body,
    });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await statusOf({ Origin: "https://evil.example" }), 403);
  assert.equal(await statusOf({ "Sec-Fetch-Site": "cross-site" }), 403);
  assert.equal(await statusOf({ "Sec-Fetch-Site": "same-origin" }), 201);
  assert.equal(await statusOf({}), 201);
});

const FORWARDED = { "X-Forwarded-For": "198.51.100.4", "X-Remote-User": "anna" };

for (const trusted of ["", "trusted_proxies = 127.0.0.1\n"]) {
  Deno.test(`the secret proves the login ${trusted ? "with" : "without"} trusted_proxies`, async () => {
    const requests = [
      { ...FORWARDED, "X-Proxy-Secret": SECRET },
      { ...FORWARDED, "X-Proxy-Secret": "guessed" },
      FORWARDED,
    ];
    assert.deepEqual(await statuses(trusted, `, secret: ${SECRET}`, requests), [200, 403, 403]);
  });
}

for (const [trusted, status] of [["127.0.0.1", 200], ["10.0.0.5", 403], ["", 403]] as const) {
  Deno.test(`without a secret, a proxy at 127.0.0.1 is ${status} if ${trusted || "nobody"} is trusted`, async () => {
    const settings = `trusted_proxies = ${trusted}\n`;
    const { "X-Forwarded-For": _, ...direct } = FORWARDED;
    assert.deepEqual(await statuses(settings, "", [FORWARDED, direct]), [status, status]);
    const claimed = { ...FORWARDED, "X-Forwarded-For": "127.0.0.1" };
    assert.deepEqual(await statuses("trusted_proxies = 10.0.0.5\n", "", [claimed]), [403]);
  });
}
