/** @module Deno's exporter of traces would send credentials in URLs to its collector. */

import assert from "node:assert/strict";
import { startProcess } from "@/tests/support/process.ts";
import { until } from "@/tests/support/until.ts";

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

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: readonly Attribute[];
}

/** A collector of traces on this machine. */
function collect() {
  const spans: Span[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const text = await request.text();
    if (new URL(request.url).pathname === "/v1/traces") {
      for (const { scopeSpans } of JSON.parse(text).resourceSpans) {
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
    }
    return Response.json({});
  });
  return { spans, url: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() };
}

for (const adapter of ["deno", "node"] as const) {
  Deno.test(`traces have the request by its route, its stages and its statements (${adapter})`, async () => {
    const files = { "config/auth.cfg": "authentication_policies: {basic: {enabled: true, priority: 1}}\n" };
    const { spans, url, stop } = collect();
    const collector = {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_BSP_SCHEDULE_DELAY: "100",
    };
    const args = ["--adapter", adapter];
    try {
      await using service = await startProcess({ env: collector, files, args });
      const answer = await service.fetch("/db/Demo/Port/PortId/1.json");
      assert.equal(answer.status, 200, await answer.text());
      const request = await service.fetch("/db/Demo/Port/Name/Bergen.json?limit=3");
      assert.equal(request.status, 200, await request.text());
      const isDone = (span: Span) =>
        span.name === "GET /db/{db_id}/{table}/*" && namesBelow(spans, span).length > 4;
      await until(() => spans.some(isDone));
      const [own] = spans.filter(isDone);
      assert.deepEqual(own && namesBelow(spans, own), [
        "authenticate",
        "execute",
        "plan",
        "respond",
        "statement",
      ]);
      const texts = spans.filter(({ name }) => name === "statement").flatMap(({ attributes }) => attributes);
      assert.ok(texts.some(({ value }) => /^select .* from "Port"/.test(value.stringValue ?? "")));
      assert.ok(texts.every(({ value }) => !value.stringValue?.includes("Bergen")));
    } finally {
      await stop();
    }
  });
}

function namesBelow(spans: readonly Span[], { spanId }: Span): readonly string[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name).toSorted();
}
