/**
 * Numbers of drivers as values of the contract, and numbers as text.
 *
 * @module
 */

/** An integer; beyond 2^53 as a bigint, which keeps its digits. */
export function integerOf(value: string | bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

/**
 * The 32-bit real that a number is stored as, to compare such a column with. A number beyond the range of
 * these reals, or below their smallest one, equals none of them and stays as it is.
 */
export function nearestReal(value: number): number {
  const real = Math.fround(value);
  return Number.isFinite(real) && (real !== 0 || value === 0) ? real : value;
}

/** The smallest 32-bit real with all its digits. */
const SMALLEST_WHOLE = 2 ** -126;

/**
 * The number with the fewest digits that equals a 32-bit real, which arrives widened to 64
 * bits: 0.1 as 0.10000000149011612.
 */
export function shortestReal(value: number): number {
  for (let digits = Math.abs(value) < SMALLEST_WHOLE ? 1 : 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/**
 * A canonical text of a number: its significant digits and a power of ten. Undefined if it is not a number.
 */
export function digitsOf(text: string): string | undefined {
  const [, sign = "", whole = "", fraction = "", power = "0"] = NUMBER.exec(text) ?? [];
  if (whole === "" && fraction === "") return undefined;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = withoutZerosAtEnd(all);
  if (digits === "") return "0";
  const exponent = Number(power) - fraction.length + all.length - digits.length;
  return `${sign === "-" ? "-" : ""}${digits}e${exponent}`;
}

/**
 * Digits after the point without zeros at the end: 3 of `1.2340`, 5 of `1.2e-4`, -2 of `1200`. -Infinity for
 * zero, and for a text that is not a number.
 */
export function decimalsOf(text: string): number {
  const [, power] = digitsOf(text)?.split("e") ?? [];
  return power === undefined ? -Infinity : -Number(power);
}

/**
 * Digits before the point without zeros at the beginning: 3 of `0123.4`, 5 of `1.2e4`, 0 of `0.5`, -2 of
 * `0.005`. -Infinity for zero, and for a text that is not a number.
 */
export function wholeDigitsOf(text: string): number {
  const [digits = "", power] = digitsOf(text)?.replace(/^-/, "").split("e") ?? [];
  return power === undefined ? -Infinity : digits.length + Number(power);
}

/** A regular expression would take quadratic time. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}
