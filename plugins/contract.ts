/**
 * The whole contract between Rowhouse and its plugins: formats, authentication methods and database dialects.
 * Built-in plugins use nothing else. A plugin is a folder with a `mod.ts` whose default export is one of
 * {@link FormatPlugin}, {@link AuthPlugin} or {@link DialectPlugin}; its `name` equals the folder's.
 *
 * A plugin needs this file for its types only (`import type`), so one file anywhere on disk is enough.
 *
 * @module
 */

import type { Compilable, DialectAdapter, Expression, QueryCompiler, RawBuilder } from "kysely";
import type {
  Catalog,
  Column,
  DatabaseDefinition,
  Document,
  DocumentShape,
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
  DocumentColumn,
  DocumentShape,
  ForeignKey,
  Json,
  JsonObject,
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
export type AuthPlugin = Plugin<"auth", AuthMethod, AuthHost> & {
  /** Keys that its block in auth.cfg may have beside enabled, priority and gui; absent: any. */
  readonly keys?: readonly string[];
};
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
  /** The schema of what {@link writer} gives for a shape. Absent: `?schema` is refused with 400. */
  schema?(shape: Shape, options: SchemaOptions): Chunk;
  /** The schema of what {@link document} gives for documents of a shape. Absent: their `?schema` is refused with 400. */
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
  readonly contentType: string;
  readonly charset: string;
  /** Largest number of records in a list. */
  readonly cardinality: number | "unbounded";
  readonly href?: boolean;
  readonly nilVisible?: boolean;
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
  /** What the database says of the table. */
  readonly comment?: string;
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
  /** The engine's own name of the type: `NVARCHAR(40)`. */
  readonly declaredType: string;
  /** Part of the primary key. */
  readonly isKey: boolean;
  /** A new record must have it: not nullable, and the database does not fill it. */
  readonly isRequired: boolean;
  /** Computed by the database; never written. */
  readonly isGenerated: boolean;
  /** Largest number of characters, where the type declares one. */
  readonly maxLength?: number;
  readonly comment?: string;
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
  /** Where to log in and come back to this page. Absent: there is nothing to log in with, or it is done. */
  readonly login?: string;
  /** Where to log out. Absent: there is no session. */
  readonly logout?: string;
  /** What forms of this page carry as `csrf_token`, so that no other site can send them. Absent: there is no session. */
  readonly csrfToken?: string;
}

/** A page whose point is a form. All texts are plain text in English. */
export interface FormPage {
  readonly title: string;
  /** Paragraphs above everything else. */
  readonly text: readonly string[];
  /** What went wrong, in words; readers of screens have to notice it. */
  readonly problem?: string;
  readonly buttons: readonly Button[];
  /** Absent: the page has buttons only. */
  readonly form?: Form;
}

/** A link that looks like a button. */
export interface Button {
  readonly label: string;
  /** A path of this service, with the prefix of its base URL. */
  readonly href: string;
}

/** Sent by POST as `application/x-www-form-urlencoded`. */
export interface Form {
  /** A path of this service, with the prefix of its base URL. */
  readonly action: string;
  readonly fields: readonly FormField[];
  /** Names and values that are sent along and not shown. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The text of the button. */
  readonly submit: string;
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "email" | "password";
  readonly required: boolean;
  /** As HTML's attribute of that name: `username`, `current-password`. */
  readonly autocomplete: string;
  /** What stands in it at first; never for passwords. */
  readonly value?: string;
  /** A sentence below it. */
  readonly hint?: string;
}

// ── Authentication ─────────────────────────────────────────────────────────

/**
 * What a method may use. Each method has a host of its own. While `setup` runs only `log`, `setting`,
 * `complain`, `directory` and `prefix` are there: the service does not run yet.
 */
