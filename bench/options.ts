/**
 * The benchmark's command line.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { print } from "@/core/start/console.ts";
import { type Scenario, SCENARIOS } from "./scenarios.ts";

/** The scenarios, and the number and length of measurements. */
export interface Options {
  readonly scenarios: readonly Scenario[];
  /** Measurements of each side of a scenario, alternately. */
  readonly rounds: number;
  /** Length of one measurement, in seconds. */
  readonly seconds: number;
  readonly connections: number;
  /** The folder of another checkout of the service, which is measured as well. */
  readonly before?: string | undefined;
  /** Threads of the service that is measured, not of the one before. */
  readonly workers: number;
}

const MAX_ROUNDS = 50;
const MAX_SECONDS = 60;
const MAX_CONNECTIONS = 2000;
const MAX_WORKERS = 64;

const USAGE = `Measures the service against a hand-written handler; only ratios count.

Usage: deno task bench:http [options], and the same for bench:postgresql, bench:mysql and bench:mssql

  --only NAMES      scenarios, comma-separated: ${SCENARIOS.map(({ name }) => name).join(", ")}
  --rounds N        rounds of each scenario (3)
  --seconds N       seconds of each measurement (3)
  --connections N   connections of the load (50)
  --before FOLDER   compare with the service of another checkout, too
  --workers N       workers of the service (1); "--before ." beside it has one
  --help            this text
`;

/** Runs a benchmark with the options in the arguments, or explains them. Returns the exit code. */
export async function withOptions(
  args: readonly string[],
  benchmark: (options: Options) => Promise<void>,
): Promise<number> {
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

/** Reads the arguments; undefined for `--help`. The message of its error is for the user. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "3" },
      connections: { type: "string", default: "50" },
      before: { type: "string" },
      workers: { type: "string", default: "1" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  return {
    scenarios: values.only === undefined ? SCENARIOS : findAll("scenario", values.only, SCENARIOS),
    rounds: count(values.rounds, { name: "--rounds", largest: MAX_ROUNDS }),
    seconds: count(values.seconds, { name: "--seconds", largest: MAX_SECONDS }),
    connections: count(values.connections, { name: "--connections", largest: MAX_CONNECTIONS }),
    before: values.before,
    workers: count(values.workers, { name: "--workers", largest: MAX_WORKERS }),
  };
}

/** Those with these names, which commas separate. `what`: one of them, in a message. */
export function findAll<T extends { readonly name: string }>(
  what: string,
  names: string,
  all: readonly T[],
): readonly T[] {
  return names.split(",").map((name) => {
    const found = all.find((each) => each.name === name);
    if (found) return found;
    const known = all.map((each) => each.name).join(", ");
    throw new TypeError(`Cannot find ${what} "${name}": expected one of ${known}`);
  });
}

function count(text: string, { name, largest }: { readonly name: string; readonly largest: number }): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= largest) return number;
  throw new TypeError(`Cannot use ${name} "${text}": expected a whole number from 1 to ${largest}`);
}
