/**
 * Numbers of things in sentences for people.
 *
 * @module
 */

/** `1 record`, `1,200 records`. */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
