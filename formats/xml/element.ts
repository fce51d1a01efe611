/**
 * Elements of XML Schema as a tree: schemas are written once and read by people, too.
 *
 * @module
 */

import type { SchemaOptions } from "@/plugins/contract.ts";
import type { Frame } from "./frame.ts";
import { escapeAttribute, escapeText } from "./text.ts";

/** An element to write, with valid names. */
export interface Element {
  readonly name: string;
  /** In the order of writing; values are plain text and escaped when written. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** Either elements or text. */
  readonly content: readonly Element[] | string;
}

/** Attributes by name; undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** Attributes keep their order. */
export function element(name: string, attributes: Attributes, content: Element["content"] = []): Element {
  const given = Object.entries(attributes).flatMap(([key, value]) => {
    return value === undefined ? [] : [[key, value] as const];
  });
  return { name, attributes: given, content };
}

/** One element per line, indented by depth. */
function writeElement({ name, attributes, content }: Element, indent = ""): string {
  const start = `${indent}<${name}${
    attributes.map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`).join("")
  }`;
  if (content.length === 0) return `${start}/>\n`;
  if (typeof content === "string") return `${start}>${escapeText(content)}</${name}>\n`;
  const children = content.map((child) => writeElement(child, `${indent}  `)).join("");
  return `${start}>\n${children}${indent}</${name}>\n`;
}

/** A whole schema whose root element has this type. */
export function writeRoot(type: Element, frame: Frame): string {
  const schema = element("xs:schema", {
    "xmlns:xs": "http://www.w3.org/2001/XMLSchema",
    targetNamespace: frame.xmlns,
    elementFormDefault: "qualified",
  }, [element("xs:element", { name: frame.root }, [type])]);
  return frame.declaration + writeElement(schema);
}

/** The comment of an element as an annotation. */
export function annotation(comment: string | undefined): readonly Element[] {
  if (comment === undefined) return [];
  return [element("xs:annotation", {}, [element("xs:documentation", {}, comment)])];
}

/** A sequence of elements with an optional `href` attribute, which records without key lack. */
export function sequenceType(children: readonly Element[], refers = false): Element {
  const sequence = element("xs:sequence", {}, children);
  const attribute = element("xs:attribute", { name: "href", type: "xs:anyURI" });
  return element("xs:complexType", {}, refers ? [sequence, attribute] : [sequence]);
}

/** An element that may be absent, and occurs up to `most` times. */
export function timesOf(most: SchemaOptions["cardinality"]): Attributes {
  return { minOccurs: "0", maxOccurs: String(most) };
}
