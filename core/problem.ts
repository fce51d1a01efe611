/**
 * The one place that writes errors: any thrown value to a response in the requested format.
 *
 * @module
 */

import { ascii, ServiceError } from "./errors.ts";
import type { Problem } from "./model.ts";
import type { Negotiated } from "./negotiate.ts";
import { PUBLIC } from "./permissions.ts";
import type { Service } from "./service.ts";
import type { Page } from "@/plugins/contract.ts";

/** Longest description; the `Warning` header carries it, too. */
const MAX_LENGTH = 500;

/** A page for errors that arose before the request was understood. */
export function barePage(service: Service): Page {
  const link = (extension: string) => `${service.prefix}/db.${extension}`;
  return { path: "/", user: PUBLIC, prefix: service.prefix, formats: [], offset: 0, link };
}

/**
 * Answers with an error. A `ServiceError` says itself what the caller may know; anything else is an unexpected failure:
 * 500, logged in full under the request's id, and nothing of it is told.
 */
export function respondProblem(
  error: unknown,
  { format, requestId, service }: { format: Negotiated; requestId: string; service: Service },
): Response {
  const refusal = error instanceof ServiceError ? error : unexpected(error, requestId, service);
  const problem = describe(refusal);
  const headers = new Headers(Object.entries({ ...refusal.headers, Warning: problem.description }));
  if (refusal.code === "not-acceptable") return new Response(null, { status: problem.httpCode, headers });
  const { encode, charset } = service.encoder;
  const options = { contentType: format.contentType, charset, nullMarker: "<null>", stream: false };
  const chunk = format.format.problem(problem, options, barePage(service));
  headers.set("Content-Type", service.contentTypeOf(format));
  const body = typeof chunk === "string" ? encode(chunk, format.format.escape) : new Uint8Array(chunk);
  return new Response(body, { status: problem.httpCode, headers });
}

function describe(refusal: ServiceError): Problem {
  const text = ascii(refusal.message.replace(/[\r\n]+/g, " "));
  const description = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 3)}...` : text;
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
