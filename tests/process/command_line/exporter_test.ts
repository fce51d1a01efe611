/** @module Deno's exporter of traces would send credentials in URLs to its collector. */

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { stringify } from "yaml";
import { addressOf } from "@/tests/support/databases/configure.ts";
import { connectTo } from "@/tests/support/databases/connection.ts";
import { testOn } from "@/tests/support/databases/mod.ts";
import { startProcess } from "@/tests/support/process.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { until } from "@/tests/support/until.ts";

/** A collector that is not there: nothing is sent beyond this machine. */
const env = { OTEL_DENO: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };

Deno.test("attack: the service does not start with an exporter of URLs and credentials in URLs", async () => {
  await assert.rejects(
    startProcess({ env }),
    /Cannot start with OTEL_DENO: .*"apikey"; .*disable the methods/,
  );
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

function environmentOf(url: string): Record<string, string> {
  return {
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  };
}

for (const adapter of ["deno", "node"] as const) {
  Deno.test(`traces have the request by its route, its stages and its statements (${adapter})`, async () => {
    const files = { "config/auth.cfg": "authentication_policies: {basic: {enabled: true, priority: 1}}\n" };
    const { spans, url, stop } = collect();
    const args = ["--adapter", adapter];
    try {
      await using service = await startProcess({ env: environmentOf(url), files, args });
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

testOn("postgresql", "a request that has waited for others has its own statement in its trace", async () => {
  const server = await useServer("postgresql");
  const database = await server.createDatabase(`traced_${crypto.randomUUID().slice(0, 8)}`);
  const { spans, url, stop } = collect();
  try {
    await server.exec(
      "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 40);",
      database,
    );
    await using service = await startProcess({
      env: environmentOf(url),
      files: {
        "config/auth.cfg": "authentication_policies: {basic: {enabled: true, priority: 1}}\n",
        "config/databases.cfg": stringify({
          Party: { ...addressOf(server), db_name: database, ssl: null },
        }),
        "config/users.cfg": stringify({
          public: { databases: { Party: { dbuser: server.user, dbpass: server.password } } },
        }),
      },
    });
    await using connection = await connectTo(server, database);
    await connection.run("BEGIN");
    await connection.run("LOCK TABLE t");
    const sent = Array.from({ length: 40 }, (_, at) => service.fetch(`/db/Party/t/id/${at + 1}.json`));
    // Those that share a statement have their own after a tenth of a second.
    await delay(500);
    await connection.run("ROLLBACK");
    for (const answer of await Promise.all(sent)) assert.equal(answer.status, 200, await answer.text());
    const requests = () => spans.filter((span) => namesBelow(spans, span).includes("respond"));
    await until(() => requests().length === 40);
    for (const { spanId } of requests()) {
      const own = spans.filter((span) => span.parentSpanId === spanId && isAlone(span));
      assert.ok(own.length <= 1, `${own.length} statements of others`);
    }
  } finally {
    await stop();
    await server.dropDatabase(database);
  }
});

/** Whether a span is that of a statement for one record. */
function isAlone({ attributes }: Span): boolean {
  return attributes.some(({ value: { stringValue = "" } }) => stringValue.endsWith('"t"."id" = $1)'));
}

function namesBelow(spans: readonly Span[], { spanId }: Span): readonly string[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name).toSorted();
}
