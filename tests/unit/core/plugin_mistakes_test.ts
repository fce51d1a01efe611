import assert from "node:assert/strict";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import { Exchange } from "@/core/exchange.ts";
import { type OwnRoute, serveRoute } from "@/core/http/serve_route.ts";
import { authenticate } from "@/core/login/authenticate.ts";
import { loginPage } from "@/core/login/login_page.ts";
import { settingsDocument } from "@/core/documents/documents.ts";
import { describeSecurity } from "@/core/openapi/security.ts";
import { parseRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import type { AuthMethod } from "@/plugins/contract.ts";
import { InProcess } from "./in_process.ts";

/** The service with one method, and the lines of its log. */
function withMethod(
  service: Service,
  method: Partial<AuthMethod>,
): { readonly service: Service; readonly lines: string[] } {
  const lines: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (line: string) => void lines.push(line) };
  // Getters have to stay getters: they may throw.
  const whole: AuthMethod = Object.defineProperties(
    { authenticate: () => ({ outcome: "absent" as const }) },
    Object.getOwnPropertyDescriptors(method),
  );
  const policies = [{ name: "odd", enabled: true, priority: 1, visible: true, section: {} }];
  return { service: { ...service, methods: [{ name: "odd", method: whole }], policies, log }, lines };
}

async function callerOf(service: Service) {
  const raw = new Request("http://localhost/db.json");
  const exchange = new Exchange(
    raw,
    "/db.json",
    service.findClient({ peer: "192.0.2.1" }, raw.headers),
    service,
  );
  return await authenticate(parseRequest("GET", "/db.json", raw.headers, service), exchange);
}

const WRONG: readonly (readonly [name: string, result: unknown])[] = [
  ["nothing", undefined],
  ["a text", "accepted"],
  ["an unknown outcome", { outcome: "maybe" }],
  ["no outcome", {}],
  ["accepted without user", { outcome: "accepted" }],
  ["accepted with a name", { outcome: "accepted", user: "clerk" }],
  ["cookies that are no list", { outcome: "absent", cookies: "a=b" }],
  ["a rejection without reason", { outcome: "rejected" }],
];

for (const [name, result] of WRONG) {
  Deno.test(`attack: a method that returns ${name} never makes a request go on as public`, async () => {
    await using open = await InProcess.open();
    for (const returned of [result, Promise.resolve(result)]) {
      const { service } = withMethod(open.service, { authenticate: () => returned as never });
      await assert.rejects(async () => await callerOf(service), /method "odd": authenticate\(\) returned/);
    }
  });
}

Deno.test("attack: an invented or disabled user is refused, and rights come from the account in force", async () => {
  await using open = await InProcess.open();
  const clerk = open.service.users.get("clerk");
  assert.ok(clerk);
  const accepting = (user: unknown) =>
    withMethod(open.service, { authenticate: () => ({ outcome: "accepted", user }) as never }).service;
  await assert.rejects(async () => await callerOf(accepting({ ...clerk, login: "invented" })), /not valid/);
  const caller = await callerOf(accepting({ ...clerk, dbdef: ["create"], databases: new Map() }));
  assert.equal(caller.user, clerk);
});

Deno.test("a method that throws is named in the failure of its request", async () => {
  await using open = await InProcess.open();
  const { service } = withMethod(open.service, {
    authenticate: () => {
      throw new RangeError("broken");
    },
  });
  await assert.rejects(async () => await callerOf(service), /method "odd" failed in authenticate/);
});

function thrower(): never {
  throw new Error("broken");
}

const PARTS: readonly (readonly [member: string, method: Partial<AuthMethod>])[] = [
  ["buttons", { buttons: thrower }],
  ["buttons", { buttons: () => [{ label: 1 }] as never }],
  ["notices", { notices: thrower }],
  ["notices", { notices: () => "a text" as never }],
  ["form", { form: thrower }],
  ["form", { form: () => ({ action: "/x" }) as never }],
];

for (const [index, [member, method]] of PARTS.entries()) {
  Deno.test(`the login page is there although ${member} ${index % 2 === 0 ? "throws" : "gives nonsense"}`, async () => {
    await using open = await InProcess.open();
    const { service, lines } = withMethod(open.service, method);
    const page = loginPage({ token: "t" }, service);
    const own = page.buttons.filter(({ href }) => href !== "/first-run");
    assert.deepEqual([page.title, own, page.form], ["Log in", [], undefined]);
    assert.match(lines.join(), new RegExp(`method "odd": ${member}`));
  });
}

Deno.test("settings and OpenAPI are whole although a method's facts are wrong", async () => {
  await using open = await InProcess.open();
  const { service, lines } = withMethod(open.service, {
    get clientSettings(): never {
      return thrower();
    },
    get securitySchemes(): never {
      return thrower();
    },
    securityRequirements: "x" as never,
  });
  const user = open.service.users.get("clerk");
  assert.ok(user);
  const { document } = settingsDocument({ user, anonymous: false }, service);
  assert.match(JSON.stringify(document.tree), /"odd":\{"enabled":true/);
  assert.deepEqual(describeSecurity(service).schemes, {});
  assert.match(
    lines.join(),
    /clientSettings failed.*securitySchemes failed.*securityRequirements gave no valid/s,
  );
});

Deno.test("a method that never answers costs its own request, with 503 and its name in the log", async () => {
  await using open = await InProcess.open();
  const { service } = withMethod(open.service, { authenticate: () => new Promise<never>(() => {}) });
  const settings = { ...service.settings, "server.plugin_timeout": 0.05 };
  await assert.rejects(
    async () => await callerOf({ ...service, settings }),
    (error: unknown) => error instanceof LatePlugin && /method "odd" in authenticate\(\)/.test(error.reason),
  );
});

/** The answer of a route, or its error. */
async function routed(handle: OwnRoute["handle"], seconds = 60) {
  await using open = await InProcess.open();
  const settings = { ...open.service.settings, "server.plugin_timeout": seconds };
  const service = { ...open.service, settings };
  const raw = new Request("http://localhost/login/odd");
  const client = service.findClient({ peer: "192.0.2.1" }, raw.headers);
  const route = { method: "GET", path: "/login/odd", owner: "odd", handle } as const;
  return await serveRoute(route, new Map(), new Exchange(raw, "/login/odd", client, service));
}

for (
  const to of [
    "javascript:alert(1)",
    "data:text/html,x",
    "//evil.example",
    "/\\evil.example",
    "/a\r\nX: y",
    "",
    "x",
  ]
) {
  Deno.test(`attack: a route that leads to ${JSON.stringify(to)} is a failure that names the method`, async () => {
    await assert.rejects(
      async () => await routed(() => ({ kind: "redirect", status: 303, to })),
      /route \/login\/odd of odd leads to/,
    );
  });
}

Deno.test("routes lead to web addresses and to paths of the service", async () => {
  for (const to of ["https://idp.example/?a=b#c", "http://localhost:8080/x", "/db.html?x=1"]) {
    const answer = await routed(() => ({ kind: "redirect", status: 303, to }));
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, to]);
  }
});

Deno.test("a route that never answers is 503", async () => {
  await assert.rejects(
    async () => await routed(() => new Promise<never>(() => {}), 0.05),
    (error: unknown) => error instanceof LatePlugin && /route \/login\/odd of odd/.test(error.reason),
  );
});

for (const answer of [undefined, "text", { kind: "odd" }, Promise.resolve()]) {
  Deno.test(`a route that gives ${JSON.stringify(answer)} is a failure that names the method`, async () => {
    await assert.rejects(async () => await routed(() => answer as never), /route \/login\/odd of odd failed/);
  });
}
