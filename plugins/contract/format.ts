/**
 * Formats: they write answers and read bodies.
 *
 * @module
 */

import type { Document, DocumentShape, Json, Problem, Row, Value } from "@/core/model.ts";
import type { BodyValue, CellInput, Reading, ReadInput, ReadResult } from "./format_body.ts";
import type { FormatParameter, OwnParameters } from "./format_parameter.ts";
import type { Shape } from "./format_shape.ts";
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
  /** `templates_path`: the directory of the operator's templates for pages. Absent: there are none. */
  readonly templates?: string | undefined;
  /** The tree of a document, which refers to JSON, with references to this format instead. */
  references(tree: Json): Json;
  /** A log for operators. It must not contain secrets. */
  readonly log: Log;
}

/** A piece of an answer's body. The core encodes text in the request's charset. */
export type Chunk = string | Uint8Array;

/** A format that was set up. */
export interface Format {
  /**
   * Content types it writes, in lower case and without charset; the first one unless the request asks for
   * another of them.
   */
  readonly contentTypes: readonly string[];
  /** Content types it matches in `Accept`. Absent: {@link contentTypes}. Empty: chosen by extension only. */
  readonly accepts?: readonly string[];
  /** True when its chunks are bytes: no charset is added. Default false. */
  readonly binary?: boolean;
  /**
   * True when it can show related records inside a record (`depth`). Default
   * false: `depth` is refused with 400.
   */
  readonly nested?: boolean;
  /**
   * True for pages that people read: they get a filled {@link Page} (other formats an empty one), and lists
   * without `limit` redirect to `limit={html_limit}`. Default false.
   */
  readonly paged?: boolean;
  /**
   * Query parameters of its own, by their names: letters and underscores, none of the service's. They
   * are accepted with every format, so that the extension of a URL can be changed; formats with the
   * same parameter declare it alike.
   */
  readonly parameters?: Readonly<Record<string, FormatParameter>>;
  /** True when times of types with a time zone end with `Z`, as with the request's `tz=Z`. Default false. */
  readonly utcSuffix?: boolean;
  /** The text for a character that the configured `output_encoding` lacks. Absent: `?`. */
  escape?(codePoint: number): string;
  /**
   * Compiled once for a shape and its options, then used for many answers, so it must
   * not keep the state of one answer.
   */
  writer(shape: Shape, options: WriteOptions): Writer;
  /** Writes a document: lists of databases and tables, settings, definitions. */
  document(document: Document, options: WriteOptions, page: Page): Chunk | Promise<Chunk>;
  /** Writes the body of an error. */
  problem(problem: Problem, options: WriteOptions, page: Page): Chunk | Promise<Chunk>;
  /**
   * Writes a page with a form: the login, the first run. Absent: the format has no forms. The service has
   * such pages if one of its formats does.
   */
  form?(form: FormPage, options: WriteOptions, page: Page): Chunk | Promise<Chunk>;
  /**
   * Writes a page for people: a view of a resource that is more than its data. Absent: the format shows the
   * document of the resource instead.
   */
  view?(view: PageView, options: WriteOptions, page: Page): Chunk | Promise<Chunk>;
  /**
   * Files that pages load, by their names. The core serves them at `/assets/{hash of their content}/{name}`,
   * to be kept by browsers for a year; {@link Page.asset} tells the address.
   */
  readonly assets?: ReadonlyMap<string, Asset>;
  /**
   * Reads a request's body: text, or the bytes of a {@link binary} format. Absent: bodies of this format are
   * refused with 415. It accepts any body, however large, deep or hostile, and returns a complaint instead of
   * throwing. A {@link Reading} lets other requests run between its steps; an immediate result blocks them
   * until it is complete. After `server.plugin_timeout` of work, and when its caller has left, it is stopped.
   */
  read?(
    body: string | Uint8Array<ArrayBuffer>,
    input: ReadInput,
  ): ReadResult | Reading | Promise<ReadResult | Reading>;
  /**
   * Whether answers show a cell as this value of a body: an update that repeats the value it read leaves the
   * cell unchanged. Called where the value is not of the column's type, and where {@link isAmbiguous}.
   * Absent: values are not compared with cells.
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
   * Names another format whose schemas this one shows. It writes no data itself (`xsd` shows those of `xml`),
   * so its {@link writer} and {@link document} are never called. Errors are those of the
   * other format if that is enabled.
   */
  readonly schemasOf?: string;
}

/** A file that pages load. */
export interface Asset {
  /** Its content type, with charset. */
  readonly contentType: string;
  /** Its content. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Options of a schema: its content type and charset, and those options of answers that change their schema.
 */
export interface SchemaOptions extends Pick<WriteOptions, "contentType" | "charset" | "href" | "nilVisible"> {
  /** Largest number of records in a list. */
  readonly cardinality: number | "unbounded";
}

/** Compiled for one shape; makes a {@link Body} for each answer. */
export type Writer = (page: Page) => Body;

/** Pieces of an answer that are made as they are asked for. */
export type Pieces = Generator<Chunk, void, void>;

/**
 * Writes one answer: `begin`, `row` for each row, `end`. A piece may be empty. A part is asked for when the
 * one before it has settled, in streams as in answers that are built at once.
 */
export interface Body {
  /** The text before the first row. */
  begin(): Chunk | Promise<Chunk>;
  /**
   * `first` is true for the first row of the answer. The size of a row with related records has
   * no bound: {@link Pieces}, one per record, let other requests run while it is written. They
   * are consumed before the next row.
   */
  row(row: Row, first: boolean): Chunk | Promise<Chunk> | Pieces;
  /** The text after the last row. */
  end(): Chunk | Promise<Chunk>;
}

/**
 * The options of a writer, from the request's parameters and the configuration.
 * Absent members: the plugin's default.
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
  /** Values of {@link Format.parameters} that are for answers. Absent: none. */
  readonly parameters?: OwnParameters;
  /** The answer is sent while rows are still being read: memory must stay constant. */
  readonly stream: boolean;
}
