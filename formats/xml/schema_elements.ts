/**
 * What XML Schemas of records and of documents are made of.
 *
 * @module
 */

import type { SchemaOptions } from "@/plugins/contract.ts";
import { type Attributes, type Element, element, writeElement } from "./element.ts";
import type { Frame } from "./frame.ts";

const SCHEMA = "http://www.w3.org/2001/XMLSchema";

/** A whole schema: the root element has this type. */
export function writeRoot(type: Element, frame: Frame): string {
  const root = element("xs:element", { name: frame.root }, [type]);
  const attributes = { "xmlns:xs": SCHEMA, targetNamespace: frame.xmlns, elementFormDefault: "qualified" };
  return frame.declaration + writeElement(element("xs:schema", attributes, [root]));
}

/** What there is to say about an element. */
export function annotation(comment: string | undefined): readonly Element[] {
  if (comment === undefined) return [];
  return [element("xs:annotation", {}, [element("xs:documentation", {}, comment)])];
}

/** Elements one after the other, and the reference, which is absent where a record has no key. */
export function sequenceType(children: readonly Element[], refers = false): Element {
  const sequence = element("xs:sequence", {}, children);
  const attribute = element("xs:attribute", { name: "href", type: "xs:anyURI" });
  return element("xs:complexType", {}, refers ? [sequence, attribute] : [sequence]);
}

/** How often an element may stand there. */
export function timesOf(least: number, most: SchemaOptions["cardinality"]): Attributes {
  return { minOccurs: String(least), maxOccurs: String(most) };
}
