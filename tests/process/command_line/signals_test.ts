/** @module Signals as service managers and Ctrl-C send them: to the whole group, and more than once. */

import assert from "node:assert/strict";
import { stringify } from "yaml";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { RawConnection } from "@/tests/support/raw_request.ts";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { until } from "@/tests/support/until.ts";

const SLOW =
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) AS c FROM n";
const ENDLESS = SLOW.replace("3000000", "1000000000000");
const QUERIES = {
  slow: { database: "Demo", sqlstr: SLOW, execute: ["public"] },
  endless: { database: "Demo", sqlstr: ENDLESS, execute: ["public"] },
};
const FILES = { "config/querydefs.cfg": stringify(QUERIES) };

const KEY = "editor-0123456789-0123456789-0123456789";

/** New connections are refused. */
async function isClosed({ port }: TestProcess): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return false;
  } catch (error) {
    // Reset: the listener has closed while the connection waited to be accepted.
    const isClosed = error instanceof Deno.errors.ConnectionRefused ||
      error instanceof Deno.errors.ConnectionReset;
    if (isClosed) return true;
    throw error;
  }
}

async function isRunning(service: TestProcess): Promise<boolean> {
  const text = await (await service.fetch("/metrics")).text();
  return /^rowhouse_requests_running 1$/m.test(text);
}

for (const adapter of ["deno", "node"] as const) {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.test(`a ${signal} that comes again and again lets a request in flight finish (${adapter})`, async () => {
      await using service = await startProcess({ files: FILES, args: ["--adapter", adapter] });
      using stream = await RawStream.open(service.port, "/query/slow.json");
      await until(() => isRunning(service));
      const stopped = service.stop(signal);
      const answer = stream.readAll();
      for (let again = 0; again < 5; again++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        Deno.kill(service.pid, signal);
      }
      assert.match(await answer, /"c": 3000000/);
      assert.equal((await stopped).code, 0);
    });
  }
}

for (const adapter of ["deno", "node"] as const) {
  Deno.test(`an upload at the time of the stop is ${adapter === "deno" ? "503" : "finished"} (${adapter})`, async () => {
    const users = `editor: {apikey: ${KEY}, databases: {Demo: {}}}\npublic: {databases: {Demo: {}}}\n`;
    const files = { ...FILES, "config/users.cfg": users };
    await using service = await startProcess({ files, args: ["--adapter", adapter] });
    using connection = await RawConnection.open(service.port);
    const { status, headers } = await connection.send({
      method: "POST",
      target: "/db/Demo/Amenity.json",
      headers: { "Content-Type": "application/json", apikey: KEY },
      body: '{"Name": "Planetarium"}',
      beforeBody: async () => {
        await until(() => isRunning(service));
        void service.stop();
        await until(() => isClosed(service));
      },
    });
    // Deno.serve gives up the bodies that are still coming.
    const expected = adapter === "deno" ? [503, "2"] : [201, null];
    assert.deepEqual([status, headers.get("retry-after")], expected);
  });
}

Deno.test("a SIGINT more than two seconds after the first ends the service at once", async () => {
  await using service = await startProcess({ files: FILES });
  using _stream = await RawStream.open(service.port, "/query/endless.json");
  await until(() => isRunning(service));
  const stopped = service.stop("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 2500));
  Deno.kill(service.pid, "SIGINT");
  assert.equal((await stopped).code, 130);
});
