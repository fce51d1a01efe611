/**
 * XML Schema 1.0 of documents, translated from their JSON Schema. Constructs that XML Schema cannot express,
 * such as elements with any name, become wildcards.
 *
 * @module
 */

import type { DocumentShape, Json, JsonObject, SchemaOptions } from "@/plugins/contract.ts";
import { isList, isObject } from "@/plugins/kit/formats.ts";
import {
  annotation,
  type Attributes,
  type Element,
  element,
  sequenceType,
  timesOf,
  writeRoot,
} from "./element.ts";
import type { Frame } from "./frame.ts";

/** The schema of documents of a shape. */
export function writeDocumentSchema(
  { name, schema }: DocumentShape,
  frame: Frame,
  cardinality: SchemaOptions["cardinality"],
): string {
  const type = typeOf(schema).name;
  if (type === "object") return writeRoot(objectType(schema, frame), frame);
  const root = type === "array"
    ? itemElement(name, objectOf(schema["items"]), frame, timesOf(cardinality))
    : itemElement(name, schema, frame, {});
  return writeRoot(sequenceType([root]), frame);
}

const SIMPLE_TYPES: ReadonlyMap<string, string> = new Map([
  ["string", "xs:string"],
  ["integer", "xs:integer"],
  ["number", "xs:double"],
  ["boolean", "xs:boolean"],
]);

/** One element for a value; in a list, NULL is always shown. */
function itemElement(name: string, schema: JsonObject, frame: Frame, times: Attributes): Element {
  const type = typeOf(schema);
  const encoded = frame.encodeName(name);
  const nillable = type.nullable ? "true" : undefined;
  const attributes = { name: encoded, type: SIMPLE_TYPES.get(type.name), ...times, nillable };
  const content = type.name === "object"
    ? [objectType(schema, frame)]
    : type.name === "array"
    ? [sequenceType([itemElement(name, objectOf(schema["items"]), frame, timesOf("unbounded"))])]
    : [];
  const { description } = schema;
  const comment = typeof description === "string" ? description : undefined;
  return element("xs:element", attributes, [...annotation(comment), ...content]);
}

/** A list becomes one element per item, with the name of the key. */
function memberElement(name: string, schema: JsonObject, frame: Frame, times: Attributes): Element {
  const type = typeOf(schema);
  if (type.name === "any") return itemElement(name, schema, frame, timesOf("unbounded"));
  if (type.name !== "array") {
    const least = type.nullable && !frame.nilVisible ? { minOccurs: "0" } : {};
    return itemElement(name, schema, frame, { ...times, ...least });
  }
  const items = objectOf(schema["items"]);
  const nullable = type.nullable ? { ...items, type: [typeOf(items).name, "null"] } : items;
  return itemElement(name, nullable, frame, timesOf("unbounded"));
}

/** Members in their order; members without a fixed name become wildcards. */
function objectType(schema: JsonObject, frame: Frame): Element {
  const properties = objectOf(schema["properties"]);
  const required = new Set(listOf(schema["required"]));
  const refers = frame.href && Object.hasOwn(properties, frame.refidPrefix);
  const members = Object.entries(properties).filter(([name]) => name !== frame.refidPrefix);
  const elements = members.map(([name, property]) => {
    return memberElement(name, objectOf(property), frame, required.has(name) ? {} : { minOccurs: "0" });
  });
  if (!isOpen(schema)) return sequenceType(elements, refers);
  // XML Schema cannot distinguish optional elements from a wildcard.
  const isFixed = elements.every(({ attributes }) => attributes.every(([name]) => name !== "minOccurs"));
  return sequenceType(isFixed ? [...elements, ANYTHING] : [ANYTHING], refers);
}

const ANYTHING = element("xs:any", { processContents: "skip", ...timesOf("unbounded") });

function isOpen({ additionalProperties }: JsonObject): boolean {
  return additionalProperties !== undefined && additionalProperties !== false;
}

/** The single type of a schema beside null; `any` without a type, or with several. */
function typeOf({ type }: JsonObject): { readonly name: string; readonly nullable: boolean } {
  const names = typeof type === "string" ? [type] : listOf(type);
  const [name, ...others] = names.filter((each) => each !== "null");
  const isKnown = typeof name === "string" && others.length === 0;
  return isKnown ? { name, nullable: names.includes("null") } : { name: "any", nullable: true };
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}
