/**
 * Values as JSON text. Numbers keep every digit; what JSON has no number for is a string.
 *
 * @module
 */

import type { Cell, ValueType } from "@/plugins/contract.ts";

/** Writes one cell. Values may be of any type in any column, so the value's own type decides. */
export type WriteValue = (value: Cell) => string;

/** Characters that JSON escapes, and halves of surrogate pairs that have no UTF-8. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;
/** A JSON number, so that exact decimals can be passed on as they are. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** How values of a column are written; decimals arrive as strings of digits. */
export function writerFor(type: ValueType): WriteValue {
  return type === "decimal" || type === "integer" || type === "float" ? writeNumeric : writeValue;
}

/** A JSON string with its quotes. Halves of surrogate pairs are escaped, since they have no UTF-8. */
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
