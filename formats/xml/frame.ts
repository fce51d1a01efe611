/**
 * The frame of every answer: the declaration and the root element, and the options that its parts share.
 *
 * @module
 */

import type { WriteOptions } from "@/plugins/contract.ts";
import { type NameEncoder, nameEncoder } from "./names.ts";
import { escapeAttribute } from "./text.ts";

/** The configuration of XML. */
export interface XmlSettings {
  readonly rootTag: string;
  readonly xmlns: string;
  readonly nilVisible: boolean;
  readonly href: boolean;
  /** The key of references in the tree of a document. */
  readonly refidPrefix: string;
}

/** The settings, overridden by the request, and the constant parts of an answer. */
export interface Frame extends XmlSettings {
  readonly encodeName: NameEncoder;
  /** The root's encoded name. */
  readonly root: string;
  /** The XML declaration, on its own line. */
  readonly declaration: string;
  /** The declaration and the root's start tag; `attributes` begin with a space. */
  open(attributes?: string): string;
  readonly close: string;
}

/** The namespace of `xsi:nil`. */
export const SCHEMA_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";

/** Computes names, encoding and options for one writer. */
export function compileFrame(
  settings: XmlSettings,
  { charset, nilVisible, href }: Pick<WriteOptions, "charset" | "nilVisible" | "href">,
): Frame {
  const encodeName = nameEncoder(charset);
  const root = encodeName(settings.rootTag);
  const declaration = `<?xml version="1.0" encoding="${escapeAttribute(charset.toUpperCase())}"?>\n`;
  const xmlns = escapeAttribute(settings.xmlns);
  const start = `${declaration}<${root} xmlns="${xmlns}" xmlns:xsi="${SCHEMA_INSTANCE}"`;
  return {
    ...settings,
    encodeName,
    nilVisible: nilVisible ?? settings.nilVisible,
    href: href ?? settings.href,
    root,
    declaration,
    open: (attributes = "") => `${start}${attributes}>`,
    close: `</${root}>\n`,
  };
}
