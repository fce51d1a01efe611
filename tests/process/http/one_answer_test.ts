/** @module A process with several workers answers as one: `/metrics`, `/readyz`, `/healthz`. */

import assert from "node:assert/strict";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";

/** Sends on a connection of its own, so that any worker may get it. */
async function get(service: TestProcess, path: string): Promise<string> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  return await (await fetch(service.url + path, { client })).text();
}

function countOf(metrics: string, series: RegExp): number {
  const values = metrics.matchAll(new RegExp(`^${series.source} (\\d+)$`, "gm"));
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

Deno.test({
  name: "whichever worker is asked, /metrics counts the requests of all of them",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({ args: ["--workers", "3"] });
    for (let time = 0; time < 60; time++) await get(service, "/version.json");
    for (let time = 0; time < 8; time++) {
      const metrics = await get(service, "/metrics");
      assert.equal(countOf(metrics, /rowhouse_requests_total\{route="\/version".*\}/), 60);
      assert.equal(countOf(metrics, /rowhouse_request_seconds_count\{route="\/version"\}/), 60);
      assert.equal(countOf(metrics, /rowhouse_database_connected\{database="Demo"\}/), 1);
      assert.equal(countOf(metrics, /rowhouse_users/), 2);
    }
    assert.equal(await get(service, "/readyz"), "ready\n");
    assert.equal(await get(service, "/healthz"), "ok\n");
  },
});
