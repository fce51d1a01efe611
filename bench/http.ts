/**
 * Measures the service against the baseline, and against the least that a server needs, alternately
 * and several times. Prints the ratios of their speeds, and of their CPU time for each request.
 * Absolute numbers depend on the machine.
 *
 * Usage: deno task bench:http --help
 *
 * @module
 */

import { print } from "@/core/start/console.ts";
import { Home } from "./home.ts";
import {
  findGenerator,
  inRounds,
  type LoadGenerator,
  type Measured,
  measureServer,
  median,
  medianRatio,
} from "./load.ts";
import { COMPARISON, type Options, withOptions } from "./options.ts";
import { API_KEY, type Scenario } from "./scenarios.ts";
import { Server } from "./server.ts";

/** The compared servers. */
export interface Servers {
  readonly service: Server;
  readonly baseline: Server;
  /** See limit.ts; it only reads. */
  readonly limit?: Server | undefined;
  /** The service of another checkout. */
  readonly before?: Server | undefined;
}

type Rounds = ReadonlyMap<string, readonly Measured[]>;

if (import.meta.main) Deno.exit(await withOptions(Deno.args, COMPARISON, benchmark));

async function benchmark(options: Options): Promise<void> {
  const interrupted = interruption();
  using home = new Home();
  const serve = ["main.ts", "serve", "--home", home.directory, "--port", "0"];
  await using service = await Server.start([...serve, "--workers", `${options.workers}`]);
  await using before = options.before === undefined ? undefined : await Server.start(serve, options.before);
  await using baseline = await Server.start(["bench/baseline.ts", home.database, API_KEY]);
  await using limit = await Server.start(["bench/limit.ts", home.database]);
  await Promise.race([compare({ service, baseline, limit, before }, options), interrupted]);
}

/** Rejects at the first signal to stop, so that the callers' scopes end the servers that they started. */
export function interruption(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => reject(new Error(`Stopped by ${signal}`)));
  }
  promise.catch(() => {}); // it is awaited only once the servers run
  return promise;
}

/** Measures every scenario and prints a line about each. Throws if the two answers differ. */
export async function compare(servers: Servers, options: Options): Promise<void> {
  const { rounds, seconds, connections } = options;
  const generator = await findGenerator();
  print(`${rounds} rounds of ${seconds} s, ${connections} connections, load by ${generator.name}\n\n`);
  const head = ["scenario", "ratio", "service/s", "baseline/s", "p99 ms", "p99 ms", "of limit", "CPU ratio"];
  print(row(servers.before ? [...head, "of before"] : head));
  for (const scenario of options.scenarios) {
    await compareAnswers(scenario, servers);
    const measured = await measure(scenario, servers, { ...options, run: generator.run });
    print(report(scenario, measured));
  }
}

/** A ratio is meaningful only if both do the same: compares their answers, ignoring white space. */
async function compareAnswers(scenario: Scenario, { service, ...others }: Servers): Promise<void> {
  // The paths of new records differ.
  if (scenario.body !== undefined) return;
  const answered = await answer(scenario, service);
  for (const other of Object.values<Server | undefined>(others)) {
    if (other) requireSame(scenario, answered, await answer(scenario, other));
  }
}

function requireSame(scenario: Scenario, service: string, other: string): void {
  if (service === other) return;
  const at = [...service].findIndex((character, index) => character !== other[index]);
  const parts = [service, other].map((text) => text.slice(Math.max(0, at - 60), at + 60));
  throw new Error(`Cannot compare "${scenario.name}": the answers differ: ${parts.join("  |  ")}`);
}

async function answer({ path, headers }: Scenario, { url }: Server): Promise<string> {
  const response = await fetch(url + path, { headers, redirect: "manual" });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Cannot measure ${path}: status ${response.status}: ${text}`);
  return JSON.stringify(JSON.parse(text));
}

async function measure(
  scenario: Scenario,
  { limit, ...others }: Servers,
  { connections, run, ...extent }: Options & { readonly run: LoadGenerator },
): Promise<Rounds> {
  const all = { ...others, limit: scenario.body === undefined ? limit : undefined };
  const servers = Object.entries<Server | undefined>(all).flatMap(([name, server]) =>
    server ? [[name, server] as const] : []
  );
  return await inRounds(new Map(servers), extent, (server, seconds, round) => {
    // Few clients do not bring the runtime to compile everything within the warm-up, round 0.
    const clients = round === 0 ? Math.max(connections, 50) : connections;
    return measureServer(server, { ...scenario, seconds, connections: clients }, run);
  });
}

function report({ name, description }: Scenario, measured: Rounds): string {
  const all = (server: keyof Servers, member: "requestsPerSecond" | "p99" | "cpu") =>
    (measured.get(server) ?? []).map((one) => one[member]);
  const ratio = (to: keyof Servers, member: "requestsPerSecond" | "cpu") =>
    measured.has(to) ? medianRatio(all("service", member), all(to, member)).toFixed(2) : "-";
  return row([
    `${name}: ${description}`,
    ratio("baseline", "requestsPerSecond"),
    ...(["service", "baseline"] as const).map((server) =>
      median(all(server, "requestsPerSecond")).toFixed(0)
    ),
    ...(["service", "baseline"] as const).map((server) => median(all(server, "p99")).toFixed(1)),
    ratio("limit", "requestsPerSecond"),
    ratio("limit", "cpu"),
    ...(measured.has("before") ? [ratio("before", "requestsPerSecond")] : []),
  ]);
}

function row([first = "", ...cells]: readonly string[]): string {
  return `${first.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join("")}\n`;
}
