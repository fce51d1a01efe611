/**
 * Parses the command line into a typed command. Pure.
 *
 * @module
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { DIRECTORIES, type Option, OPTION_HELP } from "./command_options.ts";
import type { Directories, Environment } from "./configuration.ts";
import { type LicenceWishes, readWishes } from "./licence_wishes.ts";
import { readText, readUrl, readWhole, UsageError, type Values } from "./option_values.ts";

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
  /** Another process may listen on the port, too. */
  readonly sharedPort: boolean;
  /** Absent: `server.adapter` in service.ini decides. */
  readonly adapter?: "deno" | "node";
}

/** The command of the program; arguments that form no command throw a UsageError. */
export type Command =
  | ServeCommand
  | { readonly name: "check"; readonly directories: Directories }
  | { readonly name: "init"; readonly directory: string }
  | { readonly name: "backup" | "restore"; readonly directories: Directories; readonly backup: string }
  | { readonly name: "set-password"; readonly directories: Directories; readonly user: string }
  | { readonly name: "licence issue"; readonly wishes: LicenceWishes }
  | { readonly name: "licence show"; readonly directories: Directories }
  | { readonly name: "plugin new"; readonly kind: string; readonly plugin: string }
  | { readonly name: "plugin check"; readonly path: string; readonly directories: Directories }
  | { readonly name: "plugin pack"; readonly path: string }
  | { readonly name: "plugin list"; readonly directories: Directories }
  | { readonly name: "help"; readonly text: string };

interface Given {
  readonly values: Values;
  /** The first argument that is no option; empty for a command without one. */
  readonly argument: string;
  /** All arguments that are no options. */
  readonly positionals: readonly string[];
  readonly directories: Directories;
}

interface CommandSyntax {
  /** The names of its arguments, with spaces between them. */
  readonly argument?: string;
  readonly summary: string;
  readonly options: readonly Option[];
  build(given: Given): Command;
}

const COMMANDS: ReadonlyMap<string, CommandSyntax> = new Map<string, CommandSyntax>([
  ["serve", {
    summary: "serve the configured databases; the first run makes a sample configuration and a demo database",
    options: [...DIRECTORIES, "host", "port", "base-url", "workers", "shared-port", "adapter"],
    build: buildServe,
  }],
  ["check", {
    summary: "read the whole configuration and print every complaint; exit 1 if there is one",
    options: DIRECTORIES,
    build: ({ directories }) => ({ name: "check", directories }),
  }],
  ["init", {
    argument: "DIR",
    summary: "write the sample configuration into DIR; files that are there stay as they are",
    options: [],
    build: ({ argument }) => ({ name: "init", directory: argument }),
  }],
  ["set-password", {
    argument: "USER",
    summary: "set a user's password, read from the terminal, standard input or ROWHOUSE_PASSWORD",
    options: DIRECTORIES,
    build: ({ directories, argument }) => ({ name: "set-password", directories, user: argument }),
  }],
  ["backup", {
    argument: "DIR",
    summary:
      "save configuration, secrets and databases that are files in the new directory DIR, also while it serves",
    options: DIRECTORIES,
    build: ({ directories, argument }) => ({ name: "backup", directories, backup: argument }),
  }],
  ["restore", {
    argument: "DIR",
    summary: "put the backup in DIR into its places while nothing serves, and keep what was there",
    options: DIRECTORIES,
    build: ({ directories, argument }) => ({ name: "restore", directories, backup: argument }),
  }],
  ["licence issue", {
    summary: "sign a licence and print it, for the distributor of the service",
    options: ["private-key", "licensee", "edition", "days", "max-users", "max-databases", "features"],
    build: ({ values }) => ({ name: "licence issue", wishes: readWishes(values) }),
  }],
  ["licence show", {
    summary: "print what the licence says, and whether it is valid; exit 1 if it is not",
    options: DIRECTORIES,
    build: ({ directories }) => ({ name: "licence show", directories }),
  }],
  ["plugin new", {
    argument: "KIND NAME",
    summary:
      "write a plugin, its types and its test below the current directory; KIND is format, auth, dialect or cache",
    options: [],
    build: ({ argument, positionals }) => ({
      name: "plugin new",
      kind: argument,
      plugin: positionals[1] ?? "",
    }),
  }],
  ["plugin check", {
    argument: "PATH",
    summary:
      "load the plugin in the folder PATH, set it up and run the tests beside it; it need not be enabled",
    options: DIRECTORIES,
    build: ({ argument, directories }) => ({ name: "plugin check", path: argument, directories }),
  }],
  ["plugin pack", {
    argument: "PATH",
    summary: "join the plugin in the folder PATH and its packages in one file, PATH/packed/mod.js",
    options: [],
    build: ({ argument }) => ({ name: "plugin pack", path: argument }),
  }],
  ["plugin list", {
    summary:
      "print kind, name, version, contract, place and configured settings of every plugin, with tabs between them",
    options: DIRECTORIES,
    build: ({ directories }) => ({ name: "plugin list", directories }),
  }],
]);

