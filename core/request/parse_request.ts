/**
 * Stage 1: reads URL and headers into a typed value. Pure; independent of schema, user and body.
 *
 * @module
 */

import type { Substitution } from "@/config/mod.ts";
import { badRequest, type ErrorCode, quote, ServiceError } from "@/core/errors.ts";
import type { FormatTable, Negotiated } from "./formats.ts";
import type { Parameters } from "./parameter_table.ts";
import { parseQuery } from "./parameters.ts";
import { createGrammar, cutExtension, type Grammar, readName } from "./path_grammar.ts";

/** The first stage's result. */
export interface ApiRequest {
  readonly method: string;
  /** The first segment: `db`, `settings`. Empty for the root. */
  readonly resource: string;
  /** Raw segments after the first one, without the extension. A trailing slash gives an empty last one. */
  readonly segments: readonly string[];
  readonly format: Negotiated;
  /** The URL's extension, if it is a format. */
  readonly extension: string | undefined;
  /** True when `Accept` decided the format, so that the answer varies by it. */
  readonly negotiated: boolean;
  readonly parameters: Parameters;
  readonly credentials: ReadonlyMap<string, string>;
  readonly grammar: Grammar;
  /**
   * The raw path below the prefix, without extension, and the raw query: the parts of links to this resource.
   */
  readonly path: string;
  readonly query: string;
}

/** Whether a path ends before these segments; a slash at its end is no segment. */
export function isEnd(segments: readonly string[]): boolean {
  return segments.length === 0 || (segments.length === 1 && segments[0] === "");
}

/** The parts of the service that stage 1 uses. */
export interface RequestContext {
  readonly formats: FormatTable;
  readonly grammar: Grammar;
  readonly substitutions: readonly Substitution[];
  readonly prefix: string;
  readonly credentialNames: ReadonlySet<string>;
}

/** A path with more segments is refused before any SQL is built. */
const MAX_SEGMENTS = 200;

/**
 * Reads a request's target (`/db/Chinook/Customer.json?limit=3`, raw). Throws 400 for an invalid path or
 * parameter and 406 if `Accept` matches no format.
 */
export function parseRequest(
  method: string,
  target: string,
  headers: Headers,
  context: RequestContext,
): ApiRequest {
  const { path: full, query } = splitTarget(target, context.prefix);
  const { path, extension } = cutExtension(full, context.formats);
  const format = chooseFormat(extension, headers, context.formats);
  const { parameters, credentials } = parseQuery(query, context.credentialNames, context.formats.parameters);
  const grammar = grammarFor(parameters, context);
  const parts = path.split("/");
  const segments = parts.slice(2);
  if (segments.length > MAX_SEGMENTS) {
    throw badRequest(`Cannot read the path: it has more than ${MAX_SEGMENTS} segments`);
  }
  return {
    method,
    resource: readName(parts[1] ?? "", grammar).literal,
    segments,
    format,
    extension,
    negotiated: extension === undefined,
    parameters,
    credentials,
    grammar,
    path,
    query,
  };
}

/** What stage 2 uses of a request that stage 1 refuses. */
export function unreadRequest(
  method: string,
  target: string,
  headers: Headers,
  context: RequestContext,
): Pick<ApiRequest, "method" | "format" | "path" | "credentials"> {
  const { path, query } = splitTarget(target, context.prefix);
  const sent = [...new URLSearchParams(query)].filter(([name]) => context.credentialNames.has(name));
  return { method, format: formatForErrors(target, headers, context), path, credentials: new Map(sent) };
}

/** The format of errors: that of a known extension, else of the `Accept` header, else the fallback. */
export function formatForErrors(target: string, headers: Headers, context: RequestContext): Negotiated {
  const { extension } = cutExtension(splitTarget(target, context.prefix).path, context.formats);
  try {
    return chooseFormat(extension, headers, context.formats);
  } catch (error) {
    if (error instanceof ServiceError) return context.formats.fallback;
    throw error;
  }
}

/**
 * Adds to the refusal of a name or value that its ending is not a format: `/db/Demo/Track.xlsx`. Names may
 * contain dots, so the ending is mentioned only if the whole segment was not found.
 */
export function explainEnding(error: unknown, target: string, context: RequestContext): unknown {
  if (!(error instanceof ServiceError) || !MAY_BE_ENDING.has(error.code)) return error;
  const [, ending = ""] = UNKNOWN_ENDING.exec(splitTarget(target, context.prefix).path) ?? [];
  if (ending === "" || context.formats.has(ending) || !error.message.includes(`.${ending}"`)) return error;
  return new ServiceError(error.code, `${error.message}; there is no format ${quote(ending)}`, error);
}

const MAY_BE_ENDING: ReadonlySet<ErrorCode> = new Set(["bad-request", "not-found"]);
/** Excludes the end of a range, as in `1..x`. */
const UNKNOWN_ENDING = /(?<!\.)\.([A-Za-z][A-Za-z0-9]*)$/;

/** Removes the prefix of `--base-url` from a path if present: proxies may have removed it. */
export function splitTarget(
  target: string,
  prefix: string,
): { readonly path: string; readonly query: string } {
  const fragment = target.indexOf("#");
  const sent = fragment < 0 ? target : target.slice(0, fragment);
  const mark = sent.indexOf("?");
  const path = mark < 0 ? sent : sent.slice(0, mark);
  const below = prefix !== "" && (path === prefix || path.startsWith(`${prefix}/`))
    ? path.slice(prefix.length)
    : path;
  return { path: below === "" ? "/" : below, query: mark < 0 ? "" : sent.slice(mark + 1) };
}

function chooseFormat(extension: string | undefined, headers: Headers, formats: FormatTable): Negotiated {
  const named = extension === undefined ? undefined : formats.get(extension);
  if (named === undefined) return formats.negotiate(headers.get("accept"));
  return named.format.contentTypes.length > 1 ? formats.typed(named, headers.get("accept")) : named;
}

function grammarFor(parameters: Parameters, context: RequestContext): Grammar {
  const { separator, wildcard, nullStr: nullMarker, placeholder } = parameters;
  if ((separator ?? wildcard ?? nullMarker ?? placeholder) === undefined) return context.grammar;
  requireDifferent({ separator: separator ?? ",", wildcard: wildcard ?? "*" });
  return createGrammar({
    substitutions: context.substitutions,
    separator,
    wildcard,
    nullMarker,
    placeholder,
  });
}

function requireDifferent({ separator, wildcard }: { separator: string; wildcard: string }): void {
  if (separator !== wildcard) return;
  throw badRequest(
    `Cannot use ${quote(separator)} both as parameter "separator" and as parameter "wildcard"`,
  );
}
