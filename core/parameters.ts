/**
 * The query parameters of data resources: one table of names and types. Pure.
 *
 * @module
 */

import { quote, ServiceError } from "./errors.ts";
import { nearest } from "./nearest.ts";

export interface SortKey {
  readonly column: string;
  readonly descending: boolean;
}

/** Parameters as they stand in the URL; an absent member was not given. */
export interface Parameters {
  readonly limit?: number;
  readonly offset?: number;
  readonly sort?: readonly SortKey[];
  readonly distinct?: boolean;
  readonly count?: boolean;
  readonly depth?: number;
  readonly stream?: boolean;
  readonly href?: boolean;
  readonly wantarray?: boolean;
  readonly transpose?: boolean;
  readonly headers?: boolean;
  readonly csvNullStr?: boolean;
  readonly nil_visible?: boolean;
  readonly nullStr?: string;
  readonly separator?: string;
  readonly wildcard?: string;
  readonly placeholder?: string;
}

type ParameterName = keyof Parameters;
type Parse = (text: string | undefined, name: string) => Parameters[ParameterName];

/** Largest `depth`. */
const MAX_DEPTH = 5;

const PARAMETERS: ReadonlyMap<string, Parse> = new Map<ParameterName, Parse>([
  ["limit", natural(Number.MAX_SAFE_INTEGER)],
  ["offset", natural(Number.MAX_SAFE_INTEGER)],
  ["sort", sortKeys],
  ["distinct", flag],
  ["count", flag],
  ["depth", natural(MAX_DEPTH)],
  ["stream", flag],
  ["href", flag],
  ["wantarray", flag],
  ["transpose", flag],
  ["headers", flag],
  ["csvNullStr", flag],
  ["nil_visible", flag],
  ["nullStr", marker],
  ["separator", marker],
  ["wildcard", marker],
  ["placeholder", marker],
]);

const FLAGS: ReadonlyMap<string | undefined, boolean> = new Map([
  [undefined, true],
  ["true", true],
  ["True", true],
  ["1", true],
  ["false", false],
  ["False", false],
  ["0", false],
]);

/** What a URL without query string has; always the same object. */
export const NO_PARAMETERS: Parameters = Object.freeze({});
const NO_CREDENTIALS: ReadonlyMap<string, string> = new Map();

/** What a query string holds: parameters of the API, and credentials for the authentication methods. */
export interface QueryString {
  readonly parameters: Parameters;
  readonly credentials: ReadonlyMap<string, string>;
}

/**
 * Reads a raw query string, without its question mark. Names in `credentialNames` are kept apart, names that start
 * with `ui.` belong to the pages and are skipped. Throws 400 naming a parameter that is unknown, repeated or of the
 * wrong type.
 */
export function parseQuery(query: string, credentialNames: ReadonlySet<string>): QueryString {
  if (query === "") return { parameters: NO_PARAMETERS, credentials: NO_CREDENTIALS };
  const parameters: Record<string, Parameters[ParameterName]> = {};
  const credentials = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, text] of pairs(query)) {
    if (name.startsWith("ui.")) continue;
    if (seen.has(name)) {
      throw new ServiceError("bad-request", `Cannot use parameter ${quote(name)}: it is repeated`);
    }
    seen.add(name);
    if (credentialNames.has(name)) credentials.set(name, text ?? "");
    else parameters[name] = findParser(name)(text, name);
  }
  return { parameters, credentials };
}

function findParser(name: string): Parse {
  const parse = PARAMETERS.get(name);
  if (parse) return parse;
  const names = nearest(name, [...PARAMETERS.keys()]);
  const hint = names.length > 0 ? `the nearest are ${names.map(quote).join(", ")}` : "it is unknown";
  throw new ServiceError("bad-request", `Cannot use parameter ${quote(name)}: ${hint}`);
}

/** Splits a raw query string; a name without `=` has no text. */
function* pairs(query: string): Iterable<readonly [string, string | undefined]> {
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    if (equals < 0) yield [decodeParameter(pair), undefined];
    else yield [decodeParameter(pair.slice(0, equals)), decodeParameter(pair.slice(equals + 1))];
  }
}

function decodeParameter(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll("+", " "));
  } catch (cause) {
    throw new ServiceError("bad-request", `Cannot decode the query string at ${quote(raw)}`, { cause });
  }
}

function wrong(name: string, expected: string, text: string | undefined): ServiceError {
  const found = text === undefined ? "no value" : quote(text);
  return new ServiceError(
    "bad-request",
    `Cannot use parameter "${name}": expected ${expected}, found ${found}`,
  );
}

function flag(text: string | undefined, name: string): boolean {
  const value = FLAGS.get(text);
  if (value === undefined) throw wrong(name, "true or false", text);
  return value;
}

function natural(largest: number): Parse {
  return (text, name) => {
    const value = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (!(value <= largest)) throw wrong(name, `a whole number from 0 to ${largest}`, text);
    return value;
  };
}

function marker(text: string | undefined, name: string): string {
  if (text === undefined || text === "") throw wrong(name, "at least one character", text);
  return text;
}

function sortKeys(text: string | undefined, name: string): readonly SortKey[] {
  const keys = (text ?? "").split(",").map((part) => {
    return part.startsWith("-")
      ? { column: part.slice(1), descending: true }
      : { column: part, descending: false };
  });
  if (keys.some((key) => key.column === "")) throw wrong(name, "column names, as in Country,-LastName", text);
  return keys;
}
