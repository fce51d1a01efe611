/**
 * Generates load and counts answers: with wrk if it is installed, else in this process.
 *
 * @module
 */

import { cpuSeconds } from "./process_usage.ts";

/** Load before the first measurement: the runtime compiles the service's code for about four seconds. */
const WARM_UP_SECONDS = 5;

/** One request, repeated over several connections. */
export interface Load {
  /** For messages. */
  readonly name?: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly connections: number;
  /** The body of a POST; absent: GET. */
  readonly body?: string | undefined;
  /** A script of wrk that makes the requests. */
  readonly script?: string | undefined;
}

/** The result of a load. */
export interface Throughput {
  readonly requestsPerSecond: number;
  /** Number of answers. */
  readonly requests: number;
  /** Milliseconds; half of the requests were faster. */
  readonly p50: number;
  /** Milliseconds; 99 % of the requests were faster. */
  readonly p99: number;
}

/** Generates the load; rejects when an answer is not successful. */
export type LoadGenerator = (load: Load) => Promise<Throughput>;

/** A throughput with what it cost the server. */
export interface Measured extends Throughput {
  /** CPU time of the server for each request, in microseconds. */
  readonly cpu: number;
}

/** Measures a server under a load of one of its paths. */
export async function measureServer(
  { url, pid }: { readonly url: string; readonly pid: number },
  { path, ...load }: Omit<Load, "url"> & { readonly path: string },
  run: LoadGenerator = runWrk,
): Promise<Measured> {
  const before = cpuSeconds(pid);
  const done = await run({ ...load, url: url + path });
  return { ...done, cpu: (cpuSeconds(pid) - before) * 1e6 / done.requests };
}

/**
 * Measures all in every round, so that other load of the machine affects them alike. Round 0 warms them up,
 * and has no results.
 */
export async function inRounds<Item, Result>(
  items: ReadonlyMap<string, Item>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
  measure: (item: Item, seconds: number, round: number) => Promise<Result>,
): Promise<ReadonlyMap<string, readonly Result[]>> {
  const results = new Map([...items.keys()].map((name) => [name, new Array<Result>()]));
  for (const item of items.values()) await measure(item, WARM_UP_SECONDS, 0);
  for (let round = 1; round <= rounds; round++) {
    for (const [name, item] of items) results.get(name)?.push(await measure(item, seconds, round));
  }
  return results;
}

/** The best available generator, with its name. */
export async function findGenerator(): Promise<{ readonly name: string; readonly run: LoadGenerator }> {
  try {
    await new Deno.Command("wrk", { args: ["--version"], stdout: "null", stderr: "null" }).output();
    return { name: "wrk", run: runWrk };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { name: "in-process", run: runHere };
    throw error;
  }
}

async function runWrk(
  { name = "", url, headers, seconds, connections, body, script: given }: Load,
): Promise<Throughput> {
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  // Its own limit of two seconds for an answer fails on a busy machine.
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "20s", "--latency", ...headerArgs];
  const text = given ??
    (body === undefined ? undefined : `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}\n`);
  if (text === undefined) return await measureWith(name, [...args, url]);
  const script = await Deno.makeTempFile({ prefix: "rowhouse-bench-", suffix: ".lua" });
  try {
    await Deno.writeTextFile(script, text);
    return await measureWith(name, [...args, "-s", script, url]);
  } finally {
    await Deno.remove(script);
  }
}

async function measureWith(name: string, args: readonly string[]): Promise<Throughput> {
  const { stdout } = await new Deno.Command("wrk", { args: [...args], stderr: "inherit" }).output();
  return parseWrk(new TextDecoder().decode(stdout), name);
}

/** Reads wrk's report; throws if it mentions failed requests. */
export function parseWrk(report: string, name = ""): Throughput {
  const failure = /Non-2xx or 3xx responses:.*|Socket errors:.*/.exec(report)?.[0];
  if (failure) throw new Error(`Cannot measure ${name}: ${failure}`);
  const rate = /Requests\/sec:\s*([\d.]+)/.exec(report)?.[1];
  const requests = /(\d+) requests in/.exec(report)?.[1];
  if (rate === undefined || requests === undefined) {
    throw new Error(`Cannot read the report of wrk: ${report}`);
  }
  return {
    requestsPerSecond: Number(rate),
    requests: Number(requests),
    p50: quantile(50, report),
    p99: quantile(99, report),
  };
}

const MILLISECONDS: ReadonlyMap<string, number> = new Map([["us", 0.001], ["ms", 1], ["s", 1000]]);

function quantile(percent: number, report: string): number {
  const [, amount, unit = ""] = new RegExp(`^\\s*${percent}%\\s+([\\d.]+)(us|ms|s)`, "m").exec(report) ?? [];
  if (amount === undefined) throw new Error(`Cannot read the report of wrk: ${report}`);
  return Number(amount) * (MILLISECONDS.get(unit) ?? 1);
}

async function runHere({ url, headers, seconds, connections, body }: Load): Promise<Throughput> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: connections });
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  async function connection(): Promise<void> {
    while (performance.now() < end) {
      const start = performance.now();
      const answer = await fetch(url, {
        client,
        headers,
        ...(body === undefined ? {} : { method: "POST", body }),
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`Cannot measure: ${url} answered ${answer.status}`);
      latencies.push(performance.now() - start);
    }
  }
  await Promise.all(Array.from({ length: connections }, connection));
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  const requests = latencies.length;
  return { requestsPerSecond: requests / seconds, requests, p50: at(0.5), p99: at(0.99) };
}

/** The median of several measurements. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** The median of ratios, each of two measurements that followed each other and so met the same machine. */
export function medianRatio(ones: readonly number[], others: readonly number[]): number {
  return median(ones.map((one, at) => one / (others[at] ?? Number.NaN)));
}
