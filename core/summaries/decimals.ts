/**
 * Exact decimal numbers as text: totals have every digit that the database has. Pure.
 *
 * @module
 */

import type { Value } from "@/core/model.ts";

/** `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  /** Never negative. */
  readonly scale: number;
}

/** Bounded: SQLite stores any text in a column of numbers. */
const NUMBER = /^([+-]?)(\d{0,1000})\.?(\d{0,1000})(?:[eE]([+-]?\d{1,3}))?$/;
/** Digits that a real keeps; more would show how an engine rounds. */
const REAL_DIGITS = 15;

/** The number that a value is; undefined for other values, and for infinities and NaN. */
export function readDecimal(value: Value): Decimal | undefined {
  if (typeof value === "bigint") return { digits: value, scale: 0 };
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = NUMBER.exec(String(value).trim()) ?? [];
  if (sign === undefined || whole + fraction === "") return undefined;
  const digits = BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`);
  const scale = fraction.length - Number(power);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** Without zeros at the end: `1.5`, `-0.25`, `1200`. */
export function writeDecimal({ digits, scale }: Decimal): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, "");
  return `${digits < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The sum of two numbers. */
export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { digits: rescale(one, scale) + rescale(other, scale), scale };
}

/** Negative, zero or positive, like the difference. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const scale = Math.max(one.scale, other.scale);
  const difference = rescale(one, scale) - rescale(other, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The digits at a scale that is not smaller than the number's own. */
export function rescale({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}

/** Rounds toward negative infinity. */
export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/**
 * A sum as text. A float is rounded to the digits on which all engines agree; text that is no number stays.
 */
export function sumText(sum: Value, isFloat: boolean): string {
  if (isFloat || typeof sum === "number") return realText(Number(sum));
  const exact = readDecimal(sum);
  return exact ? writeDecimal(exact) : String(sum);
}

function realText(value: number): string {
  return String(Number(value.toPrecision(REAL_DIGITS)));
}

/** The sum divided by the number of values, with 15 digits, or with two more decimals than the sum. */
export function meanText(sum: string, count: number, isFloat: boolean): string {
  const exact = isFloat ? undefined : readDecimal(sum);
  if (!exact) return realText(Number(sum) / count);
  const whole = String(exact.digits / BigInt(count) / 10n ** BigInt(exact.scale)).replace("-", "").length;
  const scale = Math.max(exact.scale + 2, REAL_DIGITS - whole);
  const dividend = rescale(exact, scale) * 2n;
  const divisor = BigInt(count) * 2n;
  // Half away from zero, like every engine.
  const half = dividend < 0n ? -BigInt(count) : BigInt(count);
  return writeDecimal({ digits: (dividend + half) / divisor, scale });
}

/** A value for people and for comparing engines: a decimal without zeros at the end; others stay. */
export function plainDecimal(value: Value): Value {
  if (typeof value === "number") return sumText(value, true);
  const exact = typeof value === "string" ? readDecimal(value) : undefined;
  return exact ? writeDecimal(exact) : value;
}
