/**
 * Texts in pictures, where nothing can be marked up.
 *
 * @module
 */

import type { TextItem } from "./bundled/vega.js";

/**
 * Stand for the titles of the axes while a chart is drawn; no other text has these characters. Vega keeps
 * constants in an object by their text, in which `__proto__` is not found again.
 */
export const TITLES = { x: "\ue000", y: "\ue001" } as const;

/** Characters that turn or hide text, but joiners of emoji, those that XML lacks, and {@link TITLES}. */
const ODD =
  // deno-lint-ignore no-control-regex -- control characters are what has to be found
  /[\0-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ue000\ue001\ufeff\ufffe\uffff]|(?<![^\0-\xa0])[\u200c\u200d]/gu;

/** One line of at most so many characters, in which nothing is hidden. */
export function plainText(text: string, most = 60): string {
  const characters = Array.from(text.replace(/[\t\r\n]+/g, " ").replace(ODD, "\ufffd"));
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
}

/** Characters without a width, and those that are as wide as high. */
const NARROW = /\p{M}|[\u200c\u200d]/gu;
const WIDE = /[\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{ff00}-\u{ff60}\u{1f000}-\u{3ffff}]/gu;

/** The width of a text in pixels, up to its limit. Vega counts 0.8 of its height for any character. */
export function widthOf({ fontSize, limit }: TextItem, text: string): number {
  const letters = text.replace(NARROW, "").replace(WIDE, "");
  const wide = Array.from(text.matchAll(WIDE)).length;
  return Math.min(limit || Infinity, (0.68 * letters.length + wide) * fontSize);
}
