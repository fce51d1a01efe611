/**
 * What stands around every answer: the declaration and the root element; and what its parts must agree on.
 *
 * @module
 */

import type { WriteOptions } from "@/plugins/contract.ts";
import { type NameEncoder, nameEncoder } from "./names.ts";
import { escapeAttribute } from "./text.ts";

/** What the configuration says about XML. */
export interface XmlSettings {
  readonly rootTag: string;
  readonly xmlns: string;
  readonly nilVisible: boolean;
  readonly href: boolean;
  /** The key that holds a reference in the tree of a document. */
  readonly refidPrefix: string;
}

/** What is the same for a whole answer. */
export interface Frame {
  readonly encodeName: NameEncoder;
  readonly nilVisible: boolean;
  readonly href: boolean;
  readonly refidPrefix: string;
  /** The root's encoded name. */
  readonly root: string;
  readonly xmlns: string;
  /** The XML declaration, a line of its own. */
  readonly declaration: string;
  /** The declaration and the root's start tag; `attributes` begin with a space. */
  open(attributes?: string): string;
  readonly close: string;
}

/** The namespace of `xsi:nil`. */
export const SCHEMA_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";

/** Settles names, encoding and switches for one writer. */
export function compileFrame(
  settings: XmlSettings,
  options: Pick<WriteOptions, "charset" | "nilVisible" | "href">,
): Frame {
  const encodeName = nameEncoder(options.charset);
  const root = encodeName(settings.rootTag);
  const declaration = `<?xml version="1.0" encoding="${escapeAttribute(options.charset.toUpperCase())}"?>\n`;
  const start = `${declaration}<${root} xmlns="${
    escapeAttribute(settings.xmlns)
  }" xmlns:xsi="${SCHEMA_INSTANCE}"`;
  return {
    encodeName,
    nilVisible: options.nilVisible ?? settings.nilVisible,
    href: options.href ?? settings.href,
    refidPrefix: settings.refidPrefix,
    root,
    xmlns: settings.xmlns,
    declaration,
    open: (attributes = "") => `${start}${attributes}>`,
    close: `</${root}>\n`,
  };
}
