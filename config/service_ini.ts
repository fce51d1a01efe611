/**
 * Reads service.ini by the table of settings. The only module that uses the INI library: its rules for
 * values (comments after `;` and `#`, quotes, `\;`). Lines are read here, because the library drops
 * duplicates, invalid lines and line numbers.
 *
 * @module
 */

import { unsafe } from "ini";
import { existsSync } from "node:fs";
import { didYouMean } from "@/core/base/nearest.ts";
import { quote } from "@/core/errors.ts";
import {
  complain,
  type Configuration,
  type Given,
  inside,
  type Loading,
  type Place,
  type Substitution,
} from "./configuration.ts";
import { expand } from "./expand.ts";
import { boolean, integer, type Setting } from "./setting_types.ts";
import { OWN_GROUPS, SETTINGS, type Settings } from "./settings.ts";

type ServiceIni = Pick<Configuration, "settings" | "substitutions" | "limits" | "pluginSettings">;

type AllGiven = ReadonlyMap<string, Given>;

const SECTION = "service";
const ELSEWHERE = ": docs/settings.md has all settings, and main.ts serve --help the options, such as --port";
const LIMIT_KEY = /^db\.(.+)\.limit$/;
const PLUGIN_KEY = /^([a-z][a-z0-9_-]*)\.(.+)$/;
const SUBSTITUTION_KEY = /^url\.substitution\.(.*)$/s;
const TABLE: ReadonlyMap<string, Setting<unknown>> = new Map(Object.entries<Setting<unknown>>(SETTINGS));
const ALIASES: ReadonlyMap<string, string> = new Map(
  [...TABLE].flatMap(([key, { alias }]) => alias === undefined ? [] : [[alias, key] as const]),
);

/** Every setting with its value or default; mistakes become complaints. */
export function readServiceIni(text: string, place: Place, loading: Loading): ServiceIni {
  const given = collect(text, place, loading);
  const settings = readSettings(given, place, loading);
  const substitutions = readSubstitutions(given, place, settings["url.append_substitution"]);
  const limits = readLimits(given, place);
  const pluginSettings = readPluginSettings(given, place);
  for (const key of given.keys()) {
    const isKnown = TABLE.has(key) || LIMIT_KEY.test(key) || SUBSTITUTION_KEY.test(key) ||
      pluginSettings.has(key);
    if (isKnown) continue;
    const hint = didYouMean(key, [...TABLE.keys(), ...ALIASES.keys()]) || ELSEWHERE;
    complain(inside(place, key), `Unknown setting${hint}`);
  }
  return { settings, substitutions, limits, pluginSettings };
}

function collect(text: string, place: Place, loading: Loading): AllGiven {
  const given = new Map<string, Given>();
  for (const { line, key: written, raw } of entriesOf(text, place)) {
    const key = ALIASES.get(written) ?? written;
    const at = inside(place, written);
    if (given.has(key)) {
      complain(at, `Is set a second time in line ${line}`);
      continue;
    }
    const expanded = expand(raw, at, loading.environment);
    if (expanded !== undefined) given.set(key, { raw, text: expanded });
  }
  return given;
}

interface Entry {
  readonly line: number;
  readonly key: string;
  readonly raw: string;
}

