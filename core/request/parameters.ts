/**
 * The query parameters of a request. Pure.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import { nearest } from "@/core/base/nearest.ts";
import {
  type Parameter,
  type ParameterName,
  PARAMETERS,
  type Parameters,
  type ParameterUse,
} from "./parameter_table.ts";

export type { Parameters, SortKey } from "./parameter_table.ts";

/** Uses that exist for writing; other parameters are refused instead of ignored. */
const FOR_WRITING: ReadonlySet<ParameterUse> = new Set(["path", "body", "table"]);

/** Uses that exist for documents, which are not lists that could be paged, sorted or expanded. */
const FOR_DOCUMENTS: ReadonlySet<ParameterUse> = new Set(["document", "layout"]);

/** The parameters of a URL without query; always the same object. */
export const NO_PARAMETERS: Parameters = Object.freeze({});
const NO_CREDENTIALS: ReadonlyMap<string, string> = new Map();

/** The content of a query string: parameters of the API, and credentials for the authentication methods. */
export interface QueryString {
  readonly parameters: Parameters;
  readonly credentials: ReadonlyMap<string, string>;
}

/**
 * Reads a raw query string, without its question mark. Names in `credentialNames` are returned separately; names that
 * start with `ui.` belong to the pages and are skipped. Throws 400 with the name of a parameter that is unknown, repeated
 * or invalid.
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

/** Refuses parameters without meaning for POST, PUT and DELETE. */
export function requireWritable(parameters: Parameters, method: string): void {
  const name = findUseless(parameters, FOR_WRITING);
  if (name === undefined) return;
  throw new ServiceError(
    "bad-request",
    `Cannot use parameter ${quote(name)} with ${method}: it is for reading`,
  );
}

/** Refuses parameters without meaning for documents. */
export function requireForDocuments(parameters: Parameters, isSchema: boolean): void {
  if (parameters === NO_PARAMETERS) return;
  const name = findUseless(parameters, FOR_DOCUMENTS);
  if (name !== undefined) throw unused(name, "table data");
  if (parameters.cardinality !== undefined && !isSchema) throw unused("cardinality", "schema");
}

function findUseless(parameters: Parameters, uses: ReadonlySet<ParameterUse>): string | undefined {
  return Object.keys(parameters).find((name) => !PARAMETERS.get(name)?.uses.some((use) => uses.has(use)));
}

/** Refuses parameters without meaning for a saved query. */
export function refuseParameters(parameters: Parameters, names: readonly ParameterName[]): void {
  const name = names.find((each) => parameters[each] !== undefined);
  if (name === undefined) return;
  throw new ServiceError("bad-request", `Cannot use parameter ${quote(name)} with this query`);
}

/** The refusal of a parameter that would have no effect. */
export function unused(name: string, use: string): ServiceError {
  return new ServiceError("bad-request", `Cannot use parameter ${quote(name)} here: it belongs to ${use}`);
}

function findParser(name: string): Parameter["parse"] {
  const known = PARAMETERS.get(name);
  if (known) return known.parse;
  const names = nearest(name, [...PARAMETERS.keys()]);
  const hint = names.length > 0
    ? `the nearest are ${names.map(quote).join(", ")}`
    : `it is unknown; a filter is a step of the path: /{column}/{value}`;
  throw new ServiceError("bad-request", `Cannot use parameter ${quote(name)}: ${hint}`);
}

/** Splits a raw query string; a name without `=` has an undefined value. */
function* pairs(query: string): Iterable<readonly [string, string | undefined]> {
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    if (equals < 0) yield [decodeParameter(pair), undefined];
    else yield [decodeParameter(pair.slice(0, equals)), decodeParameter(pair.slice(equals + 1))];
  }
}

/** The name of a raw `name=value` pair. */
export function parameterName(pair: string): string {
  const equals = pair.indexOf("=");
  return decodeParameter(equals < 0 ? pair : pair.slice(0, equals));
}

function decodeParameter(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll("+", " "));
  } catch (cause) {
    throw new ServiceError("bad-request", `Cannot decode the query string at ${quote(raw)}`, { cause });
  }
}
