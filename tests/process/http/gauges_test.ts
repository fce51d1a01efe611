/** @module Metrics of what a process has and does at the moment. */

import assert from "node:assert/strict";
import project from "@/deno.json" with { type: "json" };
import { startProcess } from "@/tests/support/process.ts";
import { shared } from "@/tests/support/service.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { until } from "@/tests/support/until.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
const service = shared(() =>
  startProcess({
    files: {
      "config/users.cfg": "admin: {}\npublic: {databases: {Demo: {}}}\n",
      "config/querydefs.cfg": `endless: {database: Demo, sqlstr: "${ENDLESS}", execute: [public]}\n`,
    },
  })
);

async function read(series: string): Promise<number> {
  const text = await (await service().fetch("/metrics")).text();
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

/** Clients that ask and take no more than the beginning. */
async function whileUnread(count: number, path: string, look: () => Promise<void>): Promise<void> {
  const open = () => RawStream.open(service().port, path);
  const clients = await Promise.all(Array.from({ length: count }, open));
  try {
    await look();
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
}

Deno.test("what is counted by kind begins with 0, so that the first event is an increase", async () => {
  await using fresh = await startProcess();
  const text = await (await fresh.fetch("/metrics")).text();
  const kinds = {
    'rowhouse_cut_off_total{what="': ["answer", "body", "connection", "listener", "reader"],
    'rowhouse_log_lines_total{level="': ["ERROR"],
    'rowhouse_refusals_total{reason="': ["too-many-requests", "unavailable", "timeout", "internal"],
  };
  const wanted = Object.entries(kinds).flatMap(([series, labels]) =>
    labels.map((each) => `${series}${each}"} 0`)
  );
  assert.deepEqual(wanted.filter((line) => !text.split("\n").includes(line)), []);
});

Deno.test("a stream that is read is a stream, and has a connection", async () => {
  const busy = 'rowhouse_connections{database="Demo",state="busy"}';
  const streams = 'rowhouse_streams{database="Demo"}';
  assert.deepEqual([await read(streams), await read(busy)], [0, 0]);
  await whileUnread(1, "/query/endless.csv?stream", async () => {
    await until(async () => await read(streams) === 1);
    assert.equal(await read(busy), 1);
  });
  await until(async () => await read(streams) === 0 && await read(busy) === 0);
});

Deno.test("answers that their clients do not take are held", async () => {
  const held = 'rowhouse_held_bytes{kind="answers"}';
  assert.equal(await read(held), 0);
  await whileUnread(1, "/db/Demo/Ticket.json?depth=1", () => until(async () => await read(held) > 100_000));
  await until(async () => await read(held) === 0);
});

Deno.test("a body that comes slowly is held, and its request runs", async () => {
  const held = 'rowhouse_held_bytes{kind="bodies"}';
  assert.equal(await read(held), 0);
  {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: service().port });
    const head =
      `POST /db/Demo/Amenity.json HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: 200000\r\n\r\n`;
    await connection.write(new TextEncoder().encode(`${head}[{"Name": "${"x".repeat(100_000)}`));
    await until(async () => await read(held) > 10_000);
    assert.equal(await read("rowhouse_requests_running"), 1);
  }
  await until(async () => await read(held) === 0 && await read("rowhouse_requests_running") === 0);
});

Deno.test("costly answers wait, and the event loop is late", async () => {
  await whileUnread(200, "/db/Demo/Ticket.json?limit=900", async () => {
    await until(async () => await read("rowhouse_requests_waiting") > 0);
    await until(async () => await read("rowhouse_requests_waiting") === 0);
  });
  await until(async () => await read("rowhouse_event_loop_delay_seconds") > 0);
});

Deno.test("a statement takes time, a write fills the log of SQLite, a rejection is a line", async () => {
  const series = [
    'rowhouse_statement_seconds_total{database="Demo"}',
    'rowhouse_wal_bytes{database="Demo"}',
    'rowhouse_log_lines_total{level="INFO"}',
  ];
  const before = await Promise.all(series.map(read));
  const quay = { Locode: "NO QUA", Name: "Quay", LocalName: "Quay", CountryCode: "NO" };
  const body = JSON.stringify({ ...quay, Latitude: 60, Longitude: 5, HasCustoms: true });
  assert.equal(
    await statusOf(service().fetch("/db/Demo/Port.json", { method: "POST", headers: JSON_TYPE, body })),
    201,
  );
  assert.equal(await statusOf(service().fetch("/db/Demo/Port.json", { headers: { apikey: "wrong" } })), 403);
  const after = await Promise.all(series.map(read));
  assert.deepEqual(series.filter((_, index) => (after[index] ?? 0) <= (before[index] ?? 0)), []);
});

Deno.test({
  name: "version, memory and descriptors are those of the process",
  ignore: Deno.build.os !== "linux",
  async fn() {
    assert.equal(await read(`rowhouse_info{version="${project.version}"}`), 1);
    const status = await Deno.readTextFile(`/proc/${service().pid}/status`);
    const resident = 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    assert.ok(Math.abs(await read("rowhouse_memory_bytes") / resident - 1) < 0.3);
    const before = await read("rowhouse_descriptors");
    const connect = () => Deno.connect({ hostname: "127.0.0.1", port: service().port });
    const clients = await Promise.all(Array.from({ length: 100 }, connect));
    try {
      await until(async () => await read("rowhouse_descriptors") >= before + 90);
    } finally {
      for (const client of clients) client.close();
    }
  },
});