const HELP: ReadonlySet<string> = new Set(["--help", "-h", "help"]);

/** Reads the arguments after `main.ts`; no command means `serve`. Throws {@link UsageError}. */
export function parseCommand(args: readonly string[], environment: Environment): Command {
  const [first = ""] = args;
  const words = wordsOf(args);
  const name = words.length === 0 ? "serve" : words.join(" ");
  const syntax = COMMANDS.get(name);
  // Also of a word that begins several commands: `plugin --help`.
  if (HELP.has(first) || (!syntax && args.some((arg) => HELP.has(arg)))) {
    return { name: "help", text: overview() };
  }
  if (!syntax) throw new UsageError(`There is no command "${name}": use ${nearestTo(name).join(", ")}`);
  const usage = usageOf(name, syntax);
  const { values, positionals } = parse(args.slice(words.length), syntax, usage);
  if (values["help"] === true) return { name: "help", text: helpFor(syntax, usage) };
  const [argument = ""] = positionals;
  // An empty one, of a variable that is not set, would be the working directory.
  if (positionals.length !== (syntax.argument?.split(" ").length ?? 0) || positionals.includes("")) {
    throw new UsageError(`Usage: main.ts ${usage}`);
  }
  return syntax.build({ values, argument, positionals, directories: directoriesOf(values, environment) });
}

/** The commands that begin with this word, else all. */
function nearestTo(word: string): readonly string[] {
  const names = [...COMMANDS.keys()];
  const longer = names.filter((name) => name.startsWith(`${word} `));
  return longer.length > 0 ? longer : names;
}

function usageOf(name: string, { argument = "", options }: CommandSyntax): string {
  return [name, argument, options.length > 0 ? "[options]" : ""].filter((part) => part !== "").join(" ");
}

function wordsOf([first, second]: readonly string[]): readonly string[] {
  if (first === undefined || first.startsWith("-")) return [];
  const isPair = second !== undefined && COMMANDS.has(`${first} ${second}`);
  return isPair ? [first, second] : [first];
}

function parse(args: readonly string[], { options }: CommandSyntax, usage: string) {
  const typeOf = (option: Option) => ({ type: option === "shared-port" ? "boolean" : "string" } as const);
  const known = Object.fromEntries(options.map((option) => [option, typeOf(option)] as const));
  const help = { type: "boolean", short: "h" } as const;
  // `npm run` needs `--` before options, and `deno task` passes it on.
  const given = args.filter((arg) => arg !== "--");
  try {
    return parseArgs({ args: given, options: { ...known, help }, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Node's advice for an argument that begins with a dash: no command has one.
    const sentence = error.message.replace(/\. To specify a positional[^]*/, "");
    throw new UsageError(
      `${sentence}\nUsage: main.ts ${usage}${options.length > 0 ? " (--help lists them)" : ""}`,
    );
  }
}

function buildServe({ values, directories }: Given): ServeCommand {
  const baseUrl = readUrl(values, "base-url");
  const adapter = values["adapter"];
  if (adapter !== undefined && adapter !== "deno" && adapter !== "node") {
    throw new UsageError(`--adapter is deno or node, not "${adapter}"`);
  }
  return {
    name: "serve",
    directories,
    // An IPv6 address may have the brackets that it has in URLs.
    host: (readText(values, "host") ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1"),
    port: readWhole(values, "port", { least: 0, greatest: 65535 }) ?? 8080,
    workers: readWhole(values, "workers", { least: 1, greatest: 256 }) ?? 1,
    sharedPort: values["shared-port"] === true,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(adapter === undefined ? {} : { adapter }),
  };
}

function directoriesOf(values: Values, environment: Environment): Directories {
  const home = readText(values, "home") ?? (environment["ROWHOUSE_HOME"] || "./.rowhouse");
  return {
    home,
    config: readText(values, "config-dir") ?? join(home, "config"),
    state: readText(values, "state-dir") ?? join(home, "state"),
    log: readText(values, "log-dir") ?? join(home, "log"),
  };
}

function overview(): string {
  const lines = [...COMMANDS].map(([name, syntax]) =>
    `  ${usageOf(name, syntax).padEnd(28)} ${syntax.summary}`
  );
  return [
    "Usage: main.ts COMMAND (default: serve; main.ts COMMAND --help lists its options)",
    "",
    ...lines,
    "",
  ].join("\n");
}

function helpFor({ summary, options }: CommandSyntax, usage: string): string {
  const lines = options.map((name) => `  ${OPTION_HELP[name]}`);
  return [`Usage: main.ts ${usage}`, "", summary, ...(lines.length > 0 ? ["", ...lines] : []), ""].join("\n");
}
