/**
 * Numbers that are no numbers to most engines: SQLite keeps infinities as reals. They are read as answers write them.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";

/** JSON's words and XML Schema's. */
const INFINITIES: ReadonlyMap<string, number> = new Map([
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["INF", Infinity],
  ["-INF", -Infinity],
]);

/** An infinity, where a column of numbers is compared with it or takes it. */
export function special(text: string, { type }: Column): Value | undefined {
  return type === "float" || type === "decimal" ? INFINITIES.get(text) : undefined;
}
