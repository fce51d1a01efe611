/**
 * Values that an engine compares with no more than a part of them: it would round them, cut them, or refuse them. Pure.
 *
 * @module
 */

import type { Column, Value } from "./model.ts";
import type { SqlTraits } from "@/plugins/contract.ts";

const FRACTION = /^([^.]+)\.(\d+)$/;
const NUL = "\0";

/** The greatest value below that the engine can compare; undefined where that is the value itself. */
export function cutValue(
  value: Value,
  { type }: Column,
  { secondDecimals, textWithoutNul }: Pick<SqlTraits, "secondDecimals" | "textWithoutNul">,
): string | undefined {
  if (typeof value !== "string") return undefined;
  if (type === "text") return textWithoutNul ? beforeNul(value) : undefined;
  const isTime = type === "datetime" || type === "time";
  return isTime && secondDecimals !== undefined ? cutFraction(value, secondDecimals) : undefined;
}

function cutFraction(value: string, decimals: number): string | undefined {
  const [, start = "", fraction = ""] = FRACTION.exec(value) ?? [];
  return /[1-9]/.test(fraction.slice(decimals)) ? `${start}.${fraction.slice(0, decimals)}` : undefined;
}

function beforeNul(value: string): string | undefined {
  const at = value.indexOf(NUL);
  return at < 0 ? undefined : value.slice(0, at);
}
