/**
 * Types of an engine: their meaning, and facts that a declaration tells: name, digits, bits and sign.
 *
 * @module
 */

import type { Column, TypeDetail, ValueType } from "@/plugins/contract.ts";
import { wholeDigitsOf } from "./numbers.ts";

/** The types of values by an engine's names of its types. */
export function typesByName(
  names: { readonly [Type in ValueType]?: readonly string[] },
): ReadonlyMap<string, ValueType> {
  return new Map(
    Object.entries(names).flatMap(([type, each]) => each.map((name) => [name, type as ValueType] as const)),
  );
}

/** A declared type in its parts: `decimal(10,2) unsigned`. */
export interface DeclaredType {
  /** In lower case: `decimal`. */
  readonly base: string;
  /** Characters, bytes, digits, or decimals of a second. */
  readonly size?: number;
  readonly scale?: number;
}

/** Every value that is stored asks for the parts of its column's type. */
const parsed = new Map<string, DeclaredType>();
const MOST_PARSED = 1000;

/** The parts of a declared type, which are read once. */
export function parseType(declaredType: string): DeclaredType {
  if (parsed.size > MOST_PARSED) parsed.clear();
  return parsed.getOrInsertComputed(declaredType, readType);
}

function readType(declaredType: string): DeclaredType {
  const [base = ""] = /\w+/.exec(declaredType) ?? [];
  const [, size, scale] = /\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(declaredType) ?? [];
  return {
    base: base.toLowerCase(),
    ...(size === undefined ? {} : { size: Number(size) }),
    ...(scale === undefined ? {} : { scale: Number(scale) }),
  };
}

const DECLARED =
  /^\s*([a-z][\w ]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?\))?\s*(unsigned\b.*|zerofill\b.*)?$/i;

/**
 * The detail of a column. `sizes` has the facts of the engine's types that have
 * no numbers in their declaration.
 */
export function detailOf(
  declaredType: string,
  type: ValueType,
  sizes: Readonly<Record<string, TypeDetail>>,
): Pick<Column, "detail"> {
  const [, name = "", precision, scale = "0", sign] = DECLARED.exec(declaredType) ?? [];
  const fixed = sizes[name.toLowerCase()];
  const isExact = type === "decimal" && precision !== undefined;
  const detail: TypeDetail = {
    ...fixed,
    ...(isExact ? { precision: Number(precision), scale: Number(scale) } : {}),
    ...(sign === undefined ? {} : { isUnsigned: true }),
  };
  return Object.keys(detail).length === 0 ? {} : { detail };
}

/**
 * Throws a RangeError, whose message is the end of a sentence, for more digits
 * before the point than a column keeps.
 */
export function requireWholeDigits(decimal: string, { detail, declaredType }: Column): void {
  if (detail?.precision === undefined) return;
  const whole = detail.precision - (detail.scale ?? 0);
  if (isPlainlyWithin(decimal, { whole }) || wholeDigitsOf(decimal) <= whole) return;
  throw new RangeError(`${decimal} has more digits than a column of type ${declaredType} keeps`);
}

const PLAIN = /^-?\d*\.?\d*$/;

/**
 * True if a decimal certainly has no more digits before and behind its point. It is false for some that have
 * not either, with an exponent or zeros at their ends: this is quick, for most values.
 */
export function isPlainlyWithin(
  decimal: string,
  { whole = Infinity, fraction = Infinity }: { readonly whole?: number; readonly fraction?: number },
): boolean {
  if (!PLAIN.test(decimal)) return false;
  const point = decimal.indexOf(".");
  const before = point < 0 ? decimal.length : point;
  return before <= whole && Math.max(0, decimal.length - before - 1) <= fraction;
}
