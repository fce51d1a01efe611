/**
 * Compares the service's speed with the recorded one. Only ratios to the hand-written handler of the same run
 * count, of requests per second and of CPU for each request, so that the machine does not matter.
 *
 * Usage: deno task bench:check --help
 *
 * @module
 */

import { parseArgs } from "node:util";
import { print } from "@/core/start/console.ts";
import { Home } from "./home.ts";
import { interruption } from "./http.ts";
import { inRounds, measureServer, medianRatio } from "./load.ts";
import { type CommandLine, withOptions } from "./options.ts";
import { API_KEY, type Scenario, SCENARIOS } from "./scenarios.ts";
import { Server } from "./server.ts";

const RECORDED = new URL("recorded.json", import.meta.url);
/** The largest loss. */
const TOLERANCE = 0.1;
const ROUNDS = 5;
const RECORDED_ROUNDS = 15;
/** Measurements of a scenario that seems to have lost. */
const TIMES = 3;
const SECONDS = 2;
const CONNECTIONS = 50;

/** Ratios to the hand-written handler. */
interface Ratios {
  /** Of requests per second: more is better. */
  readonly rate: number;
  /** Of CPU for each request: less is better. */
  readonly cpu: number;
}

/** Compares the service with the handler. */
type Compare = (scenario: Scenario, rounds: number) => Promise<Ratios>;

const USAGE = `Fails if the service has lost 10 % of its speed; needs wrk.

Usage: deno task bench:check [options]

  --record   writes bench/recorded.json instead
  --help     this text
`;

interface Options {
  readonly record: boolean;
}

/** The command line of this benchmark. */
export const CHECK: CommandLine<Options> = { usage: USAGE, parse: parseOptions };

if (import.meta.main) Deno.exit(await withOptions(Deno.args, CHECK, main));

function parseOptions(args: readonly string[]): Options {
  return parseArgs({ args: [...args], options: { record: { type: "boolean", default: false } } }).values;
}

async function main(options: Options): Promise<number> {
  return await Promise.race([withServers(options.record ? record : check), interruption()]);
}

async function withServers<T>(work: (compare: Compare) => Promise<T>): Promise<T> {
  using home = new Home();
  await using service = await Server.start(["main.ts", "serve", "--home", home.directory, "--port", "0"]);
  await using baseline = await Server.start(["bench/baseline.ts", home.database, API_KEY]);
  return await work((scenario, rounds) => compare(scenario, { service, baseline, rounds }));
}

async function record(compare: Compare): Promise<number> {
  const found: Record<string, Ratios> = {};
  for (const scenario of SCENARIOS) found[scenario.name] = await compare(scenario, RECORDED_ROUNDS);
  await Deno.writeTextFile(RECORDED, JSON.stringify(found, null, 2) + "\n");
  return 0;
}

async function check(compare: Compare): Promise<number> {
  const recorded: Readonly<Record<string, Ratios>> = JSON.parse(await Deno.readTextFile(RECORDED));
  const losses: string[] = [];
  for (const scenario of SCENARIOS) {
    losses.push(...await repeatedLosses(scenario, compare, recorded[scenario.name]));
  }
  print(losses.length === 0 ? "No scenario has lost more than 10 %.\n" : losses.join("\n") + "\n");
  return losses.length === 0 ? 0 : 1;
}

/** A loss counts if it is found each time: other work on the machine has its moments. */
async function repeatedLosses(
  scenario: Scenario,
  compare: Compare,
  recorded: Ratios | undefined,
): Promise<readonly string[]> {
  let losses: readonly string[] = [];
  for (let time = 0; time < TIMES; time++) {
    losses = lossesOf(scenario.name, await compare(scenario, ROUNDS), recorded);
    if (losses.length === 0) break;
  }
  return losses;
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

async function compare(
  scenario: Scenario,
  { service, baseline, rounds }: {
    readonly service: Server;
    readonly baseline: Server;
    readonly rounds: number;
  },
): Promise<Ratios> {
  const servers = new Map(Object.entries({ service, baseline }));
  const measured = await inRounds(
    servers,
    { rounds, seconds: SECONDS },
    (server, seconds) => measureServer(server, { ...scenario, seconds, connections: CONNECTIONS }),
  );
  const ratio = (member: "requestsPerSecond" | "cpu") => {
    const [own = [], other = []] = [...measured.values()].map((each) => each.map((one) => one[member]));
    return medianRatio(own, other);
  };
  const [rate, cpu] = [ratio("requestsPerSecond"), ratio("cpu")];
  print(`${scenario.name}: rate ${rate.toFixed(2)}, CPU ${cpu.toFixed(2)}\n`);
  return { rate, cpu };
}
