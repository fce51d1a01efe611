/**
 * The content of providers' documents, or the error that explains its absence.
 *
 * @module
 */

import type { DocumentRead } from "@/plugins/contract.ts";

/** A required document cannot be read. The message is for operators. */
export class DocumentError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DocumentError";
  }
}

/** The content. Throws {@link DocumentError}. */
export function contentOf<Content>(read: DocumentRead<Content>): Content {
  if ("content" in read) return read.content;
  throw new DocumentError(read.complaint);
}

/** Reads a JSON object. The message of its error says what is wrong. */
export function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error("It is no JSON object");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the text, which may be anything.
    if (error instanceof SyntaxError) throw new Error("It is no JSON");
    throw error;
  }
}
