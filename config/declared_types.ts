/**
 * The types of settings that plugins declare as data. One reader takes the text of
 * service.ini and the values of YAML.
 *
 * @module
 */

import type { PluginSetting } from "@/plugins/contract.ts";
import { isBlock } from "@/plugins/kit/members.ts";
import {
  boolean,
  choice,
  integer,
  list,
  number,
  path,
  pattern,
  type SettingType,
  text,
} from "./setting_types.ts";

/** A reader of values, and the expected value in words. */
interface DeclaredType {
  readonly noun: string;
  /** Undefined for an invalid value. Relative paths are below `directory`. */
  read(value: unknown, directory: string): unknown;
}

/** The type that a setting declares. */
export function declaredType(setting: PluginSetting): DeclaredType {
  return TYPES[setting.type](setting);
}

const TYPES: Readonly<Record<PluginSetting["type"], (setting: PluginSetting) => DeclaredType>> = {
  text: (setting) => scalar(textType(setting)),
  boolean: () => scalar(boolean, "boolean"),
  integer: ({ least = Number.MIN_SAFE_INTEGER, most }) => scalar(integer(least, most), "number"),
  number: ({ least, most }) => scalar(number(least, most), "number"),
  path: () => scalar(path),
  texts: (setting) => several("texts", textType(setting)),
  paths: () => several("paths", path),
  mapping: () => ({ noun: "a mapping", read: (value) => isBlock(value) ? value : undefined }),
};

function textType({ values, pattern: form, expected }: PluginSetting): SettingType<string> {
  if (values) return choice(...values);
  return form === undefined
    ? text
    : pattern(expected ?? `text like ${form}`, new RegExp(`^(?:${form})$`, "u"));
}

/** Numbers and booleans of YAML are read like their text; a number in place of a text lacks quotes. */
function scalar<T>(type: SettingType<T>, natural?: "number" | "boolean"): DeclaredType {
  return {
    noun: type.noun,
    read: (value, directory) =>
      typeof value === "string" || typeof value === natural ? type.parse(`${value}`, directory) : undefined,
  };
}

function several(what: string, item: SettingType<string>): DeclaredType {
  const split = list("", () => true);
  const noun = item === text || item === path ? `different ${what}` : `different ${what}, each ${item.noun}`;
  return {
    noun: `${noun}: a list, or with commas between them`,
    read(value, directory) {
      const items: readonly unknown[] | undefined = typeof value === "string"
        ? split.parse(value)
        : Array.isArray(value)
        ? value
        : undefined;
      const read = items?.map((each) => typeof each === "string" ? item.parse(each, directory) : undefined);
      return read?.every((each) => each !== undefined) && new Set(read).size === read.length
        ? read
        : undefined;
    },
  };
}

const KEY = /^[A-Za-z][\w.-]*$/;

/** The kinds of settings that a place accepts. */
interface Allowed {
  readonly mayMap: boolean;
  readonly maySecret: boolean;
  /** Keys that the service itself reads there. */
  readonly taken?: readonly string[];
}

/** A mistake in a table of settings, in words behind the name of the plugin; undefined if it is right. */
export function complaintAboutTable(table: unknown, place: Allowed): string | undefined {
  if (!isBlock(table)) return "declares no settings: they must be an object";
  for (const [key, setting] of Object.entries(table)) {
    const wrong = place.taken?.includes(key)
      ? "the service itself reads"
      : KEY.test(key)
      ? complaintAboutSetting(setting, place)
      : "has no name of letters and digits";
    if (wrong !== undefined) return `declares a setting ${JSON.stringify(key)} that ${wrong}`;
  }
  return undefined;
}

function complaintAboutSetting(setting: unknown, { mayMap, maySecret }: Allowed): string | undefined {
  if (!isBlock(setting)) return "is no object";
  const { type, sentence, default: initial, values = [] } = setting;
  if (typeof type !== "string" || !Object.hasOwn(TYPES, type)) {
    return `has no type of ${Object.keys(TYPES).join(", ")}`;
  }
  if (typeof sentence !== "string" || sentence === "") return "has no sentence";
  const areTexts = Array.isArray(values) && values.every((word) => typeof word === "string");
  if (!areTexts) return "has values that are no list of texts";
  if (type === "mapping" && !mayMap) return "is a mapping, which service.ini cannot have";
  if (setting["secret"] !== undefined && !maySecret) {
    return "is secret, but everybody who may see a database sees it";
  }
  try {
    // Its type is checked above, and a wrong pattern throws.
    const { noun, read } = declaredType(setting as unknown as PluginSetting);
    return initial === undefined || read(initial, "/") !== undefined
      ? undefined
      : `has a default that is not ${noun}`;
  } catch (error) {
    if (error instanceof SyntaxError) return "has a pattern that is no regular expression";
    throw error;
  }
}
