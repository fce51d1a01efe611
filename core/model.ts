/**
 * The nouns that every layer shares. Types only; imports nothing.
 *
 * @module
 */

// ── Values and rows ────────────────────────────────────────────────────────

/** What a column holds, in terms that are the same on every engine. `any` is a column without a declared type. */
export type ValueType =
  | "integer"
  | "decimal"
  | "float"
  | "boolean"
  | "text"
  | "date"
  | "datetime"
  | "time"
  | "binary"
  | "json"
  | "any";

/**
 * One value as formats see it. Integers beyond 2^53 are `bigint`, exact decimals may be strings of digits,
 * dates and times are ISO 8601 text without zone (`2009-01-01`, `2009-01-01T00:00:00`), binary is bytes.
 */
export type Value = null | string | number | bigint | boolean | Uint8Array;

/** A cell of a row: a value, or, where a relation is expanded, its rows. */
export type Cell = Value | readonly Row[];

/** A row in column order, followed by the cells of expanded relations. Never an object. */
export type Row = readonly Cell[];

// ── Schema of a database ───────────────────────────────────────────────────

/** A column of a table, as the catalog describes it. */
export interface Column {
  readonly name: string;
  readonly type: ValueType;
  /** The engine's own name of the type, as declared: `NVARCHAR(40)`. */
  readonly declaredType: string;
  readonly nullable: boolean;
  /** Largest number of characters, where the type declares one. */
  readonly maxLength?: number;
  /** The database fills it when an insert leaves it out: a default, an identity, a rowid. */
  readonly hasDefault: boolean;
  /** The database counts it up when an insert leaves it out: serial, identity, auto_increment. */
  readonly identity?: boolean;
  /** The encoding of its text, where that has not all of Unicode and the database would put other characters: `windows-1252`. */
  readonly encoding?: string;
  /** Computed by the database; can never be written. */
  readonly generated: boolean;
  /** The database sets its own value and a given one is ignored instead of refused: SQL Server's `rowversion`. */
  readonly ignoresGiven?: boolean;
  /**
   * The type of a time has a zone: `utc`, its values come in UTC without suffix; `offset`, each comes with its own offset.
   * Absent: it has none.
   */
  readonly zone?: "utc" | "offset";
  /**
   * What else its values may look like than those of its type, for schemas: a regular expression without anchors, in what JSON
   * Schema and XML Schema have in common. `-?infinity` of dates on PostgreSQL.
   */
  readonly irregular?: string;
  /** Its cells may hold what its type refuses: SQLite checks no types, MySQL has zero dates. */
  readonly loose?: boolean;
  /** Limits of its values beside their type, for schemas; the database itself refuses other values. */
  readonly bounds?: ColumnBounds;
  readonly comment?: string;
}

/** Limits of the values of a column. */
export interface ColumnBounds {
  /** The texts of an enumeration. */
  readonly members?: readonly string[];
  /** UUIDs in their usual form. */
  readonly isUuid?: true;
  /** The least and the greatest whole number, where both are exact. */
  readonly range?: readonly [least: number, greatest: number];
}

/** `columns` of the table that declares it point at `references` of `table`, pairwise. */
export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  readonly references: readonly string[];
}

/** A table or view as the catalog describes it. */
export interface TableDescription {
  /** Its name in URLs: the table's own in the database's default schema, `schema.table` in others. */
  readonly name: string;
  /** The parts of its name in SQL, `["sales", "Order"]`; absent: {@link name} alone. */
  readonly identifier?: readonly string[];
  readonly kind: "table" | "view";
  readonly columns: readonly Column[];
  /** Names of the primary-key columns; empty where there is no key. */
  readonly primaryKey: readonly string[];
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly foreignKeys: readonly ForeignKey[];
  /**
   * Reading it may run functions that people wrote, as a view or a row-level policy calls them. They may change the session,
   * which whoever has the connection next must not notice.
   */
  readonly runsCode?: boolean;
  /** Changing it may do the same where reading it does not: it may have triggers. */
  readonly changesRunCode?: boolean;
  /** What the engine itself lets be written: of a view only what its triggers take. Absent: everything. */
  readonly writable?: readonly Exclude<Operation, "read">[];
  readonly comment?: string;
}

/** Everything a dialect read from the catalog, and what it had to leave out and why. */
export interface Catalog {
  readonly tables: readonly TableDescription[];
  readonly omitted: readonly string[];
}

// ── Configuration ──────────────────────────────────────────────────────────

/** What can be done with records of a table. */
export type Operation = "read" | "create" | "update" | "delete";

/** A login's mapping to one database. */
export interface DatabaseMapping {
  /** The login at the engine. Empty: none, which is no access at all where the engine has logins. */
  readonly dbuser: string;
  readonly dbpass: string;
  /** Operations per table, `*` for every other table; absent: everything. */
  readonly access?: ReadonlyMap<string, ReadonlySet<Operation>>;
}

/** Who a request can be from: an account of users.cfg. */
export interface User {
  readonly login: string;
  /** False: as if there were no such user, save that the account stays and can be looked at and changed. */
  readonly enabled: boolean;
  readonly name: string;
  readonly email: string;
  /** An Argon2 hash, or plain text that has not been hashed yet. Absent: no password login. */
  readonly password?: string;
  /** As it was before the service hashed the password, while it runs: sessions from before go on. */
  readonly former?: User;
  /** SHA-256 of the API key, in hexadecimal. */
  readonly apikeyHash?: string;
  readonly appid?: string;
  /** By the id of the database; others are not there for this user. */
  readonly databases: ReadonlyMap<string, DatabaseMapping>;
  /** What the user may do with all definitions of databases: `create`, `view`, `edit`, `delete`, `execute`. */
  readonly dbdef: readonly string[];
  /** The same of saved queries. */
  readonly querydef: readonly string[];
  /** The same of users; only `create` and `view` count. */
  readonly userdef: readonly string[];
  /** Logins that may see this account. */
  readonly view: readonly string[];
  /** Logins that may change and remove it, and see it, too. */
  readonly edit: readonly string[];
}