/** The entries of the section of the service. An unknown section has one complaint for all of its entries. */
function* entriesOf(text: string, place: Place): Iterable<Entry> {
  let section = "";
  for (const [index, untrimmed] of text.split(/\r\n|\r|\n/).entries()) {
    const [line, content] = [index + 1, untrimmed.trim()];
    if (content === "" || /^[;#]/.test(content)) continue;
    const header = /^\[([^\]]*)\]\s*([;#].*)?$/.exec(content)?.[1]?.trim();
    const at = content.indexOf("=");
    const key = plain(content.slice(0, at));
    if (header !== undefined) {
      section = header;
      if (section === SECTION) continue;
      complain(place, `Line ${line}: unknown section ${quote(section)}; settings stand under [${SECTION}]`);
    } else if (at < 1) complain(place, `Line ${line}: expected "key = value"`);
    else if (section === SECTION) yield { line, key, raw: plain(content.slice(at + 1)) };
    else if (section === "") {
      complain(inside(place, key), `Stands outside a section: put it under [${SECTION}]`);
    }
  }
}

/** With a comment behind it, the library takes the quotes for a part of the value. */
const QUOTED = /^\s*("(?:\\.|[^"\\])*"|'[^']*')\s*[;#]/;

/** The library converts some single-quoted values, and leaves others in their quotes; here they are text. */
function plain(written: string): string {
  const raw = (QUOTED.exec(written)?.[1] ?? written).trim();
  const value: unknown = unsafe(raw);
  return typeof value === "string" && value !== raw ? value : raw.replace(/^(["'])(.*)\1$/, "$2");
}

function readSettings(given: AllGiven, place: Place, loading: Loading): Settings {
  const { config } = loading.directories;
  const values = [...TABLE].map(([key, setting]) => {
    const found = given.get(key);
    const value = found && readGiven(found, setting, inside(place, key), loading);
    if (value !== undefined) return [key, value] as const;
    const initial = defaultText(setting, given, loading);
    // A default derived from an invalid setting fails to parse; that setting has its own complaint.
    return [key, initial === undefined ? undefined : setting.type.parse(initial, config)] as const;
  });
  // The table gives each key its type; the type of fromEntries cannot express that.
  return Object.fromEntries(values) as unknown as Settings;
}

/** A URL with a user, perhaps in the place of another value. */
const WITH_PASSWORD = /:\/\/.*@/;

function readGiven(found: Given, setting: Setting<unknown>, place: Place, loading: Loading): unknown {
  if (found.text === "" && setting.default === undefined) return undefined;
  const value = setting.type.parse(found.text, loading.directories.config);
  if (value === undefined) {
    const isSecret = setting.secret || WITH_PASSWORD.test(found.text);
    const shown = isSecret ? "another value" : quote(found.raw);
    return complain(place, `Expected ${setting.type.noun}, found ${shown}`);
  }
  if (setting.effect?.startsWith("Without effect")) {
    loading.warnings.push(`${place.file}: ${place.key}: ${setting.effect}`);
  }
  // The start goes on without it, because a disk may be mounted later.
  if (setting.isMade && typeof value === "string" && !existsSync(value)) {
    loading.warnings.push(`${place.file}: ${place.key}: Cannot find ${quote(value)}`);
  }
  return value;
}

function defaultText(
  { default: initial }: Setting<unknown>,
  given: AllGiven,
  loading: Loading,
): string | undefined {
  if (initial === undefined) return undefined;
  if (typeof initial !== "string") return initial.choose((key) => given.get(key)?.text || undefined);
  const [, name, rest = ""] = /^\{([^}]+)\}(.*)$/.exec(initial) ?? [];
  if (name === undefined) return initial;
  if (name === "config_dir") return loading.directories.config + rest;
  if (name === "state_dir") return loading.directories.state + rest;
  const other = TABLE.get(name);
  return given.get(name)?.text || (other && defaultText(other, given, loading));
}

const BUILT_IN_SUBSTITUTIONS: readonly Substitution[] = [
  { sequence: "__", character: "/" },
  { sequence: "_dot", character: "." },
];

/** All substitutions, longest sequence first. With `append` the given ones extend the built-in ones. */
function readSubstitutions(given: AllGiven, place: Place, append: boolean): readonly Substitution[] {
  const added: Substitution[] = [];
  for (const [key, { raw, text }] of given) {
    const sequence = SUBSTITUTION_KEY.exec(key)?.[1];
    if (sequence === undefined) continue;
    const at = inside(place, key);
    const hasSequence = /^[A-Za-z0-9_~-]+$/.test(sequence);
    const hasCharacter = [...text].length === 1;
    if (!hasSequence) {
      complain(at, `Expected a sequence of letters, digits, -, _ and ~, found ${quote(sequence)}`);
    }
    if (!hasCharacter) complain(at, `Expected one character (; and # in quotes), found ${quote(raw)}`);
    if (hasSequence && hasCharacter) added.push({ sequence, character: text });
  }
  const replaced = new Set(added.map(({ sequence }) => sequence));
  const kept = append || added.length === 0
    ? BUILT_IN_SUBSTITUTIONS.filter(({ sequence }) => !replaced.has(sequence))
    : [];
  return [...kept, ...added].sort((a, b) => b.sequence.length - a.sequence.length);
}

function readLimits(given: AllGiven, place: Place): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  const type = integer(1);
  for (const [key, { raw, text }] of given) {
    const id = LIMIT_KEY.exec(key)?.[1];
    if (id === undefined) continue;
    const limit = type.parse(text);
    if (limit === undefined) complain(inside(place, key), `Expected ${type.noun}, found ${quote(raw)}`);
    else limits.set(id, limit);
  }
  return limits;
}

/** Keys that are none of the service's: `json_sdb.indent`, `sqlite.directories`. */
function readPluginSettings(given: AllGiven, place: Place): AllGiven {
  const found = new Map<string, Given>();
  for (const [key, each] of given) {
    const [, group, name] = PLUGIN_KEY.exec(key) ?? [];
    if (group === undefined || TABLE.has(key) || OWN_GROUPS.has(group)) continue;
    found.set(key, each);
    const isFlag = group.endsWith("_sdb") && name === "stream_by_default";
    if (isFlag && boolean.parse(each.text) === undefined) {
      complain(inside(place, key), `Expected ${boolean.noun}, found ${quote(each.raw)}`);
    }
  }
  return found;
}
