/**
 * Reads the members of mappings in configuration files: each kind of block is a table from member to reader.
 *
 * @module
 */

import { didYouMean } from "@/core/base/nearest.ts";
import { quote } from "@/core/errors.ts";

export { defined } from "@/core/base/defined.ts";

/** One mistake in one file, without values of secrets. */
export interface Complaint {
  readonly file: string;
  /** The setting or the path of the member; empty for the whole file. */
  readonly key: string;
  /** The expected and the found value. */
  readonly message: string;
}

/** The position of a value, and the list for complaints about it. */
export interface Place {
  readonly file: string;
  readonly key: string;
  readonly complaints: Complaint[];
}

/** The place of a member of the value at `place`. */
export function inside(place: Place, member: string | number): Place {
  return { ...place, key: place.key === "" ? `${member}` : `${place.key}.${member}` };
}

/** Adds a complaint. Returns undefined, the result of readers for an invalid value. */
export function complain(place: Place, message: string): undefined {
  place.complaints.push({ file: place.file, key: place.key, message });
}

/** Converts data to a value; an invalid one becomes a complaint and undefined. */
export type Reader<T> = (value: unknown, place: Place) => T | undefined;

/** The permitted members of a block. */
export type Shape = Readonly<Record<string, Reader<unknown>>>;

/** The values of a block: undefined for members that are absent, null or wrong. */
export type Members<S extends Shape> = { readonly [Key in keyof S]: ReturnType<S[Key]> | undefined };

/** A YAML mapping. */
export type Block = Readonly<Record<string, unknown>>;

/** Any text. Numbers and booleans are refused, because YAML may have changed their spelling. */
export function text(value: unknown, place: Place): string | undefined {
  if (typeof value === "string") return value;
  const hint = typeof value === "number" || typeof value === "boolean" ? ": put it in quotes" : "";
  return complain(place, `Expected text, found ${describe(value)}${hint}`);
}

/** Text that is not empty. */
export function filledText(value: unknown, place: Place): string | undefined {
  return value === "" ? complain(place, "Expected text, found empty text") : text(value, place);
}

/** A boolean; also as text, the type of environment variables. */
export function flag(value: unknown, place: Place): boolean | undefined {
  if (value === true || value === false) return value;
  if (value === "true" || value === "false") return value === "true";
  return complain(place, `Expected true or false, found ${describe(value)}`);
}

/** A mapping with any members. */
export function block(value: unknown, place: Place): Block | undefined {
  return isBlock(value) ? value : complain(place, `Expected a mapping, found ${describe(value)}`);
}

/** An integer from `least` to `most`; also as text, the type of environment variables. */
export function integer(least: number, most = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (value, place) => {
    const number = numberOf(value);
    if (number !== undefined && Number.isSafeInteger(number) && number >= least && number <= most) {
      return number;
    }
    const from = least === Number.MIN_SAFE_INTEGER ? "" : ` from ${least}`;
    const to = most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`;
    return complain(place, `Expected an integer${from}${to}, found ${number ?? describe(value)}`);
  };
}

/** A number of seconds above zero. */
export function seconds(value: unknown, place: Place): number | undefined {
  const number = numberOf(value);
  if (number !== undefined && number > 0 && Number.isFinite(number)) return number;
  return complain(place, `Expected a number of seconds greater than 0, found ${number ?? describe(value)}`);
}

/** One of several words. */
export function oneOf<Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value, place) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    const shown = typeof value === "string" ? quote(value) : describe(value);
    return complain(place, `Expected one of ${words.join(", ")}, found ${shown}`);
  };
}

/** A list; invalid items are left out. */
export function listOf<T>(reader: Reader<T>, least = 0): Reader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) return complain(place, `Expected a list, found ${describe(value)}`);
    if (value.length < least) return complain(place, "Expected a list with at least one item");
    return value.map((item, index) => reader(item, inside(place, index))).filter((item) =>
      item !== undefined
    );
  };
}

/** A mapping from names to values of one kind. */
export function mapOf<T>(reader: Reader<T>): Reader<ReadonlyMap<string, T>> {
  return (value, place) => {
    const map = new Map<string, T>();
    for (const [key, item] of Object.entries(block(value, place) ?? {})) {
      const read = reader(item, inside(place, key));
      if (read !== undefined) map.set(key, read);
    }
    return map;
  };
}

/** A mapping with a shape of its own, which the reader shows to documents. */
export function nested<const S extends Shape>(
  shape: S,
  required: readonly (keyof S & string)[] = [],
): Reader<Members<S>> & { readonly shape: S } {
  const read: Reader<Members<S>> = (value, place) => {
    const members = block(value, place);
    return members && readMembers(members, place, shape, required);
  };
  return Object.assign(read, { shape });
}

/** A text in another form; `parse` throws an error whose message does not quote the text. */
export function parsed<T>(parse: (text: string) => T): Reader<T> {
  return (value, place) => {
    const written = filledText(value, place);
    if (written === undefined) return undefined;
    try {
      return parse(written);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return complain(place, error.message);
    }
  };
}

/** The reader of a member that samples leave empty: an empty text counts as absent. */
export function unlessEmpty<T>(reader: Reader<T>): Reader<T> {
  return (value, place) => value === "" ? undefined : reader(value, place);
}

/** Reads a block by its shape; unknown members and absent `required` ones become complaints. */
export function readMembers<const S extends Shape>(
  value: Block,
  place: Place,
  shape: S,
  required: readonly (keyof S & string)[] = [],
): Members<S> {
  const names = Object.keys(shape);
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(shape, name)) complainAboutUnknown(name, names, place);
  }
  for (const name of required) requireValue(value[name], inside(place, name));
  const read = Object.entries(shape).map(([name, reader]) => {
    const member = Object.hasOwn(value, name) ? value[name] ?? null : null;
    return [name, member === null ? undefined : reader(member, inside(place, name))] as const;
  });
  return Object.fromEntries(read) as Members<S>;
}

/** Complains about a value that has to be there, unless its place has a complaint already. */
export function requireValue(value: unknown, place: Place): void {
  const isKnown = place.complaints.some(({ key }) => key === place.key);
  if ((value ?? null) === null && !isKnown) complain(place, "Is required, found nothing");
}

/** Complains about an unknown name and suggests a similar one. */
export function complainAboutUnknown(name: string, known: readonly string[], place: Place): void {
  const hint = didYouMean(name, known) || `: expected one of ${known.join(", ")}`;
  complain(inside(place, name), `Unknown member${hint}`);
}

/** Whether a value is a mapping. */
export function isBlock(value: unknown): value is Block {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

/** The kind of a value, without the value itself. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  if (typeof value === "object") return "a mapping";
  return typeof value === "number" ? "a number" : "a boolean";
}
