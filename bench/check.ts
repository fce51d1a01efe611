/**
 * Compares the service's speed with the recorded one. Only ratios to the hand-written handler of the same run
 * count, of requests per second and of CPU for each request, so that the machine does not matter.
 *
 * Usage: deno task bench:check [--record]
 *
 * @module
 */

import { print } from "@/core/start/console.ts";
import { Home } from "./home.ts";
import { interruption } from "./http.ts";
import { median, runWrk } from "./load.ts";
import { cpuSeconds } from "./process_usage.ts";
import { API_KEY, type Scenario, SCENARIOS } from "./scenarios.ts";
import { Server } from "./server.ts";

const RECORDED = new URL("recorded.json", import.meta.url);
/** The largest loss. */
const TOLERANCE = 0.1;
const ROUNDS = 3;
const SECONDS = 2;
const CONNECTIONS = 50;

/** Ratios to the hand-written handler. */
interface Ratios {
  /** Of requests per second: more is better. */
  readonly rate: number;
  /** Of CPU for each request: less is better. */
  readonly cpu: number;
}

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(args: readonly string[]): Promise<number> {
  const isRecording = args.includes("--record");
  const found = await Promise.race([measureAll(), interruption()]);
  if (isRecording) {
    await Deno.writeTextFile(RECORDED, JSON.stringify(found, null, 2) + "\n");
    return 0;
  }
  const recorded: Readonly<Record<string, Ratios>> = JSON.parse(await Deno.readTextFile(RECORDED));
  const losses = Object.entries(found).flatMap(([name, ratios]) => lossesOf(name, ratios, recorded[name]));
  print(losses.length === 0 ? "No scenario has lost more than 10 %.\n" : losses.join("\n") + "\n");
  return losses.length === 0 ? 0 : 1;
}

function lossesOf(name: string, { rate, cpu }: Ratios, recorded: Ratios | undefined): readonly string[] {
  if (!recorded) return [`${name}: nothing is recorded; run deno task bench:check --record`];
  return [
    ...(rate < recorded.rate * (1 - TOLERANCE)
      ? [`${name}: ${rate.toFixed(2)} of the handler's rate, recorded ${recorded.rate.toFixed(2)}`]
      : []),
    ...(cpu > recorded.cpu * (1 + TOLERANCE)
      ? [`${name}: ${cpu.toFixed(2)} of the handler's CPU, recorded ${recorded.cpu.toFixed(2)}`]
      : []),
  ];
}

async function measureAll(): Promise<Readonly<Record<string, Ratios>>> {
  using home = new Home();
  await using service = await Server.start(["main.ts", "serve", "--home", home.directory, "--port", "0"]);
  await using baseline = await Server.start(["bench/baseline.ts", home.database, API_KEY]);
  const found: Record<string, Ratios> = {};
  for (const scenario of SCENARIOS) {
    const rounds: Ratios[] = [];
    await measure(scenario, service);
    await measure(scenario, baseline);
    for (let round = 0; round < ROUNDS; round++) {
      const [own, other] = [await measure(scenario, service), await measure(scenario, baseline)];
      rounds.push({ rate: own.rate / other.rate, cpu: own.cpu / other.cpu });
    }
    const ratios = {
      rate: median(rounds.map(({ rate }) => rate)),
      cpu: median(rounds.map(({ cpu }) => cpu)),
    };
    print(`${scenario.name}: rate ${ratios.rate.toFixed(2)}, CPU ${ratios.cpu.toFixed(2)}\n`);
    found[scenario.name] = ratios;
  }
  return found;
}

/** `cpu` is in seconds for each request. */
async function measure(
  { name, path, headers, body, script }: Scenario,
  { url, pid }: Server,
): Promise<Ratios> {
  const before = cpuSeconds(pid);
  const load = { name, url: url + path, headers, body, script, seconds: SECONDS, connections: CONNECTIONS };
  const { requestsPerSecond: rate, requests } = await runWrk(load);
  return { rate, cpu: (cpuSeconds(pid) - before) / requests };
}
