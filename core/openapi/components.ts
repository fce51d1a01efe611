/**
 * The components that all databases share in an OpenAPI document: only those that something refers to.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import { parameterComponents } from "./parameters.ts";
import { HEADER_COMPONENTS, responseComponents } from "./responses.ts";
import type { JsonObject } from "./schemas.ts";

/** References to shared components in a piece of the document, as they stand there: `#/components/responses/Done`. */
export function referencesIn(text: string): ReadonlySet<string> {
  const found = text.matchAll(/"\$ref":"(#\/components\/(?:parameters|responses|headers)\/\w+)"/g);
  return new Set(found.map(([, reference]) => reference ?? ""));
}

const PARAMETERS = parameterComponents();
const RESPONSES = responseComponents("application/json");

/** `components.parameters`, `.responses` and `.headers`. */
export function sharedComponents(references: ReadonlySet<string>): JsonObject {
  const responses = keep("responses", RESPONSES, references);
  const headers = references.union(referencesIn(JSON.stringify(responses)));
  return {
    parameters: keep("parameters", PARAMETERS, references),
    responses,
    headers: keep("headers", HEADER_COMPONENTS, headers),
  };
}

function keep(kind: string, components: JsonObject, references: ReadonlySet<string>): Json {
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => references.has(`#/components/${kind}/${name}`)),
  );
}
