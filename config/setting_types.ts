/**
 * Settings of service.ini and their types. A type converts text to a value, or to undefined if it is invalid.
 *
 * @module
 */

import { isIP } from "node:net";
import { resolve } from "node:path";

/** The rules for the text of a setting. */
export interface SettingType<T> {
  /** The expected value, in complaints and in the documentation. */
  readonly noun: string;
  /**
   * Undefined for an invalid text: the caller knows the setting and complains.
   * Relative paths are below `directory`.
   */
  parse(text: string, directory?: string): T | undefined;
}

/** One setting of service.ini. */
export interface Setting<T> {
  readonly type: SettingType<T>;
  /**
   * As written in the file. `{config_dir}` and `{state_dir}` are directories; any other name in braces is the
   * value of that setting. Absent: unset.
   */
  readonly default?: string | ChosenDefault;
  /** One sentence for the documentation. */
  readonly doc: string;
  /** Never shown in complaints and logs. */
  readonly secret?: true;
  /**
   * The limits of its effect. A text that begins with `Without effect: …` is logged when the setting is set.
   */
  readonly effect?: string;
  /** A path to something that the operator makes: its absence is logged when the setting is set. */
  readonly isMade?: true;
  /** An accepted second name. */
  readonly alias?: string;
}

interface ChosenDefault {
  /** For the documentation. */
  readonly shown: string;
  choose(given: (key: string) => string | undefined): string;
}

type Extra = Pick<Setting<unknown>, "secret" | "effect" | "isMade" | "alias" | "default">;

/** Makes settings that always have a value: from a sentence for the documentation. */
export function setting<T>(
  type: SettingType<T>,
  initial: string | ChosenDefault,
): (doc: string, extra?: Extra) => Setting<T> {
  return (doc, extra) => ({ type, default: initial, doc, ...extra });
}

/** Makes settings that may be unset. A default, if there is one, is a setting that may be unset, too. */
export function optional<T>(type: SettingType<T>): (doc: string, extra?: Extra) => Setting<T | undefined> {
  return (doc, extra) => ({ type, doc, ...extra });
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

/** True or False, also in lower case, and as 1/0, yes/no and on/off. */
export const boolean: SettingType<boolean> = {
  noun: "True or False",
  parse: (text) => BOOLEANS.get(text.toLowerCase()),
};

/** Any text except the empty one. */
export const text: SettingType<string> = { noun: "text", parse: (text) => text === "" ? undefined : text };

/** A file or directory; a relative one is below the configuration directory. */
export const path: SettingType<string> = {
  noun: "a path",
  parse: (text, directory = "") => text === "" ? undefined : resolve(directory, text),
};

/** Text of a given pattern. */
export function pattern(noun: string, form: RegExp): SettingType<string> {
  return { noun, parse: (text) => form.test(text) ? text : undefined };
}

/** An integer from `least` to `most`. */
export function integer(least = 0, most = Number.MAX_SAFE_INTEGER): SettingType<number> {
  const noun = inWords("an integer", [least, Number.MIN_SAFE_INTEGER], [most, Number.MAX_SAFE_INTEGER]);
  return { noun, parse: (text) => inRange(/^[+-]?\d+$/.test(text) ? Number(text) : NaN, least, most) };
}

/** The plugin of a shared cache. */
export const cacheName: SettingType<string> = pattern("the name of a cache", /^[a-z][a-z0-9_]*$/);

/** Where sessions are. */
export const sessionPlace: SettingType<string> = {
  noun: "cookie, file, or ext: with the name of a cache (ext:memcached)",
  parse: (text) => /^(?:cookie|file|ext:[a-z][a-z0-9_]*)$/i.exec(text)?.[0].toLowerCase(),
};

/** The place of sessions where none is named. */
export const usualPlace: ChosenDefault = {
  shown: "`ext:` with `shared_cache` if that is set, `ext:memcached` if `memcached_server` is, else `file`",
  choose(given) {
    const name = given("shared_cache") ?? (given("memcached_server") && "memcached");
    // The name of a cache may be wrong; it has a complaint of its own.
    return name && sessionPlace.parse(`ext:${name}`) || "file";
  },
};
/** A number from `least` to `most` that may have decimals. */
export function number(least = -Number.MAX_VALUE, most = Number.MAX_VALUE): SettingType<number> {
  const noun = inWords("a number", [least, -Number.MAX_VALUE], [most, Number.MAX_VALUE]);
  const form = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;
  return { noun, parse: (text) => inRange(form.test(text) ? Number(text) : NaN, least, most) };
}

/** A range in words, without the ends that every number of its type has. */
function inWords(
  noun: string,
  [least, lowest]: readonly number[],
  [most, highest]: readonly number[],
): string {
  return noun + (least === lowest ? "" : ` from ${least}`) +
    (most === highest ? "" : least === lowest ? ` up to ${most}` : ` to ${most}`);
}

/** A number above zero that may have decimals. */
export const positiveNumber: SettingType<number> = {
  noun: "a number greater than 0",
  parse: (text) =>
    inRange(/^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN, Number.MIN_VALUE, Number.MAX_VALUE),
};

/** One of several words. */
export function choice<const Word extends string>(...words: Word[]): SettingType<Word> {
  return {
    noun: `one of ${words.join(", ")}`,
    parse: (text) => words.find((word) => word.toLowerCase() === text.toLowerCase()),
  };
}

/** Comma-separated items without duplicates, at least so many; empty text is the empty list. */
export function list(
  noun: string,
  accepts: (item: string) => boolean,
  least = 0,
): SettingType<readonly string[]> {
  return {
    noun,
    parse(text) {
      const items = text === "" ? [] : text.split(",").map((item) => item.trim());
      if (items.length < least || !items.every(accepts)) return undefined;
      return new Set(items).size === items.length ? items : undefined;
    },
  };
}

/** True, False or `auto`. */
export const booleanOrAuto: SettingType<boolean | "auto"> = {
  noun: "True, False or auto",
  parse: (text) => text.toLowerCase() === "auto" ? "auto" : BOOLEANS.get(text.toLowerCase()),
};

/** A character encoding of answers; its value is the standard's name in lower case. */
export const encoding: SettingType<string> = {
  noun: "utf-8, utf-16le or the name of a single-byte encoding",
  parse(text) {
    const name = encodingName(text);
    return name !== undefined && (/^utf-(8|16le)$/.test(name) || isSingleByte(name)) ? name : undefined;
  },
};

/** An IP address, or a network as address and prefix length. */
export function isAddress(item: string): boolean {
  const [address = "", prefix, ...more] = item.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Scheme, host and port, without a path. */
export function isOrigin(item: string): boolean {
  const url = URL.parse(item);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === item;
}

function inRange(value: number, least: number, most: number): number | undefined {
  return value >= least && value <= most ? value : undefined;
}

/** Labels that the web platform reads as windows-1252; here they stand for the smaller encodings. */
const NARROW = new Map([
  ...["iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "latin1", "latin-1", "l1"].map((label) =>
    [label, "iso-8859-1"] as const
  ),
  ...["us-ascii", "ascii", "ansi_x3.4-1968"].map((label) => [label, "us-ascii"] as const),
]);

function encodingName(label: string): string | undefined {
  const narrow = NARROW.get(label.trim().toLowerCase());
  if (narrow !== undefined) return narrow;
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** In a multi-byte encoding some bytes give no character before the next byte. */
function isSingleByte(name: string): boolean {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  return bytes.every((byte) =>
    new TextDecoder(name).decode(Uint8Array.of(byte), { stream: true }).length === 1
  );
}
