/**
 * Writes errors: any exception becomes a response in the requested format.
 *
 * @module
 */

import { ascii, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { Problem } from "@/core/model.ts";
import { localPath } from "@/core/base/local_path.ts";
import { canLogIn, loginLink } from "@/core/login/login_page.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { type Caller, PUBLIC, SESSION_ENDED } from "@/core/identity/permissions.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { encodeChunk } from "./respond_chunk.ts";
import type { Page } from "@/plugins/contract.ts";

/** Longest description in characters; the `Warning` header has it, too. */
const MAX_LENGTH = 500;

/** The frame of the page of an error or a form: no data, and a login link that leads back. */
export function problemPage(
  target: string,
  caller: Pick<Caller, "user" | "session" | "sessionEnded"> | undefined,
  service: Service,
): Page {
  const { session, user, sessionEnded } = caller ?? {};
  const way = session
    ? { logout: `${service.prefix}/logout`, csrfToken: session.csrfToken }
    : loginOf(target, service);
  return {
    path: "/",
    user: user?.login ?? PUBLIC,
    prefix: service.prefix,
    formats: [],
    offset: 0,
    link: (extension) => `${service.prefix}/db.${extension}`,
    ...(sessionEnded ? { notice: SESSION_ENDED } : {}),
    ...way,
  };
}

/** The address of another page must not contain credentials of the query. */
function loginOf(target: string, service: Service): Pick<Page, "login"> {
  if (!canLogIn(service)) return {};
  const { path, query } = splitTarget(target, service.prefix);
  const hasSecret = [...new URLSearchParams(query).keys()].some((name) => service.credentialNames.has(name));
  const page = `${service.prefix}${path}${query === "" || hasSecret ? "" : `?${query}`}`;
  return { login: loginLink(localPath(page, service.prefix) ?? `${service.prefix}/`, service) };
}

/** A message in the form for the `Warning` header and `description`. */
export function warningText(message: string): string {
  const text = ascii(message.replace(/[\r\n]+/g, " "));
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 3)}...` : text;
}

/**
 * Answers with an error. The message of a `ServiceError` is for the caller; any other exception is an unexpected failure:
 * 500, logged in full with the request's id, without details for the caller.
 */
export function respondProblem(error: unknown, format: Negotiated, exchange: Exchange): Response {
  const { requestId, service, target, caller } = exchange;
  const refusal = error instanceof ServiceError ? error : unexpected(error, requestId, service);
  const { notice, ...frame } = problemPage(target, caller, service);
  const problem = describe(refusal, notice);
  const headers = new Headers(Object.entries({ ...refusal.headers, Warning: problem.description }));
  if (refusal.code === "not-acceptable") return new Response(null, { status: problem.httpCode, headers });
  const { charset } = service.encoder;
  const options = { contentType: format.contentType, charset, nullMarker: "<null>", stream: false };
  const body = encodeChunk(format.format.problem(problem, options, frame), format, service);
  headers.set("Content-Type", service.contentTypeOf(format));
  return new Response(body, { status: problem.httpCode, headers });
}

/** A notice, such as the end of a session, precedes the message, because programs read nothing else. */
function describe(refusal: ServiceError, notice: string | undefined): Problem {
  const description = warningText(notice === undefined ? refusal.message : `${notice}. ${refusal.message}`);
  const { status: httpCode, urlTemplate, errors } = refusal;
  return {
    httpCode,
    description,
    ...(urlTemplate === undefined ? {} : { urlTemplate }),
    ...(errors === undefined ? {} : { errors }),
  };
}

function unexpected(error: unknown, requestId: string, service: Service): ServiceError {
  service.log.error(`Request ${requestId} failed unexpectedly`, error);
  return new ServiceError(
    "internal",
    `The request failed unexpectedly: the details are in the log of the service under ${requestId}`,
  );
}
