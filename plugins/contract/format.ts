/**
 * Formats: they write answers and read bodies.
 *
 * @module
 */

import type {
  Column,
  ColumnBounds,
  Document,
  DocumentShape,
  Problem,
  Row,
  TypeDetail,
  Value,
  ValueType,
} from "@/core/model.ts";
import type { FormPage, Page } from "./page.ts";
import type { PageView } from "./page_view.ts";
import type { Log, Plugin } from "./plugin.ts";

/** A format, as its folder exports it. */
export type FormatPlugin = Plugin<"format", Format, FormatHost>;

/** Services for a format. */
export interface FormatHost {
  /** `branding.name`. */
  readonly product: string;
  /** `refid_prefix`: the key that holds a resource's URL, `__href`. */
  readonly refidPrefix: string;
  /** A log for operators. It must not contain secrets. */
  readonly log: Log;
}

/** A piece of an answer's body. The core encodes text in the request's charset. */
export type Chunk = string | Uint8Array;

/** A format that was set up. */
export interface Format {
  /** Content types it writes, without charset; the first one unless the request asks for another of them. */
  readonly contentTypes: readonly string[];
  /** Content types it matches in `Accept`. Absent: {@link contentTypes}. Empty: chosen by extension only. */
  readonly accepts?: readonly string[];
  /** True when its chunks are bytes: no charset is added. Default false. */
  readonly binary?: boolean;
  /** True when it can show related records inside a record (`depth`). Default false: `depth` is refused with 400. */
  readonly nested?: boolean;
  /**
   * True for pages that people read: they get a filled {@link Page} (other formats an empty one), and lists without
   * `limit` redirect to `limit={html_limit}`. Default false.
   */
  readonly paged?: boolean;
  /**
   * Query parameters of its own, by their names: letters and underscores, none of the service's. They are accepted with
   * every format, so that the extension of a URL can be changed; formats with the same parameter declare it alike.
   */
  readonly parameters?: Readonly<Record<string, FormatParameter>>;
  /** The text for a character that the configured `output_encoding` lacks. Absent: `?`. */
  escape?(codePoint: number): string;
  /**
   * Compiled once for a shape and its options, then used for many answers, so it must not keep the state of one answer.
   */
  writer(shape: Shape, options: WriteOptions): Writer;
  /** Writes a document: lists of databases and tables, settings, definitions. */
  document(document: Document, options: WriteOptions, page: Page): Chunk | Promise<Chunk>;
  /** Writes the body of an error. */
  problem(problem: Problem, options: WriteOptions, page: Page): Chunk | Promise<Chunk>;
  /**
   * Writes a page with a form: the login, the first run. Absent: the format has no forms. The service has such pages if
   * one of its formats does.
   */
  form?(form: FormPage, options: WriteOptions, page: Page): Chunk | Promise<Chunk>;
  /**
   * Writes a page for people: a view of a resource that is more than its data. Absent: the format shows the document of
   * the resource instead.
   */
  view?(view: PageView, options: WriteOptions, page: Page): Chunk | Promise<Chunk>;
  /**
   * Files that pages load, by their names. The core serves them at `/assets/{hash of their content}/{name}`, to be kept
   * by browsers for a year; {@link Page.asset} tells the address.
   */
  readonly assets?: ReadonlyMap<string, Asset>;
  /**
   * Reads a request's body: text, or the bytes of a {@link binary} format. Absent: bodies of this format are refused with
   * 415. It accepts any body, however large, deep or hostile, and returns a complaint instead of throwing. A {@link
   * Reading} lets other requests run between its steps; an immediate result blocks them until it is complete. After
   * `server.plugin_timeout` of work, and when its caller has left, it is stopped.
   */
  read?(
    body: string | Uint8Array<ArrayBuffer>,
    input: ReadInput,
  ): ReadResult | Reading | Promise<ReadResult | Reading>;
  /**
   * Whether answers show a cell as this value of a body: an update that repeats the value it read leaves the cell
   * unchanged. Called where the value is not of the column's type, and where {@link isAmbiguous}. Absent: values are
   * not compared with cells.
   */
  shows?(cell: Value, value: BodyValue, input: CellInput): boolean;
  /** Whether cells with different values look like this value: XML drops characters. Absent: never. */
  isAmbiguous?(value: BodyValue, input: CellInput): boolean;
  /** The schema of an answer of {@link writer}. Absent: `?schema` gives the JSON Schema of the same data. */
  schema?(shape: Shape, options: SchemaOptions): Chunk | Promise<Chunk>;
  /** The schema of the documents that {@link document} writes. Absent: `?schema` gives their JSON Schema. */
  documentSchema?(shape: DocumentShape, options: SchemaOptions): Chunk | Promise<Chunk>;
  /** The content type of schemas. Default: the first of {@link contentTypes}. */
  readonly schemaContentType?: string;
  /**
   * Names another format whose schemas this one shows. It writes no data itself (`xsd` shows those of `xml`), so its
   * {@link writer} and {@link document} are never called.
   */
  readonly schemasOf?: string;
}

