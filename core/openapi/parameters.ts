/**
 * Parameters of operations, as components of an OpenAPI document and references to them.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import { PARAMETERS, type ParameterUse } from "@/core/request/parameter_table.ts";

/** Headers that say how a request is carried out. */
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

/** References to the query parameters that have one of these uses. */
export function parametersFor(...uses: readonly ParameterUse[]): readonly Json[] {
  return [...PARAMETERS].filter(([, parameter]) => parameter.uses.some((use) => uses.includes(use))).map((
    [name],
  ) => parameterReference(name));
}

/** Uses that some operation has; `table` needs filters that no template can tell, `layout` another format. */
const DESCRIBED: readonly ParameterUse[] = ["list", "record", "path", "body"];

/** `components.parameters`. */
export function parameterComponents(): Readonly<Record<string, Json>> {
  const shown = [...PARAMETERS].filter(([, { uses }]) => uses.some((use) => DESCRIBED.includes(use)));
  const query = shown.map(([name, { schema, doc }]) =>
    [name, { name, in: "query", description: doc, schema }] as const
  );
  return { ...Object.fromEntries(query), ...HEADERS };
}

function parameterReference(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}
