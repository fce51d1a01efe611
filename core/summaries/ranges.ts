/**
 * Ranges of one width for numbers, with round edges; and the period by which
 * dates of a span are grouped. Pure.
 *
 * @module
 */

import type { Value, ValueType } from "@/core/model.ts";
import type { Grouping } from "@/plugins/contract.ts";
import {
  compareDecimals,
  type Decimal,
  floorDivide,
  readDecimal,
  rescale,
  writeDecimal,
} from "./decimals.ts";

const MOST_RANGES = 20;
const STEPS = [1n, 2n, 5n] as const;

/**
 * The edges of at most twenty ranges, from the start of the first to the end of the last. The
 * width is 1, 2 or 5 times a power of ten, and a whole number for whole numbers. Undefined where
 * the ends are no numbers, as infinities.
 */
export function niceEdges(smallest: Value, largest: Value, isWhole: boolean): readonly string[] | undefined {
  const [least, greatest] = [readDecimal(smallest), readDecimal(largest)];
  if (!least || !greatest || compareDecimals(least, greatest) > 0) return undefined;
  const scale = Math.max(least.scale, greatest.scale);
  const span = rescale(greatest, scale) - rescale(least, scale);
  // Begins below the width that is needed: 20 ranges of a span of n digits have widths of n - 1 or n digits.
  let power = isWhole || span === 0n ? 0 : String(span).length - scale - 3;
  for (;; power++) {
    for (const step of STEPS) {
      const edges = edgesOf(least, greatest, step, power);
      if (edges) return edges;
    }
  }
}

function edgesOf(
  least: Decimal,
  greatest: Decimal,
  step: bigint,
  power: number,
): readonly string[] | undefined {
  const scale = Math.max(least.scale, greatest.scale, -power);
  const width = step * 10n ** BigInt(scale + power);
  const first = floorDivide(rescale(least, scale), width);
  const last = floorDivide(rescale(greatest, scale), width);
  const count = Number(last - first) + 1;
  if (count > MOST_RANGES) return undefined;
  return Array.from({ length: count + 1 }, (_, index) => {
    return writeDecimal({ digits: (first + BigInt(index)) * width, scale });
  });
}

const DAY = 86_400_000;

/** The default grouping of a type; dates: by the period that gives some ten to a hundred groups. */
export function groupingFor(type: ValueType, smallest: Value, largest: Value): Grouping {
  if (isNumeric(type)) return "range";
  if (!isDated(type)) return "value";
  const [from, to] = [smallest, largest].map((value) => Date.parse(String(value).slice(0, 10)));
  const days = ((to ?? NaN) - (from ?? NaN)) / DAY;
  if (days <= 62) return "day";
  return days <= 3660 ? "month" : "year";
}

/** Whether values of a type are numbers. */
export function isNumeric(type: ValueType): boolean {
  return type === "integer" || type === "decimal" || type === "float";
}

/** Whether values of a type have a date. */
export function isDated(type: ValueType): boolean {
  return type === "date" || type === "datetime";
}

/** Whether values of a type are compared: bytes and documents are only counted. */
export function isComparable(type: ValueType): boolean {
  return type !== "binary" && type !== "json";
}

/** Number of characters of a period in a date. */
export const PERIODS = { year: 4, month: 7, day: 10 } as const;
