/**
 * Names and values that formats get wrong.
 *
 * @module
 */

import type { Value, ValueType } from "@/plugins/contract.ts";

/** Names that some format cannot take as they are. */
export const HOSTILE_NAMES: readonly string[] = [
  "plain",
  "a b",
  "<x>",
  "1st",
  "xml",
  "XMLthing",
  "__proto__",
  "constructor",
  "",
  "_",
  "_x0041_",
  "a:b",
  'say "hi"',
  "a,b",
  "line\nbreak",
  "Größe",
  "表",
  "😀",
  "\ud800",
  "\0",
  "]]>",
  "&amp;",
  "R&D",
];

/** Text that some format has to escape. */
export const HOSTILE_TEXTS: readonly string[] = [
  "",
  " ",
  " padded ",
  "plain",
  "Größe, 表, 😀",
  "a,b;c\td",
  'say "hi"',
  "it's",
  "line\nbreak\r\nand\rreturn",
  "<b>&amp;</b>",
  "R&D",
  "]]>",
  "--><!--",
  "</script></style></title>",
  "<null>",
  "=1+1",
  "back\\slash",
  "\0\x01\x08\x0b\x0c\x1f\x7f\x85\u2028\u2029",
  "\ud800",
  "\udc00\ud800 mixed",
  "\ufeffbom",
  "\ufffe\uffff",
  "\u202edesrever",
  "null",
  "__proto__",
];

/** For each type of column, values it may hold; every column may hold any of them, as SQLite's do. */
export const VALUES: Readonly<Record<ValueType, readonly Value[]>> = {
  integer: [0, -1, 9007199254740991, 9223372036854775807n, -9223372036854775808n, null],
  decimal: ["12345678901234567890.123456789", "-0.10", 0.5, null],
  float: [1.5, 1e21, 5e-324, -0, NaN, Infinity, -Infinity, null],
  boolean: [true, false, null],
  text: [...HOSTILE_TEXTS, null],
  date: ["2009-01-01", null],
  datetime: ["2009-01-01T00:00:00", "2009-01-01T00:00:00.123456", null],
  time: ["23:59:59", null],
  binary: [new Uint8Array(), Uint8Array.of(0, 255, 128), new Uint8Array(1000), null],
  json: ['{"a": [1, 2]}', null],
  any: ["text", 1, 2n ** 53n + 1n, true, Uint8Array.of(1), null],
};
