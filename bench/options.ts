/**
 * The command lines of benchmarks.
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

/** The largest numbers that options may have. */
const LARGEST = { rounds: 50, seconds: 60, connections: 2000, workers: 64 } as const;

/** What a benchmark says of itself, and how it reads its arguments. */
export interface CommandLine<T> {
  readonly usage: string;
  /** The message of its TypeError is for the user. */
  parse(args: readonly string[]): T;
}

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
export async function withOptions<T>(
  args: readonly string[],
  { usage, parse }: CommandLine<T>,
  benchmark: (options: T) => Promise<number | void>,
): Promise<number> {
  if (args.includes("--help")) {
    print(usage);
    return 0;
  }
  let options: T;
  try {
    options = parse(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    print(`${error.message}\n\n${usage}`);
    return 2;
  }
  return await benchmark(options) ?? 0;
}

/** The command line of comparisons with a hand-written handler. */
export const COMPARISON: CommandLine<Options> = { usage: USAGE, parse: parseOptions };

function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "3" },
      connections: { type: "string", default: "50" },
      before: { type: "string" },
      workers: { type: "string", default: "1" },
    },
  });
  return {
    scenarios: values.only === undefined ? SCENARIOS : findAll("scenario", values.only, SCENARIOS),
    rounds: count(values, "rounds"),
    seconds: count(values, "seconds"),
    connections: count(values, "connections"),
    before: values.before,
    workers: count(values, "workers"),
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

/** The whole number that an option has. */
export function count<Name extends keyof typeof LARGEST>(
  values: Readonly<Record<Name, string>>,
  name: Name,
): number {
  const [number, largest] = [Number(values[name]), LARGEST[name]];
  if (Number.isInteger(number) && number >= 1 && number <= largest) return number;
  throw new TypeError(`Cannot use --${name} "${values[name]}": expected a whole number from 1 to ${largest}`);
}
