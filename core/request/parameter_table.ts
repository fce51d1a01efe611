/**
 * The table of query parameters: their types, parsers and documentation. Pure.
 *
 * @module
 */

import { BOOLEANS } from "./read_value.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import type { Json } from "@/core/model.ts";

/** A column to sort by, by its name in the URL; the column may not exist. */
export interface SortKey {
  readonly column: string;
  readonly descending: boolean;
}

type Parse<Value = boolean | number | string | readonly SortKey[]> = (
  text: string | undefined,
  name: string,
) => Value;

/**
 * Where a parameter has a meaning: reading lists or single records, filters and keys in a path, bodies, the layout of
 * formats other than JSON, writing to a whole table; documents, which are not table data: lists of databases and tables,
 * settings; the licence; any result of a saved query, its rows if they are read like those of a table, and its schema.
 */
export type ParameterUse =
  | "list"
  | "record"
  | "path"
  | "body"
  | "layout"
  | "table"
  | "document"
  | "licence"
  | "query"
  | "rows"
  | "schema";

/** A query parameter. */
export interface Parameter {
  /** Throws 400 for an invalid value. */
  readonly parse: Parse;
  readonly uses: readonly ParameterUse[];
  /** Set when the parameter has a meaning only together with `schema`. */
  readonly onlyWithSchema?: true;
  /** JSON Schema of its values. */
  readonly schema: Json;
  /** Its effect, in one sentence. */
  readonly doc: string;
}

/** Largest `depth`. */
const MAX_DEPTH = 5;
/** Longest marker in characters: each becomes part of a regular expression and of cache keys. */
const MAX_MARKER = 16;

const FLAG = { parse: flag, schema: { type: "boolean" } } as const;
const COUNT = { parse: natural(Number.MAX_SAFE_INTEGER), schema: { type: "integer", minimum: 0 } } as const;
const MARKER = { parse: marker, schema: { type: "string", minLength: 1, maxLength: MAX_MARKER } } as const;

/** Every parameter of data resources, in the order of the documentation. */
const TABLE = {
  limit: { ...COUNT, uses: ["list", "rows"], doc: "At most this many records; 0 gives none." },
  offset: { ...COUNT, uses: ["list", "rows"], doc: "Leaves out this many records at the beginning." },
  sort: {
    parse: sortKeys,
    schema: { type: "string", minLength: 1 },
    uses: ["list", "rows"],
    doc: "Columns to sort by, a hyphen before one for descending order, as in `Country,-LastName`; " +
      "without it records come in the order of their key.",
  },
  distinct: { ...FLAG, uses: ["list", "rows"], doc: "Leaves out repeated rows." },
  count: {
    ...FLAG,
    uses: ["list", "rows"],
    doc: "Adds a header with the number of all records, before `limit` and `offset`.",
  },
  depth: {
    parse: natural(MAX_DEPTH),
    schema: { type: "integer", minimum: 0, maximum: MAX_DEPTH },
    uses: ["list", "record"],
    doc: "Shows related records inside each record, this many levels deep, instead of references to them.",
  },
  stream: {
    ...FLAG,
    uses: ["list", "rows"],
    doc: "Sends records while they are read, in constant memory; not together with `depth`.",
  },
  href: {
    ...FLAG,
    uses: ["list", "record", "document", "query"],
    doc: "Shows references to records and their relations.",
  },
  wantarray: {
    ...FLAG,
    uses: ["record", "query"],
    doc: "Gives a list even where there is exactly one record.",
  },
  transpose: {
    ...FLAG,
    uses: ["list", "record", "query", "rows"],
    doc: "Turns rows into columns: each column's name with the list of its values.",
  },
  headers: { ...FLAG, uses: ["layout"], doc: "CSV: begins with a line of column names." },
  csvNullStr: {
    ...FLAG,
    uses: ["layout", "body"],
    doc: "CSV: NULL is written and read as the null marker.",
  },
  delimiter: {
    parse: delimiter,
    schema: { enum: [",", ";"] },
    uses: ["layout"],
    doc: "CSV: what stands between fields, `,` or `;`. A body may have either.",
  },
  bom: { ...FLAG, uses: ["layout"], doc: "CSV: begins with a byte-order mark, for spreadsheets." },
  escape_formulas: {
    ...FLAG,
    uses: ["layout"],
    doc: "CSV: texts that spreadsheets would run as formulas begin with an apostrophe.",
  },
  nil_visible: { ...FLAG, uses: ["layout"], doc: "XML and text: shows columns that are NULL." },
  tz: {
    parse: zone,
    schema: { const: "Z" },
    uses: ["list", "record", "query", "rows"],
    doc: "Times of types with a time zone, which are written in UTC, end with this zone: `Z`.",
  },
  nullStr: {
    ...MARKER,
    uses: ["path", "body", "document"],
    doc: "The null marker in place of `<null>`.",
  },
  separator: {
    ...MARKER,
    uses: ["path", "query"],
    doc: "What separates values of a path in place of `,`.",
  },
  wildcard: { ...MARKER, uses: ["path"], doc: "The wildcard of a path in place of `*`." },
  placeholder: {
    ...MARKER,
    uses: ["path", "document", "query"],
    doc: "What stands for `/` in a path in place of `__`.",
  },
  all: { ...FLAG, uses: ["table"], doc: "Allows to change or delete every record of a table." },
  "only-validate": { ...FLAG, uses: ["licence"], doc: "Looks at a new licence without using it." },
  schema: {
    ...FLAG,
    uses: ["list", "record", "document", "schema"],
    doc: "Gives the schema of the answer instead of the answer.",
  },
  cardinality: {
    parse: cardinality,
    schema: { anyOf: [{ type: "integer", minimum: 1 }, { const: "unbounded" }] },
    uses: ["list", "document", "schema"],
    onlyWithSchema: true,
    doc: "The largest number of records in the schema; only together with `schema`.",
  },
} as const satisfies Readonly<Record<string, Parameter>>;

