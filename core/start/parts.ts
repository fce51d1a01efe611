/**
 * The parts of a service: its configuration, its plugins, and its logs.
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
  /** The values of `${NAME}` in configuration files. */
  readonly environment: Environment;
  readonly formats: readonly FormatPlugin[];
  readonly methods: readonly AuthPlugin[];
  /** The dialects of the databases in the initial configuration. */
  readonly dialects: readonly DialectPlugin[];
  /** Imports a dialect on its first use after the start. Throws for an unknown name. */
  loadDialect(name: string): Promise<DialectPlugin>;
  /** The settings of one format, with the prefix `{name}_sdb.`. */
  formatSection(name: string): Readonly<Record<string, unknown>>;
  streamByDefault(format: string): boolean;
  readonly prefix: string;
  readonly origin?: string;
  readonly version: string;
  /** The token of the first run. */
  readonly firstRunToken?: string | undefined;
  readonly log: Log;
  readonly audit: Audit;
  /** The service only checks the configuration. */
  readonly checksOnly?: boolean;
  /** Milliseconds since 1970, for watching the configuration files. Default: the clock. */
  readonly now?: () => number;
}

/** Loads the parts of a service. */
export async function loadParts(
  configuration: Configuration,
  environment?: Environment,
): Promise<Omit<ServiceParts, "prefix" | "log" | "audit">> {
  const plugins = await loadPlugins(wantedPlugins(configuration), configuration.settings.plugins_path);
  return { ...plugins, ...surroundingsOf(configuration, environment) };
}

/** The parts that are not plugins. */
export function surroundingsOf(
  configuration: Configuration,
  environment: Environment = Deno.env.toObject(),
): Omit<ServiceParts, "prefix" | "log" | "audit" | "formats" | "methods" | "dialects"> {
  return {
    configuration,
    environment,
    loadDialect: (name: string) => loadDialect(name, configuration.settings.plugins_path),
    formatSection: (name: string) => formatSection(configuration, name),
    streamByDefault: (format: string) => streamByDefault(configuration, format),
    version: project.version,
  };
}

/** The plugins that the configuration names. */
export function wantedPlugins({ settings, authentication, databases }: Configuration): WantedPlugins {
  return {
    formats: settings.formats,
    methods: authentication.filter((policy) => policy.enabled).map(({ name }) => name),
    dialects: [...new Set([...databases.values()].map(({ dbType }) => dbType))],
  };
}
