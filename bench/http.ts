/**
 * Measures the service against the baseline, alternately and several times, and prints the ratio of their speeds.
 * Absolute numbers depend on the machine.
 *
 * Usage: deno task bench:http --help
 *
 * @module
 */

import { Home } from "./home.ts";
import { findGenerator, type LoadGenerator, type Throughput } from "./load.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";
import { API_KEY, type Scenario } from "./scenarios.ts";
import { Server } from "./server.ts";

/** The compared servers. */
export interface Servers {
  readonly service: Server;
  readonly baseline: Server;
}

type Rounds = Readonly<Record<keyof Servers, readonly Throughput[]>>;

const CONNECTIONS = 50;
const WARM_UP_SECONDS = 1;

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(args: readonly string[]): Promise<number> {
  let options: Options | undefined;
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    print(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  if (options) await benchmark(options);
  else print(USAGE);
  return 0;
}

async function benchmark(options: Options): Promise<void> {
  const interrupted = interruption();
  using home = new Home();
  await using service = await Server.start(["main.ts", "serve", "--home", home.directory, "--port", "0"]);
  await using baseline = await Server.start(["bench/baseline.ts", home.database, API_KEY]);
  await Promise.race([compare({ service, baseline }, options), interrupted]);
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
export async function compare(servers: Servers, { scenarios, rounds, seconds }: Options): Promise<void> {
  const generator = await findGenerator();
  print(`${rounds} rounds of ${seconds} s, ${CONNECTIONS} connections, load by ${generator.name}\n\n`);
  print(row(["scenario", "ratio", "service/s", "baseline/s", "p99 ms", "p99 ms"]));
  for (const scenario of scenarios) {
    await compareAnswers(scenario, servers);
    const measured = await measure(scenario, servers, { rounds, seconds, run: generator.run });
    print(report(scenario, measured));
  }
}

/** A ratio is meaningful only if both do the same: compares their answers, ignoring white space. */
async function compareAnswers(scenario: Scenario, servers: Servers): Promise<void> {
  // The paths of new records differ.
  if (scenario.body !== undefined) return;
  const [service, baseline] = await Promise.all([
    answer(scenario, servers.service),
    answer(scenario, servers.baseline),
  ]);
  if (service === baseline) return;
  const at = [...service].findIndex((character, index) => character !== baseline[index]);
  const parts = [service, baseline].map((text) => text.slice(Math.max(0, at - 60), at + 60));
  throw new Error(`Cannot compare "${scenario.name}": the answers differ: ${parts.join("  |  ")}`);
}

async function answer({ path, headers }: Scenario, { url }: Server): Promise<string> {
  const response = await fetch(url + path, { headers, redirect: "manual" });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Cannot measure ${path}: status ${response.status}: ${text}`);
  return JSON.stringify(JSON.parse(text));
}

/** Both are measured in every round, so that other load of the machine affects both. */
async function measure(
  scenario: Scenario,
  servers: Servers,
  { rounds, seconds, run }: Pick<Options, "rounds" | "seconds"> & { readonly run: LoadGenerator },
): Promise<Rounds> {
  const load = (server: Server, duration: number) =>
    run({
      url: server.url + scenario.path,
      headers: scenario.headers,
      seconds: duration,
      connections: CONNECTIONS,
      body: scenario.body,
    });
  await load(servers.service, WARM_UP_SECONDS);
  await load(servers.baseline, WARM_UP_SECONDS);
  const measured = { service: new Array<Throughput>(), baseline: new Array<Throughput>() };
  for (let round = 0; round < rounds; round++) {
    measured.service.push(await load(servers.service, seconds));
    measured.baseline.push(await load(servers.baseline, seconds));
  }
  return measured;
}

function report({ name, description }: Scenario, { service, baseline }: Rounds): string {
  const rate = (list: readonly Throughput[]) => median(list.map((one) => one.requestsPerSecond));
  const p99 = (list: readonly Throughput[]) => median(list.map((one) => one.p99)).toFixed(1);
  const ratio = (rate(service) / rate(baseline)).toFixed(2);
  const rates = [rate(service).toFixed(0), rate(baseline).toFixed(0)];
  return row([`${name}: ${description}`, ratio, ...rates, p99(service), p99(baseline)]);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, number) => sum + number, 0) / middle.length;
}

function row([first = "", ...cells]: readonly string[]): string {
  return `${first.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join("")}\n`;
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
