/**
 * Loads the plugins that the configuration names, and no others.
 *
 * @module
 */

import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { inTime } from "@/core/base/in_time.ts";
import { didYouMean } from "@/core/base/nearest.ts";
import { messageWithPlace } from "@/core/errors.ts";
import { type AnyPlugin, CONTRACT, type DialectPlugin } from "./contract.ts";
import {
  BUILT_IN_ROOT,
  discoverPlugins,
  FOLDERS,
  isBuiltIn,
  KIND_NAMES,
  PluginError,
  type PluginKind,
  type PluginLocation,
} from "./discover.ts";

/** A plugin that is wanted. */
export type PluginName = Pick<PluginLocation, "kind" | "name">;

/** Where plugins are looked for beside the built-in ones, and how long one may take. */
interface PluginSource {
  readonly plugins_path: string | undefined;
  /** Seconds. Default: 60. */
  readonly "server.plugin_timeout"?: number;
}

/** A plugin that cannot be used, with the reason. */
interface RefusedPlugin extends PluginName {
  readonly complaint: string;
}

/** The plugins that can be used, in the order in which they are wanted, and the others. */
interface Enabled {
  readonly plugins: readonly AnyPlugin[];
  readonly refused: readonly RefusedPlugin[];
}

/** Loads the wanted plugins, and returns the complaints about those that cannot be used. */
export async function inspectPlugins(
  wanted: readonly PluginName[],
  { plugins_path: folder, "server.plugin_timeout": seconds = PATIENCE }: PluginSource,
): Promise<Enabled> {
  const found = pluginsIn(folder);
  await loadBuiltIn(wanted, found);
  return await enablePlugins(wanted, found, seconds);
}

/** Loads a dialect for a database that was defined while the service ran. Throws {@link PluginError}. */
export async function loadDialect(name: string, source: PluginSource): Promise<DialectPlugin> {
  const { plugins: [plugin], refused } = await inspectPlugins([{ kind: "dialect", name }], source);
  if (plugin?.kind !== "dialect") throw new PluginError(refused.map(({ complaint }) => complaint));
  return plugin;
}

/**
 * Loads the built-in plugins before those of others: once a package outside the lock file was imported, every
 * further import fails. Their failures are told when they are enabled.
 */
async function loadBuiltIn(wanted: readonly PluginName[], found: readonly PluginLocation[]): Promise<void> {
  const builtIn = found.filter((each) => isBuiltIn(each) && isAmong(each, wanted));
  await Promise.allSettled(builtIn.map(({ url }) => import(url)));
}

/** Whether one of these is the plugin. */
export function isAmong({ kind, name }: PluginName, plugins: readonly PluginName[]): boolean {
  return plugins.some((each) => each.kind === kind && each.name === name);
}

/** The plugins of the service and of `plugins_path`, without importing them. */
export function pluginsIn(folder: string | undefined): readonly PluginLocation[] {
  return discoverPlugins([BUILT_IN_ROOT, ...(folder === undefined ? [] : [folder])]);
}

/** Imports the wanted plugins, each within so many seconds. */
export async function enablePlugins(
  wanted: readonly PluginName[],
  found: readonly PluginLocation[],
  seconds = PATIENCE,
): Promise<Enabled> {
  const results = await Promise.all(wanted.map(async ({ kind, name }) => {
    const locations = found.filter((location) => location.kind === kind);
    const result = await enable({ kind, name }, locations, seconds);
    return typeof result === "string" ? { kind, name, complaint: result } : result;
  }));
  return {
    plugins: results.flatMap((result) => "complaint" in result ? [] : [result]),
    refused: results.filter((result) => "complaint" in result),
  };
}

/** One plugin, or a complaint. */
async function enable(
  { kind, name }: PluginName,
  locations: readonly PluginLocation[],
  seconds: number,
): Promise<AnyPlugin | string> {
  const [location, ...others] = locations.filter((candidate) => candidate.name === name);
  if (!location) return missing(kind, name, locations);
  if (others.length > 0) {
    const paths = [location, ...others].map(({ path }) => path).join(" and ");
    return `The ${KIND_NAMES[kind]} "${name}" is there more than once: remove or rename one of ${paths}`;
  }
  try {
    const { default: plugin } = await importPlugin(location, seconds);
    const complaint = check(plugin, location);
    if (complaint !== undefined) return complaint;
    const usable = plugin as AnyPlugin;
    loaded.set(location.path, usable);
    return usable;
  } catch (error) {
    return complaintAbout(location, messageWithPlace(error));
  }
}

