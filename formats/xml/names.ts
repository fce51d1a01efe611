/**
 * Names of elements: converts any text to a valid XML name, reversibly.
 *
 * @module
 */

import { BASE_CHAR, COMBINING_CHAR, DIGIT, EXTENDER, IDEOGRAPHIC } from "xmlchars/xml/1.0/ed4.js";

/** Converts a column's or table's name to an element's name. */
export type NameEncoder = (name: string) => string;

/** Follows the 4th edition of XML 1.0: XML Schema and most Java parsers know no later one. */
const START = `_${BASE_CHAR}${IDEOGRAPHIC}`;
const REST = `\\-.${DIGIT}${COMBINING_CHAR}${EXTENDER}`;

const encodeUnicode = compileEncoder(START, REST);
/**
 * A name cannot contain references such as `&#233;`, so a charset that may lack a letter gets ASCII names.
 */
const encodeAscii = compileEncoder("A-Z_a-z", "\\-.0-9");

/**
 * The encoder for answers in this charset. Colons are escaped, because the names have no namespace prefix.
 */
export function nameEncoder(charset: string): NameEncoder {
  return /^utf-?(8|16|32)/.test(charset) ? encodeUnicode : encodeAscii;
}

function compileEncoder(start: string, rest: string): NameEncoder {
  const plain = new RegExp(`^[${start}][${start}${rest}]*$`, "u");
  const first = new RegExp(`^(?:[^${start}]|[xX](?=[mM][lL]))`, "u");
  const forbidden = `[^${start}${rest}]`;
  // An underscore that looks like the start of an escape is escaped itself, so that decoding is unambiguous.
  const others = new RegExp(`_(?=x[0-9A-Fa-f]{4}(?:_|${forbidden}))|${forbidden}`, "gu");
  const special = /^xml|_x[0-9a-f]{4}|^_$/i;
  return (name) => {
    if (plain.test(name) && !special.test(name)) return name;
    if (name === "") return "_";
    if (name === "_") return "_x005F_";
    const head = first.exec(name)?.[0] ?? "";
    return escapeUnits(head) + name.slice(head.length).replace(others, escapeUnits);
  };
}

/** Reverses the encoding of a name. */
export function decodeName(name: string): string {
  if (name === "_") return "";
  if (!name.includes("_x")) return name;
  return name.replace(
    /_x([0-9A-Fa-f]{4})_/g,
    (_, digits: string) => String.fromCharCode(parseInt(digits, 16)),
  );
}

/** `_xHHHH_` for each UTF-16 unit, always with four digits, so that decoding needs no table. */
function escapeUnits(text: string): string {
  const escape = (unit: string) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
  return text.split("").map(escape).join("");
}
