/**
 * @module Queries that change data are audited, and other sites cannot run them with the cookie of a session.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { sessionOf } from "@/tests/api/login/home.ts";
import { ANNA } from "./fixture.ts";
import type { Queries } from "./client.ts";

interface AuditLine {
  readonly action: string;
  readonly method: string;
  readonly target: string;
  readonly outcome: string;
}

/** Effects of running a query beside its answer: the audit log, methods that change something. */
export function testEffects({ test, get, send, ids, service }: Queries): void {
  const audited = async (target: string): Promise<readonly AuditLine[]> => {
    const text = await Deno.readTextFile(join(service().home, "log", "audit.log"));
    const lines = text.split("\n").filter((line) => line !== "").map((line): AuditLine => JSON.parse(line));
    return lines.filter((line) => line.target === target);
  };

  test("what changes something is audited, whatever its method; what reads is not", async () => {
    await send("POST", "/query/add.json", { name: "audited", kind: "x" });
    // Refusals of the public user have one line a minute.
    await get("/query/allowed-get/name/audited.json", { Authorization: `Basic ${btoa(`anna:${ANNA}`)}` });
    await send("DELETE", "/query/drop-kind/kind/x.json");
    await send("POST", "/query/by-kind.json", { kind: "fruit" });
    await get("/query/by-kind/kind/fruit.json");
    const of = async (target: string) => (await audited(target)).at(-1);
    for (
      const [method, target, outcome] of [
        ["POST", "/query/add", "success"],
        ["GET", "/query/allowed-get/name/audited", "refused"],
        ["DELETE", "/query/drop-kind/kind/x", "success"],
      ] as const
    ) {
      const line = await of(target);
      assert.deepEqual([line?.action, line?.method, line?.outcome], ["write", method, outcome]);
    }
    assert.deepEqual(await audited("/query/by-kind"), []);
    assert.deepEqual(await audited("/query/by-kind/kind/fruit"), []);
  });

  test("another site cannot have a browser run what changes something", async () => {
    const Cookie = await sessionOf(service(), "anna", ANNA);
    const before = await ids();
    for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://evil.example" }, {}]) {
      const { status } = await get("/query/allowed-get/name/stolen.json", { ...headers, Cookie });
      assert.equal(status, 403, JSON.stringify(headers));
    }
    const Origin = "https://evil.example";
    assert.equal(
      (await send("POST", "/query/add.json", { name: "s", kind: "x" }, { Cookie, Origin })).status,
      403,
    );
    assert.deepEqual(await ids(), before);
    const read = await get("/query/by-kind/kind/fruit.json", { Cookie, Origin });
    assert.equal(read.status, 200, "reading is no effect");
  });
}
