/**
 * Checks a message before any parser: its size and depth, and constructs that
 * providers never use and attackers do.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { Rejection, require } from "@/plugins/kit/providers/login_failure.ts";

/** Largest message in bytes. */
export const LARGEST = 262_144;
/** Most elements: processing one message must not delay other requests. */
const MOST_ELEMENTS = 3_000;
/** Most attributes and namespaces of one element. */
const MOST_ATTRIBUTES = 32;
/** Most attributes of all elements together. */
const MOST_IN_ALL = 12_000;
const DEEPEST = 32;

const DECLARATION =
  /^<\?xml version=(["'])1\.0\1(?: encoding=(["'])utf-8\2)?(?: standalone=(["'])(?:yes|no)\3)?\s*\?>/i;

/** Decodes base64. Spaces and line breaks are skipped; everything else must follow the standard exactly. */
export function decodeBase64(encoded: string): Uint8Array {
  const compact = encoded.replace(/[\t\n\r ]/g, "");
  require(compact.length <= Math.ceil(LARGEST / 3) * 4, "a message that is too large");
  const bytes = Buffer.from(compact, "base64");
  require(bytes.length > 0 && bytes.toString("base64") === compact, "a message that is no base64");
  return bytes;
}

/** The text in UTF-8, once it is known to be harmless. Throws {@link Rejection}. */
export function boundedText(bytes: Uint8Array): string {
  require(bytes.length <= LARGEST, "a message that is too large");
  const text = decodeUtf8(bytes);
  requireBounded(text);
  return text;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    require(!(error instanceof TypeError), "a message that is no UTF-8");
    throw error;
  }
}

/** A parser may read bytes with NUL as UTF-16, and then see other tags than this check. */
const NUL = "\0";

/**
 * Scans from tag to tag. Beside the declaration only elements and text are allowed: no DTD, comment, CDATA or
 * instruction.
 */
function requireBounded(text: string): void {
  require(!text.includes(NUL), "a message with a character that XML does not have");
  let [at, depth, elements, attributes] = [DECLARATION.exec(text)?.[0].length ?? 0, 0, 0, 0];
  for (let open = text.indexOf("<", at); open >= 0; open = text.indexOf("<", at)) {
    const kind = text[open + 1];
    require(kind !== "!", "a message with a document type, a comment or CDATA");
    require(kind !== "?", "a message with a processing instruction");
    const tag = readTag(text, open);
    at = tag.end;
    attributes += tag.attributes;
    if (kind === "/") depth--;
    else {
      elements++;
      if (text[at - 2] !== "/") depth++;
    }
    require(depth <= DEEPEST, "a message that is nested too deep");
    require(elements <= MOST_ELEMENTS, "a message with too many elements");
    require(attributes <= MOST_IN_ALL, "a message with too many attributes");
  }
}

/** A tag ends with the first `>` outside quotes. */
function readTag(text: string, open: number): { readonly end: number; readonly attributes: number } {
  let attributes = 0;
  for (let at = open + 1; at < text.length; at++) {
    const character = text[at];
    if (character === ">") return { end: at + 1, attributes };
    if (character !== '"' && character !== "'") continue;
    require(++attributes <= MOST_ATTRIBUTES, "a message with too many attributes");
    at = text.indexOf(character, at + 1);
    require(at > 0, "a message that is no XML");
  }
  throw new Rejection("a message that is no XML");
}
