/**
 * What a service is made of: its configuration, the plugins that it asks for, and where it writes.
 *
 * @module
 */

import { type Configuration, type Environment, formatSection, streamByDefault } from "@/config/mod.ts";
import type { Audit } from "@/core/storage/audit.ts";
import type { AuthPlugin, DialectPlugin, FormatPlugin, Log } from "@/plugins/contract.ts";
import { loadDialect, loadPlugins, type WantedPlugins } from "@/plugins/load.ts";
import project from "@/deno.json" with { type: "json" };

/** Everything that a service is built from. */
export interface ServiceParts {
  readonly configuration: Configuration;
  /** What `${NAME}` in configuration files stands for. */
  readonly environment: Environment;
  readonly formats: readonly FormatPlugin[];
  readonly methods: readonly AuthPlugin[];
  /** The dialects of the databases that are configured at the start. */
  readonly dialects: readonly DialectPlugin[];
  /** Imports a dialect that is first needed later. Throws where there is none of this name. */
  loadDialect(name: string): Promise<DialectPlugin>;
  /** The settings of one format: what stands behind `{name}_sdb.`. */
  formatSection(name: string): Readonly<Record<string, unknown>>;
  streamByDefault(format: string): boolean;
  readonly prefix: string;
  readonly origin?: string;
  readonly version: string;
  /** What the first run asks for. */
  readonly firstRunToken?: string | undefined;
  readonly log: Log;
  readonly audit: Audit;
  /** The configuration is only checked. */
  readonly checksOnly?: boolean;
  /** Milliseconds since 1970, for what follows the configuration files. Default: the clock. */
  readonly now?: () => number;
}

/** What a service is made of. */
export async function loadParts(
  configuration: Configuration,
): Promise<Omit<ServiceParts, "prefix" | "log" | "audit">> {
  const plugins = await loadPlugins(wantedPlugins(configuration), configuration.settings.plugins_path);
  return { ...plugins, ...surroundingsOf(configuration) };
}

/** The parts that are no plugins. */
export function surroundingsOf(
  configuration: Configuration,
): Omit<ServiceParts, "prefix" | "log" | "audit" | "formats" | "methods" | "dialects"> {
  return {
    configuration,
    environment: Deno.env.toObject(),
    loadDialect: (name: string) => loadDialect(name, configuration.settings.plugins_path),
    formatSection: (name: string) => formatSection(configuration, name),
    streamByDefault: (format: string) => streamByDefault(configuration, format),
    version: project.version,
  };
}

/** Which plugins the configuration asks for. */
export function wantedPlugins({ settings, authentication, databases }: Configuration): WantedPlugins {
  return {
    formats: settings.formats,
    methods: authentication.filter((policy) => policy.enabled).map(({ name }) => name),
    dialects: [...new Set([...databases.values()].map(({ dbType }) => dbType))],
  };
}
