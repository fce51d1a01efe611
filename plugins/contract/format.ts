/**
 * Formats: how answers are written and bodies are read.
 *
 * @module
 */

import type { ColumnBounds, Document, DocumentShape, Problem, Row, Value, ValueType } from "@/core/model.ts";
import type { FormPage, Page } from "./page.ts";
import type { Log, Plugin } from "./plugin.ts";

/** A format, as its folder exports it. */
export type FormatPlugin = Plugin<"format", Format, FormatHost>;

/** What a format may use. */
export interface FormatHost {
  /** `branding.name`. */
  readonly product: string;
  /** `refid_prefix`: the key that holds a resource's URL, `__href`. */
  readonly refidPrefix: string;
  /** Where operators read what goes wrong. Nothing secret belongs there. */
  readonly log: Log;
}

/** A piece of an answer's body. Text is encoded by the core as the request's charset asks. */
export type Chunk = string | Uint8Array;

/** A format that was set up. */
export interface Format {
  /** Content types it writes, without charset; the first one unless the request asked for another of them. */
  readonly contentTypes: readonly string[];
  /** Content types recognised in `Accept`; absent: {@link contentTypes}. Empty: chosen by extension only. */
  readonly accepts?: readonly string[];
  /** True when its bytes are no text: no charset is added and chunks are bytes. Default false. */
  readonly binary?: boolean;
  /** True when it can show related records inside a record (`depth`). Default false: `depth` is refused with 400. */
  readonly nested?: boolean;
  /**
   * True for pages for people: they get a {@link Page} with what is around the data (others get an empty one), and lists
   * without `limit` lead to `limit={html_limit}`. Default false.
   */
  readonly paged?: boolean;
  /** How a character that the configured `output_encoding` lacks is written. Absent: `?`. */
  escape?(codePoint: number): string;
  /** Compiled once for a shape and its options, then used for many answers, so it keeps no state of one answer. */
  writer(shape: Shape, options: WriteOptions): Writer;
  /** Writes what is no table: lists of databases and tables, settings, definitions. */
  document(document: Document, options: WriteOptions, page: Page): Chunk;
  /** Writes the body of an error. */
  problem(problem: Problem, options: WriteOptions, page: Page): Chunk;
  /**
   * A page with a form: the login, the first run. Absent: this format has none. The service has such pages if one of its
   * formats has.
   */
  form?(form: FormPage, options: WriteOptions, page: Page): Chunk;
  /**
   * Reads a request's body. Absent: bodies of this format are refused with 415. It takes whatever text comes, however
   * large, deep or hostile, and answers with a complaint instead of throwing. A format that gives a {@link Reading} lets
   * other requests go on between its steps; one that gives the result at once keeps them waiting until it is there.
   */
  read?(text: string, input: ReadInput): ReadResult | Reading;
  /**
   * Whether answers show a cell as this value of a body: a change that repeats what was read leaves the cell alone. Asked
   * where the value is none of the column's type, and where {@link isAmbiguous}. Absent: no value is looked for.
   */
  shows?(cell: Value, value: BodyValue, input: CellInput): boolean;
  /** Whether other cells than the one with this value are shown alike: XML drops characters. Absent: none. */
  isAmbiguous?(value: BodyValue, input: CellInput): boolean;
  /** The schema of what {@link writer} gives for a shape. Absent: `?schema` gives the JSON Schema of the same data. */
  schema?(shape: Shape, options: SchemaOptions): Chunk;
  /** The schema of what {@link document} gives for documents of a shape. Absent: `?schema` gives their JSON Schema. */
  documentSchema?(shape: DocumentShape, options: SchemaOptions): Chunk;
  /** The content type of schemas. Default: the first of {@link contentTypes}. */
  readonly schemaContentType?: string;
  /**
   * Names another format whose schemas this one shows: it has no data of its own (`xsd` shows those of `xml`), so its
   * {@link writer} and {@link document} are never called.
   */
  readonly schemasOf?: string;
}

/** What a body is read for. */
export interface ReadInput {
  /** The table's name: records of formats with names are called like it. */
  readonly name: string;
  /** Types of the table's columns by name; names in a body that are not among them are passed on as they are. */
  readonly columns: ReadonlyMap<string, ValueType>;
  /** The text that stands for NULL where `csvNullStr` is set. */
  readonly nullMarker: string;
  /** The parameter `csvNullStr`: {@link nullMarker} stands for NULL. */
  readonly csvNullStr: boolean;
}

/** What the reading of one value depends on. */
export interface CellInput {
  /** The column's type. */
  readonly type: ValueType;
  /** As in {@link ReadInput}. */
  readonly csvNullStr: boolean;
}

/** The records of a body in their order, or a sentence fragment that says what is wrong: `line 3 has 4 fields, not 5`. */
export type ReadResult =
  | { readonly records: readonly BodyRecord[]; readonly isList: boolean }
  | { readonly complaint: string };

/**
 * A body that is read step by step: a generator that yields each record as soon as it is read, and nothing now and then
 * where a record takes long. A step should take a few milliseconds at most. It is not run to its end when its records are
 * refused.
 */
export type Reading = Generator<BodyRecord | undefined, ReadEnd, void>;

/** What is known at the end of a body. */
export type ReadEnd = { readonly isList: boolean } | { readonly complaint: string };

/** One record of a body: names and values as they stand there. Names are unique. */
export type BodyRecord = ReadonlyMap<string, BodyValue>;

/**
 * A value of a body, not yet checked against its column. Strings of formats without types (CSV, XML) are the lexical form
 * of any type. Numbers keep their digits; `nested` holds the source text of an object or list.
 */
