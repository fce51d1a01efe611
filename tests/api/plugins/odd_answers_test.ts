import assert from "node:assert/strict";
import { startService, type TestService } from "@/tests/support/service.ts";
import { pluginFolder } from "@/tests/unit/plugins/plugin_folder.ts";
import { KEY } from "./mistaken_service.ts";

/** What `authenticate` does, by the value of `X-Odd`, and the status of the answer. */
const ODD: Readonly<Record<string, readonly [status: number, work: string]>> = {
  "throws a text": [500, `() => { throw "a text"; }`],
  "throws null": [500, "() => { throw null; }"],
  "throws an object that is no text": [500, "() => { throw Object.create(null); }"],
  "throws an error without a message": [
    500,
    "() => { throw Object.defineProperty(new Error(), 'message', { get() { throw 1; } }); }",
  ],
  "throws an error that is its own cause": [500, "() => { const e = new Error(); e.cause = e; throw e; }"],
  "throws megabytes": [500, "() => { throw new Error('x'.repeat(1e7)); }"],
  "rejects with nothing": [500, "() => Promise.reject(undefined)"],
  "gives a foreign promise": [
    500,
    "() => ({ then: (ok) => ok({ outcome: 'accepted', user: { login: 'admin' } }) })",
  ],
  "inherits its answer": [500, "() => Object.create({ outcome: 'accepted', user: { login: 'admin' } })"],
  "accepts nobody": [500, "() => ({ outcome: 'accepted', user: null })"],
  "accepts an object as a login": [
    500,
    "() => ({ outcome: 'accepted', user: { login: { toString: () => 'admin' } } })",
  ],
  "accepts another spelling": [403, "() => ({ outcome: 'accepted', user: { login: 'ADMIN' } })"],
  "accepts a name of objects": [403, "() => ({ outcome: 'accepted', user: { login: '__proto__' } })"],
  "accepts public": [403, "() => ({ outcome: 'accepted', user: { login: 'public' } })"],
  "accepts with a session that is none": [
    500,
    "() => ({ outcome: 'accepted', user: { login: 'admin' }, session: {} })",
  ],
  "accepts for ever": [500, "() => ({ outcome: 'accepted', user: { login: 'admin' }, endsAt: NaN })"],
  "accepts until a word": [500, "() => ({ outcome: 'accepted', user: { login: 'admin' }, endsAt: 'never' })"],
  "gives a cookie of two lines": [500, `() => ({ outcome: "absent", cookies: ["a=b\\r\\nX-Odd: 1"] })`],
  "gives a cookie that no header may have": [500, "() => ({ outcome: 'absent', cookies: ['a=\\u8868'] })"],
  "gives too many cookies": [500, "() => ({ outcome: 'absent', cookies: Array(200_000).fill('a=b') })"],
  "tells a number": [500, "() => ({ outcome: 'rejected', reason: 'odd', tell: 7 })"],
  "tells megabytes": [403, "() => ({ outcome: 'rejected', reason: 'odd', tell: 'x'.repeat(1e7) })"],
  "has megabytes of reasons": [
    403,
    "() => ({ outcome: 'rejected', reason: 'x'.repeat(1e7), counted: true })",
  ],
  "rejects a login that is none": [500, "() => ({ outcome: 'rejected', reason: 'odd', login: 7n })"],
  "changes its request": [
    403,
    "(request) => { request.credentials.set('apikey', 'wrong'); return { outcome: 'absent' }; }",
  ],
};

const PLUGIN = `
const ODD = { ${
  Object.entries(ODD).map(([name, [, work]]) => `${JSON.stringify(name)}: ${work}`).join(",\n")
} };
export default { contract: 2, kind: "auth", name: "odd", setup: (_section, host) => ({
  opensSession: true,
  queryParameters: ["apikey"],
  authenticate: (request) => ODD[request.headers.get("x-odd")]?.(request) ?? { outcome: "absent" },
  routes: [{ method: "GET", path: "/odd/{cookie}", handle: ({ parameters }) =>
    ({ kind: "text", text: "odd", cookies: parameters.get("cookie") === "list" ? 7 : ["a=\\r\\nb"] }) },
    { method: "GET", path: "/sealed", handle: () => {
      const sealed = host.seal("text", NaN);
      return { kind: "text", text: String(host.unseal(sealed)) };
    } },
    { method: "GET", path: "/for-ever", handle: async (request) => {
      const cookies = await host.sessions.open(host.findUser("admin"), request, { endsAt: NaN });
      return { kind: "text", text: "in", cookies };
    } }],
}) };
`;

