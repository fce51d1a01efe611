/** @module Clients that leave before they have their answer do no harm. */

import assert from "node:assert/strict";
import { stringify } from "yaml";
import { sharedService, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";

const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)";

/** The first never has a row, the second has many. */
const QUERIES = {
  endless: { database: "Demo", sqlstr: `${NUMBERS} SELECT count(*) AS c FROM n`, execute: ["public"] },
  rows: { database: "Demo", sqlstr: `${NUMBERS} SELECT i FROM n`, execute: ["public"] },
};

const USERS = { public: { databases: { Demo: { access: { "*": ["read", "create"] } } } } };

const services = Object.fromEntries(["deno", "node"].map((adapter) => {
  const files = { "config/querydefs.cfg": stringify(QUERIES), "config/users.cfg": stringify(USERS) };
  return [adapter, sharedService({ files, args: ["--adapter", adapter] })];
}));

async function metrics(service: TestService): Promise<string> {
  return await (await service.fetch("/metrics")).text();
}

/** Requests that are being answered; the one that asks does not count. */
async function running(service: TestService): Promise<number> {
  const [, count] = /^rowhouse_requests_running (\d+)$/m.exec(await metrics(service)) ?? [];
  return Number(count);
}

for (const [adapter, service] of Object.entries(services)) {
  Deno.test(`whoever leaves before the answer has begun is no failure (${adapter})`, async () => {
    const stream = await RawStream.open(service().port, "/query/endless.json");
    try {
      await until(async () => await running(service()) === 1);
    } finally {
      stream[Symbol.dispose]();
    }
    await until(async () => await running(service()) === 0);
    assert.doesNotMatch(await service().log(), /ERROR/);
    const counts = await metrics(service());
    assert.match(counts, /^rowhouse_requests_total\{.*status="499".*\} 1$/m);
    assert.doesNotMatch(counts, /^rowhouse_requests_total\{.*status="5/m);
  });

  for (const size of [1000, 100_000]) {
    Deno.test(`whoever leaves within a body of ${size} bytes is no failure (${adapter})`, async () => {
      const left = /^rowhouse_requests_total\{.*method="POST".*status="400".*\} (\d+)$/m;
      const before = Number(left.exec(await metrics(service()))?.[1] ?? 0);
      const client = await Deno.connect({ port: service().port });
      const head = `POST /db/Demo/Vessel.json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
      await client.write(new TextEncoder().encode(`${head}Content-Length: ${size}\r\n\r\n[`));
      await until(async () => await running(service()) === 1);
      client.close();
      await until(async () => await running(service()) === 0);
      const after = await metrics(service());
      assert.equal(Number(left.exec(after)?.[1]), before + 1);
      assert.doesNotMatch(after, /^rowhouse_requests_total\{.*status="5/m);
    });
  }

  Deno.test(`whoever leaves a stream is no failure (${adapter})`, async () => {
    for (let round = 0; round < 20; round++) {
      using stream = await RawStream.open(service().port, "/query/rows.csv?stream");
      for (let pieces = 0; pieces < 5; pieces++) assert.equal(await stream.readSome(), true);
    }
    // The service has noticed the last clients once others have their answers.
    for (let round = 0; round < 20; round++) {
      const answer = await service().fetch("/db/Demo/Vessel/VesselId/1.json");
      assert.equal(answer.status, 200, await answer.text());
    }
    assert.doesNotMatch(await service().log(), /ERROR/);
  });
}
