/**
 * 32-bit reals, which arrive widened to 64 bits: 0.1 as 0.10000000149011612.
 *
 * @module
 */

/** The number with the fewest digits that equals the value in 32 bits. */
export function shortestReal(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}
