/**
 * Elements that schemas of records and of documents share.
 *
 * @module
 */

import type { SchemaOptions } from "@/plugins/contract.ts";
import { type Attributes, type Element, element, writeElement } from "./element.ts";
import type { Frame } from "./frame.ts";

const SCHEMA = "http://www.w3.org/2001/XMLSchema";

/** A whole schema whose root element has this type. */
export function writeRoot(type: Element, frame: Frame): string {
  const root = element("xs:element", { name: frame.root }, [type]);
  const attributes = { "xmlns:xs": SCHEMA, targetNamespace: frame.xmlns, elementFormDefault: "qualified" };
  return frame.declaration + writeElement(element("xs:schema", attributes, [root]));
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

/** The number of times that an element may occur. */
export function timesOf(least: number, most: SchemaOptions["cardinality"]): Attributes {
  return { minOccurs: String(least), maxOccurs: String(most) };
}
