/**
 * Elements as a tree, for documents that are written once and read by people, too.
 *
 * @module
 */

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
export function writeElement({ name, attributes, content }: Element, indent = ""): string {
  const start = `${indent}<${name}${
    attributes.map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`).join("")
  }`;
  if (content.length === 0) return `${start}/>\n`;
  if (typeof content === "string") return `${start}>${escapeText(content)}</${name}>\n`;
  const children = content.map((child) => writeElement(child, `${indent}  `)).join("");
  return `${start}>\n${children}${indent}</${name}>\n`;
}
