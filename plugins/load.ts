/**
 * Finds and loads the configured plugins of all kinds.
 *
 * @module
 */

import type { AuthPlugin, DialectPlugin, FormatPlugin } from "./contract.ts";
import {
  BUILT_IN_ROOT,
  discoverPlugins,
  PluginError,
  type PluginKind,
  type PluginLocation,
} from "./discover.ts";
import { enablePlugins } from "./enable.ts";

/** Names by kind. */
export interface WantedPlugins {
  readonly formats: readonly string[];
  readonly methods: readonly string[];
  readonly dialects: readonly string[];
}

/** Plugins by kind, in the order of their names. */
export interface LoadedPlugins {
  readonly formats: readonly FormatPlugin[];
  readonly methods: readonly AuthPlugin[];
  readonly dialects: readonly DialectPlugin[];
}

/** Loads only the wanted plugins; `folder` has further plugins. Throws {@link PluginError}. */
export async function loadPlugins(
  wanted: WantedPlugins,
  folder: string | undefined,
): Promise<LoadedPlugins> {
  const found = pluginsIn(folder);
  const loading = [
    enablePlugins({ kind: "format", names: wanted.formats }, found),
    enablePlugins({ kind: "auth", names: wanted.methods }, found),
    enablePlugins({ kind: "dialect", names: wanted.dialects }, found),
  ] as const;
  const refused = (await Promise.allSettled(loading)).filter(({ status }) => status === "rejected");
  if (refused.length > 1) throw new PluginError(refused.flatMap(complaintsOf));
  const [formats, methods, dialects] = await Promise.all(loading);
  return { formats, methods, dialects };
}

/** A plugin that cannot be used, with the reason. */
export interface RefusedPlugin {
  readonly kind: PluginKind;
  readonly name: string;
  readonly complaint: string;
}

/** Loads the usable plugins, and returns the complaints about the others. */
export async function inspectPlugins(
  wanted: WantedPlugins,
  folder: string | undefined,
): Promise<LoadedPlugins & { readonly refused: readonly RefusedPlugin[] }> {
  const found = pluginsIn(folder);
  const refused: RefusedPlugin[] = [];
  const load = async <Kind extends PluginKind>(kind: Kind, names: readonly string[]) => {
    const loading = names.map((name) =>
      enablePlugins({ kind, names: [name] }, found).catch((error: unknown) => {
        if (!(error instanceof PluginError)) throw error;
        refused.push(...error.complaints.map((complaint) => ({ kind, name, complaint })));
        return [];
      })
    );
    return (await Promise.all(loading)).flat();
  };
  const formats = await load("format", wanted.formats);
  const methods = await load("auth", wanted.methods);
  return { formats, methods, dialects: await load("dialect", wanted.dialects), refused };
}

/** Loads a dialect for a database that was defined while the service ran. Throws {@link PluginError}. */
export async function loadDialect(name: string, folder: string | undefined): Promise<DialectPlugin> {
  const [plugin] = await enablePlugins({ kind: "dialect", names: [name] }, pluginsIn(folder));
  if (!plugin) throw new PluginError([`There is no dialect "${name}"`]);
  return plugin;
}

/** All available plugins, without importing them. */
function pluginsIn(folder: string | undefined): readonly PluginLocation[] {
  return discoverPlugins([BUILT_IN_ROOT, ...(folder === undefined ? [] : [folder])]);
}

/** The complaints about one kind's plugins; those about other kinds are collected, too. */
function complaintsOf(settled: PromiseSettledResult<unknown>): readonly string[] {
  if (settled.status === "fulfilled") return [];
  if (settled.reason instanceof PluginError) return settled.reason.complaints;
  throw settled.reason;
}
