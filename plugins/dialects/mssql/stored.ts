/**
 * Converts values for storing, so that reading returns them digit by digit. Values that a column
 * would cut or round are refused. One rounding is left to the server: `datetime` keeps
 * three-hundredths of a second of any milliseconds.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";
import { shortestReal } from "@/plugins/kit/numbers.ts";
import { type DeclaredType, parseType } from "@/plugins/kit/type_detail.ts";
import { bigInteger, bit, type Bound, bytes, castText, float, real, unicode } from "./bound.ts";
import { findLacking, rangeOf } from "./column_types.ts";
import { type Moment, readMoment, readTime, writeMoment, writeTime } from "./moments.ts";
import { guidText, readDigits, SMALLEST, textOf, writeDigits } from "./parameter.ts";

/** Throws a RangeError if the column would change the value. */
export function stored(value: Value, column: Column): Bound {
  const type = parseType(column.declaredType);
  switch (column.type) {
    case "integer":
      return storedInteger(value, type);
    case "decimal":
      return storedDecimal(value, column.declaredType, type);
    case "float":
      return storedFloat(value, type);
    case "boolean":
      return bit(value === null ? null : Boolean(value));
    case "date":
      return castText(textOf(value), "date");
    case "datetime":
      return storedMoment(value, column.declaredType, type);
    case "time":
      return storedTime(value, column.declaredType, type);
    case "binary":
      return storedBytes(value, type);
    default:
      return storedText(value, type, column.encoding);
  }
}

function storedInteger(value: Value, { base }: DeclaredType): Bound {
  if (typeof value !== "number" && typeof value !== "bigint") return bigInteger(null);
  const [least, greatest] = rangeOf(base);
  if (value >= least && value <= greatest) return bigInteger(value);
  throw new RangeError(`${value} is not between ${least} and ${greatest}`);
}

/** Digits before and after the point. */
const DECIMALS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["money", [15, 4]],
  ["smallmoney", [6, 4]],
]);

function storedDecimal(value: Value, declaredType: string, { base, size, scale = 0 }: DeclaredType): Bound {
  if (value === null) return castText(null, declaredType);
  const digits = readDigits(String(value));
  if (!digits) throw new RangeError(`${value} is no number`);
  const [whole, decimals] = DECIMALS.get(base) ?? [(size ?? 18) - scale, scale];
  const shown = writeDigits(digits);
  if (digits.fraction.length > decimals) {
    throw new RangeError(`${shown} has more decimals than ${declaredType} keeps`);
  }
  if (digits.whole.length > whole) {
    throw new RangeError(`${shown} has more digits than ${declaredType} keeps`);
  }
  return castText(shown, declaredType);
}

function storedFloat(value: Value, { base }: DeclaredType): Bound {
  if (value === null) return base === "real" ? real(null) : float(null);
  const number = Number(value);
  if (!Number.isFinite(number)) throw new RangeError(`${number} cannot be stored`);
  if (number !== 0 && Math.abs(number) < SMALLEST) throw new RangeError(`${number} is too close to zero`);
  if (base !== "real") return float(number);
  if (shortestReal(Math.fround(number)) === number) return real(number);
  throw new RangeError(`${number} has more digits than real keeps`);
}

/** Of types without declared decimals. */
const DECIMALS_OF_SECONDS: Readonly<Record<string, number>> = { smalldatetime: 0, datetime: 3 };

function storedMoment(value: Value, declaredType: string, { base, size }: DeclaredType): Bound {
  if (value === null) return castText(null, declaredType);
  const moment = readMoment(String(value));
  if (!moment) throw new RangeError(`'${value}' is no date and time`);
  requireDecimals(moment, DECIMALS_OF_SECONDS[base] ?? size ?? 7, declaredType);
  if (base === "smalldatetime" && moment.seconds !== "00") {
    throw new RangeError(`'${value}' has seconds, which smalldatetime does not keep`);
  }
  // A time without a zone is UTC.
  const offset = base === "datetimeoffset" ? moment.offset || "+00:00" : moment.offset;
  return castText(writeMoment({ ...moment, offset }), declaredType);
}

function storedTime(value: Value, declaredType: string, { size }: DeclaredType): Bound {
  if (value === null) return castText(null, declaredType);
  const time = readTime(String(value));
  if (!time) throw new RangeError(`'${value}' is no time`);
  requireDecimals(time, size ?? 7, declaredType);
  return castText(writeTime(time), declaredType);
}

function requireDecimals({ fraction }: Moment, decimals: number, declaredType: string): void {
  if (fraction.length <= decimals) return;
  throw new RangeError(`.${fraction} seconds have more decimals than ${declaredType} keeps`);
}

function storedBytes(value: Value, { size }: DeclaredType): Bound {
  if (!(value instanceof Uint8Array)) return bytes(null);
  if (size === undefined || value.length <= size) return bytes(value);
  throw new RangeError(`${value.length} bytes are more than ${size}`);
}

/** XML that names an encoding other than that of the sent text is refused. */
const ENCODING = /^(<\?xml\s+version\s*=\s*(?:"[^"]*"|'[^']*'))\s+encoding\s*=\s*(?:"[^"]*"|'[^']*')/;

/** Lengths count surrogate pairs as two characters. */
function storedText(value: Value, { base, size }: DeclaredType, encoding: string | undefined): Bound {
  const text = textOf(value);
  const lacking = text === null || encoding === undefined ? undefined : findLacking(text, encoding);
  if (lacking !== undefined) throw new RangeError(`'${lacking}' is none of its characters (${encoding})`);
  if (base === "uniqueidentifier") return castText(text === null ? text : guidText(text), base);
  if (text !== null && size !== undefined && base.startsWith("n") && text.length > size) {
    throw new RangeError(`it has more than ${size} characters, which count double beyond the basic ones`);
  }
  return unicode(base === "xml" && text !== null ? text.replace(ENCODING, "$1") : text);
}