export type BodyValue =
  | null
  | boolean
  | string
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "nested"; readonly text: string };

/** What a request asks of a schema. */
export interface SchemaOptions {
  /** One of those that the schema can be sent as. */
  readonly contentType: string;
  /** The lower-case name of the charset the schema will be encoded in: `utf-8`. */
  readonly charset: string;
  /** Largest number of records in a list. */
  readonly cardinality: number | "unbounded";
  /** Whether answers have references to records. */
  readonly href?: boolean;
  /** Whether answers show what is NULL. */
  readonly nilVisible?: boolean;
}

/** Compiled for one shape; makes a {@link Body} for each answer. */
export type Writer = (page: Page) => Body;

/** Pieces of an answer that are made as they are asked for. */
export type Pieces = Generator<Chunk, void, void>;

/** Writes one answer: `begin`, `row` for each row, `end`. What a piece returns may be empty. */
export interface Body {
  /** What stands before the first row. */
  begin(): Chunk | Promise<Chunk>;
  /**
   * `first` is true for the first row of the answer. A row with related records has no bound: {@link Pieces}, a record each,
   * let other requests go on while it is written. They are asked for before the next row is.
   */
  row(row: Row, first: boolean): Chunk | Promise<Chunk> | Pieces;
  /** What stands behind the last row. */
  end(): Chunk | Promise<Chunk>;
}

/**
 * What an answer looks like; the same for every row.
 *
 * | form | one row is | the answer is |
 * |---|---|---|
 * | `records` | a record | a list of records |
 * | `record` | a record | one record; there is exactly one row |
 * | `values` | one value | a list of scalars |
 * | `value` | one value | a scalar; there is exactly one row |
 * | `columns` | a column: its name, then its values | a transposed list; {@link columns} tells the type of each row in turn |
 */
export interface Shape {
  /** See the table above. */
  readonly form: "records" | "record" | "values" | "value" | "columns";
  /** The table's or query's name; names the elements in formats that need names. */
  readonly name: string;
  /** What the database says of the table. */
  readonly comment?: string;
  /** In the order of the cells of a row. */
  readonly columns: readonly ShapeColumn[];
  /** To-one relations, shown before the columns. */
  readonly toOne: readonly ShapeRelation[];
  /** To-many relations, shown after the columns. */
  readonly toMany: readonly ShapeRelation[];
  /**
   * The path of the record that a row holds, without extension, percent-encoded ASCII without quotes, angle brackets
   * or ampersands: `/db/Chinook/Customer/CustomerId/1`. Null where a row has no key. Absent: records of this shape
   * show no references at all.
   */
  readonly locate?: (row: Row) => string | null;
}

/** A column of an answer. */
export interface ShapeColumn {
  /** As the database calls it. */
  readonly name: string;
  /** How its values are written. */
  readonly type: ValueType;
  /** It may be NULL. */
  readonly nullable: boolean;
  /** The engine's own name of the type: `NVARCHAR(40)`. */
  readonly declaredType: string;
  /** Part of the primary key. */
  readonly isKey: boolean;
  /** A new record must have it: not nullable, and the database does not fill it. */
  readonly isRequired: boolean;
  /** Computed by the database; never written. */
  readonly isGenerated: boolean;
  /** Its times end with `Z`, or each with an offset of its own. Absent: they have no suffix. */
  readonly zone?: "Z" | "offset";
  /** What else its values may look like than those of its type: a regular expression without anchors. */
  readonly irregular?: string;
  /** Largest number of characters, where the type declares one. */
  readonly maxLength?: number;
  /** Limits of its values beside their type. */
  readonly bounds?: ColumnBounds;
  /** What the database says of it. */
  readonly comment?: string;
}

/** A relation that records of an answer have. */
export interface ShapeRelation {
  /** The key or element that it is shown as. */
  readonly name: string;
  /** The path segment that leads from a record's path to its related records, encoded: `Invoice`. */
  readonly segment: string;
  /** It leads to a list of records, else to one at most. */
  readonly many: boolean;
  /**
   * Cells of a row that hold the foreign key of a to-one relation and may be NULL: where one of them is, no record is
   * related, and NULL is shown instead of a reference. Absent: there always is one.
   */
  readonly nullableKey?: readonly number[];
  /** Where expanded: the row's cell that holds the related rows, and their shape. */
  readonly expanded?: { readonly cell: number; readonly shape: Shape };
}

/** What the request's parameters and the configuration ask of a writer. Absent members: the plugin's own default. */
export interface WriteOptions {
  /** One of {@link Format.contentTypes}. */
  readonly contentType: string;
  /** The lower-case name of the charset the answer will be encoded in: `utf-8`. */
  readonly charset: string;
  /** The parameter or setting `href`: references to records are shown. */
  readonly href?: boolean;
  /** The parameter or setting `headers`: names of columns are shown. */
  readonly headers?: boolean;
  /** The parameter `csvNullStr`: NULL is written as {@link nullMarker}. */
  readonly csvNullStr?: boolean;
  /** The parameter `delimiter`: what stands between the fields of a line. */
  readonly delimiter?: "," | ";";
  /** The parameter `bom`: text in Unicode begins with a byte-order mark. */
  readonly bom?: boolean;
  /** The parameter or setting `nil_visible`: what is NULL is shown. */
  readonly nilVisible?: boolean;
  /** The text that stands for NULL: `<null>`, or the request's `nullStr`. */
  readonly nullMarker: string;
  /** The answer is sent while rows are still being read: memory must stay constant. */
  readonly stream: boolean;
}
