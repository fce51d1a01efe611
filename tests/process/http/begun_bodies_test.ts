/**
 * @module Clients of HTTP/2 that begin bodies and do not end them: what the
 * service keeps for each is bounded.
 */

import assert from "node:assert/strict";
import { mostMemory, startProcess } from "@/tests/support/process.ts";
import { Http2Streams } from "@/tests/support/http2_streams.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { until } from "@/tests/support/until.ts";

const CONNECTIONS = 80;
/** Bodies that one connection may have at a time. */
const STREAMS = 200;
const QUICK = "/db/Demo/Port/PortId/1/Name.json";

Deno.test({
  name: "any number of bodies that begin and do not end costs a bounded memory (deno)",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({ args: ["--adapter", "deno"] });
    const clients: Http2Streams[] = [];
    const login = () =>
      service.fetch("/login", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ login: "nobody", password: "harbour-lights-93" }),
      });
    try {
      while (clients.length < CONNECTIONS) {
        const client = await Http2Streams.open(service.port, "", 0);
        clients.push(client);
        for (let stream = 0; stream < STREAMS; stream++) await client.begin("/login");
        await statusOf(service.fetch(QUICK));
      }
      await until(() => clients.some(({ answered }) => answered > 0));
      assert.equal(await statusOf(service.fetch(QUICK)), 200);
      assert.equal(await statusOf(login()), 503, "this address has begun too many");
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
    await until(async () => await statusOf(login()) === 403);
    const most = mostMemory(service);
    assert.ok(most < 1500, `${CONNECTIONS * STREAMS} bodies took ${most} MB`);
    assert.doesNotMatch(await service.log(), /ERROR/);
  },
});
