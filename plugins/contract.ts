/**
 * The whole contract between Rowhouse and its plugins: formats, authentication methods and database dialects.
 * Built-in plugins use nothing else. A plugin is a folder with a `mod.ts` whose default export is one of
 * {@link FormatPlugin}, {@link AuthPlugin} or {@link DialectPlugin}; its `name` equals the folder's.
 *
 * A plugin needs this file for its types only (`import type`), so one file anywhere on disk is enough.
 *
 * @module
 */

import type { Compilable, DialectAdapter, Expression, QueryCompiler } from "kysely";
import type {
  Catalog,
  Column,
  DatabaseDefinition,
  Document,
  Json,
  Problem,
  Row,
  User,
  Value,
  ValueType,
} from "@/core/model.ts";

export type {
  Catalog,
  Cell,
  Column,
  DatabaseDefinition,
  Document,
  ForeignKey,
  Json,
  PoolSettings,
  Problem,
  Row,
  TableDescription,
  User,
  Value,
  ValueType,
} from "@/core/model.ts";

/** The version of this contract. A plugin that names another one is refused at start. */
export const CONTRACT = 1;

/** The settings of one plugin, as configured: what stands behind `{name}_sdb.` in service.ini, or its block in auth.cfg. */
export type Section = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}

interface Plugin<Kind extends string, Instance, Host> {
  readonly contract: typeof CONTRACT;
  readonly kind: Kind;
  /** Equals the name of the folder. */
  readonly name: string;
  /** Called once at start. What it throws stops the start and is shown to the operator. */
  setup(section: Section, host: Host): Instance | Promise<Instance>;
}

export type FormatPlugin = Plugin<"format", Format, FormatHost>;
export type AuthPlugin = Plugin<"auth", AuthMethod, AuthHost>;
export type DialectPlugin = Plugin<"dialect", Dialect, DialectHost>;
export type AnyPlugin = FormatPlugin | AuthPlugin | DialectPlugin;

// ── Formats ────────────────────────────────────────────────────────────────

export interface FormatHost {
  /** `branding.name`. */
  readonly product: string;
  /** `refid_prefix`: the key that holds a resource's URL, `__href`. */
  readonly refidPrefix: string;
  readonly log: Log;
}

/** A piece of an answer's body. Text is encoded by the core as the request's charset asks. */
export type Chunk = string | Uint8Array;

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
  document(document: Document, options: WriteOptions, page: Page): Chunk;
  problem(problem: Problem, options: WriteOptions, page: Page): Chunk;
}

/** Compiled for one shape; makes a {@link Body} for each answer. */
export type Writer = (page: Page) => Body;

