/** @module What is refused for lack of room has a line in the log and a metric each. */

import assert from "node:assert/strict";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { shared } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

const EDITOR = "editor-0123456789-0123456789-0123456789";
const MOST = 40;
/** Bytes; one address may use a quarter: one answer as below. A larger body is read if it is there alone. */
const ANSWERS = 2 ** 25;
const BODIES = 2 ** 22;
/** Some 5 MB. */
const LARGE = "/db/Demo/Ticket.json?depth=1";

const service = shared(() =>
  startProcess({
    args: ["--adapter", "node"],
    files: {
      "config/service.ini": `[service]\nserver.max_connections = ${MOST}\n` +
        `server.answer_memory = ${ANSWERS}\nserver.body_memory = ${BODIES}\n`,
      "config/users.cfg":
        `public: {databases: {Demo: {}}}\neditor: {apikey: ${EDITOR}, databases: {Demo: {}}}\n`,
    },
  })
);

async function count({ url }: TestProcess, what: string): Promise<number> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const metrics = await (await fetch(`${url}/metrics`, { client })).text();
  const series = new RegExp(`^rowhouse_cut_off_total\\{what="${what}"\\} (\\d+)$`, "m");
  return Number(series.exec(metrics)?.[1] ?? 0);
}

/** Further ones within the minute are in the metric only. */
async function assertTold(what: string, words: RegExp): Promise<void> {
  assert.ok(await count(service(), what) >= 2, `rowhouse_cut_off_total has what="${what}"`);
  const lines = (await service().log()).split("\n").filter((line) => words.test(line));
  assert.equal(lines.length, 1, lines.join("\n"));
}

/** Begins a body of three megabytes, and ends it only when the connection is closed. */
async function beginBody({ port }: TestProcess): Promise<Deno.Conn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = `POST /db/Demo/Amenity.json HTTP/1.1\r\nHost: localhost\r\napikey: ${EDITOR}\r\n` +
    `Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  const part = new TextEncoder().encode(`[{"Name": "${"x".repeat(3_000_000)}`);
  // A connection that is refused takes no more bytes.
  for (let at = 0; at < part.length;) {
    const written = await connection.write(part.subarray(at)).catch(() => part.length);
    at += written;
  }
  return connection;
}

Deno.test("answers that find no memory are a line and a metric", async () => {
  const streams = await Promise.all(
    Array.from({ length: 5 }, () => RawStream.open(service().port, LARGE)),
  );
  try {
    const statuses = await Promise.all(streams.map((stream) => stream.readStatus()));
    assert.deepEqual(new Set(statuses), new Set([200, 503]));
    await assertTold("answer", /WARN server\.answer_memory = 33554432 is used up: 1 refused with 503$/);
  } finally {
    for (const stream of streams) stream[Symbol.dispose]();
  }
});

Deno.test("bodies that find no memory are a line and a metric", async () => {
  const connections: Deno.Conn[] = [];
  try {
    while (await count(service(), "body") < 2 && connections.length < 10) {
      connections.push(await beginBody(service()));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await assertTold("body", /WARN server\.body_memory = 4194304 is used up: 1 refused with 503$/);
  } finally {
    for (const connection of connections) connection.close();
  }
});

Deno.test("connections above the limit are a line and a metric", async () => {
  const connect = () => Deno.connect({ hostname: "127.0.0.1", port: service().port });
  const connections = await Promise.all(Array.from({ length: MOST + 10 }, connect));
  try {
    const words = /WARN There are 40 connections, no more are taken: 1 closed at once$/m;
    await until(async () => words.test(await service().log()));
  } finally {
    for (const connection of connections) connection.close();
  }
  await until(async () => await count(service(), "connection").catch(() => 0) >= 2);
});