/** A parameter's name in the URL. */
export type ParameterName = keyof typeof TABLE;

/** The parameters of the URL; an absent member was not given. */
export type Parameters = { readonly [Name in ParameterName]?: ReturnType<(typeof TABLE)[Name]["parse"]> };

/** The table by name. */
export const PARAMETERS: ReadonlyMap<string, Parameter> = new Map(Object.entries(TABLE));

const FLAGS: ReadonlyMap<string | undefined, boolean> = new Map([[undefined, true], ...BOOLEANS]);

function wrong(name: string, expected: string, text: string | undefined): ServiceError {
  const found = text === undefined ? "no value" : quote(text);
  return new ServiceError(
    "bad-request",
    `Cannot use parameter "${name}": expected ${expected}, found ${found}`,
  );
}

function flag(text: string | undefined, name: string): boolean {
  const value = FLAGS.get(text);
  if (value === undefined) throw wrong(name, "true or false", text);
  return value;
}

function natural(largest: number): Parse<number> {
  return (text, name) => {
    const value = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (!(value <= largest)) throw wrong(name, `a whole number from 0 to ${largest}`, text);
    return value;
  };
}

function cardinality(text: string | undefined, name: string): number | "unbounded" {
  if (text === "unbounded") return text;
  const value = text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (!(value >= 1)) throw wrong(name, "a whole number from 1, or unbounded", text);
  return value;
}

function zone(text: string | undefined, name: string): "Z" {
  if (text !== "Z") throw wrong(name, "Z, the only zone that times are written in", text);
  return text;
}

function delimiter(text: string | undefined, name: string): "," | ";" {
  if (text === "," || text === ";") return text;
  throw wrong(name, "a comma or a semicolon", text);
}

function marker(text: string | undefined, name: string): string {
  if (text === undefined || text === "") throw wrong(name, "at least one character", text);
  if ([...text].length > MAX_MARKER) throw wrong(name, `at most ${MAX_MARKER} characters`, text);
  return text;
}

function sortKeys(text: string | undefined, name: string): readonly SortKey[] {
  const keys = (text ?? "").split(",").map((part) => {
    return part.startsWith("-")
      ? { column: part.slice(1), descending: true }
      : { column: part, descending: false };
  });
  if (keys.some((key) => key.column === "")) throw wrong(name, "column names, as in Country,-LastName", text);
  return keys;
}