/** Seconds. */
const PATIENCE = 60;

const loaded = new Map<string, AnyPlugin>();

/** A plugin that this process has loaded, by the path of its module. */
export function loadedPlugin(path: string): AnyPlugin | undefined {
  return loaded.get(path);
}

let last: Promise<unknown> = Promise.resolve();

/** Plugins of others are imported one after another, so that the one whose packages are missing is known. */
function importPlugin(location: PluginLocation, seconds: number): Promise<{ readonly default?: unknown }> {
  if (isBuiltIn(location)) return import(location.url);
  const late = () => new Error(`its module has not ended after ${seconds} seconds (server.plugin_timeout)`);
  // A module may wait for ever, with an `await` outside of functions.
  const next = last.then(() => inTime(import(location.url), seconds, late));
  last = next.then(() => undefined, () => undefined);
  return next;
}

/** The first package outside the lock file makes all later imports fail: its plugin is the one to blame. */
let blamed: string | undefined;

function complaintAbout({ path }: PluginLocation, reason: string): string {
  const text = stripVTControlCharacters(reason);
  if (!text.startsWith("The lockfile is out of date")) {
    const isForeign = Deno.build.standalone && path.endsWith(".ts");
    const remedy = isForeign
      ? "\n  The program file loads JavaScript only: pack it and install its mod.js"
      : "";
    return `The plugin ${path} cannot be loaded: ${reason}${remedy}`;
  }
  blamed ??= path;
  if (blamed !== path) return `The plugin ${path} was not loaded, because ${blamed} was not`;
  const packages = [...text.matchAll(/^\s*\d+ \| \+\s+"((?:npm|jsr|https?):[^"]+)": "/gm)].map(([, name]) =>
    name
  );
  return [
    `The plugin ${path} imports packages that are not in the lock file of the service: ${
      packages.join(", ")
    }`,
    `  Pack it with its packages into one file: main.ts plugin pack ${dirname(path)}`,
    "  For native add-ons, or a lock file of your own, see the packages of plugins in docs/plugins.md",
  ].join("\n");
}

function missing(kind: PluginKind, name: string, locations: readonly PluginLocation[]): string {
  const names = locations.map((location) => location.name);
  const hint = didYouMean(name, names) || `: there are ${names.join(", ") || "none"}`;
  const folder = `${FOLDERS[kind]}/${name}`;
  return `There is no ${KIND_NAMES[kind]} "${name}" ` +
    `(no folder ${folder} with a mod.ts or mod.js below this program or plugins_path)${hint}`;
}

function check(plugin: unknown, { kind, name, path }: PluginLocation): string | undefined {
  if (typeof plugin !== "object" || plugin === null) {
    const found = plugin === undefined ? "no default export" : "a default export that is no object";
    return `The plugin ${path} has ${found}: export an object with contract, kind, name and setup`;
  }
  const fields: Partial<Record<keyof AnyPlugin, unknown>> = plugin;
  const [ownContract, ownKind, ownName] = [fields.contract, fields.kind, fields.name].map((value) =>
    JSON.stringify(value)
  );
  if (fields.contract !== CONTRACT && fields.contract !== CONTRACT - 1) {
    return `The plugin ${path} is made for contract ${ownContract}: ` +
      `this service has contract ${CONTRACT} and loads ${CONTRACT - 1}, too`;
  }
  if (fields.kind !== kind) {
    return `The plugin ${path} says it is of kind ${ownKind}: in this folder it must be "${kind}"`;
  }
  if (fields.name !== name) {
    return `The plugin ${path} calls itself ${ownName}: it must have the name of its folder, "${name}"`;
  }
  if (fields.version !== undefined && typeof fields.version !== "string") {
    return `The plugin ${path} has a version that is no text: expected one such as "1.0.0"`;
  }
  if (typeof fields.setup !== "function") return `The plugin ${path} has no function setup(section, host)`;
  return undefined;
}
