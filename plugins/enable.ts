/**
 * Loads the plugins that the configuration names, and no others.
 *
 * @module
 */

import { nearest } from "@/core/base/nearest.ts";
import { type AnyPlugin, CONTRACT } from "./contract.ts";
import { PluginError, type PluginKind, type PluginLocation } from "./discover.ts";

/** Plugin types by kind. */
type PluginOf<Kind extends PluginKind> = Extract<AnyPlugin, { kind: Kind }>;

/** The configured plugins of one kind. */
export interface Wanted<Kind extends PluginKind> {
  readonly kind: Kind;
  readonly names: readonly string[];
}

const FOLDER_OF: { readonly [Kind in PluginKind]: string } = {
  format: "formats",
  auth: "auth",
  dialect: "plugins/dialects",
};

/** Imports the configured plugins in the given order. Throws {@link PluginError} with all complaints. */
export async function enablePlugins<Kind extends PluginKind>(
  { kind, names }: Wanted<Kind>,
  found: readonly PluginLocation[],
): Promise<readonly PluginOf<Kind>[]> {
  const locations = found.filter((location) => location.kind === kind);
  const results = await Promise.all(names.map((name) => enable({ kind, name }, locations)));
  const complaints = results.filter((result) => typeof result === "string");
  if (complaints.length > 0) throw new PluginError(complaints);
  return results.filter((result) => typeof result !== "string");
}

/** One plugin, or a complaint. */
async function enable<Kind extends PluginKind>(
  { kind, name }: { readonly kind: Kind; readonly name: string },
  locations: readonly PluginLocation[],
): Promise<PluginOf<Kind> | string> {
  const [location, ...others] = locations.filter((candidate) => candidate.name === name);
  if (!location) return missing(kind, name, locations);
  if (others.length > 0) {
    const paths = [location, ...others].map(({ path }) => path).join(" and ");
    return `The ${kind} "${name}" is there more than once: remove or rename one of ${paths}`;
  }
  return await load<Kind>(location);
}

function missing(kind: PluginKind, name: string, locations: readonly PluginLocation[]): string {
  const names = locations.map((location) => location.name);
  const [close] = nearest(name, names);
  const hint = close ? `did you mean "${close}"` : `there are ${names.join(", ") || "none"}`;
  return `The ${kind} "${name}" is enabled but there is no folder ${FOLDER_OF[kind]}/${name} with a mod.ts ` +
    `(looked below this program and plugins_path): ${hint}`;
}

async function load<Kind extends PluginKind>(location: PluginLocation): Promise<PluginOf<Kind> | string> {
  try {
    const module: { readonly default?: unknown } = await import(location.url);
    const complaint = check(module.default, location);
    return complaint ?? module.default as PluginOf<Kind>;
  } catch (error) {
    return `The plugin ${location.path} cannot be loaded: ${
      error instanceof Error ? error.message : String(error)
    }`;
  }
}

function check(plugin: unknown, { kind, name, path }: PluginLocation): string | undefined {
  if (typeof plugin !== "object" || plugin === null) {
    return `The plugin ${path} has no default export: export an object with contract, kind, name and setup`;
  }
  const fields: Partial<Record<keyof AnyPlugin, unknown>> = plugin;
  if (fields.contract !== CONTRACT) {
    return `The plugin ${path} is made for contract ${
      JSON.stringify(fields.contract)
    }: this service has contract ${CONTRACT}`;
  }
  if (fields.kind !== kind) {
    return `The plugin ${path} says it is of kind ${
      JSON.stringify(fields.kind)
    }: in this folder it must be "${kind}"`;
  }
  if (fields.name !== name) {
    return `The plugin ${path} calls itself ${
      JSON.stringify(fields.name)
    }: it must have the name of its folder, "${name}"`;
  }
  if (typeof fields.setup !== "function") return `The plugin ${path} has no function setup(section, host)`;
  return undefined;
}
