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

/** The constant parts of an answer. */
export interface Frame {
  readonly encodeName: NameEncoder;
  readonly nilVisible: boolean;
  readonly href: boolean;
  readonly refidPrefix: string;
  /** The root's encoded name. */
  readonly root: string;
  readonly xmlns: string;
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
