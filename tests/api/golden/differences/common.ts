/**
 * Differences of all engines except SQLite from the golden files.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";
import type { ServerDialect } from "@/tests/support/servers/mod.ts";

/** The differences that all servers share. */
export function common(dialect: ServerDialect): readonly Difference[] {
  return [
    {
      reason: "A database's type is the name of its dialect",
      cases: [
        "access/databases-of-caller",
        "discovery/databases-*",
        "parameters/of-pages-on-list-of-databases",
      ],
      replace: [["sqlite", dialect]],
    },
    {
      reason: "Columns of text are as wide as what is in them, here the name of the dialect",
      cases: ["discovery/databases-txt"],
      normalize: (answer) => answer.replaceAll(/ +/g, " ").replaceAll(/-{4,}/g, "-"),
    },
    {
      reason: "A decimal of a fixed scale has all its digits; SQLite keeps numbers without them",
      cases: ["csv/types", "formats/*"],
      normalize: withoutZeros,
    },
    {
      reason:
        "SQLite keeps the text of a time, other engines the time: zeros at the end of a fraction are none of it",
      cases: ["csv/dates", "formats/json-dates"],
      replace: [["59.500", "59.5"]],
    },
    {
      reason: "A time that is finer than the engine holds is refused; SQLite compares nine decimals",
      cases: ["filters/datetime-finer-than-microseconds"],
      own: true,
      normalize: (answer) => answer.replaceAll(DECIMALS, "at most 6 decimals"),
    },
    {
      reason: "Only SQLite has columns without a type: a number in one is text elsewhere",
      cases: ["formats/json-numbers"],
      replace: [[/"Anything": ([\d.]+)/, '"Anything": "$1"']],
    },
  ];
}

/** The limit of Babelfish is PostgreSQL's. */
const DECIMALS = /at most \d decimals/g;

/** Numbers without zeros at the end of their decimals. */
function withoutZeros(answer: string): string {
  return answer.replaceAll(/(\d\.\d*?)0+(?!\d)/g, "$1").replaceAll(/(\d)\.(?![\d\w])/g, "$1");
}

/** Differences of engines with values that SQLite does not have. */
export const SPECIAL_VALUES: Difference = {
  reason: "A schema allows the special values of the engine, such as infinities and zero dates",
  cases: ["schema/columns-of-record", "schema/record-json", "schema/scalar"],
  normalize: withoutSpecials,
};

/** JSON Schemas without the alternatives that are patterns. */
function withoutSpecials(answer: string): string {
  return answer
    .replaceAll(/"anyOf": \[\s*\{\s*(.*)\s*\},\s*\{\s*("type": "string",\s*)?"pattern": .*\s*\}\s*\]/g, "$1")
    .replaceAll(/"pattern": "\^\((\\\\d\{4\}.*?\(\\\\\.\\\\d\+\)\?)\|.*\)\$"/g, '"pattern": "^$1$$"');
}
