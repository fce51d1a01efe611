/**
 * What is wrong with a value, in the words of pages. Pure.
 *
 * @module
 */

/** A number as many countries write it; three digits behind the comma may be thousands. */
const DECIMAL_COMMA = /['"](-?\d+),(\d\d?|\d{4,})['"](?: is not|: expected) a number$/;

/** The bits of integers, in a complaint about a value that has fewer digits than the largest one. */
const BITS = /^(?!.*\d{19})(.*) of at most 64 bits$/s;

/** The sentence without what only programs need, and with values as people write them here. */
export function plainComplaint(sentence: string): string {
  return sentence.replace(BITS, "$1")
    .replace(/(?<=is not |xpected )true or false$/, "yes or no")
    .replace(/(as in \d{4}-\d\d-\d\d)T/, "$1 ")
    .replace(DECIMAL_COMMA, "$&: write $1.$2");
}
