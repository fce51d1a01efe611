/**
 * Writes errors: any exception becomes a response in the requested format.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import { ascii, quote, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { ADMIN, type Caller } from "@/core/identity/permissions.ts";
import type { Problem, QueryDefinition } from "@/core/model.ts";
import { definitionLinks } from "@/core/pages/queries/query_links.ts";
import { urlTemplateOf } from "@/core/queries/arguments.ts";
import { isExecutable } from "@/core/queries/find_query.ts";
import { parameterNames } from "@/core/queries/saved_query.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import { cutExtension, readName } from "@/core/request/path_grammar.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { Page, PageAction } from "@/plugins/contract.ts";
import { problemPage } from "./page.ts";
import { encodeChunk, plainOptions } from "./respond_chunk.ts";
import type { Bytes } from "./write_body.ts";

/** Longest description in characters; the `Warning` header has it, too. */
const MAX_LENGTH = 500;

/** A message in the form for the `Warning` header and `description`. */
export function warningText(message: string): string {
  const text = ascii(message.replace(/[\r\n]+/g, " "));
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 3)}...` : text;
}

/**
 * Answers with an error. The message of a `ServiceError` is for the caller; any other exception is an
 * unexpected failure: 500, logged in full with the request's id, without details for the caller.
 */
export function respondProblem(error: unknown, format: Negotiated, exchange: Exchange): Eventual<Response> {
  const { requestId, service, target, caller } = exchange;
  if (error instanceof LatePlugin) exchange.log.error(error.reason);
  const refusal = error instanceof ServiceError ? error : unexpected(error, exchange);
  const { notice, ...frame } = {
    ...problemPage(target, caller, { format: format.name, service }),
    actions: [
      ...refusal.links,
      ...linksOfAdmin(refusal, caller, { target, service }),
      ...linksOfAuthor(exchange),
    ],
    requestId,
  };
  const problem = {
    ...describe(refusal, notice),
    ...templateOf(refusal, format, exchange),
    ...nearestLinks(refusal, target, service),
  };
  const headers = new Headers(Object.entries({ ...refusal.headers, Warning: problem.description }));
  if (refusal.code === "not-acceptable") return new Response(null, { status: problem.httpCode, headers });
  return whenThere(writeProblem(problem, { format, frame }, exchange), ({ body, type }) => {
    headers.set("Content-Type", type);
    exchange.written = body;
    return new Response(body, { status: problem.httpCode, headers });
  });
}

/** The pages on which admin, and nobody else, can change what is in the way. */
function linksOfAdmin(
  { code }: ServiceError,
  caller: Caller | undefined,
  { target, service }: { readonly target: string; readonly service: Service },
): readonly PageAction[] {
  if (caller?.user.login !== ADMIN) return [];
  const { prefix } = service;
  if (code === "forbidden") {
    return [{ label: "Give me access", href: `${prefix}/userdef/${ADMIN}.html?ui.edit` }];
  }
  const [section, database] = segmentsOf(target, service);
  if (code !== "unavailable" || section !== "db" || !database) return [];
  return [{ label: "See the database", href: `${prefix}/dbdef/${database}.html` }];
}

/** The definition of the query that cannot be run, for a user who may change it. */
function linksOfAuthor({ caller, target, service }: Exchange): readonly PageAction[] {
  const definition = caller && queryIn(target, service);
  return definition ? definitionLinks(definition, caller.user, service) : [];
}

/** The form of the query's URL, for who may run the query. */
function templateOf(
  { code }: ServiceError,
  { name: extension }: Negotiated,
  { caller, target, service }: Exchange,
): Pick<Problem, "urlTemplate"> {
  if (code !== "bad-request" && code !== "method-not-allowed") return {};
  const definition = caller && queryIn(target, service);
  if (!definition || !isExecutable(definition, caller, service)) return {};
  const names = parameterNames(definition, service.databases);
  return { urlTemplate: urlTemplateOf({ id: definition.id, names, extension }, service) };
}

function queryIn(target: string, service: Service): QueryDefinition | undefined {
  const { queries } = service;
  const [section, id = ""] = segmentsOf(target, service);
  if (section !== "query") return undefined;
  const name = nameIn(id, service);
  return name && (queries.get(name.literal) ?? queries.get(name.substituted));
}

/** The raw segments of the path, without prefix and extension. */
function segmentsOf(target: string, { prefix, formats }: Service): readonly string[] {
  return cutExtension(splitTarget(target, prefix).path, formats).path.split("/").slice(1);
}

/** A format that cannot even show an error does not hide it: the client gets the sentence as text. */
function writeProblem(
  problem: Problem,
  { format, frame }: { readonly format: Negotiated; readonly frame: Page },
  { service, log }: Exchange,
): Eventual<{ readonly body: string | Bytes; readonly type: string }> {
  const { schemasOf } = format.format;
  // Errors of a format that shows schemas look like those of the format whose schemas they are.
  const writer = (schemasOf === undefined ? undefined : service.formats.get(schemasOf)) ?? format;
  const write = () => {
    const chunk = writer.format.problem(problem, plainOptions(format, service), frame);
    return whenThere(chunk, (written) => {
      return { body: encodeChunk(written, format, service), type: service.contentTypeOf(format) };
    });
  };
  return attempt(write, (error) => {
    const reason = error instanceof LatePlugin ? error.reason : error;
    log.error(`The format ${quote(format.name)} cannot show an error`, reason);
    return { body: `${problem.httpCode} ${problem.description}\n`, type: "text/plain; charset=utf-8" };
  });
}

/** A notice, such as the end of a session, precedes the message, because programs read nothing else. */
function describe(refusal: ServiceError, notice: string | undefined): Problem {
  const description = warningText(notice === undefined ? refusal.message : `${notice}. ${refusal.message}`);
  const { status: httpCode, errors } = refusal;
  return { httpCode, description, ...defined({ errors }) };
}

/** Pages of the similar names: the path up to the name, with each of them in its place. */
function nearestLinks({ nearest }: ServiceError, target: string, service: Service): Pick<Problem, "nearest"> {
  if (!nearest) return {};
  const segments = segmentsOf(target, service);
  const at = segments.findLastIndex((segment) => nameIn(segment, service)?.literal === nearest.wanted);
  if (at < 0) return {};
  const base = [service.prefix, ...segments.slice(0, at)].join("/");
  return {
    nearest: nearest.names.map((label) => ({
      label,
      href: `${base}/${printName(label, service.links)}.html`,
    })),
  };
}

/** Undefined for a segment in broken percent-encoding. */
function nameIn(segment: string, { grammar }: Service): ReturnType<typeof readName> | undefined {
  try {
    return readName(segment, grammar);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function unexpected(error: unknown, { requestId, log }: Exchange): ServiceError {
  log.error("A request failed unexpectedly", error);
  return new ServiceError(
    "internal",
    `The request failed unexpectedly: the details are in the log of the service under ${requestId}`,
  );
}
