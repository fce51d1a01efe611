/**
 * A value with its wire type and its cast in SQL.
 *
 * Exact numbers, dates and times are sent as text and cast by the statement, because the driver's
 * numbers and dates lose digits. Lengths are the largest of each type, so that a statement has one
 * plan for values of every length.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { TYPES } from "tedious";

type WireType = (typeof TYPES)[keyof typeof TYPES];

/** Lengths above which a type is unbounded. */
const MAX_UNICODE = 4000;
const MAX_BYTES = 8000;

/** One parameter of a statement. */
export class Bound {
  constructor(
    readonly type: WireType,
    readonly value: unknown,
    /** The type to which the statement casts the text. */
    readonly cast?: string,
    readonly length?: number,
  ) {}

  /** Equal for equal values of one column. */
  toString(): string {
    return String(this.value);
  }
}

function sized(type: WireType, value: string | Uint8Array | null, most: number): Bound {
  return new Bound(type, value, undefined, (value?.length ?? 0) <= most ? most : most + 1);
}

/** Text in UTF-16, for characters of every language. */
export function unicode(value: string | null): Bound {
  return sized(TYPES.NVarChar, value, MAX_UNICODE);
}

const ASCII = /^[\x20-\x7e\t\r\n]*$/;

/**
 * Text that an index on a narrow column serves, if it has only characters that are the same in every code
 * page. The server converts it for wide columns, but for wide text it would convert every narrow cell.
 */
export function narrow(value: string | null): Bound {
  if (value !== null && !ASCII.test(value)) return unicode(value);
  return sized(TYPES.VarChar, value, MAX_BYTES);
}

/** Text that the statement casts. */
export function castText(value: string | null, type: string): Bound {
  return new Bound(TYPES.VarChar, value, type, MAX_BYTES);
}

/** Shares its memory with the value. */
export function bytes(value: Uint8Array | null): Bound {
  const buffer = value && Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return sized(TYPES.VarBinary, buffer, MAX_BYTES);
}

/** 32 bits if it fits, else 64; NULL has 64. */
export function integer(value: number | bigint | null): Bound {
  const isSmall = value !== null && value >= -(2 ** 31) && value < 2 ** 31;
  return isSmall ? new Bound(TYPES.Int, Number(value)) : new Bound(TYPES.BigInt, value && BigInt(value));
}

/** 64 bits for any value. */
export function bigInteger(value: number | bigint | null): Bound {
  return new Bound(TYPES.BigInt, value === null ? null : BigInt(value));
}

/** 64 bits. */
export function float(value: number | null): Bound {
  return new Bound(TYPES.Float, value);
}

/** 32 bits, like columns of this type. */
export function real(value: number | null): Bound {
  return new Bound(TYPES.Real, value);
}

/** A truth value. */
export function bit(value: boolean | null): Bound {
  return new Bound(TYPES.Bit, value);
}

/** A value without a column: a page's limit and offset, a pattern, the key of a label. */
export function guess(value: unknown): Bound {
  if (value instanceof Bound) return value;
  if (typeof value === "boolean") return bit(value);
  if (typeof value === "bigint") return bigInteger(value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? bigInteger(value) : float(value);
  if (value instanceof Uint8Array) return bytes(value);
  return narrow(value === null || value === undefined ? null : String(value));
}

/**
 * The name of the n-th parameter, counted from 1, without the `@`. Babelfish looks a
 * parameter up among the columns of the statement's tables: with `@1` every statement on a
 * table with a column `@1` would be ambiguous.
 */
export function sentName(number: number): string {
  return `rowhouse_${number}`;
}
