/**
 * Components that all databases share in an OpenAPI document, limited to those in use, and references to its parameters.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import { HEADER_COMPONENTS, responseComponents } from "./responses.ts";
import type { JsonObject } from "./schemas.ts";
import { PARAMETERS, type ParameterUse } from "@/core/request/parameter_table.ts";

/** Headers of requests. */
const HEADERS = {
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

/** A reference to the header `If-Match`, for changes of one record. */
export const IF_MATCH = parameterReference("IfMatch");
/** A reference to the header `If-None-Match`. */
export const IF_NONE_MATCH = parameterReference("IfNoneMatch");

/** A reference to the header `Prefer`. */
export const PREFER = parameterReference("Prefer");

/** Uses that are described; `table` needs filters that templates cannot express, `layout` another format. */
const DESCRIBED: readonly ParameterUse[] = ["list", "record", "path", "body"];

const SHARED = /^#\/components\/(?:parameters|responses|headers)\//;
const PARAMETER_COMPONENTS = parameterComponents();
const RESPONSE_COMPONENTS = responseComponents("application/json");

/** References to the query parameters that have one of these uses. */
export function parametersFor(...uses: readonly ParameterUse[]): readonly Json[] {
  return [...PARAMETERS].filter(([, parameter]) => parameter.uses.some((use) => uses.includes(use))).map((
    [name],
  ) => parameterReference(name));
}

/** References to shared components in a piece of the document, as they stand there: `#/components/responses/Done`. */
export function referencesIn(piece: Json): ReadonlySet<string> {
  const found = new Set<string>();
  collectReferences(piece, found);
  return found;
}

function collectReferences(piece: Json, found: Set<string>): void {
  if (typeof piece !== "object" || piece === null) return;
  for (const [name, value] of Object.entries(piece)) {
    if (typeof value !== "string") collectReferences(value, found);
    else if (name === "$ref" && SHARED.test(value)) found.add(value);
  }
}

/** `components.parameters`, `.responses` and `.headers`. */
export function sharedComponents(references: ReadonlySet<string>): JsonObject {
  const responses = keep("responses", RESPONSE_COMPONENTS, references);
  const headers = references.union(referencesIn(responses));
  return {
    parameters: keep("parameters", PARAMETER_COMPONENTS, references),
    responses,
    headers: keep("headers", HEADER_COMPONENTS, headers),
  };
}

function keep(kind: string, components: JsonObject, references: ReadonlySet<string>): Json {
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => references.has(`#/components/${kind}/${name}`)),
  );
}

function parameterComponents(): Readonly<Record<string, Json>> {
  const shown = [...PARAMETERS].filter(([, { uses }]) => uses.some((use) => DESCRIBED.includes(use)));
  const query = shown.map(([name, { schema, doc }]) =>
    [name, { name, in: "query", description: doc, schema }] as const
  );
  return { ...Object.fromEntries(query), ...HEADERS };
}

function parameterReference(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}
