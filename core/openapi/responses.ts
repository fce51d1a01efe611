/**
 * Answers that operations share, as components of an OpenAPI document.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";

/** Errors by status: the component's name and its description. */
const ERRORS = {
  400: ["BadRequest", "The path, a parameter or the body is wrong; the description says what and where."],
  403: ["Forbidden", "The credentials are wrong, or their user may not do this."],
  404: ["NotFound", "There is no such record or resource."],
  406: [
    "NotAcceptable",
    "`Accept` names no format of this service. There is no body, the `Warning` header tells.",
  ],
  409: ["Conflict", "The database refuses it: a key that is there already, or one that others refer to."],
  412: [
    "PreconditionFailed",
    "`If-Match` or `If-None-Match` does not hold: the record is another than was read.",
  ],
  413: ["TooLarge", "The body is larger than this service accepts."],
  415: ["UnsupportedMediaType", "The body is of a type that this service does not read."],
  422: [
    "UpdateConflict",
    "The database refuses the change: a key that is there already, or one that others refer to.",
  ],
  429: [
    "TooManyAttempts",
    "The credentials are wrong, as too many from this address were before: try again after `Retry-After`.",
  ],
  500: ["Failure", "The request failed unexpectedly; the log of the service tells why."],
  501: ["NotImplemented", "The parameters cannot be used together: `stream` with `depth`."],
  503: [
    "Unavailable",
    "The database is disconnected or busy, or sessions cannot be looked up: try again after `Retry-After`.",
  ],
  504: ["Timeout", "The database took too long."],
} as const satisfies Readonly<Record<number, readonly [string, string]>>;

/** A status of an operation's errors. */
export type ErrorStatus = keyof typeof ERRORS;

/** References to the components of these errors. */
export function errorResponses(...statuses: readonly ErrorStatus[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(statuses.map((status) => [String(status), responseReference(ERRORS[status][0])]));
}

/** 201, with the paths of the new records. */
export const CREATED = responseReference("Created");
/** 204, after a change. */
export const DONE = responseReference("Done");
/** 302 to the same URL with the default limit. */
export const WITH_LIMIT = responseReference("WithLimit");
/** 303 to a simpler URL of the same resource. */
export const SIMPLER_URL = responseReference("SimplerUrl");
/** 304, without a body. */
export const NOT_MODIFIED = responseReference("NotModified");

/** References to the components of headers. */
export const ETAG = { ETag: { $ref: "#/components/headers/ETag" } } as const;

/** The header with the number of all records. */
export function countHeader(name: string): Readonly<Record<string, Json>> {
  return { [name]: { $ref: "#/components/headers/AllRecordCount" } };
}

/** `components.responses`. */
export function responseComponents(json: string): Readonly<Record<string, Json>> {
  const location = { Location: { $ref: "#/components/headers/Location" } };
  return {
    Created: {
      description: "Created: `Location` and body are its URL.",
      headers: location,
      content: { "text/html": { schema: { type: "string" } } },
    },
    Done: { description: "Done; there is no body." },
    WithLimit: { description: "The same URL with the default `limit` of the database.", headers: location },
    SimplerUrl: { description: "`schema`: a simpler URL has the same schema.", headers: location },
    NotModified: { description: "`If-None-Match`: the record is still the same.", headers: ETAG },
    ...Object.fromEntries(
      Object.entries(ERRORS).map(([status, [name, description]]) =>
        [name, errorComponent(Number(status), { description, json })] as const
      ),
    ),
  };
}

/** `components.headers`. */
export const HEADER_COMPONENTS: Readonly<Record<string, Json>> = {
  Warning: { description: "The same text as the body's `description`.", schema: { type: "string" } },
  Location: { description: "The URL to go to.", schema: { type: "string", format: "uri-reference" } },
  ETag: { description: "Tells versions of a record apart.", schema: { type: "string" } },
  AllRecordCount: {
    description: "`count`: the number of all records, before `limit` and `offset`.",
    schema: { type: "integer", minimum: 0 },
  },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } },
};

/** The schema of errors. */
export const PROBLEM: Json = {
  title: "Problem",
  type: "object",
  required: ["http_code", "description"],
  properties: {
    http_code: { type: "integer", description: "The status." },
    description: { type: "string", description: "What is wrong; the `Warning` header has the same text." },
    url_template: { type: "string", description: "The shape of the URL that is expected." },
    errors: {
      type: "array",
      items: { type: "string" },
      description: "Everything that is wrong with a body; the first of it is the description.",
    },
  },
};

function errorComponent(
  status: number,
  { description, json }: { readonly description: string; readonly json: string },
): Json {
  const headers = { Warning: { $ref: "#/components/headers/Warning" } };
  const retry = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
  const example = { http_code: status, description: description.replaceAll("`", "") };
  return {
    description,
    headers: status === 429 || status === 503 ? { ...headers, ...retry } : headers,
    ...(status === 406
      ? {}
      : { content: { [json]: { schema: { $ref: "#/components/schemas/Problem" }, example } } }),
  };
}

function responseReference(name: string): Json {
  return { $ref: `#/components/responses/${name}` };
}
