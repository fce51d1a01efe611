/**
 * Values as JSON text. Numbers keep every digit; numbers that JSON cannot represent are strings.
 *
 * @module
 */

import type { Cell, ValueType } from "@/plugins/contract.ts";

/** Writes one cell. Any column may have values of any type, so the value's own type decides. */
export type WriteValue = (value: Cell) => string;

/** Characters that JSON escapes, and lone surrogates, which UTF-8 cannot encode. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;
/** A JSON number; exact decimals that match are written unchanged. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The function that writes the values of a column; decimals arrive as strings of digits. */
export function writerFor(type: ValueType): WriteValue {
  return type === "decimal" || type === "integer" || type === "float" ? writeNumeric : writeValue;
}

/** A JSON string with its quotes. Lone surrogates are escaped, because UTF-8 cannot encode them. */
export function writeText(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function writeValue(value: Cell): string {
  if (typeof value === "string") return writeText(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : `"${value}"`;
  if (value === null) return "null";
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return `"${value.toBase64()}"`;
  throw new TypeError("Rows of a relation stand where a value was expected");
}

function writeNumeric(value: Cell): string {
  return typeof value === "string" && NUMBER.test(value) ? value : writeValue(value);
}
