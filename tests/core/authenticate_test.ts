import assert from "node:assert/strict";
import { parseRequest } from "@/core/request/parse_request.ts";
import { authenticate } from "@/core/login/authenticate.ts";
import type { AuthMethod } from "@/plugins/contract.ts";
import { InProcess } from "./in_process.ts";

const CLIENT = { address: "192.0.2.1", network: "192.0.2.1", isHttps: false };

Deno.test("a session that credentials open on a page ends with them", async () => {
  await using open = await InProcess.open();
  const user = open.service.users.get("clerk");
  assert.ok(user);
  const endsAt = Date.now() + 60_000;
  const method: AuthMethod = {
    authenticate: () => ({ outcome: "accepted", user, endsAt }),
    opensSession: true,
  };
  const service = { ...open.service, methods: [{ name: "token", method }] };
  const cookies: string[] = [];
  const request = parseRequest("GET", "/db.html", new Headers(), service);
  await authenticate(request, { sender: { headers: new Headers(), client: CLIENT }, cookies }, service);
  const [, ticket = ""] = /^auth_tkt=([^;]+)/.exec(cookies.join()) ?? [];
  const resumed = await service.sessions.resume(ticket);
  assert.deepEqual([resumed?.session.method, resumed?.session.expiresAt], ["token", endsAt]);
});
