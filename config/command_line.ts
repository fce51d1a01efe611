/**
 * Parses the command line into a typed command. Pure.
 *
 * @module
 */

import { join } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { Directories, Environment } from "./configuration.ts";
import { ISSUE_HELP, ISSUE_OPTIONS, type LicenceWishes, readWishes } from "./licence_command.ts";

/** `serve` with its defaults filled in. */
export interface ServeCommand {
  readonly name: "serve";
  readonly directories: Directories;
  /** An address or a name, as given. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The URL of the service for clients; its path is the prefix of every link. */
  readonly baseUrl?: string;
  /** Number of serving threads, at least 1. */
  readonly workers: number;
  /** Absent: `server.adapter` in service.ini decides. */
  readonly adapter?: "deno" | "node";
}

/** The command of the program; arguments that form no command throw a UsageError. */
export type Command =
  | ServeCommand
  | { readonly name: "check"; readonly directories: Directories }
  | { readonly name: "init"; readonly directory: string }
  | { readonly name: "set-password"; readonly directories: Directories; readonly user: string }
  | { readonly name: "licence issue"; readonly wishes: LicenceWishes }
  | { readonly name: "licence show"; readonly directories: Directories }
  | { readonly name: "help"; readonly text: string };

/** The arguments are invalid; the message says how to correct them. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig["options"]>;
type Values = Readonly<Record<string, string | boolean | undefined>>;

interface CommandSyntax {
  readonly usage: string;
  readonly summary: string;
  readonly options: Options;
  /** Names of the arguments that are not options. */
  readonly positionals: readonly string[];
  build(values: Values, positionals: readonly string[], environment: Environment): Command;
}

const DIRECTORY_OPTIONS: Options = {
  "home": { type: "string" },
  "config-dir": { type: "string" },
  "state-dir": { type: "string" },
  "log-dir": { type: "string" },
};

const OPTION_HELP: ReadonlyMap<string, string> = new Map([
  ["home", "--home DIR          holds config/, state/ and log/ (default: ROWHOUSE_HOME, else ./.rowhouse)"],
  ["config-dir", "--config-dir DIR    configuration files, instead of HOME/config"],
  ["state-dir", "--state-dir DIR     sessions, secrets and the demo database, instead of HOME/state"],
  ["log-dir", "--log-dir DIR       logs, instead of HOME/log"],
  ["host", "--host ADDRESS      address to listen on (default: 127.0.0.1)"],
  ["port", "--port NUMBER       port to listen on, 0 for any free one (default: 8080)"],
  ["base-url", "--base-url URL      address that clients use; its path becomes the prefix of all links"],
  ["workers", "--workers N         threads that serve, sharing one port (default: 1)"],
  ...ISSUE_HELP,
  ["adapter", "--adapter deno|node HTTP server (default: deno on a loopback address, else node)"],
]);

const COMMANDS: ReadonlyMap<string, CommandSyntax> = new Map<string, CommandSyntax>([
  ["serve", {
    usage: "serve [options]",
    summary: "serve the configured databases; the first run makes a sample configuration and a demo database",
    options: {
      ...DIRECTORY_OPTIONS,
      "host": { type: "string" },
      "port": { type: "string" },
      "base-url": { type: "string" },
      "workers": { type: "string" },
      "adapter": { type: "string" },
    },
    positionals: [],
    build: buildServe,
  }],
  ["check", {
    usage: "check [options]",
    summary: "read the whole configuration and print every complaint; exit 1 if there is one",
    options: DIRECTORY_OPTIONS,
    positionals: [],
    build: (values, _, environment) => ({ name: "check", directories: directoriesOf(values, environment) }),
  }],
  ["init", {
    usage: "init DIR",
    summary: "write the sample configuration into DIR; files that are there stay as they are",
    options: {},
    positionals: ["DIR"],
    build: (_, [directory = ""]) => ({ name: "init", directory }),
  }],
  ["set-password", {
    usage: "set-password USER [options]",
    summary: "set a user's password, read from standard input or ROWHOUSE_PASSWORD",
    options: DIRECTORY_OPTIONS,
    positionals: ["USER"],
    build: (values, [user = ""], environment) => ({
      name: "set-password",
      directories: directoriesOf(values, environment),
      user,
    }),
  }],
  ["licence issue", {
    usage: "licence issue [options]",
    summary: "sign a licence and print it, for whoever distributes the service",
    options: ISSUE_OPTIONS,
    positionals: [],
    build: (values) => ({
      name: "licence issue",
      wishes: readWishes(values, (sentence) => {
        throw new UsageError(`${sentence}\nUsage: main.ts licence issue [options]`);
      }),
    }),
  }],
  ["licence show", {
    usage: "licence show [options]",
    summary: "print what the licence says, and whether it is valid; exit 1 if it is not",
    options: DIRECTORY_OPTIONS,
    positionals: [],
    build: (values, _, environment) => ({
      name: "licence show",
      directories: directoriesOf(values, environment),
    }),
  }],
]);

