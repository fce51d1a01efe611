/**
 * Decimal numbers as text, digit by digit.
 *
 * @module
 */

/** A number's digits without leading zeros of the whole part and trailing zeros of the fraction. */
export interface Digits {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Undefined for a text that is not a number. */
export function readDigits(text: string): Digits | undefined {
  const match = PLAIN.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const shifted = shift(whole, fraction, Number(exponent));
  return {
    negative: sign === "-",
    whole: shifted.whole.replace(/^0+/, ""),
    fraction: shifted.fraction.replace(/0+$/, ""),
  };
}

/** The number in SQL's form, with at most this many decimals. */
export function writeDigits({ negative, whole, fraction }: Digits, scale = fraction.length): string {
  const kept = fraction.slice(0, scale);
  const text = `${whole || "0"}${kept === "" ? "" : `.${kept}`}`;
  return negative && /[1-9]/.test(text) ? `-${text}` : text;
}

function shift(whole: string, fraction: string, by: number): { whole: string; fraction: string } {
  if (by >= 0) {
    return { whole: whole + fraction.slice(0, by).padEnd(by, "0"), fraction: fraction.slice(by) };
  }
  const padded = whole.padStart(-by, "0");
  return {
    whole: padded.slice(0, padded.length + by),
    fraction: padded.slice(padded.length + by) + fraction,
  };
}