/** A query parameter of a format. Other values are refused with 400. */
export interface FormatParameter {
  /** `integer`: a whole number from 0. `boolean`: the name alone means true. */
  readonly type: "boolean" | "integer" | "text";
  /** The texts that it may be. Absent: all of its type; a text has 1 to 200 characters. */
  readonly values?: readonly string[];
  /** Where it has a meaning: {@link WriteOptions.parameters}, {@link ReadInput.parameters}. */
  readonly parts: readonly ("answer" | "body")[];
}

/** Parameters of formats that the request has, by name. */
export type OwnParameters = Readonly<Record<string, boolean | number | string>>;

/** A file that pages load. */
export interface Asset {
  /** Its content type, with charset. */
  readonly contentType: string;
  /** Its content. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The context of a body. */
export interface ReadInput {
  /** The table's name; formats with named records use it. */
  readonly name: string;
  /** Types of the table's columns by name; unknown names in a body are passed on unchanged. */
  readonly columns: ReadonlyMap<string, ValueType>;
  /** The text that stands for NULL where `csvNullStr` is set. */
  readonly nullMarker: string;
  /** The parameter `csvNullStr`: {@link nullMarker} stands for NULL. */
  readonly csvNullStr: boolean;
  /** Those of {@link Format.parameters} that are for bodies. Absent: none. */
  readonly parameters?: OwnParameters;
  /** Aborted when the caller has left, or the time is up, before `read` has given its result. */
  readonly signal: AbortSignal;
}

/** The context of one value. */
export interface CellInput {
  /** The column's type. */
  readonly type: ValueType;
  /** See {@link ReadInput.csvNullStr}. */
  readonly csvNullStr: boolean;
}

/**
 * The records of a body in their order, or a sentence fragment that describes the mistake: `line 3 has 4 fields, not
 * 5`. `isList`: the body has the form of a list. A POST of a list answers with a list, except for exactly one record; a
 * format that cannot tell one record from a list of one says false for one, and true otherwise.
 */
export type ReadResult =
  | { readonly records: readonly BodyRecord[]; readonly isList: boolean }
  | { readonly complaint: string };

/**
 * A body that is read step by step: a generator that yields each record as soon as it is read, and undefined now and
 * then while a record takes long. A step takes a few milliseconds at most. It is stopped early (`return`) when its
 * records are refused, the caller leaves or the time is up.
 */
export type Reading = Generator<BodyRecord | undefined, ReadEnd, void>;

/** The result at the end of a body. */
export type ReadEnd = { readonly isList: boolean } | { readonly complaint: string };

/** One record of a body: names and values as written. Names are unique. */
export type BodyRecord = ReadonlyMap<string, BodyValue>;

/**
 * A value of a body, not yet checked against its column. Strings of formats without types (CSV, XML) are the lexical form
 * of any type. Numbers keep their digits; `nested` has the source text of an object or list. `empty` is an empty field in
 * a format with a marker for NULL, for a type without empty text: it means NULL, unless the cell looks like it.
 */
export type BodyValue =
  | null
  | boolean
  | string
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "nested"; readonly text: string }
  | { readonly kind: "empty" };

/** Options of a schema: its content type and charset, and those options of answers that change their schema. */
export interface SchemaOptions extends Pick<WriteOptions, "contentType" | "charset" | "href" | "nilVisible"> {
  /** Largest number of records in a list. */
  readonly cardinality: number | "unbounded";
}

/** Compiled for one shape; makes a {@link Body} for each answer. */
export type Writer = (page: Page) => Body;