export interface AuthHost {
  readonly log: Log;
  /** Settings of service.ini that belong to authentication, by their key: `appid_name`. */
  setting(key: "appid_name" | "apikey_name"): string;
  setting(key: "allow_apikey_in_query_string" | "sso.allow_private_addresses"): boolean;
  setting(key: "clock_skew"): number;
  /**
   * Tells of a mistake in this method's block that need not stop the start, because the rest of the method works without
   * that part: it is named in the log, and a check of the configuration fails. Only while `setup` runs; `key` is below the
   * block: `identity_providers.acme.client_id`.
   */
  complain(key: string, message: string): void;
  /** Relative file names in the configuration are relative to this directory. */
  readonly directory: string;
  /** The prefix of every path of this service: empty, or the path of `--base-url`. */
  readonly prefix: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** The user with that login as configured at this moment. */
  findUser(login: string): User | undefined;
  /** The user whose API key this is; looked up by its hash. */
  findUserByApiKey(key: string): User | undefined;
  /**
   * The users with exactly this value; none for an empty one, and never `public`. More than one means that the value does
   * not tell who somebody is.
   */
  findUsersBy(attribute: MatchAttribute, value: string): readonly User[];
  /**
   * The user whose login and password these are. It takes the same time for an unknown login, a user without password and
   * a wrong password. It takes long on purpose, and {@link AuthThrottle} is to be asked before.
   */
  checkPassword(login: string, password: string): Promise<User | undefined>;
  readonly throttle: AuthThrottle;
  readonly sessions: AuthSessions;
  /**
   * A text as a path of this service that a browser may be sent to, with the prefix; undefined for everything else,
   * whatever tricks it tries: `//other.example`, `/\\other.example`, `https:`, control characters.
   */
  localPath(text: string): string | undefined;
  /** A text that only this method can read, and only for so many seconds: for cookies and addresses of browsers. */
  seal(text: string, seconds: number): string;
  /** What was sealed by this method; undefined for everything else, and when its time is over. */
  unseal(sealed: string): string | undefined;
  /**
   * True the first time that this method gives this name, on whichever worker or node that is, and false afterwards. It is
   * remembered for so many seconds, a day at most. Rejects with what answers with 503 while that cannot be told.
   */
  once(name: string, seconds: number): Promise<boolean>;
  /**
   * Asks another server. It takes a few seconds and a megabyte at most, follows three redirects at most, and refuses private
   * addresses, and HTTP without TLS, unless `sso.allow_private_addresses` is set, wherever a redirect leads. Rejects with
   * an error whose message is for operators.
   */
  fetch(url: string, request?: OutgoingRequest): Promise<Response>;
}

/** Attributes of users that single sign-on can find them by. */
export type MatchAttribute = "login" | "name" | "email" | "appid";

