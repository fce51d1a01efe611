/**
 * Components that all databases share in an OpenAPI document, limited to
 * those in use, and references to them.
 *
 * @module
 */

import { objectSchema } from "@/core/documents/document_schemas.ts";
import type { Json, JsonObject } from "@/core/model.ts";
import { PARAMETERS, type ParameterUse } from "@/core/request/parameter_table.ts";

/** A reference to a component of the document. */
export function reference(
  kind: "headers" | "parameters" | "responses" | "schemas",
  name: string,
): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

/** The content of a JSON body. */
export function jsonContent(schema: Json): JsonObject {
  return { "application/json": { schema } };
}

/** The content of a body of another type: any text. */
export function textContent(type: string): JsonObject {
  return { [type]: { schema: { type: "string" } } };
}

const REQUEST_HEADERS = {
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "`return=representation`: the answer has the new records, up to 1000, instead of their paths.",
    schema: { const: "return=representation" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "The `ETag` of the record as it was read: refused with 412 when someone else was faster.",
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of a record that is known already: 304 while it is still the same.",
    schema: { type: "string" },
  },
} as const;

/**
 * References to the query parameters that have one of these uses, and to headers of requests. Parameters that
 * give the answer another form are left out: a client's types and checks of it would fit no longer.
 */
export function parametersFor(
  uses: readonly ParameterUse[],
  ...headers: readonly (keyof typeof REQUEST_HEADERS)[]
): readonly Json[] {
  const query = [...PARAMETERS].filter(([, { uses: all, reshapes, onlyWithSchema }]) =>
    !reshapes && !onlyWithSchema && all.some((use) => uses.includes(use))
  );
  return [...query.map(([name]) => name), ...headers].map((name) => reference("parameters", name));
}

/** Answers by status: the component's name and its description. */
const RESPONSES = {
  201: ["Created", "Created: `Location` and body are its URL."],
  204: ["Done", "Done; there is no body."],
  302: ["WithLimit", "The same URL with the default `limit` of the database."],
  304: ["NotModified", "`If-None-Match`: the record is still the same."],
  400: ["BadRequest", "The path, a parameter or the body is wrong; the description says what and where."],
  402: ["LicenceProblem", "The licence has expired or is exceeded: only `admin` is answered."],
  403: ["Forbidden", "The credentials are wrong, or their user may not do this."],
  404: ["NotFound", "There is no such record or resource."],
  406: [
    "NotAcceptable",
    "`Accept` names no format of this service. There is no body, the `Warning` header tells.",
  ],
  408: ["SlowRequest", "The body came too slowly: send it again."],
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

/** References to the answers with these statuses. */
export function responses(...statuses: readonly (keyof typeof RESPONSES)[]): JsonObject {
  return Object.fromEntries(
    statuses.map((status) => [String(status), reference("responses", RESPONSES[status][0])]),
  );
}

type HeaderName = "ETag" | "Location" | "Preference-Applied" | "Retry-After";

/**
 * References to headers of an answer, by their names; every answer has the id of its request, and may have a
 * warning.
 */
export function headers(...names: readonly HeaderName[]): JsonObject {
  const all = [...names, "Warning", "X-Request-Id"];
  return Object.fromEntries(all.map((name) => [name, reference("headers", name.replaceAll("-", ""))]));
}

/** The headers of a list; `name` is that of the header with the number of all records. */
export function listHeaders(name: string): JsonObject {
  return { [name]: reference("headers", "AllRecordCount"), ...headers() };
}

function responseComponent(status: number, description: string): JsonObject {
  if (status < 400) {
    const own = status === 204 ? headers() : headers(status === 304 ? "ETag" : "Location");
    return { description, headers: own, ...(status === 201 ? { content: textContent("text/html") } : {}) };
  }
  const example = { http_code: status, description: description.replaceAll("`", "") };
  const content = { "application/json": { schema: reference("schemas", "Problem"), example } };
  return {
    description,
    headers: status === 429 || status === 503 ? headers("Retry-After") : headers(),
    ...(status === 406 ? {} : { content }),
  };
}

/** The schema of errors. */
export const PROBLEM: Json = {
  title: "Problem",
  ...objectSchema({
    http_code: { type: "integer", description: "The status." },
    description: { type: "string", description: "What is wrong; the `Warning` header has the same text." },
  }, {
    url_template: { type: "string", description: "The shape of the URL that is expected." },
    errors: {
      type: "array",
      items: { type: "string" },
      description: "Everything that is wrong with a body; the first of it is the description.",
    },
  }),
};

const COMPONENTS = {
  parameters: {
    ...Object.fromEntries([...PARAMETERS].map(([name, { schema, doc }]) => {
      return [name, { name, in: "query", description: doc, schema }];
    })),
    ...REQUEST_HEADERS,
  },
  responses: Object.fromEntries(
    Object.entries(RESPONSES).map(([status, [name, description]]) => {
      return [name, responseComponent(Number(status), description)];
    }),
  ),
  headers: {
    Warning: {
      description:
        "Of an error, the text of its `description`; else what to know, such as the end of a session.",
      schema: { type: "string" },
    },
    Location: { description: "The URL to go to.", schema: { type: "string", format: "uri-reference" } },
    ETag: { description: "Tells versions of a record apart.", schema: { type: "string" } },
    PreferenceApplied: { description: "`Prefer` was followed.", schema: { type: "string" } },
    AllRecordCount: {
      description: "`count`: the number of all records, before `limit` and `offset`.",
      schema: { type: "integer", minimum: 0 },
    },
    XRequestId: {
      description: "The id of the request in the log: the one that it was sent with, or a new one.",
      schema: { type: "string" },
    },
    RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } },
  },
} satisfies JsonObject;

/**
 * References to shared components in a piece of the document, as they stand
 * there: `#/components/responses/Done`.
 */
export function referencesIn(piece: Json): ReadonlySet<string> {
  const found = new Set<string>();
  collectReferences(piece, found);
  return found;
}

const SHARED = /^#\/components\/(?:parameters|responses|headers)\//;

function collectReferences(piece: Json, found: Set<string>): void {
  if (typeof piece !== "object" || piece === null) return;
  for (const [name, value] of Object.entries(piece)) {
    if (typeof value !== "string") collectReferences(value, found);
    else if (name === "$ref" && SHARED.test(value)) found.add(value);
  }
}

/** `components.parameters`, `.responses` and `.headers`. */
export function sharedComponents(references: ReadonlySet<string>): JsonObject {
  const responses = keep("responses", references);
  return {
    parameters: keep("parameters", references),
    responses,
    headers: keep("headers", references.union(referencesIn(responses))),
  };
}

function keep(kind: keyof typeof COMPONENTS, references: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(
    Object.entries<Json>(COMPONENTS[kind]).filter(([name]) => references.has(`#/components/${kind}/${name}`)),
  );
}
