/**
 * @module Readers that are slower than the database, or stop: their cost for
 * the service and for other clients.
 */

import assert from "node:assert/strict";
import { stringify } from "yaml";
import { TEST_DIALECTS, type TestDialect, testOn } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { mostMemory, startProcess, type TestProcess } from "@/tests/support/process.ts";
import { type StartOptions, startService, type TestService } from "@/tests/support/service.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { until } from "@/tests/support/until.ts";

/** 75,000 rows of about 4,000 bytes: collecting them would need more memory than the service may use. */
const PAIRS = "/query/pairs.csv?stream";
const ROWS = 75_000;
const MOST_MEGABYTES = 350;
const NEWLINE = 10;
/** A request that waits for the one connection. */
const OTHER = "/query/pairs/x.json?stream&limit=2";

/** A list that is streamed. */
const LIST = "/db/Wide/number.csv?stream";
/** Milliseconds; slow readers are cut off later. */
const SOON = 20_000;

const TABLE = "CREATE TABLE number (n INT PRIMARY KEY)";
const FILL = `INSERT INTO number VALUES ${Array.from({ length: 300 }, (_, n) => `(${n})`).join()}`;
/** 300 times 250 pairs. */
const SQL = `SELECT a.n AS x, b.n AS y, '${"x".repeat(4000)}' AS filling
  FROM number a CROSS JOIN number b WHERE b.n < 250`;

/** A service, started by `how`, whose database has `max` connections; a reader may rest `limit` seconds. */
function start<T extends TestService>(
  dialect: TestDialect,
  limit: number,
  how: (options: StartOptions) => Promise<T>,
  max = 1,
): Promise<T> {
  const querydefs = stringify({ pairs: { database: "Wide", sqlstr: SQL, execute: ["public"] } });
  const database = {
    id: "Wide",
    made,
    definition: { pool: { max, acquire_timeout: 60, statement_timeout: limit } },
    files: {
      "config/querydefs.cfg": querydefs,
      "config/service.ini": "[service]\ntrusted_proxies = 127.0.0.1\n",
    },
  };
  return serveOn(dialect, database, how);
}

function made(dialect: TestDialect): string {
  const end = dialect === "mssql" ? "\nGO\n" : ";\n";
  return `${TABLE}${end}${FILL}${end}`;
}

/** Reads all of it, with pauses in which a service that does not wait would go on collecting. */
async function readSlowly(service: TestProcess): Promise<number> {
  const answer = await service.fetch(PAIRS, { headers: { "Accept-Encoding": "identity" } });
  assert.equal(answer.status, 200);
  let lines = 0;
  let pauses = 0;
  for await (const piece of answer.body ?? []) {
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) lines++;
    if (lines < (pauses + 1) * (ROWS / 10)) continue;
    pauses++;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  return lines;
}

for (const dialect of TEST_DIALECTS) {
  testOn(dialect, "300 MB are sent in constant memory to a reader that is slower", async () => {
    await using service = await start(dialect, 60, startProcess);
    assert.equal(await readSlowly(service), ROWS + 1);
    const most = mostMemory(service);
    assert.ok(most < MOST_MEGABYTES, `It took ${most} MB`);
  }, { ignore: Deno.build.os !== "linux" });

  testOn(dialect, "eight slow readers hold up neither saved queries nor lists of others", async () => {
    await using service = await start(dialect, 60, startService, 10);
    const open = () => RawStream.open(service.port, PAIRS);
    const slow = await Promise.all(Array.from({ length: 8 }, open));
    try {
      assert.equal(await Promise.any(slow.map((each) => each.readSome())), true);
      // One caller has at most half of the eight turns of streams.
      await until(async () => {
        const metrics = await (await service.fetch("/metrics")).text();
        return ['connections{database="Wide",state="waiting"} 4', 'streams{database="Wide"} 4']
          .every((line) => metrics.includes(`\nrowhouse_${line}\n`));
      });
      const headers = { "X-Forwarded-For": "203.0.113.7" };
      const answers = await Promise.all([OTHER, LIST].map(async (path) => {
        const answer = await service.fetch(path, { headers, signal: AbortSignal.timeout(SOON) });
        await answer.text();
        return answer.status;
      }));
      assert.deepEqual(answers, [200, 200]);
    } finally {
      for (const each of slow) each[Symbol.dispose]();
    }
  });

  testOn(dialect, "a client that stops reading is cut off, and others get its connection", async () => {
    await using service = await start(dialect, 2, startService);
    using stopped = await RawStream.open(service.port, PAIRS);
    assert.equal(await stopped.readSome(), true);
    const other = await service.fetch(OTHER);
    const text = await other.text();
    assert.deepEqual([other.status, JSON.parse(text).length], [200, 2], text);
    const rest = await stopped.readAll();
    assert.equal(rest.endsWith("\r\n0\r\n\r\n"), false, "An answer that is not whole has no end");
    assert.doesNotMatch(await service.log(), /failed unexpectedly/);
  });
}
