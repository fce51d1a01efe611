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
import { inRounds, measureServer, median, medianRatio } from "./load.ts";
import { type CommandLine, count, findAll, withOptions } from "./options.ts";
import { cpuSeconds, peakMegabytes, resetPeak } from "./process_usage.ts";
import { type BenchEngine, ENGINES, startSubject, type Subject } from "./subject.ts";
import { FIRST_TICKET, SHARE, type Workload, WORKLOADS } from "./workloads.ts";

const USAGE = `Measures every kind of request; needs wrk.

Usage: deno task bench:all [options]

  --engine NAME     ${ENGINES.join(", ")} (sqlite)
  --only NAMES      workloads, comma-separated: ${WORKLOADS.map(({ name }) => name).join(", ")}
  --rounds N        measurements of each workload, of which the table has the medians (3)
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

interface Options extends Extent {
  readonly engine: BenchEngine;
  readonly workloads: readonly Workload[];
  readonly write: boolean;
}

/** The command line of this benchmark. */
export const ALL: CommandLine<Options> = { usage: USAGE, parse: parseOptions };

if (import.meta.main) Deno.exit(await withOptions(Deno.args, ALL, main));

function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      engine: { type: "string", default: "sqlite" },
      only: { type: "string" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "3" },
      connections: { type: "string", default: "50" },
      write: { type: "boolean", default: false },
    },
  });
  const engine = ENGINES.find((each) => each === values.engine);
  if (!engine) {
    throw new TypeError(`Cannot use --engine ${values.engine}: it is one of ${ENGINES.join(", ")}`);
  }
  return {
    engine,
    workloads: values.only === undefined ? WORKLOADS : findAll("workload", values.only, WORKLOADS),
    rounds: count(values, "rounds"),
    seconds: count(values, "seconds"),
    connections: count(values, "connections"),
    write: values.write,
  };
}

async function main(options: Options): Promise<void> {
  const table = await Promise.race([measureAll(options), interruption()]);
  print(table);
  if (options.write) await writeSection(options.engine, table);
}

interface Extent {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/** The table in Markdown. */
async function measureAll({ engine, workloads, ...extent }: Options): Promise<string> {
  // The warm-up has a share of the tickets, too.
  await using subject = await startSubject(engine, SHARE * (extent.rounds + 1));
  const named = new Map(workloads.map((workload) => [workload.name, workload]));
  const measured = await inRounds(
    named,
    extent,
    (workload, seconds, round) =>
      measure(workload, subject, { ...extent, seconds }, FIRST_TICKET + round * SHARE),
  );
  const lines = [
    `| Request | per second | p50 ms | p99 ms | CPU µs | peak MB | CPU, compared |`,
    "| --- | --: | --: | --: | --: | --: | --: |",
    ...workloads.map((workload) => report(workload, measured)),
  ];
  if (workloads.length === WORKLOADS.length) {
    lines.push(row(`stream of ${STREAMED.toLocaleString("en")}`, await stream(subject)));
  }
  return lines.join("\n") + "\n";
}

function report(
  { name, description, comparedWith = [] }: Workload,
  measured: ReadonlyMap<string, readonly Measurement[]>,
): string {
  const all = (member: keyof Measurement, of = name) => (measured.get(of) ?? []).map((one) => one[member]);
  const ratios = comparedWith.filter((other) => measured.has(other))
    .map((other) => `${medianRatio(all("cpu"), all("cpu", other)).toFixed(2)} of ${other}`);
  const middle = (member: keyof Measurement) => median(all(member));
  return row(
    description,
    {
      rate: middle("rate"),
      p50: middle("p50"),
      p99: middle("p99"),
      cpu: middle("cpu"),
      memory: middle("memory"),
    },
    ratios.join(", "),
  );
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

/** `first`: the first of the tickets that it may change. */
async function measure(
  { name, path, script, credentials, headers, ...own }: Workload,
  subject: Subject,
  { seconds, connections }: Extent,
  first: number,
): Promise<Measurement> {
  const { server } = subject;
  resetPeak(server.pid);
  const { requestsPerSecond: rate, p50, p99, cpu } = await measureServer(server, {
    name,
    path,
    headers: { ...subject.headersOf(credentials), ...headers },
    seconds,
    connections: own.connections ?? connections,
    script: script?.(first),
  });
  return { rate, p50, p99, cpu, memory: peakMegabytes(server.pid) };
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
