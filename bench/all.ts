/**
 * Measures every kind of request on one engine: rate, latency, CPU of the
 * service for each request, and memory.
 *
 * Usage: deno task bench:all --help
 *
 * @module
 */

import { parseArgs } from "node:util";
import { print } from "@/core/start/console.ts";
import { writeSection } from "./document.ts";
import { interruption } from "./http.ts";
import { runWrk, WARM_UP_SECONDS } from "./load.ts";
import { cpuSeconds, peakMegabytes, resetPeak } from "./process_usage.ts";
import { RECORDS } from "./scenarios.ts";
import { type BenchEngine, ENGINES, startSubject, type Subject } from "./subject.ts";
import { type Workload, WORKLOADS } from "./workloads.ts";

const USAGE = `Measures every kind of request; needs wrk.

Usage: deno task bench:all [options]

  --engine NAME     ${ENGINES.join(", ")} (sqlite)
  --only NAMES      workloads, comma-separated: ${WORKLOADS.map(({ name }) => name).join(", ")}
  --seconds N       seconds of each measurement (3)
  --connections N   connections (50)
  --write           puts the table into docs/benchmarks.md
  --help            this text
`;

/** Rows of the answer that is streamed. */
const STREAMED = 100_000;

/** What was measured of a workload. */
interface Measurement {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds for each request. */
  readonly cpu: number;
  /** MB. */
  readonly memory: number;
}

if (import.meta.main) await main(Deno.args);

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      engine: { type: "string", default: "sqlite" },
      only: { type: "string" },
      seconds: { type: "string", default: "3" },
      connections: { type: "string", default: "50" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return print(USAGE);
  const engine = ENGINES.find((each) => each === values.engine);
  if (!engine) {
    throw new TypeError(`Cannot use --engine ${values.engine}: it is one of ${ENGINES.join(", ")}`);
  }
  const chosen = values.only === undefined ? WORKLOADS : values.only.split(",").map(findWorkload);
  const table = await Promise.race([
    measureAll(engine, chosen, { seconds: Number(values.seconds), connections: Number(values.connections) }),
    interruption(),
  ]);
  print(table);
  if (values.write) await writeSection(engine, table);
}

function findWorkload(name: string): Workload {
  const found = WORKLOADS.find((workload) => workload.name === name);
  if (found) return found;
  const known = WORKLOADS.map((workload) => workload.name).join(", ");
  throw new TypeError(`Cannot find workload "${name}": expected one of ${known}`);
}

interface Extent {
  readonly seconds: number;
  readonly connections: number;
}

/** The table in Markdown. */
async function measureAll(
  engine: BenchEngine,
  workloads: readonly Workload[],
  extent: Extent,
): Promise<string> {
  const measured = new Map<string, Measurement>();
  const lines = [
    `| Request | per second | p50 ms | p99 ms | CPU µs | peak MB | CPU, compared |`,
    "| --- | --: | --: | --: | --: | --: | --: |",
  ];
  await using subject = await startSubject(engine);
  for (const workload of workloads) {
    const found = await measure(workload, subject, extent);
    measured.set(workload.name, found);
    const ratios = (workload.comparedWith ?? []).flatMap((name) => {
      const other = measured.get(name);
      return other ? [`${(found.cpu / other.cpu).toFixed(2)} of ${name}`] : [];
    });
    lines.push(row(workload.description, found, ratios.join(", ")));
  }
  if (workloads.length === WORKLOADS.length) {
    lines.push(row(`stream of ${STREAMED.toLocaleString("en")}`, await stream(subject)));
  }
  return lines.join("\n") + "\n";
}

function row(name: string, { rate, p50, p99, cpu, memory }: Measurement, compared = ""): string {
  const cells = [
    rate.toFixed(rate < 10 ? 1 : 0),
    p50.toFixed(1),
    p99.toFixed(1),
    cpu.toFixed(0),
    memory.toFixed(0),
  ];
  return `| ${[name, ...cells, compared].join(" | ")} |`;
}

async function measure(
  { name, path, script, credentials, headers, ...own }: Workload,
  subject: Subject,
  { seconds, connections }: Extent,
): Promise<Measurement> {
  const { server: { url, pid } } = subject;
  const load = {
    url: url + path,
    headers: { ...subject.headersOf(credentials), ...headers },
    connections: own.connections ?? connections,
    script,
    name,
  };
  // A script that creates, changes or deletes would begin with the same keys again.
  if (script === undefined || script === RECORDS) await runWrk({ ...load, seconds: WARM_UP_SECONDS });
  resetPeak(pid);
  const before = cpuSeconds(pid);
  const { requestsPerSecond: rate, requests, p50, p99 } = await runWrk({ ...load, seconds });
  const cpu = (cpuSeconds(pid) - before) * 1e6 / requests;
  return { rate, p50, p99, cpu, memory: peakMegabytes(pid) };
}

/** One answer that is read as it comes. */
async function stream({ server: { url, pid } }: Subject): Promise<Measurement> {
  const times: number[] = [];
  resetPeak(pid);
  const before = cpuSeconds(pid);
  for (let count = 0; count < 3; count++) {
    const started = performance.now();
    const answer = await fetch(`${url}/db/Demo/Ticket.json?stream&limit=${STREAMED}`);
    for await (const _ of answer.body ?? []) { /* read and forgotten */ }
    if (!answer.ok) throw new Error(`The stream was answered with ${answer.status}`);
    times.push(performance.now() - started);
  }
  const cpu = (cpuSeconds(pid) - before) * 1e6 / times.length;
  const [, middle = 0, slowest = 0] = times.toSorted((a, b) => a - b);
  return { rate: 1000 / middle, p50: middle, p99: slowest, cpu, memory: peakMegabytes(pid) };
}
