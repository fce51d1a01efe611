/**
 * Elements as a tree, for documents that are made once and read by people, too.
 *
 * @module
 */

import { escapeAttribute, escapeText } from "./text.ts";

/** An element that is yet to be written. Its names are already such as XML allows. */
export interface Element {
  readonly name: string;
  /** In the order of writing; values are plain text, escaped when they are written. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** Elements, or nothing but text. */
  readonly content: readonly Element[] | string;
}

/** Attributes by name; those that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** Attributes are written in the order in which they are given. */
export function element(name: string, attributes: Attributes, content: Element["content"] = []): Element {
  const given = Object.entries(attributes).flatMap(([key, value]) => {
    return value === undefined ? [] : [[key, value] as const];
  });
  return { name, attributes: given, content };
}

/** An element per line, indented by its depth. */
export function writeElement({ name, attributes, content }: Element, indent = ""): string {
  const start = `${indent}<${name}${
    attributes.map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`).join("")
  }`;
  if (content.length === 0) return `${start}/>\n`;
  if (typeof content === "string") return `${start}>${escapeText(content)}</${name}>\n`;
  const children = content.map((child) => writeElement(child, `${indent}  `)).join("");
  return `${start}>\n${children}${indent}</${name}>\n`;
}
