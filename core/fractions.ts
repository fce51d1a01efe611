/**
 * Fractions of a second that are finer than an engine compares: it would round the value, or cut it. Pure.
 *
 * @module
 */

import type { Column, Value } from "./model.ts";

const FRACTION = /^([^.]+)\.(\d+)$/;

/** The time without the decimals beyond `decimals`; undefined where it has no such ones but zeros. */
export function cutFraction(value: Value, { type }: Column, decimals: number): string | undefined {
  if (typeof value !== "string" || (type !== "datetime" && type !== "time")) return undefined;
  const [, start = "", fraction = ""] = FRACTION.exec(value) ?? [];
  return /[1-9]/.test(fraction.slice(decimals)) ? `${start}.${fraction.slice(0, decimals)}` : undefined;
}
