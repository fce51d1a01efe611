import assert from "node:assert/strict";
import { startService, type TestService } from "@/tests/support/service.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
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
  "gives a text": [500, "() => 'accepted'"],
  "gives an unknown outcome": [500, "() => ({ outcome: 'maybe' })"],
  "gives no outcome": [500, "() => ({})"],
  "accepts without a user": [500, "() => ({ outcome: 'accepted' })"],
  "accepts a name": [500, "() => ({ outcome: 'accepted', user: 'admin' })"],
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
  "gives cookies that are no list": [500, "() => ({ outcome: 'absent', cookies: 'a=b' })"],
  "rejects without a reason": [500, "() => ({ outcome: 'rejected' })"],
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

/** Answers of a route that would be sent as a success, or lead nowhere. */
const ODD_ROUTES: readonly string[] = [
  "{ kind: 'odd' }",
  "{ kind: 'redirect', to: '/db' }",
  "{ kind: 'redirect', to: '/db', status: 200 }",
  "{ kind: 'redirect', status: 302 }",
  "{ kind: 'done', to: '/db', result: {}, cookies: [] }",
  "{ kind: 'done', to: 'db', status: 302, result: {}, cookies: [] }",
  "{ kind: 'refused', code: 'unauthorized', message: 'no' }",
  "{ kind: 'refused', message: 'no' }",
  "{ kind: 'refused', code: 'forbidden' }",
  "{ kind: 'text', text: {} }",
  "{ kind: 'send', to: 'https://there.example/' }",
  "{ kind: 'fragment' }",
  "{ kind: 'page', status: 200 }",
  "{ kind: 'redirect', to: '/db', status: 302, cookies: 7 }",
  "{ kind: 'redirect', to: '/db', status: 302, cookies: ['a=\\r\\nb'] }",
];

