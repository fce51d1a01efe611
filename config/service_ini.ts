/**
 * Reads service.ini by the table of settings.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import { nearest } from "@/core/base/nearest.ts";
import { complain, inside, type Place } from "./complaints.ts";
import type { Loading, Substitution } from "./configuration.ts";
import { expand } from "./expand.ts";
import { type IniLine, parseIni } from "./ini.ts";
import type { Setting } from "./setting.ts";
import { boolean, integer } from "./setting_types.ts";
import { isSettingKey, type SettingKey, SETTINGS, type Settings } from "./settings.ts";
import { readSubstitutions, SUBSTITUTION_PREFIX } from "./substitutions.ts";

/** The content of service.ini. */
export interface ServiceIni {
  readonly settings: Settings;
  readonly substitutions: readonly Substitution[];
  /** The values of `db.{db_id}.limit` by database. */
  readonly limits: ReadonlyMap<string, number>;
  readonly formatSettings: ReadonlyMap<string, string>;
}

/** A value as written, and with its references replaced. Only the former is shown. */
interface Given {
  readonly raw: string;
  readonly text: string;
}

const SECTION = "service";
const LIMIT_KEY = /^db\.(.+)\.limit$/;
const FORMAT_KEY = /^([a-z][a-z0-9_-]*)_sdb\.(.+)$/;
const ALIASES: ReadonlyMap<string, string> = new Map(
  settingEntries().flatMap(([key, { alias }]) => alias === undefined ? [] : [[alias, key] as const]),
);

/** Every setting with its value or default; mistakes become complaints. */
export function readServiceIni(text: string, file: string, loading: Loading): ServiceIni {
  const place: Place = { file, key: "", complaints: loading.complaints };
  const given = collect(parseIni(text), place, loading);
  const settings = readSettings(given, place, loading);
  const substitutions = readSubstitutions(given, place, settings["url.append_substitution"]);
  const limits = readLimits(given, place);
  const formatSettings = readFormatSettings(given, place, settings.formats);
  const known = (key: string) =>
    isSettingKey(key) || LIMIT_KEY.test(key) || key.startsWith(SUBSTITUTION_PREFIX) ||
    formatSettings.has(key);
  for (const key of given.keys()) if (!known(key)) complainAboutUnknown(key, place);
  return { settings, substitutions, limits, formatSettings };
}

function collect(lines: readonly IniLine[], place: Place, loading: Loading): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  for (const line of lines) {
    const entry = acceptEntry(line, place);
    if (!entry) continue;
    const key = ALIASES.get(entry.key) ?? entry.key;
    const at = inside(place, entry.key);
    if (given.has(key)) {
      complain(at, `Is set a second time in line ${entry.line}`);
      continue;
    }
    const text = expand(entry.value, at, loading.environment);
    if (text !== undefined) given.set(key, { raw: entry.value, text });
  }
  return given;
}

function acceptEntry(line: IniLine, place: Place): Extract<IniLine, { kind: "entry" }> | undefined {
  switch (line.kind) {
    case "malformed":
      return complain(place, `Line ${line.line}: expected "key = value"`);
    case "section":
      if (line.section === SECTION) return undefined;
      return complain(
        place,
        `Line ${line.line}: unknown section ${quote(line.section)}; settings stand under [service]`,
      );
    case "entry":
      if (line.section === SECTION) return line;
      // Entries of an unknown section, which has its own complaint.
      return line.section === ""
        ? complain(inside(place, line.key), "Stands outside a section: put it under [service]")
        : undefined;
    default:
      return line satisfies never;
  }
}

function readSettings(given: ReadonlyMap<string, Given>, place: Place, loading: Loading): Settings {
  const values = settingEntries().map(([key, setting]) => {
    const found = given.get(key);
    const value = found && readGiven(found, setting, inside(place, key), loading);
    return [key, value ?? defaultOf(setting, given, loading)] as const;
  });
  // The table gives each key its type; the type of fromEntries cannot express that.
  return Object.fromEntries(values) as unknown as Settings;
}

