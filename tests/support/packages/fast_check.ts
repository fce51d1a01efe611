/**
 * fast-check, which makes values for property-based tests. Tests import it from
 * tests/support/random.ts, which seeds it.
 *
 * @module
 */

export { default } from "npm:fast-check@4.10.2";
