/**
 * Numbers of drivers as values of the contract.
 *
 * @module
 */

/** An integer; beyond 2^53 as a bigint, which keeps its digits. */
export function integerOf(value: string | bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

/**
 * The number with the fewest digits that equals a 32-bit real, which arrives widened to 64
 * bits: 0.1 as 0.10000000149011612.
 */
export function shortestReal(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}
