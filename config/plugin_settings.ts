/**
 * Reads the settings that plugins declare: those of formats and dialects in service.ini, those
 * of methods in auth.cfg, and the options of databases. They are read after the plugins were
 * loaded, because only these know them.
 *
 * @module
 */

import { resolve } from "node:path";
import { didYouMean } from "@/core/base/nearest.ts";
import { quote } from "@/core/errors.ts";
import type { DatabaseOptions, Json, PluginSetting, PluginSettings } from "@/plugins/contract.ts";
import { describe } from "@/plugins/kit/members.ts";
import { AUTH_ROOT, COMMON_KEYS } from "./auth_policies.ts";
import { complain, type Complaint, type Configuration, inside, type Place } from "./configuration.ts";
import { complaintAboutTable, declaredType } from "./declared_types.ts";
import { boolean } from "./setting_types.ts";
import { OWN_GROUPS, SETTINGS } from "./settings.ts";

/** The parts of a plugin that its settings depend on. */
export interface Declaring {
  readonly kind: string;
  readonly name: string;
  readonly contract: number;
  readonly settings?: PluginSettings;
}

/** The values that a plugin gets, and the mistakes in them. */
interface ReadSection {
  readonly section: Readonly<Record<string, unknown>>;
  readonly complaints: readonly Complaint[];
}

/** A value as written, and as complaints may show it. */
interface Written {
  readonly value: unknown;
  readonly shown: string;
}

interface Source {
  readonly place: Place;
  /** Stands before each key. */
  readonly prefix: string;
  /** Keys beside those of the plugin that may stand there, too. */
  readonly common: readonly string[];
  /** The base of relative paths. */
  readonly directory: string;
  readonly written: ReadonlyMap<string, Written>;
}

/** The settings of a plugin. */
export function readSection(plugin: Declaring, configuration: Configuration): ReadSection {
  const complaints: Complaint[] = [];
  const source = sourceOf(plugin, configuration, complaints);
  const { settings = {}, contract } = plugin;
  const mayMap = plugin.kind === "auth";
  const wrong = complaintAboutTable(settings, {
    mayMap,
    maySecret: true,
    taken: mayMap ? COMMON_KEYS : [STREAM],
  });
  if (wrong !== undefined) complain(source.place, `The plugin ${quote(plugin.name)} ${wrong}`);
  const taken = isTaken(plugin) && Object.keys(settings).length > 0;
  if (taken) complain(source.place, takenName(plugin));
  // Plugins of contract 1 could not declare any.
  const isFree = plugin.settings === undefined && contract === 1;
  const section = isFree
    ? Object.fromEntries([...source.written].map(([key, { value }]) => [key, value]))
    : wrong === undefined
    ? readDeclared(settings, source)
    : {};
  return { section, complaints };
}

/** Whether its settings would have the same beginning as those of the service. */
export function isTaken(plugin: Pick<Declaring, "kind" | "name">): boolean {
  const prefix = prefixOf(plugin);
  return prefix !== undefined && OWN_GROUPS.has(prefix.slice(0, -1));
}

/** The complaint about such a name. */
export function takenName(plugin: Pick<Declaring, "kind" | "name">): string {
  return `The ${plugin.kind} ${quote(plugin.name)} needs another name: ` +
    `keys that begin with "${prefixOf(plugin)}" are settings of the service`;
}

/** The options of a database by the table of its dialect. */
export function readOptions(
  table: DatabaseOptions,
  options: Readonly<Record<string, unknown>>,
  directory: string,
): ReadSection {
  const complaints: Complaint[] = [];
  const place: Place = { file: "", key: "options", complaints };
  const section = readDeclared(table, {
    place,
    prefix: "",
    common: [],
    directory,
    written: yamlValues(options),
  });
  return { section, complaints };
}

/**
 * Keys of service.ini that no plugin has: complaints where there is none of the name,
 * warnings where it is not enabled.
 */
export function strayKeys(
  { pluginSettings, directories }: Configuration,
  { enabled, found }: {
    readonly enabled: readonly Omit<Declaring, "contract">[];
    readonly found: readonly Pick<Declaring, "kind" | "name">[];
  },
): { readonly complaints: readonly Complaint[]; readonly warnings: readonly Complaint[] } {
  const file = resolve(directories.config, "service.ini");
  const owns = (key: string) => (plugin: Pick<Declaring, "kind" | "name">) => {
    const prefix = prefixOf(plugin);
    return prefix !== undefined && key.startsWith(prefix);
  };
  const strays = [...pluginSettings.keys()].filter((key) => !enabled.some(owns(key)));
  const known = enabled.flatMap((plugin) =>
    Object.keys(plugin.settings ?? {}).map((key) => (prefixOf(plugin) ?? "") + key)
  );
  return {
    complaints: strays.filter((key) => !found.some(owns(key))).map((key) => {
      const hint = didYouMean(key, [...Object.keys(SETTINGS), ...known]) ||
        ": there is no plugin of this name";
      return { file, key, message: `Unknown setting${hint}` };
    }),
    warnings: strays.filter((key) => found.some(owns(key))).map((key) => {
      return { file, key, message: "Without effect: its plugin is not enabled" };
    }),
  };
}

/**
 * The beginning of the keys of service.ini that belong to a plugin; undefined for a kind with another place.
 */