/** What {@link AuthHost.fetch} sends. */
export interface OutgoingRequest {
  /** Default: GET. A POST is never redirected. */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * Slows down whoever guesses. Its methods throw what answers with 429 and `Retry-After`; methods let that pass. `network`
 * is {@link AuthClient.network}.
 */
export interface AuthThrottle {
  /** Before a login form is checked: every attempt counts for the network, failures count for the login, too. */
  beginForm(network: string, login: string): Promise<Attempt>;
  /** Before a password that came with a request is checked: failures count for the network and for the login. */
  beginPassword(network: string, login: string): Promise<Attempt>;
  /** After a route has found out that what was sent to it is wrong. Rejected credentials of requests are counted anyway. */
  countFailure(network: string): Promise<void>;
}

/** An attempt that has been counted. */
export interface Attempt {
  /** Gives back what only failures cost. */
  succeeded(): Promise<void>;
}

/**
 * Sessions of browsers, which their cookie stands for. Its methods throw what answers with 503 while the sessions cannot
 * be reached; methods let that pass.
 */
export interface AuthSessions {
  /**
   * Opens a new session for a user; the one that the request may have ends. Gives the values of `Set-Cookie` that the
   * answer must have.
   */
  open(user: User, request: Sender): Promise<readonly string[]>;
  /** The session of a request's cookie, and what becomes of the cookie. */
  resume(request: Sender): Promise<ResumedSession>;
  /** Ends the session of a request, if there is one. Gives the values of `Set-Cookie` that clear its cookie. */
  close(request: Sender): Promise<readonly string[]>;
}

/** What a request's cookie led to. */
export interface ResumedSession {
  /** Absent: there is no such session, or it is over. */
  readonly session?: AuthSession;
  /** Values of `Set-Cookie` for the answer: a new cookie, or one that clears a cookie that is good for nothing. */
  readonly cookies: readonly string[];
}

export interface AuthSession {
  /** Names the session in logs; whoever sees it cannot use it. */
  readonly id: string;
  readonly user: User;
  /** What forms of this session carry, so that no other site can send them. */
  readonly csrfToken: string;
}

/** What every request tells of its sender. */
export interface Sender {
  readonly headers: Headers;
  /** Where it comes from; behind a trusted proxy, what that proxy says. */
  readonly client: AuthClient;
}

/** The part of a request that authentication may look at. */
export interface AuthRequest extends Sender {
  readonly method: string;
  /** Values of the query parameters named in {@link AuthMethod.queryParameters}. */
  readonly credentials: ReadonlyMap<string, string>;
}

/** The sender of a request. */
export interface AuthClient {
  /** Its IP address. */
  readonly address: string;
  /** What is throttled as one: an IPv4 address, or an IPv6 network. */
  readonly network: string;
  readonly isHttps: boolean;
}

/**
 * `absent`: this method's credentials are not in the request, the next method is asked. `rejected`: they are and are
 * wrong; the request is refused and never becomes `public`. The reason is for the log only, unless `tell` is set. A
 * rejection counts as a failed attempt of its sender, who has to wait after too many, unless it tells something or
 * the method has `counted` the attempt itself. `cookies` are values of `Set-Cookie` for the answer, whatever becomes of
 * the request later.
 */
export type AuthResult =
  | { readonly outcome: "absent"; readonly cookies?: readonly string[] }
  | {
    readonly outcome: "accepted";
    readonly user: User;
    /** The session of the request's cookie: what the request changes must come from a page of this service. */
    readonly session?: AuthSession;
    readonly cookies?: readonly string[];
  }
  | {
    readonly outcome: "rejected";
    readonly reason: string;
    readonly tell?: string;
    readonly counted?: true;
  };

export interface AuthMethod {
  authenticate(request: AuthRequest): AuthResult | Promise<AuthResult>;
  /** Names of query parameters that carry this method's credentials; they are accepted on every URL. */
  readonly queryParameters?: readonly string[];
  /** What clients need to know to use this method, shown in `/settings`: names of headers, never a secret. */
  readonly clientSettings?: Readonly<Record<string, Json>>;
  /** How its credentials are sent, as security scheme objects of OpenAPI by name; never a secret. */
  readonly securitySchemes?: Readonly<Record<string, Json>>;
  /** Names of {@link securitySchemes} that are enough together. Absent: each scheme is enough by itself. */
  readonly securityRequirements?: readonly (readonly string[])[];
  /** True when valid credentials on a request for a page open a session. Default false. */
  readonly opensSession?: boolean;
  /** Paths of this service that the method answers itself, for everybody: they need no credentials. */
  readonly routes?: readonly AuthRoute[];
  /** Buttons on the login page, while the policy file shows this method there; asked for each page. */
  buttons?(page: LoginPage): readonly Button[];
  /** The form on the login page, while the policy file shows this method there. One method may have one. */
  form?(page: LoginPage): Form;
  /** Sentences on the login page, while the policy file shows this method there: what does not work at the moment. */
  notices?(): readonly string[];
  /** Called once when the service begins to work. What it gives is disposed of when the service ends. */
  start?(): AsyncDisposable;
}

/** What the login page is shown for. */
export interface LoginPage {
  /** Where the user is sent after the login: a path of this service. */
  readonly next: string;
}

/** One method of one path. A path may have several. */
export interface AuthRoute {
  readonly method: "GET" | "POST";
  /** Below the prefix, with names in braces for one segment each: `/sso/callback/saml/{idp_id}`. GET answers HEAD, too. */
  readonly path: string;
  /**
   * Who may send a browser here. `same-site`: requests that another site makes a browser send are refused with 403.
   * `any-site`: it changes nothing, or checks that by itself. Default: `any-site` for GET, `same-site` for POST.
   */
  readonly from?: "same-site" | "any-site";
  /** Most bytes of a body; a larger one is refused with 413. Default: 65,536, and never more than `max_body_size`. */
  readonly maxBody?: number;
  handle(request: RouteRequest): RouteAnswer | Promise<RouteAnswer>;
}

export interface RouteRequest extends Sender {
  readonly method: string;
  /** What stood for the names in braces, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  /** True when the answer is read by a person: the request prefers a page over the formats of data. */
  readonly wantsPage: boolean;
  /** Scheme, host and prefix that this service is reached at, without slash at the end. */
  readonly baseUrl: string;
  /**
   * The texts in the body, by name: fields of a form or members of a JSON object. Throws what answers with 400, 413 or 415
   * for any other body; routes let that pass.
   */
  fields(): Promise<ReadonlyMap<string, string>>;
}

/** The answer of a route. `cookies` are values of `Set-Cookie`. */
export type RouteAnswer =
  | {
    /** It is done: people are sent to `to` with `status`; others get 200 and `result`. */
    readonly kind: "done";
    readonly to: string;
    readonly status: 302 | 303;
    readonly result: Readonly<Record<string, Json>>;
    readonly cookies: readonly string[];
    readonly event?: AuthEvent;
  }
  | {
    /** Leads a browser on: to a provider, or with {@link AuthHost.localPath} to a path of this service. */
    readonly kind: "redirect";
    readonly status: 302 | 303;
    readonly to: string;
    readonly cookies?: readonly string[];
    readonly event?: AuthEvent;
  }
  | {
    /** People get the login page with the message, and with `values` in its form; others an error. */
    readonly kind: "refused";
    readonly code: "bad-request" | "forbidden" | "not-found" | "unavailable";
    /** A sentence without full stop and without anything secret. */
    readonly message: string;
    readonly values?: Readonly<Record<string, string>>;
    readonly next?: string;
    readonly cookies?: readonly string[];
    readonly event?: AuthEvent;
  }
  | {
    readonly kind: "page";
    readonly page: FormPage;
    readonly status: 200 | 400 | 403;
    readonly cookies?: readonly string[];
  }
  | {
    /**
     * A page whose script sends what stands behind `#` in its address, as fields of a form, to a path of this service. No
     * server ever sees that part of an address by itself.
     */
    readonly kind: "fragment";
    readonly to: string;
  }
  | { readonly kind: "text"; readonly contentType: string; readonly text: string };

/** What the audit log says of an answer. Nothing in it is secret. */
export interface AuthEvent {
  readonly action: "login" | "logout";
  readonly outcome: "success" | "refused";
  /** Who, or who they claim to be. */
  readonly user?: string;
  /** For the log only. */
  readonly reason?: string;
}

// ── Dialects ───────────────────────────────────────────────────────────────

export interface DialectHost {
  readonly log: Log;
  /** `orm_sdb.engine_echo`: log the SQL that reads the catalog. */
  readonly echo: boolean;
  /** Relative file names in definitions are relative to this directory. */
  readonly directory: string;
  /** `ignore_default_fields`: false lets the server set SQL Server's TIMESTAMP columns instead of taking the passed value. */
  readonly ignoreDefaultFields: boolean;
}

export interface Dialect {
  /**
   * True where the engine has users of its own: requests run under the login of their user's mapping (see {@link Database.as}),
   * and a user without one has no access. Default false: whoever may open the database reads all of it.
   */
  readonly hasLogins?: boolean;
  /**
   * Connects with the login that reads the catalog. Throws when the database cannot be reached or refuses the login; the
   * message is shown to operators only.
   */
  connect(definition: DatabaseDefinition, login: Login): Promise<Database>;
}

/** The database's own user that requests run under. */
export interface Login {
  readonly dbuser: string;
  readonly dbpass: string;
}

/** How an engine's SQL differs, as data and small functions; each has the default named with it. */
export interface SqlTraits {
  createAdapter(): DialectAdapter;
  createQueryCompiler(): QueryCompiler;
  /** What is compared instead of a column of this type: a text date as a time. Default: the column itself. */
  comparable?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /** A filter's value as the driver wants it bound against {@link comparable}. Default: unchanged. */
  parameter?(value: Value, column: Column): unknown;
  /**
   * A value as the driver wants it bound to be stored in a column. Default: unchanged. Throws a RangeError where the column
   * would keep another value; its message is the end of a sentence: `12.345678901234567890 has more digits than it keeps`.
   */
  stored?(value: Value, column: Column): unknown;
  /**
   * What is selected instead of a column, so that every digit arrives. Only in the outermost select: filters, order and
   * `distinct` work on the column itself. Default: the column.
   */
  selectable?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /**
   * A value that only this engine has, by its text: `NaN` as a decimal, `infinity` as a date, a year before the common era.
   * Asked, for filters and bodies, where the text is no value of the column's type. Default: undefined, there is none.
   */
  special?(text: string, column: Column): Value | undefined;
  /** What LIKE is applied to instead of a column that the engine does not match as text. Default: the column. */
  textual?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /**
   * How a page is written: `limit` LIMIT and OFFSET, `fetch` ORDER BY, OFFSET and FETCH NEXT, and TOP for fixed numbers.
   * Default `limit`.
   */
  readonly paging?: "limit" | "fetch";
  /** Ascending order has NULL before everything else by itself; false: the order says so. Default true. */
  readonly nullsFirst?: boolean;
  /**
   * A statement that inserts rows and gives back the {@link Insertion.keys} of each. Default: `INSERT … RETURNING`, and
   * `DEFAULT VALUES` where no columns are given.
   */
  insert?(insertion: Insertion): RawBuilder<unknown>;
  /**
   * The rows that an insert gives back are in the order of its values. False: where the database makes keys that are no
   * {@link Column.identity}, records are inserted one at a time. Default true.
   */
  readonly ordersInserts?: boolean;
  /**
   * What stands among the values of an insert for a column that takes its default: records without any column are inserted
   * many at a time by it. Asked for columns that are nullable or have a default, none of them generated. Default: undefined,
   * there are no words for it, and such records go one by one.
   */
  defaulted?(column: Column): RawBuilder<unknown> | undefined;
  /**
   * An argument of a saved query as the driver wants it bound. The column has the argument's name and type; its
   * `declaredType` is empty where the type was only guessed from the value. Default: unchanged. Throws a RangeError as
   * {@link stored} does.
   */
  argument?(value: Value, column: Column): unknown;
  /** How the n-th parameter is written, counted from 1, where one can be used more than once. Default: `?`, one for each use. */
  parameterName?(number: number): string;
  /** A query with WITH may stand in another WITH. Default true; false: its parts are put beside the other ones. */
  readonly nestedWith?: boolean;
  /**
   * UPDATE and DELETE may not read their own table in a subquery that could be merged into them, so such subqueries are made
   * derived tables with DISTINCT. Default false.
   */
  readonly materializesTarget?: boolean;
  /**
   * `SELECT … FOR UPDATE` keeps a row as it was read until the transaction ends. Default false: nobody else can write
   * between two statements of a transaction, or one that did makes it fail.
   */
  readonly forUpdate?: boolean;
  /**
   * An UPDATE may not name a {@link Column.identity}, not even with the value it has: it is left out of changes that keep it.
   * Default false.
   */
  readonly fixesIdentity?: boolean;
  /** Most parameters in one statement. */
  readonly maxParameters: number;
  /** How SQL that people write is cut into tokens: saved queries have `:name` parameters. */
  readonly lexis: SqlLexis;
}

/** What differs between engines in the tokens of SQL; every absent member is no. */
export interface SqlLexis {
  /** What stands around quoted names. `doubled`: the closing one written twice is a character of the name. */
  readonly names: readonly { readonly open: string; readonly close: string; readonly doubled: boolean }[];
  /** The characters that stand around strings; written twice within they are characters of it. */
  readonly strings: readonly string[];
  /** Where a backslash takes the next character into a string: in all of them, or in those with E before the quote. */
  readonly backslash?: "always" | "prefixed";
  /** `$tag$ … $tag$` is a string. */
  readonly dollarStrings?: boolean;
  /** `#` begins a comment. */
  readonly hashComments?: boolean;
  /** `--` begins a comment only where white space or the end follows. */
  readonly spacedDashes?: boolean;
  /** A comment within a comment is one. */
  readonly nestedComments?: boolean;
  /** Whether what stands in a comment that begins with `/*!` or `/*M!`, and the digits after it, is no comment. */
  executes?(opening: string): boolean;
  /** `a[1:n]` is a slice of an array: its colon begins no parameter. */
  readonly slices?: boolean;
  /** Placeholders that the engine itself knows and that saved queries may not use, as they stand at a token's start. */
  readonly placeholders: RegExp;
  /**
   * First words, in upper case, of the statements that a saved query may be: none that ends a transaction, changes the
   * session for whoever gets its connection next, or reaches beyond the database.
   */
  readonly statements: readonly string[];
  /** Words, in upper case, that make a statement reach beyond the database wherever they stand. */
  readonly refused?: readonly string[];
}

/** Rows to insert with one statement. */
export interface Insertion {
  /** The table's quoted name. */
  readonly table: RawBuilder<unknown>;
  /** The given columns; none: every column takes its default, and there is one row. */
  readonly columns: readonly Column[];
  /** The values of each row, bound later. */
  readonly rows: readonly (readonly Expression<unknown>[])[];
  /** Columns whose values are given back; none: the table has no key. */
  readonly keys: readonly Column[];
}

/** A statement with its result's columns, as {@link Database.prepare} takes it. */
export interface StatementText {
  readonly sql: string;
  /** Columns of the result, in order: they tell how values are decoded. */
  readonly columns: readonly Pick<Column, "type" | "declaredType">[];
  /**
   * People wrote it, and this is its first word in upper case: nothing is known of how long it takes, nor of what it would
   * leave behind in the session that it ran in.
   */
  readonly verb?: string;
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
  /** Aborted when the server notices that the caller has gone: the statement is given up. */
  readonly signal: AbortSignal;
}

export interface StreamOptions extends ReadOptions {
  /** Rows per chunk: `orm_sdb.yield_per`. */
  readonly fetchSize: number;
}

/**
 * Why a statement failed, in terms that lead to an answer:
 *
 * | failure | means | answer |
 * |---|---|---|
 * | `integrity` | a rule of the database: a key, a check, NULL where there must be a value | 409, in a PUT 422 |
 * | `invalid` | a value that the engine refuses when it is asked: too long, out of range, no such enum member | 400 |
 * | `read-only` | it would change something in a transaction that only reads | 403, of a saved query 400 |
 * | `permission` | the database login lacks a right | 403 |
 * | `login` | the database refuses the login itself | 403 |
 * | `timeout` | it took longer than `statement_timeout` | 504 |
 * | `contention` | a deadlock, a lock that was not free in time: what can be repeated is, once | 503 |
 * | `unavailable` | the connection was lost or none was free in time | 503 |
 * | `changed` | the catalog is out of date and is read again | 503 |
 * | `too-complex` | more than the engine takes in one statement | 400 |
 */
export type Failure =
  | "integrity"
  | "invalid"
  | "read-only"
  | "permission"
  | "login"
  | "timeout"
  | "contention"
  | "unavailable"
  | "changed"
  | "too-complex";

/** One connected database under one login. Disposing of it ends what is under way. */
export interface Database extends AsyncDisposable {
  /** How this engine's SQL differs; it may depend on the server's version. */
  readonly sql: SqlTraits;
  /**
   * The same database under another login, with connections of its own; it connects when it is first used, and a login that
   * is refused then is the failure `login`. There where {@link Dialect.hasLogins} is true.
   */
  as?(login: Login): Database;
  catalog(): Promise<Catalog>;
  /** A cheap look whether it still is what was connected: `changed` has another catalog, `gone` cannot be used. */
  check(): Promise<"ok" | "changed" | "gone">;
  prepare(statement: StatementText): Prepared;
  /**
   * What a statement gives, found by preparing it: it does not run. Rejects with the failure `invalid` where the engine
   * does not take it; {@link explain} then has its words and, where it tells one, the place in the text.
   */
  describe(statement: WrittenStatement): Promise<StatementDescription>;
  /** Runs statements in one read-only transaction; the result has the rows of each, values as {@link Value} tells. */
  read(runs: readonly Run[], options: ReadOptions): readonly Row[][] | Promise<readonly Row[][]>;
  /** Rows in chunks as they are read, in constant memory and without holding up other requests. */
  stream(run: Run, options: StreamOptions): AsyncIterable<readonly Row[]>;
  /**
   * Begins a transaction that writes. It holds a connection of its own until it ends; disposing of it rolls back what was
   * not committed. Rejects with an error that {@link classify} calls `unavailable` when none is free in time.
   */
  begin(options: BeginOptions): Promise<Transaction>;
  /** Undefined: nothing this dialect knows; the request fails with 500 and the error is logged. */
  classify(error: unknown): Failure | undefined;
  /** The database's own words about an `integrity` or `invalid` failure, without names of files or hosts: for the caller. */
  explain(error: unknown): string;
}

/** A statement that people wrote. */
export interface WrittenStatement {
  readonly sql: string;
  /** Its first word in upper case. */
  readonly verb: string;
  /** The declared type of each of its placeholders, in their order; undefined: none is. */
  readonly parameters: readonly (ValueType | undefined)[];
}

/** A column of a result, as the engine names it: names may be empty or repeat. */
export type ResultColumn = Pick<Column, "name" | "type" | "declaredType">;

/** What is known of a statement before it runs. */
export interface StatementDescription {
  /** Columns of its result. None: it gives no rows. Absent: that is known only when it runs, {@link Outcome.columns}. */
  readonly columns?: readonly ResultColumn[];
  /** False: it changes something. Absent: the engine does not tell before it runs. */
  readonly isReadOnly?: boolean;
}

export interface BeginOptions extends ReadOptions {
  /**
   * What would change something fails as `read-only`, or, where an engine has no such transactions, tells so in
   * {@link Outcome.changes}: it is never committed then.
   */
  readonly readOnly?: boolean;
}

/** A transaction that writes. Its statements run in turn; after one has failed only {@link rollback} is left. */
export interface Transaction extends AsyncDisposable {
  run(statement: StatementText, parameters: readonly unknown[]): Promise<Outcome>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** What a statement did. */
export interface Outcome {
  /** Rows of a query or of `RETURNING`, values as {@link Value} tells; of several results those of the first. */
  readonly rows: readonly Row[];
  /** What the rows have, where {@link Database.describe} could not tell. */
  readonly columns?: readonly ResultColumn[];
  /**
   * The {@link Column.identity} of the first row that was inserted, from engines that give back no rows; those of the
   * following rows are each {@link identityStep} more.
   */
  readonly firstIdentity?: number | bigint;
  /** Default 1. */
  readonly identityStep?: number;
  /** Number of rows that were inserted, changed or deleted. */
  readonly changes: number;
}

/** A query that Kysely can compile; named here so that plugins need no import of their own. */
export type Compiled = ReturnType<Compilable["compile"]>;
