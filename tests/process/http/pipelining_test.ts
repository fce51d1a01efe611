/** @module Clients that send requests before they have the answers to earlier ones. */

import assert from "node:assert/strict";
import { mostMemory, startProcess, type TestProcess } from "@/tests/support/process.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { until } from "@/tests/support/until.ts";

/** Some 470 KB. */
const MIDDLING = "/db/Demo/Ticket.json?limit=900";
const REQUESTS = 20_000;
/** A stop that waits for requests lasts longer than the test. */
const PATIENT = { "config/service.ini": "[service]\nserver.grace = 3600\n" };
const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const name = (id: number) => `/db/Demo/Port/PortId/${id}/Name.json`;

for (const adapter of ["deno", "node"]) {
  Deno.test({
    name: `attack: thousands of requests in one piece take a bounded memory (${adapter})`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using service = await startProcess({ files: PATIENT, args: ["--adapter", adapter] });
      const before = await mostAfter(service, MIDDLING);
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: service.port });
      void write(connection, head(MIDDLING).repeat(REQUESTS));
      for (let time = 0; time < 20; time++) await mostAfter(service, name(1));
      connection.close();
      const growth = await mostAfter(service, MIDDLING) - before;
      assert.ok(growth < 150, `${REQUESTS} requests took ${growth} MB`);
      const metrics = await (await service.fetch("/metrics")).text();
      const [, count] =
        /^rowhouse_requests_total\{route="\/db\/\{db_id\}\/\{table\}",.*\} (\d+)$/m.exec(metrics) ?? [];
      assert.ok(Number(count) < REQUESTS / 10, `${count} of them were answered`);
      assert.doesNotMatch(await service.log(), /ERROR/);
      // Nothing of them is waited for.
      assert.equal((await service.stop()).code, 0);
    },
  });

  Deno.test(`requests that wait on a connection are answered in their order (${adapter})`, async () => {
    await using service = await startProcess({ args: ["--adapter", adapter] });
    const ids = Array.from({ length: 60 }, (_, index) => index % 3 + 1);
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: service.port });
    await write(connection, ids.map((id) => head(name(id))).join(""));
    let text = "";
    const decoder = new TextDecoder();
    const piece = new Uint8Array(65536);
    const expected = await Promise.all(
      [1, 2, 3].map(async (id) => await (await service.fetch(name(id))).text()),
    );
    const answers = () => [...text.matchAll(/\r\n\r\n([^]*?)(?=HTTP\/1\.1 |$)/g)].map(([, body]) => body);
    await until(async () => {
      const count = await connection.read(piece);
      assert.notEqual(count, null, text);
      text += decoder.decode(piece.subarray(0, count ?? 0));
      return answers().length === ids.length && answers().at(-1) === expected[2];
    });
    assert.deepEqual(answers(), ids.map((id) => expected[id - 1]));
  });
}

/** The most memory after one more request. */
async function mostAfter(service: TestProcess, path: string): Promise<number> {
  assert.equal(await statusOf(service.fetch(path)), 200);
  return mostMemory(service);
}

/** Writes until everything is sent or the connection ends. */
async function write(connection: Deno.TcpConn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  } catch (error) {
    assert.ok(
      error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset ||
        error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted,
      String(error),
    );
  }
}
