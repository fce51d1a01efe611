/**
 * Compares numbers as text, digit by digit. Pure.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Digits of the largest 64-bit integer. */
const INTEGER_DIGITS = 19;

/** True if SQLite reads the text as a number. */
export function isNumeric(text: string): boolean {
  return digitsOf(text.trim()) !== undefined;
}

/** A canonical text of a number: its significant digits and a power of ten. Undefined if it is not a number. */
export function digitsOf(text: string): string | undefined {
  const [, sign = "", whole = "", fraction = "", power = "0"] = NUMBER.exec(text) ?? [];
  if (whole === "" && fraction === "") return undefined;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = withoutZerosAtEnd(all);
  if (digits === "") return "0";
  const exponent = Number(power) - fraction.length + all.length - digits.length;
  return `${sign === "-" ? "-" : ""}${digits}e${exponent}`;
}

/** The 64-bit integer that a number equals, or the nearest real; `real`: always the real. */
export function nearestNumber(text: string, kind: "any" | "real"): number | bigint | undefined {
  const digits = digitsOf(text.trim());
  if (digits === undefined) return undefined;
  const integer = kind === "any" ? toInteger(digits) : undefined;
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : Number(text);
}

function toInteger(digits: string): bigint | undefined {
  const [mantissa = "", power = "0"] = digits.split("e");
  const exponent = Number(power);
  if (exponent < 0 || mantissa.length + exponent > INTEGER_DIGITS + 1) return undefined;
  return BigInt(mantissa + "0".repeat(exponent));
}

/** A regular expression would take quadratic time. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}

/** The spellings of JSON and of XML Schema. */
const INFINITIES: ReadonlyMap<string, number> = new Map([
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["INF", Infinity],
  ["-INF", -Infinity],
]);

/** An infinity for a column of numbers, in filters and bodies. */
export function special(text: string, { type }: Column): Value | undefined {
  return type === "float" || type === "decimal" ? INFINITIES.get(text) : undefined;
}
