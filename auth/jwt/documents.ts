/**
 * What providers' documents give: their content, or an error that says why there is none.
 *
 * @module
 */

import type { DocumentRead } from "@/plugins/contract.ts";

/** A document that is needed cannot be read. The message is for operators. */
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

/** Reads a JSON object. Throws an error whose message says what is wrong. */
export function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error("It is no JSON object");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes the text, which may be anything.
    if (error instanceof SyntaxError) throw new Error("It is no JSON");
    throw error;
  }
}