/** How many connections each login has, and how long what may take. */
export interface PoolSettings {
  /** Connections at most. */
  readonly max: number;
  /** Seconds. */
  readonly idleTimeout: number;
  /** Seconds. */
  readonly acquireTimeout: number;
  /** Seconds for a statement, for a whole transaction that writes, and for a stream that nobody reads on. */
  readonly statementTimeout: number;
}

/** A database, as databases.cfg defines it. */
export interface DatabaseDefinition {
  readonly id: string;
  /** The name of its dialect. */
  readonly dbType: string;
  readonly description: string;
  /** The file for SQLite, the database's name otherwise. */
  readonly dbName: string;
  readonly dbHost?: string;
  /** Absent: the engine's usual one. */
  readonly dbPort?: number;
  /** The first one's tables have plain names. Empty: the engine's default schema alone. */
  readonly dbSchema: readonly string[];
  /** As written. It changes nothing: connections are in Unicode. */
  readonly dbEncoding?: string;
  /** As written: each dialect knows what it takes, and checks it. */
  readonly ssl?: unknown;
  /**
   * Statements are prepared on the server and sessions keep their settings. False behind a pooler that gives out connections
   * for one transaction (PgBouncer).
   */
  readonly prepare: boolean;
  /** Whether it is connected at the start, without anybody's order. */
  readonly autoconnect: boolean;
  /** The login that reads the catalog. */
  readonly autoloadUser: { readonly dbuser: string; readonly dbpass: string };
  /** Names of columns by table, for tables without a primary key. */
  readonly alternateKey: ReadonlyMap<string, readonly string[]>;
  /** By table, beside those of the catalog. */
  readonly foreignKeys: ReadonlyMap<string, readonly ForeignKey[]>;
  /** Names of columns by table. */
  readonly excludedColumns: ReadonlyMap<string, readonly string[]>;
  /** Names or patterns with `*`. */
  readonly excludedTables: readonly string[];
  /** Records of a list that is asked for without a limit; absent: all. */
  readonly limit?: number;
  readonly replicas: readonly { readonly dbHost: string; readonly dbPort?: number }[];
  readonly pool: PoolSettings;
  /** A login that may do all of what the three lists allow. */
  readonly creator: string;
  /** Logins that may see the definition. */
  readonly read: readonly string[];
  /** Logins that may change and remove the definition, and see it, too. */
  readonly write: readonly string[];
  /** Logins that may connect and disconnect the database. */
  readonly execute: readonly string[];
}

/** A saved query, as querydefs.cfg defines it. */
export interface QueryDefinition {
  readonly id: string;
  /** The id of the database that it runs on. */
  readonly database: string;
  readonly description: string;
  readonly sql: string;
  /** Declared types by name; a parameter without one is text, or what the engine finds for it. */
  readonly parameters: ReadonlyMap<string, "text" | "integer" | "decimal" | "boolean" | "date" | "datetime">;
  /** The methods that may run it. */
  readonly methods: readonly string[];
  /** Whether it runs where nothing can be written. Absent: for GET it does, for other methods it does not. */
  readonly readOnly?: boolean;
  /** A login that may do all of what the three lists allow. */
  readonly creator: string;
  /** Logins that may see the definition. */
  readonly read: readonly string[];
  /** Logins that may change and remove the definition, and see it, too. */
  readonly write: readonly string[];
  /** Logins that may run the query. */
  readonly execute: readonly string[];
}

/** One block of `authentication_policies` in auth.cfg. */
export interface AuthPolicy {
  /** The name of the method. */
  readonly name: string;
  readonly enabled: boolean;
  /** Lower ones are asked first. */
  readonly priority: number;
  /** Shown on the login page if enabled. */
  readonly visible: boolean;
  /** The whole block as written, for the plugin's own keys. */
  readonly section: Readonly<Record<string, unknown>>;
}

// ── Answers ────────────────────────────────────────────────────────────────

/** JSON-like data: what settings, lists of databases and other documents are made of. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of {@link Json}. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * An answer that is no table data: the list of databases, of tables, settings.
 * Formats for trees write `tree`, formats for tables write `columns` and `rows`.
 */
export interface Document {
  /** Names the elements of a list in formats that need a name: `db`. */
  readonly name: string;
  readonly tree: Json;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** What a document looks like, whatever is in it at the moment. */
export interface DocumentShape {
  /** The same as the document's. */
  readonly name: string;
  /**
   * JSON Schema (draft 2020-12) of the tree, without `$schema`. Properties stand in the order of the tree; one named
   * `refid_prefix` is a reference. Maps keyed by ids have `additionalProperties`.
   */
  readonly schema: JsonObject;
  readonly columns: readonly DocumentColumn[];
}

/** A column of the table that a document is in formats without trees. */
export interface DocumentColumn {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  readonly isKey: boolean;
}

/** An error as the caller sees it. `description` is ASCII and equals the `Warning` header. */
export interface Problem {
  readonly httpCode: number;
  readonly description: string;
  /** The URL shape that a saved query expects; only for 400 and 405 below `/query`. */
  readonly urlTemplate?: string;
  /** Everything that is wrong with a body, where it is more than {@link description} tells. */
  readonly errors?: readonly string[];
}
