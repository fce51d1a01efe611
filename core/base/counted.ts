/**
 * Numbers of things, and long texts, in sentences for people.
 *
 * @module
 */

/** `1 record`, `1,200 records`. */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A text; of a long one the beginning, never with half a character. */
export function beginning(text: string, most = 300): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
