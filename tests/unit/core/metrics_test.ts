/** @module The metrics of several workers are one answer of bounded size. */

import assert from "node:assert/strict";
import { type Metric, metricsText } from "@/core/http/metrics.ts";

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
  const gone = { value: [counter({}, 4), counter({}, 7, { name: "g", type: "gauge" })], isPresent: false };
  const text = metricsText([{ value: [counter({}, 1)], isPresent: true }, gone]);
  assert.match(text, /^a_total 5$/m);
  assert.doesNotMatch(text, /^g /m);
});

Deno.test("surplus databases are one series, and nothing is lost", () => {
  const many = Array.from({ length: 500 }, (_, at) => ({ labels: { database: `d${at}` }, value: 1 }));
  const found = lines([{ ...counter({}, 0), samples: many, open: ["database"] }]);
  assert.equal(found.length, 51);
  assert.equal(found.at(-1), 'a_total{database="other"} 450');
});
