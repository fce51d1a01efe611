import assert from "node:assert/strict";
import { Exchange } from "@/core/exchange.ts";
import { type OwnRoute, serveRoute } from "@/core/http/serve_route.ts";
import { authenticate } from "@/core/login/authenticate.ts";
import { parseRequest } from "@/core/request/parse_request.ts";
import { InProcess } from "./in_process.ts";

/** The caller that a method accepts. */
async function callerOf(open: InProcess, user: unknown) {
  const method = { authenticate: () => ({ outcome: "accepted", user }) as never };
  const policies = [{ name: "odd", enabled: true, priority: 1, visible: true, section: {} }];
  const service = { ...open.service, methods: [{ name: "odd", method }], policies };
  const raw = new Request("http://localhost/db.json");
  const exchange = new Exchange(
    raw,
    "/db.json",
    service.findClient({ peer: "192.0.2.1" }, raw.headers),
    service,
  );
  return await authenticate(parseRequest("GET", "/db.json", raw.headers, service), exchange);
}

Deno.test("attack: an invented or disabled user is refused, and rights come from the account in force", async () => {
  await using open = await InProcess.open();
  const clerk = open.service.users.get("clerk");
  assert.ok(clerk);
  await assert.rejects(callerOf(open, { ...clerk, login: "invented" }), /not valid/);
  const caller = await callerOf(open, { ...clerk, dbdef: ["create"], databases: new Map() });
  assert.equal(caller.user, clerk);
});

/** The answer of a route, or its error. */
async function routed(handle: OwnRoute["handle"]) {
  await using open = await InProcess.open();
  const { service } = open;
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
      /route \/login\/odd of odd failed/,
    );
  });
}

Deno.test("routes lead to web addresses and to paths of the service", async () => {
  for (const to of ["https://idp.example/?a=b#c", "http://localhost:8080/x", "/db.html?x=1"]) {
    const answer = await routed(() => ({ kind: "redirect", status: 303, to }));
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, to]);
  }
});
