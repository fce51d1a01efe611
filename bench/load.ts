/**
 * Makes load and counts answers: with wrk where it is installed, else in this process.
 *
 * @module
 */

/** One request, sent again and again over a number of connections. */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly connections: number;
}

/** What one load came to. */
export interface Throughput {
  readonly requestsPerSecond: number;
  /** 99 % of the requests were faster, in milliseconds. */
  readonly p99: number;
}

/** Makes the load; rejects when an answer is no success. */
export type LoadGenerator = (load: Load) => Promise<Throughput>;

/** The best generator there is, and its name. */
export async function findGenerator(): Promise<{ readonly name: string; readonly run: LoadGenerator }> {
  try {
    await new Deno.Command("wrk", { args: ["--version"], stdout: "null", stderr: "null" }).output();
    return { name: "wrk", run: runWrk };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { name: "in-process", run: runHere };
    throw error;
  }
}

async function runWrk({ url, headers, seconds, connections }: Load): Promise<Throughput> {
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", ...headerArgs, url];
  const { stdout } = await new Deno.Command("wrk", { args, stderr: "inherit" }).output();
  return parseWrk(new TextDecoder().decode(stdout));
}

/** Reads wrk's report; throws when it speaks of failed requests. */
export function parseWrk(report: string): Throughput {
  const failure = /Non-2xx or 3xx responses:.*|Socket errors:.*/.exec(report)?.[0];
  if (failure) throw new Error(`Cannot measure: ${failure}`);
  const requests = /Requests\/sec:\s*([\d.]+)/.exec(report)?.[1];
  const [, amount, unit = ""] = /99%\s+([\d.]+)(us|ms|s)/.exec(report) ?? [];
  if (requests === undefined || amount === undefined) {
    throw new Error(`Cannot read the report of wrk: ${report}`);
  }
  const milliseconds = new Map([["us", 0.001], ["ms", 1], ["s", 1000]]);
  return { requestsPerSecond: Number(requests), p99: Number(amount) * (milliseconds.get(unit) ?? 1) };
}

async function runHere({ url, headers, seconds, connections }: Load): Promise<Throughput> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: connections });
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  async function connection(): Promise<void> {
    while (performance.now() < end) {
      const start = performance.now();
      const answer = await fetch(url, { client, headers });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`Cannot measure: ${url} answered ${answer.status}`);
      latencies.push(performance.now() - start);
    }
  }
  await Promise.all(Array.from({ length: connections }, connection));
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
  return { requestsPerSecond: latencies.length / seconds, p99 };
}
