/** @module Log lines of callers without credentials: a flood of requests must not rotate older lines out. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { startService, type TestService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const KEY = "clerk-0123456789-0123456789-0123456789";
const USERS = `public: {databases: {Demo: {access: {"*": [read]}}}}\nclerk: {apikey: ${KEY}}\n`;

async function audited({ home }: TestService): Promise<readonly { user?: string; reason?: string }[]> {
  const text = await Deno.readTextFile(join(home, "log", "audit.log"));
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

async function ask(service: TestService, path: string, init: RequestInit): Promise<number> {
  return await statusOf(service.fetch(path, init));
}

Deno.test("attack: refusals of callers without credentials are one line a minute, those of users a line each", async () => {
  await using service = await startService({ files: { "config/users.cfg": USERS } });
  for (let round = 0; round < 10; round++) {
    assert.equal(await ask(service, "/db/Demo/Customer.json", { method: "POST", body: "{}" }), 403);
    assert.equal(await ask(service, `/whatever/${"x".repeat(1000)}`, { method: "DELETE" }), 404);
    assert.equal(await ask(service, "/db.json?apikey=x", {}), 403);
  }
  for (let round = 0; round < 3; round++) {
    const headers = { apikey: KEY };
    assert.equal(await ask(service, "/db/Demo/Customer.json", { method: "POST", headers, body: "{}" }), 403);
  }
  const lines = await audited(service);
  assert.equal(lines.filter(({ user }) => user === "public").length, 1);
  assert.equal(lines.filter(({ reason }) => reason?.startsWith("apikey: ")).length, 1);
  assert.equal(lines.filter(({ user }) => user === "clerk").length, 3);
  assert.equal((await service.log()).match(/Authentication by apikey .* rejected/g)?.length, 1);
});