/** Reads the arguments after `main.ts`; no command means `serve`. Throws {@link UsageError}. */
export function parseCommand(args: readonly string[], environment: Environment): Command {
  const [first] = args;
  if (first === "--help" || first === "-h" || first === "help") return { name: "help", text: overview() };
  const words = wordsOf(args);
  const name = words.length === 0 ? "serve" : words.join(" ");
  const syntax = COMMANDS.get(name);
  if (!syntax) throw new UsageError(`There is no command "${name}": use ${[...COMMANDS.keys()].join(", ")}`);
  const { values, positionals } = parse(args.slice(words.length), syntax);
  if (values["help"] === true) return { name: "help", text: helpFor(syntax) };
  if (positionals.length !== syntax.positionals.length) {
    throw new UsageError(`Usage: main.ts ${syntax.usage}`);
  }
  return syntax.build(values, positionals, environment);
}

/** The command's name: one word, or two if they form a command. */
function wordsOf([first, second]: readonly string[]): readonly string[] {
  if (first === undefined || first.startsWith("-")) return [];
  const isPair = second !== undefined && COMMANDS.has(`${first} ${second}`);
  return isPair ? [first, second] : [first];
}

function parse(args: readonly string[], { options, usage }: CommandSyntax) {
  try {
    const help = { type: "boolean", short: "h" } as const;
    return parseArgs({
      args: [...args],
      options: { ...options, help },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UsageError(`${error.message}\nUsage: main.ts ${usage}`);
  }
}

function buildServe(values: Values, _: readonly string[], environment: Environment): ServeCommand {
  const baseUrl = values["base-url"];
  const adapter = values["adapter"];
  if (adapter !== undefined && adapter !== "deno" && adapter !== "node") {
    throw new UsageError(`--adapter is deno or node, not "${adapter}"`);
  }
  return {
    name: "serve",
    directories: directoriesOf(values, environment),
    host: text(values, "host") ?? "127.0.0.1",
    port: whole(values, "port", { fallback: 8080, least: 0, greatest: 65535 }),
    workers: whole(values, "workers", { fallback: 1, least: 1, greatest: 256 }),
    ...(typeof baseUrl === "string" ? { baseUrl: checkUrl(baseUrl) } : {}),
    ...(adapter === undefined ? {} : { adapter }),
  };
}

/** The service's directories: each from its own option, else below the home directory. */
function directoriesOf(values: Values, environment: Environment): Directories {
  const home = text(values, "home") ?? environment["ROWHOUSE_HOME"] ?? "./.rowhouse";
  return {
    home,
    config: text(values, "config-dir") ?? join(home, "config"),
    state: text(values, "state-dir") ?? join(home, "state"),
    log: text(values, "log-dir") ?? join(home, "log"),
  };
}

function text(values: Values, name: string): string | undefined {
  const value = values[name];
  if (value === "") throw new UsageError(`--${name} must not be empty`);
  return typeof value === "string" ? value : undefined;
}

interface Bounds {
  readonly fallback: number;
  readonly least: number;
  readonly greatest: number;
}

function whole(values: Values, name: string, { fallback, least, greatest }: Bounds): number {
  const written = text(values, name);
  if (written === undefined) return fallback;
  const value = /^\d{1,6}$/.test(written) ? Number(written) : NaN;
  if (value >= least && value <= greatest) return value;
  throw new UsageError(`--${name} is a whole number from ${least} to ${greatest}, not "${written}"`);
}

function checkUrl(written: string): string {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (isPlain) return written;
  throw new UsageError(
    `--base-url is an http or https address without query, as in https://example.com/api, not "${written}"`,
  );
}

function overview(): string {
  const lines = [...COMMANDS.values()].map(({ usage, summary }) => `  ${usage.padEnd(28)} ${summary}`);
  return ["Usage: main.ts COMMAND (main.ts COMMAND --help tells its options)", "", ...lines, ""].join("\n");
}

function helpFor({ usage, summary, options }: CommandSyntax): string {
  const lines = Object.keys(options).map((name) => `  ${OPTION_HELP.get(name) ?? `--${name}`}`);
  return [`Usage: main.ts ${usage}`, "", summary, ...(lines.length > 0 ? ["", ...lines] : []), ""].join("\n");
}
