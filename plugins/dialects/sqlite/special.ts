/**
 * Infinite numbers: SQLite stores them as reals. Reads the spellings of answers.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";

/** The spellings of JSON and of XML Schema. */
const INFINITIES: ReadonlyMap<string, number> = new Map([
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["INF", Infinity],
  ["-INF", -Infinity],
]);

/** An infinity for a column of numbers, in filters and bodies. */
export function special(text: string, { type }: Column): Value | undefined {
  return type === "float" || type === "decimal" ? INFINITIES.get(text) : undefined;
}
