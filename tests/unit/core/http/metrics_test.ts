/** @module The metrics of several workers are one answer of bounded size. */

import assert from "node:assert/strict";
import { Faults } from "@/core/database/faults.ts";
import { measure } from "@/core/http/measure.ts";
import { type Metric, metricsText } from "@/core/http/metrics.ts";
import type { Service } from "@/core/service.ts";
import { SILENT } from "@/core/storage/log.ts";
import { RequestLog } from "@/core/storage/request_log.ts";

function counter(
  labels: Readonly<Record<string, string>>,
  value: number,
  more: Partial<Metric> = {},
): Metric {
  return { name: "a_total", type: "counter", help: "A.", samples: [{ labels, value }], ...more };
}

function lines(...parts: readonly (readonly Metric[])[]): readonly string[] {
  const text = metricsText(parts.map((value) => ({ value, isPresent: true })));
  return text.trimEnd().split("\n").filter((line) => !line.startsWith("#"));
}

Deno.test("counters of workers are added, gauges as they say", () => {
  assert.deepEqual(lines([counter({ x: "1" }, 2)], [counter({ x: "1" }, 3), counter({ x: "2" }, 1)]), [
    'a_total{x="1"} 5',
    'a_total{x="2"} 1',
  ]);
  const least = { type: "gauge", merge: "min" } as const;
  assert.deepEqual(lines([counter({}, 1, least)], [counter({}, 0, least)]), ["a_total 0"]);
});

Deno.test("a worker that is gone goes on counting, and has no gauges", () => {
  const least = (value: number) => counter({}, value, { name: "least_total", merge: "min" });
  const gauge = counter({}, 7, { name: "g", type: "gauge" });
  const gone = { value: [counter({}, 4), least(2), gauge], isPresent: false };
  const text = metricsText([{ value: [counter({}, 1), least(3)], isPresent: true }, gone]);
  assert.match(text, /^a_total 5$/m);
  assert.match(text, /^least_total 3$/m);
  assert.doesNotMatch(text, /^g /m);
});

Deno.test("surplus databases are one series, and nothing is lost", () => {
  const many = Array.from({ length: 500 }, (_, at) => ({ labels: { database: `d${at}` }, value: 1 }));
  const found = lines([{ ...counter({}, 0), samples: many, open: ["database"] }]);
  assert.equal(found.length, 51);
  assert.equal(found.at(-1), 'a_total{database="other"} 450');
});

/**
 * A service with everything that it measures: many databases, and requests of
 * somebody who tries to make series many.
 */
function crowded(): Service {
  const requests = new RequestLog();
  for (let at = 0; at < 3000; at++) {
    const request = requests.begin("GET", `/db/${at}`);
    requests.end(request, {
      status: 200 + at % 300,
      user: "a",
      route: `/r${at % 100}`,
      format: `f${at % 30}`,
    });
  }
  const managed = (id: string) => ({
    status: "Connected",
    usage: { open: 3, idle: 1, waiting: 2, ends: 4, walBytes: 5 },
    faults: new Faults(id, SILENT),
    meter: { count: 1, seconds: 1, streams: 1 },
  });
  const ids = Array.from({ length: 500 }, (_, at) => `d${at}`);
  return {
    version: "1",
    configuration: { users: new Map() },
    files: { reloads: 1, complaints: [] },
    requests,
    answerMemory: { total: 0 },
    bodyMemory: { total: 0 },
    databases: new Map(ids.map((id) => [id, managed(id)])),
    group: { silent: 0, restarts: 0 },
    loopDelay: { seconds: 0 },
  } as unknown as Service;
}

Deno.test("a service with 500 databases and thousands of kinds of answers has fewer than 2,000 series", () => {
  const found = lines(measure(crowded()), measure(crowded()));
  assert.ok(found.length > 1000 && found.length < 1950, `${found.length} series`);
  const requests = found.filter((line) => line.startsWith("rowhouse_requests_total{"));
  const sum = requests.reduce((total, line) => total + Number(line.split(" ").at(-1)), 0);
  assert.equal(sum, 6000, "nothing is lost");
});