async function ask(service: TestService, path: string, odd = "") {
  const answer = await service.fetch(path, { headers: { "X-Odd": odd, Accept: "application/json" } });
  return { status: answer.status, cookies: answer.headers.getSetCookie(), text: await answer.text() };
}

Deno.test("no answer of a method logs anybody in, changes another request, or goes untold", async () => {
  using folder = pluginFolder({ "auth/odd/mod.ts": PLUGIN });
  await using service = await startService({
    files: {
      "config/service.ini":
        `[service]\nplugins_path = ${folder.path}\nallow_apikey_in_query_string = True\nlogin_throttle.burst = 100\n`,
      "config/auth.cfg":
        "authentication_policies:\n  odd: {enabled: true, priority: 1}\n  apikey: {enabled: true, priority: 2}\n",
      "config/users.cfg": `admin: {apikey: ${KEY}, databases: {Demo: {}}}\npublic: {databases: {Demo: {}}}\n`,
    },
  });
  for (const [name, [status]] of Object.entries(ODD)) {
    for (const path of ["/settings.json", "/settings.html"]) {
      const answer = await ask(service, path, name);
      assert.equal(answer.status, status, name);
      assert.doesNotMatch(answer.cookies.join(), /auth_tkt/, name);
      if (status === 500 && path.endsWith(".json")) {
        const [, id = ""] = /under ([\w-]+)/.exec(JSON.parse(answer.text).description) ?? [];
        assert.ok(id !== "" && (await service.log()).includes(id), name);
      }
    }
    const { user } = JSON.parse((await ask(service, "/settings.json")).text);
    assert.equal(user, "public", name);
    assert.equal((await ask(service, "/userdef.json")).status, 403, name);
  }
  for (const cookie of ["list", "line"]) assert.equal((await ask(service, `/odd/${cookie}`)).status, 500);
  assert.equal((await ask(service, "/sealed")).text, "undefined");
  const opened = await ask(service, "/for-ever");
  assert.deepEqual([opened.status, opened.cookies], [500, []]);
  assert.ok((await service.log()).length < 200_000);
});

const ODD_MEMBERS: readonly (readonly [member: string, complaint: RegExp])[] = [
  ["routes: 7", /routes must be a list/],
  ["routes: [null]", /its member routes gives null/],
  ["routes: [{ method: 'GET', path: 7, handle() {} }]", /path must be a text/],
  ["routes: [{ method: 'GET', path: '/odd' }]", /handle must be a function/],
  ["queryParameters: 'limit'", /queryParameters must be a list/],
];

Deno.test("a method whose routes or parameters are none stops the start with a sentence", async () => {
  for (const [member, complaint] of ODD_MEMBERS) {
    using folder = pluginFolder({
      "auth/odd/mod.ts": `export default { contract: 2, kind: "auth", name: "odd", setup: () => ({
        authenticate: () => ({ outcome: "absent" }), ${member} }) };`,
    });
    const starting = startService({
      files: {
        "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
        "config/auth.cfg": "authentication_policies: {odd: {enabled: true, priority: 1}}\n",
      },
    });
    await assert.rejects(starting, ({ message }: Error) => {
      return message.includes('method "odd" cannot be set up') && complaint.test(message);
    });
  }
});

Deno.test("schemes that JSON cannot hold are left out of the documents", async () => {
  for (const schemes of ["{ a: 7n }", "(() => { const a = {}; a.a = a; return { a }; })()"]) {
    using folder = pluginFolder({
      "auth/odd/mod.ts": `export default { contract: 2, kind: "auth", name: "odd", setup: () => ({
        authenticate: () => ({ outcome: "absent" }), securitySchemes: ${schemes} }) };`,
    });
    await using service = await startService({
      files: {
        "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
        "config/auth.cfg": "authentication_policies: {odd: {enabled: true, priority: 1}}\n",
        "config/users.cfg": "admin: {}\npublic: {}\n",
      },
    });
    assert.equal((await ask(service, "/openapi.json")).status, 200);
    assert.match(await service.log(), /"odd": securitySchemes failed, and is left out/);
  }
});
