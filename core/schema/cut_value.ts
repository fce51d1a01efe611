/**
 * Values that an engine compares with no more than a part of them: it would round them, cut them, or refuse them. Pure.
 *
 * @module
 */

import type { Column, Value } from "@/core/model.ts";
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
  if (!/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const kept = fraction.slice(0, decimals);
  return start.startsWith("-") ? spanBelow(start.slice(1), kept) : `${start}.${kept}`;
}

/** Of spans below zero that one is less which is longer: by one of the last digit that is kept. */
function spanBelow(length: string, kept: string): string {
  const [hours = 0, minutes = 0, seconds = 0] = length.split(":").map(Number);
  const second = 10 ** kept.length;
  const units = ((hours * 60 + minutes) * 60 + seconds) * second + Number(kept) + 1;
  const whole = Math.floor(units / second);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const text = parts.map((part) => String(part).padStart(2, "0")).join(":");
  return `-${text}.${String(units % second).padStart(kept.length, "0")}`;
}

function beforeNul(value: string): string | undefined {
  const at = value.indexOf(NUL);
  return at < 0 ? undefined : value.slice(0, at);
}
