/**
 * Texts in pictures, where nothing can be marked up.
 *
 * @module
 */

/**
 * Stand for the titles of the axes while a chart is drawn; no other text has these characters. Vega keeps
 * constants in an object by their text, in which `__proto__` is not found again.
 */
export const TITLES = { x: "\ue000", y: "\ue001" } as const;

/** Characters that turn or hide text, those that XML lacks, and {@link TITLES}. */
const ODD =
  // deno-lint-ignore no-control-regex -- control characters are what has to be found
  /[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ue000\ue001\ufeff\ufffe\uffff]/gu;

/** One line of at most so many characters, in which nothing is hidden. */
export function plainText(text: string, most = 60): string {
  const characters = Array.from(text.replace(/[\t\r\n]+/g, " ").replace(ODD, "\ufffd"));
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
}
