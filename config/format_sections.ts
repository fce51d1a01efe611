/**
 * The settings of one format, for its plugin.
 *
 * @module
 */

import type { Configuration } from "./configuration.ts";
import { boolean } from "./setting_types.ts";

/** The settings with the prefix `{name}_sdb.`: typed values for the built-in formats, text for others. */
export function formatSection(
  configuration: Pick<Configuration, "settings" | "formatSettings">,
  name: string,
): Record<string, unknown> {
  const prefix = `${name}_sdb.`;
  const all = [...Object.entries(configuration.settings), ...configuration.formatSettings];
  return Object.fromEntries(
    all.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value]),
  );
}

/** Whether a format streams by default: its own setting, else the general one. */
export function streamByDefault(
  configuration: Pick<Configuration, "settings" | "formatSettings">,
  formatName: string,
): boolean {
  const own = formatSection(configuration, formatName)["stream_by_default"];
  const value = typeof own === "string" ? boolean.parse(own, { config: "" }) : own;
  return typeof value === "boolean" ? value : configuration.settings.stream_by_default;
}
