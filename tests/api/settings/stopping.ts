/**
 * Settings that concern the stop of the service.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { TestProcess } from "@/tests/support/process.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { until } from "@/tests/support/until.ts";
import { type Effect, statusOf } from "./effect.ts";

const ENDLESS =
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000) SELECT count(*) AS c FROM n";

/** Effects on a process that gets a signal. */
export const STOPPING: readonly Effect[] = [
  {
    keys: ["server.drain", "server.grace"],
    title: "are the seconds that a stopping service still accepts connections, and then finishes requests",
    ini: ["server.drain = 2", "server.grace = 1"],
    start: {
      files: {
        "config/querydefs.cfg": `endless: {database: Demo, sqlstr: "${ENDLESS}", execute: [public]}\n`,
      },
    },
    isProcess: true,
    async check(service) {
      using _stream = await RawStream.open(service.port, "/query/endless.json");
      const began = performance.now();
      const stopped = (service as TestProcess).stop();
      await until(async () => await statusOf(service, "/readyz") === 503);
      assert.equal(await statusOf(service, "/db.json"), 200);
      assert.equal((await stopped).code, 0);
      const seconds = (performance.now() - began) / 1000;
      assert.ok(seconds > 2.9, `${seconds} seconds`);
    },
  },
];
