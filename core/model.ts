/**
 * The nouns that every layer shares. Types only; imports nothing.
 *
 * @module
 */

// ── Values and rows ────────────────────────────────────────────────────────

/**
 * The type of a column, in terms that are the same on every engine. `any` is a column without a declared
 * type. A value of type `json` is the text of a JSON value, as the database gives it: formats with trees put
 * it in place, others write it as text.
 */
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
 * dates and times are ISO 8601 text without zone (`2009-01-01`, `2009-01-01T00:00:00`), binary is a
 * plain `Uint8Array`, of no subclass.
 */
export type Value = null | string | number | bigint | boolean | Uint8Array;

/** A cell of a row: a value, or the rows of an expanded relation. */
export type Cell = Value | readonly Row[];

/** A row in column order, followed by the cells of expanded relations. Never an object. */
export type Row = readonly Cell[];

// ── Configuration ──────────────────────────────────────────────────────────

/** An operation on the records of a table. */
export type Operation = "read" | "create" | "update" | "delete";

/** A user's mapping to one database. */
export interface DatabaseMapping {
  /** The database login. Empty: none; on engines with logins that means no access. */
  readonly dbuser: string;
  readonly dbpass: string;
  /** Operations per table, `*` for all other tables; absent: everything. */
  readonly access?: ReadonlyMap<string, ReadonlySet<Operation>>;
}

/** An account of users.cfg; every request runs as one. */
export interface User {
  readonly login: string;
  /** False: requests treat the user as absent, but definitions can still be viewed and changed. */
  readonly enabled: boolean;
  readonly name: string;
  readonly email: string;
  /** An Argon2 hash, or plain text that the service has not hashed yet. Absent: no password login. */
  readonly password?: string;
  /** The user with the password before the service hashed it: sessions that were opened before stay valid. */
  readonly former?: User;
  /** SHA-256 of the API key, in hexadecimal. */
  readonly apikeyHash?: string;
  readonly appid?: string;
  /** Mappings by the id of the database; other databases are hidden from this user. */
  readonly databases: ReadonlyMap<string, DatabaseMapping>;
  /**
   * What the user may do with all definitions of databases: `create`, `view`, `edit`, `delete`, `execute`.
   */
  readonly dbdef: readonly string[];
  /** Like {@link dbdef}, for saved queries. */
  readonly querydef: readonly string[];
  /** Like {@link dbdef}, for users; only `create` and `view` have an effect. */
  readonly userdef: readonly string[];
  /** Logins that may see this account. */
  readonly view: readonly string[];
  /** Logins that may change and remove this account; they also see it. */
  readonly edit: readonly string[];
}

/** The size of the pools and their time limits. */
export interface PoolSettings {
  /** Largest number of connections per login. */
  readonly max: number;
  /** Seconds. */
  readonly idleTimeout: number;
  /** Seconds. */
  readonly acquireTimeout: number;
  /**
   * Seconds for a statement, for a transaction that writes, and for a stream that the client does not read.
   */
  readonly statementTimeout: number;
}

interface DefinitionRights {
  /** A login with all rights that the three lists grant. */
  readonly creator: string;
  /** Logins that may see the definition. */
  readonly read: readonly string[];
  /** Logins that may change and remove the definition; they also see it. */
  readonly write: readonly string[];
  /** Logins that may run the query, or connect and disconnect the database. */
  readonly execute: readonly string[];
}

/** `columns` of the table that declares it point at `references` of `table`, pairwise. */
export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  readonly references: readonly string[];
}