export function prefixOf({ kind, name }: Pick<Declaring, "kind" | "name">): string | undefined {
  if (kind === "auth") return undefined;
  return kind === "format" ? `${name}_sdb.` : `${name}.`;
}

/** The keys of a plugin that are configured, without their values. */
export function writtenKeys(
  plugin: Pick<Declaring, "kind" | "name">,
  configuration: Configuration,
): readonly string[] {
  return [...sourceOf(plugin, configuration, []).written.keys()];
}

/** A setting of a plugin, for lists. */
export type ListedSetting = {
  readonly key: string;
  /** Whether it is configured. */
  readonly is_set: boolean;
  /** Null for secrets and mappings, which may have some, and where it has none. */
  readonly value: Json;
  /** Null where the plugin does not declare it. */
  readonly type: string | null;
  readonly default: Json;
  readonly sentence: string | null;
};

/**
 * The settings that a plugin declares, and those that are configured for it. Values
 * that may be secrets are not shown.
 */
export function listSettings(
  plugin: Pick<Declaring, "kind" | "name"> & Partial<Declaring>,
  configuration: Configuration,
): readonly ListedSetting[] {
  const { settings = {}, contract = 0 } = plugin;
  const written = writtenKeys(plugin, configuration);
  const { section } = readSection({ ...plugin, contract }, configuration);
  return [...new Set([...Object.keys(settings), ...written])].map((key) => {
    const declared = Object.hasOwn(settings, key) ? settings[key] : undefined;
    const isShown = declared !== undefined && !declared.secret && declared.type !== "mapping";
    return {
      key,
      is_set: written.includes(key),
      value: isShown ? jsonOf(section[key]) : null,
      type: declared?.type ?? null,
      default: declared?.secret ? null : jsonOf(declared?.default),
      sentence: declared?.sentence ?? null,
    };
  });
}

/** Values of every type but a mapping. */
function jsonOf(value: unknown): Json {
  return (value ?? null) as Json;
}

/** Whether a format streams by default: its own setting, else the general one. */
export function streamByDefault({ settings, pluginSettings }: Configuration, format: string): boolean {
  const own = pluginSettings.get(`${format}_sdb.${STREAM}`);
  return (own && boolean.parse(own.text)) ?? settings.stream_by_default;
}

/** Every format has this setting, which the service itself reads. */
const STREAM = "stream_by_default";

function sourceOf(
  plugin: Pick<Declaring, "kind" | "name">,
  { directories: { config: directory }, pluginSettings, authentication }: Configuration,
  complaints: Complaint[],
): Source {
  const prefix = prefixOf(plugin);
  if (prefix === undefined) {
    const section = authentication.find(({ name }) => name === plugin.name)?.section ?? {};
    const own = Object.entries(section).filter(([key]) => !COMMON_KEYS.includes(key));
    const place = { file: resolve(directory, "auth.cfg"), key: `${AUTH_ROOT}.${plugin.name}`, complaints };
    return {
      place,
      prefix: "",
      common: COMMON_KEYS,
      directory,
      written: yamlValues(Object.fromEntries(own)),
    };
  }
  const own = [...pluginSettings].flatMap(([key, { raw, text }]) => {
    if (!key.startsWith(prefix) || key === `${prefix}${STREAM}`) return [];
    // The empty text unsets a setting.
    return [[key.slice(prefix.length), { value: text === "" ? null : text, shown: quote(raw) }] as const];
  });
  const place = { file: resolve(directory, "service.ini"), key: "", complaints };
  return { place, prefix, common: [], directory, written: new Map(own) };
}

function yamlValues(block: Readonly<Record<string, unknown>>): ReadonlyMap<string, Written> {
  return new Map(
    Object.entries(block).map(([key, value]) => [key, { value, shown: shownValue(value) }]),
  );
}

/** Texts of these files may be secrets, so only their kind is shown. */
function shownValue(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  return value === "" ? "empty text" : describe(value);
}

/** Typed values by key; absent ones have their default. Mistakes become complaints. */
function readDeclared(table: PluginSettings, source: Source): Readonly<Record<string, unknown>> {
  const { place, prefix } = source;
  const known = [...source.common, ...Object.keys(table)].map((key) => prefix + key);
  const others = known.length === 0 ? ": there is none" : `: expected one of ${known.join(", ")}`;
  for (const key of source.written.keys()) {
    if (Object.hasOwn(table, key)) continue;
    const name = prefix + key;
    complain(inside(place, name), `Unknown setting${didYouMean(name, known) || others}`);
  }
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, setting]) => {
      const value = readValue(key, setting, source);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

function readValue(
  key: string,
  setting: PluginSetting,
  { written, place, prefix, directory }: Source,
): unknown {
  const type = declaredType(setting);
  const at = inside(place, prefix + key);
  const { value = null, shown = "" } = written.get(key) ?? {};
  // An empty secret would protect nothing, unlike its author expects.
  if (value === null && setting.secret && written.has(key)) {
    return complain(at, "Expected a secret, found nothing");
  }
  if (value !== null) {
    const found = setting.secret ? "another value" : shown;
    return type.read(value, directory) ?? complain(at, `Expected ${type.noun}, found ${found}`);
  }
  if (setting.required) return complain(at, "Is required, found nothing");
  return setting.default === undefined ? undefined : type.read(setting.default, directory);
}