/** Pieces of an answer that are made as they are asked for. */
export type Pieces = Generator<Chunk, void, void>;

/**
 * Writes one answer: `begin`, `row` for each row, `end`. A piece may be empty. A part is asked for when the one before it
 * has settled, in streams as in answers that are built at once.
 */
export interface Body {
  /** The text before the first row. */
  begin(): Chunk | Promise<Chunk>;
  /**
   * `first` is true for the first row of the answer. The size of a row with related records has no bound: {@link
   * Pieces}, one per record, let other requests run while it is written. They are consumed before the next row.
   */
  row(row: Row, first: boolean): Chunk | Promise<Chunk> | Pieces;
  /** The text after the last row. */
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
  /** The table's comment in the database. */
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
  /** On the page of a record: the columns whose texts make its label. */
  readonly label?: readonly number[];
}

/** A column of an answer. */
export interface ShapeColumn {
  /** Its name in the database. */
  readonly name: string;
  /** The type that decides how values are written. */
  readonly type: ValueType;
  /** Whether it may be NULL. */
  readonly nullable: boolean;
  /** The engine's name of the type: `NVARCHAR(40)`. */
  readonly declaredType: string;
  /** Part of the primary key. */
  readonly isKey: boolean;
  /** A new record must have it: not nullable, and the database does not fill it. */
  readonly isRequired: boolean;
  /** Computed by the database; never written. */
  readonly isGenerated: boolean;
  /** The suffix of its times: `Z`, or an offset in each value. Absent: no suffix. */
  readonly zone?: "Z" | "offset";
  /** Further texts that its values may have beside those of its type: a regular expression without anchors. */
  readonly irregular?: string;
  /** Largest number of characters, where the type declares one. */
  readonly maxLength?: number;
  /** Facts about its type. `zone`: its times are moments in UTC, or have an offset each, whatever is written. */
  readonly detail?: TypeDetail & Pick<Column, "zone">;
  /** Limits of its values beyond those of the type. */
  readonly bounds?: ColumnBounds;
  /** The column's comment in the database. */
  readonly comment?: string;
}

/** A relation that records of an answer have. */
export interface ShapeRelation {
  /** Its key or element in the answer. */
  readonly name: string;
  /** The path segment that leads from a record's path to its related records, encoded: `Invoice`. */
  readonly segment: string;
  /** True when it leads to a list of records, false when it leads to one at most. */
  readonly many: boolean;
  /**
   * Cells of a row that hold the foreign key of a to-one relation and may be NULL: if one of them is NULL, no record is
   * related, and NULL is shown instead of a reference. Absent: a record is always related.
   */
  readonly nullableKey?: readonly number[];
  /** If expanded: the row's cell with the related rows, and their shape. */
  readonly expanded?: { readonly cell: number; readonly shape: Shape };
  /** On pages: the label of a to-one relation's record. */
  readonly label?: RelationLabel;
  /** On the page of a record: the first records of a to-many relation. */
  readonly some?: RelationSome;
}

/** The first records of a to-many relation. */
export interface RelationSome extends Omit<RelationLabel, "column"> {
  /** The number of rows to show; there are more if the cell has more. */
  readonly most: number;
  /** The cell has at most one row more than this: then there are more than this. */
  readonly countedUpTo: number;
}

/** The label of the record that a to-one relation leads to. */
export interface RelationLabel {
  /** The column in whose place it stands; the last one of a foreign key of several columns. */
  readonly column: number;
  /** The row's cell with the related row, an empty list without one. */
  readonly cell: number;
  /** The cells of the related row whose texts make the label, joined by spaces. Empty: its key is the label. */
  readonly texts: readonly number[];
  /** The path of the related record, like {@link Shape.locate}. */
  locate(row: Row): string | null;
}

/**
 * The options of a writer, from the request's parameters and the configuration. Absent members: the plugin's default.
 */
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
  /** The parameter or setting `nil_visible`: NULL is shown. */
  readonly nilVisible?: boolean;
  /** The text that stands for NULL: `<null>`, or the request's `nullStr`. */
  readonly nullMarker: string;
  /** Those of {@link Format.parameters} that are for answers. Absent: none. */
  readonly parameters?: OwnParameters;
  /** The answer is sent while rows are still being read: memory must stay constant. */
  readonly stream: boolean;
}
