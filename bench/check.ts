/**
 * Compares the service's speed with that of a recorded revision, which runs in the same minutes on the same
 * machine. Figures of another day say little: even the ratio to a handler by hand changes with the machine.
 *
 * Usage: deno task bench:check --help
 *
 * @module
 */

import { parseArgs } from "node:util";
import { print } from "@/core/start/console.ts";
import { Checkout, headRevision } from "./checkout.ts";
import { Home } from "./home.ts";
import { interruption } from "./http.ts";
import { inRounds, type Measured, measureServer, medianRatio } from "./load.ts";
import { type CommandLine, withOptions } from "./options.ts";
import { type Scenario, SCENARIOS } from "./scenarios.ts";
import { Server } from "./server.ts";

const RECORDED = new URL("recorded.json", import.meta.url);
/** The largest loss. */
const TOLERANCE = 0.1;
const ROUNDS = 5;
/** Measurements of a scenario that seems to have lost, each with new processes: some start unluckily. */
const TIMES = 3;
const SECONDS = 2;
const CONNECTIONS = 50;

/** Ratios to the recorded revision. */
interface Ratios {
  /** Of requests per second: more is better. */
  readonly rate: number;
  /** Of CPU for each request: less is better. */
  readonly cpu: number;
}

/** The recorded revision. */
interface Against {
  /** Its checkout. */
  readonly folder: string;
  /** See {@link interruption}. */
  readonly interrupted: Promise<never>;
}

const USAGE = `Fails if the service is 10 % slower than at a recorded revision; needs wrk and the history.

Usage: deno task bench:check [options]

  --record   records the revision that is checked out, instead
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
  return await (options.record ? record() : check());
}

async function record(): Promise<number> {
  await Deno.writeTextFile(RECORDED, JSON.stringify({ revision: await headRevision() }, null, 2) + "\n");
  return 0;
}

async function check(): Promise<number> {
  const interrupted = interruption();
  const { revision } = JSON.parse(await Deno.readTextFile(RECORDED));
  await using before = await Checkout.of(revision);
  const losses: string[] = [];
  for (const scenario of SCENARIOS) {
    losses.push(...await repeatedLosses(scenario, { folder: before.folder, interrupted }));
  }
  print(losses.length === 0 ? "No scenario has lost more than 10 %.\n" : losses.join("\n") + "\n");
  return losses.length === 0 ? 0 : 1;
}

/** A loss counts if it is found each time: other work on the machine has its moments. */
async function repeatedLosses(scenario: Scenario, against: Against): Promise<readonly string[]> {
  let losses: readonly string[] = [];
  for (let time = 0; time < TIMES; time++) {
    losses = lossesOf(scenario, await compare(scenario, against));
    if (losses.length === 0) break;
  }
  return losses;
}

function lossesOf({ name }: Scenario, { rate, cpu }: Ratios): readonly string[] {
  return [
    ...(rate < 1 - TOLERANCE ? [`${name}: ${rate.toFixed(2)} of the recorded revision's rate`] : []),
    ...(cpu > 1 + TOLERANCE ? [`${name}: ${cpu.toFixed(2)} of the recorded revision's CPU`] : []),
  ];
}

async function compare(scenario: Scenario, { folder, interrupted }: Against): Promise<Ratios> {
  using home = new Home();
  const serve = ["main.ts", "serve", "--home", home.directory, "--port", "0"];
  await using service = await Server.start(serve);
  await using before = await Server.start(serve, folder);
  const measuring = inRounds(
    new Map(Object.entries({ service, before })),
    { rounds: ROUNDS, seconds: SECONDS },
    (server, seconds) => measureServer(server, { ...scenario, seconds, connections: CONNECTIONS }),
  );
  const measured = await Promise.race([measuring, interrupted]);
  const ratio = (member: keyof Measured) => {
    const [own = [], other = []] = [...measured.values()].map((each) => each.map((one) => one[member]));
    return medianRatio(own, other);
  };
  const [rate, cpu] = [ratio("requestsPerSecond"), ratio("cpu")];
  print(`${scenario.name}: rate ${rate.toFixed(2)}, CPU ${cpu.toFixed(2)}\n`);
  return { rate, cpu };
}
