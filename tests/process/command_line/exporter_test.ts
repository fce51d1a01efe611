/** @module Deno's exporter of traces would send credentials in URLs to its collector. */

import assert from "node:assert/strict";
import { startProcess } from "@/tests/support/process.ts";

/** A collector that is not there: nothing is sent beyond this machine. */
const env = { OTEL_DENO: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };

Deno.test("attack: the service does not start with an exporter of URLs and credentials in URLs", async () => {
  await assert.rejects(startProcess({ env }), /Cannot start with OTEL_DENO: .*"apikey"/);
});

Deno.test("without credentials in URLs it starts with the exporter", async () => {
  const files = { "config/auth.cfg": "authentication_policies: {basic: {enabled: true, priority: 1}}\n" };
  await using service = await startProcess({ env, files });
  const answer = await service.fetch("/version.json");
  assert.equal(answer.status, 200, await answer.text());
});
