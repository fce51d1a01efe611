/**
 * Decimal numbers as text, digit by digit.
 *
 * @module
 */

/** A number's digits without zeros in front of the whole part or at the end of the fraction. */
export interface Digits {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Undefined where the text is no number. */
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

/** The number as SQL reads it, with this many decimals at most. */
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
