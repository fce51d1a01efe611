/**
 * Refuses values that a column would change: PostgreSQL rounds superfluous digits.
 *
 * @module
 */

import type { Column } from "@/plugins/contract.ts";

/** Digits after the point of PostgreSQL's times. */
const MICROSECONDS = 6;

/** Throws a RangeError whose message is the end of a sentence. */
export function requireKept(text: string, column: Column): void {
  const scale = scaleOf(column);
  if (scale === undefined || digitsAfterPoint(text) <= scale) return;
  throw new RangeError(`${text} has more digits than are kept in a column of type ${column.declaredType}`);
}

function scaleOf(column: Column): number | undefined {
  if ("scale" in column && typeof column.scale === "number") return column.scale;
  return column.type === "time" || column.type === "datetime" ? MICROSECONDS : undefined;
}

/** Ignores trailing zeros; before the point they count as negative: `1200` has -2. */
function digitsAfterPoint(text: string): number {
  const match = /^-?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text.slice(text.lastIndexOf(":") + 1));
  if (!match) return -Infinity;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const significant = `${whole}${fraction}`.replace(/0+$/, "");
  return significant === "" ? -Infinity : significant.length - whole.length - Number(exponent);
}