/** A database, from databases.cfg. */
export interface DatabaseDefinition extends DefinitionRights {
  readonly id: string;
  /** The name of its dialect. */
  readonly dbType: string;
  readonly description: string;
  /** The file for SQLite, the database's name otherwise. */
  readonly dbName: string;
  readonly dbHost?: string;
  /** Absent: the engine's default port. */
  readonly dbPort?: number;
  /** Tables of the first one have plain names. Empty: the engine's default schema alone. */
  readonly dbSchema: readonly string[];
  /** As written. Without effect: connections use Unicode. */
  readonly dbEncoding?: string;
  /** As written; the dialect checks and interprets it. */
  readonly ssl?: unknown;
  /**
   * Sessions keep statements and settings. False behind a pooler that assigns
   * connections for one transaction.
   */
  readonly prepare: boolean;
  /** Whether it is connected at the start. */
  readonly autoconnect: boolean;
  /** The login that reads the catalog. */
  readonly autoloadUser: { readonly dbuser: string; readonly dbpass: string };
  /** Column names by table, for tables without a primary key. */
  readonly alternateKey: ReadonlyMap<string, readonly string[]>;
  /** Column names by table, whose texts tell people which record it is. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
  /** Foreign keys by table, in addition to those of the catalog. */
  readonly foreignKeys: ReadonlyMap<string, readonly ForeignKey[]>;
  /** Column names by table. */
  readonly excludedColumns: ReadonlyMap<string, readonly string[]>;
  /** Names or patterns with `*`. */
  readonly excludedTables: readonly string[];
  /** Default limit of a list; absent: all records. */
  readonly limit?: number;
  readonly replicas: readonly {
    readonly dbHost: string;
    readonly dbPort?: number;
    /** Seconds behind the primary beyond which it is left out. Absent: any number. */
    readonly maxLag?: number;
  }[];
  /** Seconds after a write in which its caller reads the primary. Absent: 0. */
  readonly sticky?: number;
  /** As written; a dialect gets them with the types and defaults that it declares. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly pool: PoolSettings;
}

/** A saved query, from querydefs.cfg. */
export interface QueryDefinition extends DefinitionRights {
  readonly id: string;
  /** The id of its database. */
  readonly database: string;
  readonly description: string;
  readonly sql: string;
  /** Declared types by name; a parameter without one is text, or of the type that the engine infers. */
  readonly parameters: ReadonlyMap<string, "text" | "integer" | "decimal" | "boolean" | "date" | "datetime">;
  /** The methods that may run it. */
  readonly methods: readonly string[];
  /** Whether it runs in a read-only transaction. Absent: true for GET, false for other methods. */
  readonly readOnly?: boolean;
}

/** One block of `authentication_policies` in auth.cfg. */
export interface AuthPolicy {
  /** The method's name. */
  readonly name: string;
  readonly enabled: boolean;
  /** Lower priorities come first. */
  readonly priority: number;
  /** Shown on the login page if enabled. */
  readonly visible: boolean;
  /** The whole block as written, for the plugin's own keys. */
  readonly section: Readonly<Record<string, unknown>>;
}

// ── Answers ────────────────────────────────────────────────────────────────

/** JSON-like data: settings, lists of databases and other documents. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of {@link Json}. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * An answer that is not table data: lists of databases and tables, settings. Formats for trees write `tree`,
 * formats for tables write `columns` and `rows`.
 */
export interface Document {
  /** Names the elements of a list in formats that need a name: `db`. */
  readonly name: string;
  readonly tree: Json;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** The shape of a document, whatever its present content. */
export interface DocumentShape {
  /** Equal to {@link Document.name}. */
  readonly name: string;
  /**
   * JSON Schema (draft 2020-12) of the tree, without `$schema`. Properties stand in the order of the tree;
   * one named `refid_prefix` is a reference. Maps keyed by ids have `additionalProperties`.
   */
  readonly schema: JsonObject;
  readonly columns: readonly DocumentColumn[];
}

/** A column of a document in formats without trees. */
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
  /** The URL template of a saved query; only for 400 and 405 below `/query`. */
  readonly urlTemplate?: string;
  /** All mistakes in a body, if there are more than {@link description} names. */
  readonly errors?: readonly string[];
  /** Pages of names similar to one that does not exist; formats for programs leave them out. */
  readonly nearest?: readonly { readonly label: string; readonly href: string }[];
}
