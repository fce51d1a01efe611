import assert from "node:assert/strict";
import { Exchange } from "@/core/exchange.ts";
import { parseRequest } from "@/core/request/parse_request.ts";
import { authenticate } from "@/core/login/authenticate.ts";
import type { AuthMethod } from "@/plugins/contract.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

Deno.test("a session that credentials open on a page ends with them and is no login", async () => {
  await using open = await InProcess.open();
  const user = open.service.users.get("clerk");
  assert.ok(user);
  const endsAt = Date.now() + 60_000;
  const method: AuthMethod = {
    authenticate: () => ({ outcome: "accepted", user, endsAt }),
    opensSession: true,
  };
  const service = { ...open.service, methods: [{ name: "token", method }] };
  const raw = new Request("http://localhost/db.html");
  const exchange = new Exchange(
    raw,
    "/db.html",
    service.findClient({ peer: "192.0.2.1" }, raw.headers),
    service,
  );
  const request = parseRequest("GET", "/db.html", new Headers(), service);
  await authenticate(request, exchange);
  const [, ticket = ""] = /^auth_tkt=([^;]+)/.exec(exchange.cookies.join()) ?? [];
  const resumed = await service.sessions.resume(ticket);
  const { method: opener, expiresAt, isLogin } = resumed?.session ?? {};
  assert.deepEqual({ opener, expiresAt, isLogin }, { opener: "token", expiresAt: endsAt, isLogin: false });
});
