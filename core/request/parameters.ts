/**
 * The query parameters of a request. Pure.
 *
 * @module
 */

import { nearestInWords } from "@/core/base/nearest.ts";
import { badRequest, quote, type ServiceError } from "@/core/errors.ts";
import type { Format } from "@/plugins/contract.ts";
import type { OwnParameter } from "./own_parameters.ts";
import {
  type OwnPart,
  type ParameterName,
  PARAMETERS,
  type Parameters,
  type ParameterUse,
} from "./parameter_table.ts";

/**
 * Purposes of requests: `order` connects or disconnects a database, `rows` asks for the rows of a saved
 * query, `run` runs it in a transaction.
 */
export type RequestPurpose = "read" | "write" | "document" | "order" | "rows" | "run";

/**
 * Uses of the parameters that each purpose accepts. Writing accepts those about the look of one record,
 * without effect: clients send `?href=false` with every request.
 */
const USES: Readonly<Record<RequestPurpose, readonly ParameterUse[]>> = {
  read: ["list", "record", "path", "layout"],
  write: ["record", "path", "body", "table", "layout"],
  document: ["document", "schema", "layout"],
  order: ["document", "layout"],
  rows: ["query", "rows", "schema", "body", "layout"],
  run: ["query", "body", "layout"],
};

/** The parameters of a URL without query; always the same object. */
export const NO_PARAMETERS: Parameters = Object.freeze({});
const NO_CREDENTIALS: ReadonlyMap<string, string> = new Map();

/** The content of a query string: parameters of the API, and credentials for the authentication methods. */
interface QueryString {
  readonly parameters: Parameters;
  readonly credentials: ReadonlyMap<string, string>;
}

/** The parameters of formats by name. */
type OwnTable = ReadonlyMap<string, OwnParameter>;

/**
 * Reads a raw query string, without its question mark. Names in `credentialNames` are returned separately;
 * names that start with `ui.` belong to the pages and are skipped. Throws 400 with the name of a parameter
 * that is unknown, repeated or invalid.
 */
export function parseQuery(
  query: string,
  credentialNames: ReadonlySet<string>,
  table: OwnTable,
): QueryString {
  if (query === "") return { parameters: NO_PARAMETERS, credentials: NO_CREDENTIALS };
  const parameters: Record<string, Parameters[ParameterName]> = {};
  const own: Own = { answer: {}, body: {} };
  const credentials = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, text] of pairs(query)) {
    if (name.startsWith("ui.")) continue;
    if (seen.has(name)) throw badRequest(`Cannot use parameter ${quote(name)}: it is repeated`);
    seen.add(name);
    const known = PARAMETERS.get(name);
    const ofFormat = table.get(name);
    if (credentialNames.has(name)) credentials.set(name, text ?? "");
    else if (known) parameters[name] = known.parse(text, name);
    else if (ofFormat) {
      const value = ofFormat.parse(text, name);
      for (const part of ofFormat.parts) own[part][name] = value;
    } else throw unknown(name, table);
  }
  const isOwn = Object.keys({ ...own.answer, ...own.body }).length > 0;
  return { parameters: isOwn ? { ...parameters, own } : parameters, credentials };
}

/** Values of parameters of formats, by the part that they are for. */
type Own = Record<OwnPart, Record<string, boolean | number | string>>;

/** Refuses parameters without meaning for a purpose, instead of ignoring them. */
export function requireUseful(request: Asking, purpose: RequestPurpose): void {
  const { parameters } = request;
  if (parameters === NO_PARAMETERS) return;
  const { own = { answer: {}, body: {} }, ...others } = parameters;
  const useful = {
    ...(USES[purpose].includes("layout") && own.answer),
    ...(USES[purpose].includes("body") && own.body),
  };
  for (const name of Object.keys({ ...own.answer, ...own.body })) {
    if (!(name in useful)) throw useless(name, REASONS[purpose](request.method));
  }
  for (const name of Object.keys(others)) {
    const { uses = [], onlyWithSchema = false } = PARAMETERS.get(name) ?? {};
    const isUseful = uses.some((use) => USES[purpose].includes(use));
    if (!isUseful) throw useless(name, REASONS[purpose](request.method));
    if (onlyWithSchema && !wantsSchema(request)) {
      throw useless(name, "here: it belongs to schema");
    }
  }
}

/** The parts of a request that decide about its parameters. */
interface Asking {
  readonly method: string;
  readonly parameters: Parameters;
  readonly format: { readonly format: Pick<Format, "schemasOf"> };
}

/** Whether the answer is a schema: by parameter, or by a format that consists of schemas. */
export function wantsSchema({ parameters, format }: Omit<Asking, "method">): boolean {
  return parameters.schema === true || format.format.schemasOf !== undefined;
}

const REASONS = {
  read: () => "here: it belongs to PUT and DELETE",
  write: (method: string) => `with ${method}: it is for reading`,
  document: () => "here: it belongs to table data",
  order: () => "here: the answer is the state of a connection",
  rows: () => "here: it belongs to table data",
  run: (method: string) => `with ${method} of a query`,
} as const satisfies Record<RequestPurpose, (method: string) => string>;

function useless(name: string, why: string): ServiceError {
  return badRequest(`Cannot use parameter ${quote(name)} ${why}`);
}

function unknown(name: string, table: OwnTable): ServiceError {
  const hint = nearestInWords(name, [...PARAMETERS.keys(), ...table.keys()]) ??
    "it is unknown; filters, columns and values of queries are in the path: /{name}/{value}, /{column},{column}; " +
      "order and pages have sort, limit, offset";
  return badRequest(`Cannot use parameter ${quote(name)}: ${hint}`);
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
    const how = "percent-encode the bytes of UTF-8 text";
    throw badRequest(`Cannot decode ${quote(raw)} in the query string: ${how}`, { cause });
  }
}
