/**
 * The table of query parameters: their types, parsers and documentation. Pure.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import type { FormatParameter, OwnParameters } from "@/plugins/contract.ts";
import {
  cardinality,
  flag,
  natural,
  type Parse,
  plainFlag,
  shortText,
  sortKeys,
  zone,
} from "./parameter_values.ts";

/**
 * Where a parameter has a meaning: reading lists or single records, filters and keys in a path, bodies, the
 * layout of formats other than JSON, writing to a whole table; documents, which are not table data: lists of
 * databases and tables, settings; the licence; any result of a saved query, and its rows if they are read
 * like those of a table; schemas of documents and of saved queries.
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

/** Where a parameter of a format has a meaning. */
export type OwnPart = FormatParameter["parts"][number];

interface Parameter {
  /** Throws 400 for an invalid value. */
  readonly parse: Parse;
  readonly uses: readonly ParameterUse[];
  /** Set when the answer then does not fit the schema that it has without the parameter. */
  readonly reshapes?: true;
  /** Set when the parameter has a meaning only together with `schema`. */
  readonly onlyWithSchema?: true;
  /** JSON Schema of its values. */
  readonly schema: Json;
  /** Its effect, in one sentence. */
  readonly doc: string;
}

const MAX_DEPTH = 5;

/** Longest marker in characters: each becomes part of a regular expression. */
const MAX_MARKER = 16;

const FLAG = { parse: flag, schema: { type: "boolean" } } as const;
const COUNT = { parse: natural(Number.MAX_SAFE_INTEGER), schema: { type: "integer", minimum: 0 } } as const;
const MARKER = {
  parse: shortText(MAX_MARKER),
  schema: { type: "string", minLength: 1, maxLength: MAX_MARKER },
} as const;

/** Every parameter of data resources, in the order of the documentation. */
const TABLE = {
  limit: { ...COUNT, uses: ["list", "rows"], doc: "At most this many records; 0 gives none." },
  offset: { ...COUNT, uses: ["list", "rows"], doc: "Leaves out this many records at the beginning." },
  sort: {
    parse: sortKeys,
    schema: { type: "string" },
    uses: ["list", "rows"],
    doc:
      "Columns to sort by, a hyphen before one for descending order, as in `Country,-LastName`; of tables " +
      "also those of the one related record, as in `Country/Name`. Without it records come in the order of " +
      "their key.",
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
    reshapes: true,
    doc: "Gives a list even where there is exactly one record.",
  },
  transpose: {
    ...FLAG,
    uses: ["list", "record", "query", "rows"],
    reshapes: true,
    doc: "Turns rows into columns: each column's name with the list of its values.",
  },
  headers: { ...FLAG, uses: ["layout"], doc: "CSV: begins with a line of column names." },
  csvNullStr: {
    ...FLAG,
    uses: ["layout", "body"],
    doc: "CSV: NULL is written and read as the null marker.",
  },
  nil_visible: { ...FLAG, uses: ["layout"], doc: "XML and text: shows columns that are NULL." },
  tz: {
    parse: zone,
    schema: { const: "Z" },
    uses: ["list", "record", "query", "rows"],
    reshapes: true,
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
  all: {
    ...FLAG,
    parse: plainFlag,
    uses: ["table"],
    doc: "Allows to change or delete every record of a table.",
  },
  "only-validate": { ...FLAG, uses: ["licence"], doc: "Looks at a new licence without using it." },
  schema: {
    ...FLAG,
    uses: ["list", "schema"],
    reshapes: true,
    doc: "Gives the schema of the answer instead of the answer.",
  },
  cardinality: {
    parse: cardinality,
    schema: { anyOf: [{ type: "integer", minimum: 1 }, { const: "unbounded" }] },
    uses: ["list", "schema"],
    onlyWithSchema: true,
    doc: "The largest number of records in the schema; only together with `schema`.",
  },
} as const satisfies Readonly<Record<string, Parameter>>;

/** A parameter's name in the URL. */
export type ParameterName = keyof typeof TABLE;

/** The parameters of the URL; an absent member was not given. */
export type Parameters =
  & { readonly [Name in ParameterName]?: ReturnType<(typeof TABLE)[Name]["parse"]> }
  & { readonly own?: OwnParts };

/** Parameters that formats declare, by the part that they are for. */
type OwnParts = Readonly<Record<OwnPart, OwnParameters>>;

/** The table by name. */
export const PARAMETERS: ReadonlyMap<string, Parameter> = new Map(Object.entries(TABLE));
