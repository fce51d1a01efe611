/**
 * Excuses: the differences between engines that have a reason, as data. An excuse takes parts of an answer
 * out of the comparison; an excuse that leaves no part covers the whole request.
 *
 * @module
 */

import type { TestDialect } from "@/tests/support/databases/mod.ts";
import type { Asked } from "./read_requests.ts";

/** Answers that may differ, and why. */
export interface Excuse {
  readonly reason: string;
  readonly dialects: readonly TestDialect[];
  /** Only some servers of these dialects differ in this way, so the excuse may stay unused. */
  readonly rare?: readonly TestDialect[];
  /** Requests whose answers differ and are the same after {@link normalize}. */
  readonly examples: readonly string[];
  /** `other`: the answer of the engine that is compared with SQLite. */
  applies(request: Asked, other: string): boolean;
  /** Removes the excused part from both answers. */
  normalize(answer: string): string;
}

/** Schemas, and requests that may include a view: directly, or related to a person. */
const SCHEMA = /\.xsd|[?&]schema\b/;
const WITH_VIEW = /Heavy|Mood|Person|depth=[1-9]/;

/**
 * A refusal of a text for a column of a key that is no rowid, and SQLite's answer if it finds no such cell.
 */
const REFUSED_FOR_KEY = /^HTTP\/1\.1 400 [^]*\nWarning: Cannot compare column "(?:Place|select|ThingId|Id)" /;
const FINDS_NONE = /^HTTP\/1\.1 (?:200|303|400|404|501) /;

/** Permitted differences in answers to reads. */
export const READING: readonly Excuse[] = [
  {
    reason: "SQLite keeps anything in a key that is no rowid: a value that others refuse there finds nothing",
    dialects: ["postgresql", "mysql", "mssql"],
    examples: ["/db/Mirror/Shelf/Place/Nothing.json"],
    applies: (_, other) => REFUSED_FOR_KEY.test(other),
    normalize: (answer) => FINDS_NONE.test(answer) ? "" : answer,
  },
  {
    reason: "Only some engines know which columns of a view are never NULL",
    dialects: ["mysql", "mssql"],
    rare: ["mssql"],
    examples: [
      "/db/Mirror/Heavy.json?schema",
      "/db/Mirror/Heavy.csv?schema",
      "/db/Mirror/Heavy.xsd",
    ],
    applies: ({ target }) => SCHEMA.test(target) && WITH_VIEW.test(target),
    normalize: (answer) =>
      answer
        .replaceAll(/"type": \[\s*"(\w+)",\s*"null"\s*\]/g, '"type": "$1"')
        .replaceAll(/ (nillable="true"|minOccurs="0")/g, "")
        .replaceAll(/^ +"required": \[[^\]]*\],?\n/gm, "")
        .replaceAll(/^(\w+,\w+),(?:true|false)/gm, "$1"),
  },
  {
    reason: "Only some engines have spans, infinities, the year 0 or NaN, and schemas let them through",
    dialects: ["postgresql", "mysql", "mssql"],
    examples: ["/db/Mirror/Thing.json?schema", "/db/Mirror/Thing.xsd"],
    applies: ({ target }) => SCHEMA.test(target),
    normalize: (answer) =>
      answer
        .replaceAll(/\s+/g, " ")
        .replaceAll(/"pattern": "[^"]*"/g, '"pattern": ""')
        .replaceAll(/"anyOf": \[ \{ ("format": "[a-z-]+") \}, \{ "pattern": "" \} \]/g, "$1")
        .replaceAll(
          /"anyOf": \[ \{ ("type": (?:"number"|\[[^\]]*\])) \}, \{ "type": "string", "pattern": "" \} \]/g,
          "$1",
        )
        .replaceAll(/<xs:restriction base="xs:string">\s*<xs:pattern [^>]*\/>\s*<\/xs:restriction>/g, "")
        .replaceAll(/<\/?xs:(?:simpleType|union)[^>]*>| type="xs:date"|<\/xs:element>/g, "")
        .replaceAll(/\s*\/?>\s*/g, ">"),
  },
];

/** Further permitted differences in answers to writes. */
export const WRITING: readonly Excuse[] = [
  {
    reason:
      "SQLite gives a new time as many digits of a second as the cell that it replaces (docs/api.md, Bodies)",
    dialects: ["postgresql", "mysql", "mssql"],
    examples: [],
    applies: ({ method }) => method === "GET",
    normalize: (answer) => answer.replaceAll(/(T\d\d:\d\d:\d\d)(?:\.0+|(\.\d*[1-9])0+)(?!\d)/g, "$1$2"),
  },
  {
    reason: "What is said of an integrity failure is the database's own (specification.md, Errors)",
    dialects: ["postgresql", "mysql", "mssql"],
    examples: [],
    applies: ({ method }) => method !== "GET",
    normalize: (answer) => answer.replace(/^(HTTP\/1\.1 (?:409|422) .*)[^]*$/, "$1"),
  },
];
