/**
 * Metrics in the text format of Prometheus: those of all workers as one answer, with
 * a bound on the number of series.
 *
 * @module
 */

import type { Part } from "@/core/storage/worker_group.ts";

/** The question of {@link WorkerGroup.ask} for the metrics of a worker. */
export const METRICS = "metrics";

/** One number of a metric. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  /** The suffix of the metric's name: `_bucket`. */
  readonly suffix?: string;
  readonly value: number;
}

/** A metric of one worker. It is copied between threads. */
export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
  /** How the numbers of several workers become one. Default: their sum. */
  readonly merge?: "max" | "min";
  /** Labels with values from the configuration or from requests: beyond the bound they are `other`. */
  readonly open?: readonly string[];
}

/** Label sets of one metric, apart from the bounds of a histogram, whose labels are open. */
const MOST_DATABASES = 50;
const MOST_ROUTES = 40;
const MOST_REQUESTS = 600;

function mostOf({ open = [] }: Metric): number {
  if (open.includes("status")) return MOST_REQUESTS;
  return open.includes("database") ? MOST_DATABASES : MOST_ROUTES;
}

/** The answer of `/metrics`. Of workers that do not answer it has only what is added: no gauge, no least. */
export function metricsText(parts: readonly Part[]): string {
  const metrics = new Map<string, Metric[]>();
  for (const { value, isPresent } of parts) {
    for (const metric of value as readonly Metric[]) {
      if (!isPresent && (metric.type === "gauge" || metric.merge)) continue;
      metrics.getOrInsertComputed(metric.name, () => []).push(metric);
    }
  }
  return [...metrics.values()].map(merge).map(print).join("");
}

function merge(metrics: readonly Metric[]): Metric {
  const [first, ...others] = metrics;
  if (!first) throw new TypeError("A metric without a worker");
  const merged = new Map<string, Sample>();
  const together = first.merge === undefined
    ? (one: number, other: number) => one + other
    : Math[first.merge];
  for (const sample of [first, ...others].flatMap(({ samples }) => samples)) {
    const key = JSON.stringify([sample.suffix, sample.labels]);
    const known = merged.get(key);
    merged.set(key, known ? { ...known, value: together(known.value, sample.value) } : sample);
  }
  return { ...first, samples: bound([...merged.values()], first, together) };
}

/** Puts the samples of surplus label sets together. */
function bound(
  samples: readonly Sample[],
  metric: Metric,
  together: (one: number, other: number) => number,
): readonly Sample[] {
  const { open } = metric;
  if (!open) return samples;
  const sets = new Set<string>();
  const rest = new Map<string, Sample>();
  const kept = samples.filter((sample) => {
    const set = JSON.stringify(open.map((name) => sample.labels?.[name]));
    if (sets.has(set) || sets.size < mostOf(metric)) return sets.add(set);
    const labels = { ...sample.labels, ...Object.fromEntries(open.map((name) => [name, "other"])) };
    const key = JSON.stringify([sample.suffix, labels]);
    const known = rest.get(key)?.value;
    rest.set(key, {
      ...sample,
      labels,
      value: known === undefined ? sample.value : together(known, sample.value),
    });
    return false;
  });
  return [...kept, ...rest.values()];
}

function print({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ suffix = "", labels = {}, value }) => {
    const all = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
    return `${name}${suffix}${all.length > 0 ? `{${all.join()}}` : ""} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
