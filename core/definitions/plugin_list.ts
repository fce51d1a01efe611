/**
 * `/settings/plugins`, for `admin`, and the rows of the command `plugin list`: every plugin that is there.
 *
 * @module
 */

import {
  cachePlacesOf,
  type Configuration,
  type ListedSetting,
  listSettings,
  writtenKeys,
} from "@/config/mod.ts";
import { TEXT } from "@/core/documents/document_schemas.ts";
import { anyColumn, cellOf, describe, type Described, textColumn } from "@/core/documents/documents.ts";
import { ServiceError } from "@/core/errors.ts";
import type { JsonObject } from "@/core/model.ts";
import { FOLDERS, PluginError, type PluginKind, type PluginLocation } from "@/plugins/discover.ts";
import { isAmong, loadedPlugin, type PluginName, pluginsIn } from "@/plugins/load.ts";

type ListedPlugin = Readonly<Record<"kind" | "name" | "state" | "place", string>> & {
  readonly version: string | null;
  /** The version of the contract that the plugin was made for. Null: it is not loaded. */
  readonly contract: number | null;
  readonly settings: readonly ListedSetting[];
};

const COLUMNS = ["kind", "name", "state", "version", "contract", "place", "settings"] as const;
const SETTING = {
  key: TEXT,
  is_set: { type: "boolean", description: "Whether it is configured." },
  value: { description: "Null for secrets and mappings." },
  type: { type: ["string", "null"] },
  default: {},
  sentence: { type: ["string", "null"] },
} as const;

/** The schema of `/settings/plugins`. */
export const PLUGINS: JsonObject = {
  title: "plugin",
  type: "array",
  items: {
    type: "object",
    required: COLUMNS,
    properties: {
      kind: { ...TEXT, enum: Object.keys(FOLDERS) },
      name: TEXT,
      state: { ...TEXT, enum: ["loaded", "not enabled", "cannot be loaded"] },
      version: { type: ["string", "null"], description: "Its own version." },
      contract: { type: ["integer", "null"], description: "That the plugin was made for." },
      place: { ...TEXT, description: "The path of its module." },
      settings: {
        type: "array",
        items: { type: "object", required: Object.keys(SETTING), properties: SETTING },
        description: "Those that it declares, or that are configured for it.",
      },
    },
  },
};

/** The plugins that the configuration enables. A setting of a dialect enables it, too. */
export function wantedPlugins(configuration: Configuration): readonly PluginName[] {
  const { settings, authentication, databases } = configuration;
  const used = [...databases.values()].flatMap(({ dbType }) => dbType === "" ? [] : [dbType]);
  const found = configuration.pluginSettings.size === 0 ? [] : foundPlugins(configuration);
  const set = found.filter((each) => each.kind === "dialect" && writtenKeys(each, configuration).length > 0);
  const wanted = (kind: PluginKind, names: readonly string[]) =>
    [...new Set(names)].map((name) => ({ kind, name }));
  return [
    ...wanted("format", settings.formats),
    ...wanted("auth", authentication.filter(({ enabled }) => enabled).map(({ name }) => name)),
    ...wanted("dialect", [...used, ...set.map(({ name }) => name)]),
    ...wanted("cache", cachePlacesOf(settings).map(({ name }) => name)),
  ];
}

/** The plugins that the configuration may enable. */
export function foundPlugins({ settings }: Configuration): readonly PluginLocation[] {
  return pluginsIn(settings.plugins_path);
}

/** Describes a plugin; more is known of enabled ones, which this process has imported. */
export function listPlugin(location: PluginLocation, configuration: Configuration): ListedPlugin {
  const { kind, name, path } = location;
  const enabled = isAmong(location, wantedPlugins(configuration));
  const plugin = enabled ? loadedPlugin(path) : undefined;
  return {
    kind,
    name,
    state: !enabled ? "not enabled" : plugin ? "loaded" : "cannot be loaded",
    version: plugin?.version ?? null,
    contract: plugin?.contract ?? null,
    place: path,
    settings: listSettings(plugin ?? { kind, name }, configuration),
  };
}

/** The folder of plugins may go away after the start. */
function foundNow(configuration: Configuration): readonly PluginLocation[] {
  try {
    return foundPlugins(configuration);
  } catch (error) {
    throw error instanceof PluginError ? new ServiceError("unavailable", error.message) : error;
  }
}

/** The document of `/settings/plugins`. */
export function pluginsDocument(configuration: Configuration): Described {
  const tree = foundNow(configuration).map((location) => listPlugin(location, configuration));
  const columns = COLUMNS.map((name) =>
    name === "contract" || name === "settings" ? anyColumn(name) : textColumn(name)
  );
  return describe({ name: "plugin", schema: PLUGINS, columns }, {
    tree,
    rows: tree.map((plugin) => COLUMNS.map((name) => cellOf(plugin[name]))),
  });
}