/** Writes one answer: `begin`, `row` for each row, `end`. What a piece returns may be empty. */
export interface Body {
  begin(): Chunk | Promise<Chunk>;
  /** `first` is true for the first row of the answer. */
  row(row: Row, first: boolean): Chunk | Promise<Chunk>;
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
  readonly form: "records" | "record" | "values" | "value" | "columns";
  /** The table's or query's name; names the elements in formats that need names. */
  readonly name: string;
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

export interface ShapeColumn {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
}

export interface ShapeRelation {
  readonly name: string;
  /** The path segment that leads from a record's path to its related records, encoded: `Invoice`. */
  readonly segment: string;
  readonly many: boolean;
  /** Where expanded: the row's cell that holds the related rows, and their shape. */
  readonly expanded?: { readonly cell: number; readonly shape: Shape };
}

/** What the request's parameters and the configuration ask of a writer. Absent members: the plugin's own default. */
export interface WriteOptions {
  readonly contentType: string;
  /** The lower-case name of the charset the answer will be encoded in: `utf-8`. */
  readonly charset: string;
  readonly href?: boolean;
  readonly headers?: boolean;
  readonly csvNullStr?: boolean;
  readonly nilVisible?: boolean;
  /** The text that stands for NULL: `<null>`, or the request's `nullStr`. */
  readonly nullMarker: string;
  /** The answer is sent while rows are still being read: memory must stay constant. */
  readonly stream: boolean;
}

/** What a page for people needs to know beyond the data. Links are relative to the host and percent-encoded. */
export interface Page {
  /** The request's path without extension and its query: for titles and links. */
  readonly path: string;
  /** Who is asking; `public` without credentials. */
  readonly user: string;
  /** The prefix of every path of this service: empty, or the path of `--base-url`. */
  readonly prefix: string;
  /** The same resource in another format or with other parameters (`undefined` removes one). */
  link(extension: string, changes: Readonly<Record<string, string | undefined>>): string;
  /** The names of all formats that this resource has. */
  readonly formats: readonly string[];
  readonly limit?: number;
  readonly offset: number;
  /** Number of all rows, where the request asked for it. */
  readonly total?: number;
}

// ── Authentication ─────────────────────────────────────────────────────────

export interface AuthHost {
  readonly log: Log;
  /** Settings of service.ini that belong to authentication, by their key: `appid_name`. */
  setting(key: "appid_name" | "apikey_name"): string;
  setting(key: "allow_apikey_in_query_string"): boolean;
  /** The user whose API key this is; looked up by its hash. */
  findUserByApiKey(key: string): User | undefined;
}

/** The part of a request that authentication may look at. */
export interface AuthRequest {
  readonly method: string;
  readonly headers: Headers;
  /** Values of the query parameters named in {@link AuthMethod.queryParameters}. */
  readonly credentials: ReadonlyMap<string, string>;
}

/**
 * `absent`: this method's credentials are not in the request, the next method is asked. `rejected`: they are and are
 * wrong; the request is refused and never becomes `public`. The reason is for the log only, unless `tell` is set.
 */
export type AuthResult =
  | { readonly outcome: "absent" }
  | { readonly outcome: "accepted"; readonly user: User }
  | { readonly outcome: "rejected"; readonly reason: string; readonly tell?: string };

export interface AuthMethod {
  authenticate(request: AuthRequest): AuthResult | Promise<AuthResult>;
  /** Names of query parameters that carry this method's credentials; they are accepted on every URL. */
  readonly queryParameters?: readonly string[];
  /** What clients need to know to use this method, shown in `/settings`: names of headers, never a secret. */
  readonly clientSettings?: Readonly<Record<string, Json>>;
}

// ── Dialects ───────────────────────────────────────────────────────────────

export interface DialectHost {
  readonly log: Log;
  /** `orm_sdb.engine_echo`: log the SQL that reads the catalog. */
  readonly echo: boolean;
  /** Relative file names in definitions are relative to this directory. */
  readonly directory: string;
}

export interface Dialect {
  /** How this engine's SQL differs. */
  readonly sql: SqlTraits;
  /**
   * Connects with one login. Throws when the database cannot be reached; the message is shown to operators only.
   */
  connect(definition: DatabaseDefinition, login: Login): Promise<Database>;
}

/** The database's own user that requests run under. */
export interface Login {
  readonly dbuser: string;
  readonly dbpass: string;
}

/** Differences in SQL, as data and small functions; each has the default named with it. */
export interface SqlTraits {
  createAdapter(): DialectAdapter;
  createQueryCompiler(): QueryCompiler;
  /** The LIMIT that means "all rows", for engines whose OFFSET needs one. Default: OFFSET stands alone. */
  readonly unlimited?: number | string;
  /** What is compared instead of a column of this type: a text date as a time. Default: the column itself. */
  comparable?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /** A filter's value as the driver wants it bound against {@link comparable}. Default: unchanged. */
  parameter?(value: Value, column: Column): unknown;
}

/** A statement with its result's columns, as {@link Database.prepare} takes it. */
export interface StatementText {
  readonly sql: string;
  /** Columns of the result, in order: they tell how values are decoded. */
  readonly columns: readonly Pick<Column, "type" | "declaredType">[];
  /** Positions of the page's limit and offset among the parameters, where the statement has them. */
  readonly limitAt?: number;
  readonly offsetAt?: number;
}

/** A statement that is kept; only the database that made it understands it. */
export type Prepared = object;

export interface Run {
  readonly prepared: Prepared;
  readonly parameters: readonly unknown[];
}

export interface ReadOptions {
  /** Aborted when the caller has gone or the service stops: the statement is given up. */
  readonly signal: AbortSignal;
}

export interface StreamOptions extends ReadOptions {
  /** Rows per chunk: `orm_sdb.yield_per`. */
  readonly fetchSize: number;
}

/**
 * Why a statement failed, in terms that lead to an answer: `integrity` 409, `permission` 403, `timeout` 504,
 * `unavailable` 503, `changed` the catalog is out of date (503 and it is read again), `too-complex` 400.
 */
export type Failure = "integrity" | "permission" | "timeout" | "unavailable" | "changed" | "too-complex";

/** One connected database under one login. */
export interface Database extends AsyncDisposable {
  catalog(): Promise<Catalog>;
  /** A cheap look whether it still is what was connected: `changed` has another catalog, `gone` cannot be used. */
  check(): Promise<"ok" | "changed" | "gone">;
  prepare(statement: StatementText): Prepared;
  /** Runs statements in one read-only transaction; the result has the rows of each, values as {@link Value} tells. */
  read(runs: readonly Run[], options: ReadOptions): readonly Row[][] | Promise<readonly Row[][]>;
  /** Rows in chunks as they are read, in constant memory and without holding up other requests. */
  stream(run: Run, options: StreamOptions): AsyncIterable<readonly Row[]>;
  /** Undefined: nothing this dialect knows; the request fails with 500 and the error is logged. */
  classify(error: unknown): Failure | undefined;
}

/** A query that Kysely can compile; named here so that plugins need no import of their own. */
export type Compiled = ReturnType<Compilable["compile"]>;