const PLUGIN = `
const ODD = { ${
  Object.entries(ODD).map(([name, [, work]]) => `${JSON.stringify(name)}: ${work}`).join(",\n")
} };
export default { contract: 2, kind: "auth", name: "odd", setup: (_section, host) => ({
  opensSession: true,
  queryParameters: ["apikey"],
  authenticate: (request) => ODD[request.headers.get("x-odd")]?.(request) ?? { outcome: "absent" },
  routes: [{ method: "GET", path: "/odd/{at}", handle: ({ parameters }) =>
    [${ODD_ROUTES.join(", ")}][parameters.get("at")] },
    { method: "GET", path: "/from", from: "nowhere", handle: () => ({ kind: "text", text: "odd" }) },
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
  for (const [at, given] of ODD_ROUTES.entries()) {
    for (const Accept of ["application/json", "text/html"]) {
      const answer = await service.fetch(`/odd/${at}`, { headers: { Accept } });
      await answer.body?.cancel();
      assert.deepEqual([answer.status, answer.headers.getSetCookie()], [500, []], given);
    }
  }
  const named = (await service.log()).match(/route \/odd\/\{at\} of odd failed/g);
  assert.equal(named?.length, 2 * ODD_ROUTES.length);
  assert.equal((await ask(service, "/sealed")).text, "undefined");
  const crossSite = { Accept: "application/json", "Sec-Fetch-Site": "cross-site" };
  assert.equal((await service.fetch("/from", { headers: crossSite })).status, 403);
  const opened = await ask(service, "/for-ever");
  assert.deepEqual([opened.status, opened.cookies], [500, []]);
  assert.ok((await service.log()).length < 200_000);
});

const ODD_MEMBERS: readonly (readonly [member: string, complaint: RegExp])[] = [
  ["routes: 7", /routes must be a list/],
  ["routes: [null]", /its member routes gives null/],
  ["routes: [{ method: 'GET', path: 7, handle() {} }]", /path must be a text/],
  ["routes: [{ method: 'GET', path: '/odd' }]", /handle must be a function/],
  ["routes: [{ method: 'get', path: '/odd', handle() {} }]", /route \/odd has the method "get": only GET/],
  ["routes: [{ method: 'POST', path: '/odd', maxBody: '64k', handle() {} }]", /maxBody must be a positive/],
  ["queryParameters: 'limit'", /queryParameters must be a list of texts/],
  ["queryParameters: [7]", /queryParameters must be a list of texts/],
  ["checkPassword: 7", /checkPassword must be a function/],
  ["opensSession: 'no'", /opensSession must be a boolean/],
  ["isAmbient: 'yes'", /isAmbient must be a boolean/],
  ["form: 'text'", /form must be a function/],
  [
    "clientSettings: host.findUser('admin')",
    /cannot be set up: the service does not run during setup\(\): only/,
  ],
  ["get buttons() { throw new Error('odd'); }", /cannot be set up: odd/],
];

/** A folder with methods that have these members beside `authenticate`, by their names. */
function methodsWith(members: Readonly<Record<string, string>>) {
  return pluginFolder(Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      `auth/${name}/mod.ts`,
      `export default { contract: 2, kind: "auth", name: "${name}", setup: (_section, host) => ({
        authenticate: () => ({ outcome: "absent" }), ${member} }) };`,
    ]),
  ));
}

function filesFor(folder: string, methods: readonly string[]): Readonly<Record<string, string>> {
  const policies = methods.map((name, index) => {
    return `  ${name}: {enabled: true, priority: ${index + 1}, gui: {visible: true}}\n`;
  });
  return {
    "config/service.ini": `[service]\nplugins_path = ${folder}\n`,
    "config/auth.cfg": `authentication_policies:\n${policies.join("")}`,
    "config/users.cfg": "admin: {}\npublic: {}\n",
  };
}

async function complaintAbout(member: string): Promise<string> {
  using folder = methodsWith({ odd: member });
  return await startService({ files: filesFor(folder.path, ["odd"]) }).then(
    async (service) => {
      await service[Symbol.asyncDispose]();
      return "it starts";
    },
    ({ message }: Error) => message,
  );
}

Deno.test("a method whose members are none stops the start with a sentence", async () => {
  for (const [member, complaint] of ODD_MEMBERS) {
    const message = await complaintAbout(member);
    assert.ok(message.includes('method "odd" cannot be set up'), message);
    assert.match(message, complaint);
  }
});

Deno.test("a method with credentials in a parameter of the service stops the start with a sentence", async () => {
  for (const name of ["limit", "headers", "ui.next"]) {
    assert.ok(
      (await complaintAbout(`queryParameters: ["key", "${name}"]`)).endsWith(
        `auth.cfg: authentication_policies.odd: The query parameter "${name}" of the authentication method ` +
          '"odd" has the name of a parameter of the service',
      ),
      name,
    );
  }
});

const DEEP = "(() => { let a = {}; for (let i = 0; i < 100_000; i++) a = { a }; return a; })()";

/** Facts and parts of pages that the service cannot show, by the name of their method. */
const ODD_PARTS: Readonly<Record<string, readonly [member: string, code: string]>> = {
  deep_facts: ["clientSettings", `clientSettings: ${DEEP}`],
  list_of_facts: ["clientSettings", "clientSettings: ['a']"],
  promised_facts: ["clientSettings", "clientSettings: Promise.resolve({})"],
  deep_schemes: ["securitySchemes", `securitySchemes: ${DEEP}`],
  big_schemes: ["securitySchemes", "securitySchemes: { a: 7n }"],
  endless_schemes: [
    "securitySchemes",
    "securitySchemes: (() => { const a = {}; a.a = a; return { a }; })()",
  ],
  failing_names: [
    "securityRequirements",
    "securityRequirements: [new Proxy([], { get() { throw 1; } })]",
  ],
  odd_names: ["securityRequirements", "securityRequirements: 'x'"],
  unlabelled_buttons: ["buttons", "buttons: () => [{ label: 1 }]"],
  text_notices: ["notices", "notices: () => 'a text'"],
  late_buttons: ["buttons", "buttons: async () => []"],
  script_buttons: ["buttons", "buttons: () => [{ label: 'a', href: 'javascript:alert(1)' }]"],
  failing_buttons: ["buttons", "buttons: () => [{ label: 'a', href: '/a', get kind() { throw 1; } }]"],
};

const ODD_FORMS: readonly string[] = [
  "{ action: '/x' }",
  "{ action: '/x', submit: 's', fields: [], hidden: { get a() { throw 1; } } }",
  "{ action: '/x', submit: 's', fields: [], hidden: { a: { toString() { throw 1; } } } }",
  "{ action: '/x', submit: 's', fields: [{ name: 'a', get label() { throw 1; } }], hidden: {} }",
  "{ action: 'javascript:a', submit: 's', fields: [], hidden: {} }",
];

const PAGES = ["/settings.json", "/settings.xml", "/settings.html", "/openapi.json", "/login", "/none.html"];

async function requireLeftOut(service: TestService, parts: readonly (readonly [string, string])[]) {
  for (const page of PAGES) {
    const answer = await service.fetch(page, { headers: { Accept: "text/html" } });
    assert.equal(answer.status, page === "/none.html" ? 404 : 200, page);
    assert.doesNotMatch(await answer.text(), /javascript:a/);
  }
  const log = await service.log();
  for (const [name, member] of parts) {
    assert.match(log, new RegExp(`"${name}": ${member} (failed|gave no valid answer), and is left out`));
  }
}

Deno.test("facts and parts of pages that cannot be shown are left out", async () => {
  const names = Object.keys(ODD_PARTS);
  using folder = methodsWith(Object.fromEntries(names.map((name) => [name, ODD_PARTS[name]?.[1] ?? ""])));
  await using service = await startService({ files: filesFor(folder.path, names) });
  await requireLeftOut(service, Object.entries(ODD_PARTS).map(([name, [member]]) => [name, member]));
});

Deno.test("a form that cannot be shown is left out", async () => {
  for (const form of ODD_FORMS) {
    using folder = methodsWith({ odd: `form: () => (${form})` });
    await using service = await startService({ files: filesFor(folder.path, ["odd"]) });
    await requireLeftOut(service, [["odd", "form"]]);
  }
});