function readGiven(found: Given, setting: Setting<unknown>, place: Place, loading: Loading): unknown {
  if (found.text === "" && setting.default === undefined) return undefined;
  const value = setting.type.parse(found.text, loading.directories);
  if (value !== undefined && setting.effect?.startsWith("Without effect")) {
    loading.warnings.push(`${place.file}: ${place.key}: ${setting.effect}`);
  }
  if (value !== undefined) return value;
  const shown = setting.secret ? "another value" : quote(found.raw);
  return complain(place, `Expected ${setting.type.noun}, found ${shown}`);
}

function defaultOf(setting: Setting<unknown>, given: ReadonlyMap<string, Given>, loading: Loading): unknown {
  const written = defaultText(setting, given, loading);
  // A default derived from an invalid setting fails to parse; that setting has its own complaint.
  return written === undefined ? undefined : setting.type.parse(written, loading.directories);
}

function defaultText(
  setting: Setting<unknown>,
  given: ReadonlyMap<string, Given>,
  loading: Loading,
): string | undefined {
  if (setting.default === undefined) return undefined;
  if (typeof setting.default !== "string") {
    return setting.default.choose((key) => given.get(key)?.text || undefined);
  }
  const [, name, rest = ""] = /^\{([^}]+)\}(.*)$/.exec(setting.default) ?? [];
  if (name === undefined) return setting.default;
  if (name === "config_dir") return loading.directories.config + rest;
  if (name === "state_dir") return loading.directories.state + rest;
  if (!isSettingKey(name)) throw new Error(`Cannot resolve default: unknown setting ${quote(name)}`);
  return given.get(name)?.text || defaultText(SETTINGS[name], given, loading);
}

function readLimits(given: ReadonlyMap<string, Given>, place: Place): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const [key, { raw, text }] of given) {
    const id = LIMIT_KEY.exec(key)?.[1];
    if (id === undefined) continue;
    const type = integer(1);
    const limit = type.parse(text, { config: "" });
    if (limit === undefined) complain(inside(place, key), `Expected ${type.noun}, found ${quote(raw)}`);
    else limits.set(id, limit);
  }
  return limits;
}

function readFormatSettings(
  given: ReadonlyMap<string, Given>,
  place: Place,
  formats: readonly string[],
): ReadonlyMap<string, string> {
  const found = [...given].filter(([key]) => isThirdPartyKey(key, formats));
  for (const [key, { raw, text }] of found) {
    if (!key.endsWith("_sdb.stream_by_default") || boolean.parse(text, { config: "" }) !== undefined) {
      continue;
    }
    complain(inside(place, key), `Expected ${boolean.noun}, found ${quote(raw)}`);
  }
  return new Map(found.map(([key, { text }]) => [key, text]));
}

/** A format with settings in the table is built in: its other keys are mistakes. */
function isThirdPartyKey(key: string, formats: readonly string[]): boolean {
  const format = FORMAT_KEY.exec(key)?.[1];
  return format !== undefined && formats.includes(format) && keysOf(format).length === 0;
}

function complainAboutUnknown(key: string, place: Place): void {
  const [meant] = nearest(key, [...Object.keys(SETTINGS), ...ALIASES.keys()], 1);
  complain(
    inside(place, key),
    meant === undefined ? unknown(key) : `Unknown setting: did you mean ${quote(meant)}?`,
  );
}

function unknown(key: string): string {
  const format = FORMAT_KEY.exec(key)?.[1];
  if (format === undefined) return "Unknown setting";
  const keys = keysOf(format);
  if (keys.length > 0) return `Unknown setting: expected one of ${keys.join(", ")}`;
  return `Unknown setting: ${quote(format)} is not among the enabled formats`;
}

function keysOf(format: string): string[] {
  return Object.keys(SETTINGS).filter((key) => key.startsWith(`${format}_sdb.`));
}

function settingEntries(): [SettingKey, Setting<unknown>][] {
  return Object.entries(SETTINGS) as [SettingKey, Setting<unknown>][];
}
