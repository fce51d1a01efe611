/**
 * Dialects: each speaks to one database product.
 *
 * @module
 */

import type { Catalog } from "@/core/catalog.ts";
import type { DatabaseDefinition, Row } from "@/core/model.ts";
import type { Database, Login } from "./database.ts";
import type { DialectKit } from "./dialect_kit.ts";
import type { Log, Plugin } from "./plugin.ts";
import type { PluginSetting } from "./settings.ts";

/** A dialect, as its folder exports it. */
export type DialectPlugin = Plugin<"dialect", Dialect, DialectHost> & {
  /**
   * The options that each of its databases may have, under `options` in databases.cfg; {@link
   * Dialect.connect} gets them typed, as `definition.options`. All users who may see the definition see
   * them, so none is secret: secrets belong in `autoload_user.dbpass` or {@link Plugin.settings}. Paths
   * cannot be set over HTTP. Absent: none.
   */
  readonly options?: DatabaseOptions;
};

/** Options by key. */
export type DatabaseOptions = Readonly<Record<string, Omit<PluginSetting, "secret">>>;

/** Services for a dialect. */
export interface DialectHost {
  /** A log for operators. It must not contain secrets. */
  readonly log: Log;
  /** Makes a database from functions on one connection. */
  readonly kit: DialectKit;
  /**
   * Lends a built-in dialect with parts of one's own, for engines that speak its protocol. Rejects unless the
   * dialect has a {@link Dialect.variant}: `postgresql` has one.
   */
  lend(name: string, parts: DialectParts): Promise<Dialect>;
  /** `orm_sdb.engine_echo`: log the SQL that reads the catalog. */
  readonly echo: boolean;
  /** The base of relative file names in definitions. */
  readonly directory: string;
  /**
   * `ignore_default_fields`, for SQL Server's TIMESTAMP columns: false drops
   * a given value, true passes it on.
   */
  readonly ignoreDefaultFields: boolean;
  /** True while the configuration is only checked: databases are not changed. */
  readonly checksOnly?: boolean;
  /** The workers of the process, which all connect to the same databases. 1 without `--workers`. */
  readonly workers: number;
}

/** A dialect that was set up. */
export interface Dialect {
  /**
   * True if the engine has its own users: requests run under the login of their user's mapping (see {@link
   * Database.as}), and a user without a login has no access. Default false: every user with a mapping
   * reads through the same connection.
   */
  readonly hasLogins?: boolean;
  /** Makes this dialect with other parts. Absent: its parts cannot be replaced. */
  variant?(parts: DialectParts): Dialect;
  /**
   * The value of its setting `directories`: the files of its databases are in one of them. Absent: anywhere
   * for definitions written by hand, the state directory for those sent over HTTP.
   */
  readonly directories?: readonly string[];
  /** Throws unless `db_name` is a file in one of the directories. Present where databases are files. */
  requireFileIn?(dbName: string, directories: readonly string[]): Promise<void>;
  /**
   * Present where each database is a file: the command `backup` copies them.
   * Absent: it names the databases only.
   */
  readonly files?: DatabaseFiles;
  /**
   * Connects with the login that reads the catalog. Throws when the database is unreachable or refuses the
   * login; only operators see the message.
   */
  connect(definition: DatabaseDefinition, login: Login, options: ConnectOptions): Promise<Database>;
}

/** The files of a dialect's databases. */
export interface DatabaseFiles {
  /** The absolute path of the file that `db_name` leads to. Throws if it can be none. */
  pathOf(dbName: string): string;
  /**
   * Writes what is committed at this moment into a new file, while others use the database. It may take as
   * long as it needs, but is given up when the file has not grown for `server.plugin_timeout`.
   */
  copy(file: string, copy: string): void | Promise<void>;
  /**
   * Ends of the names of files that the engine keeps beside a database, such as its log. They are no part of
   * a backup; a restore sets them aside with the file that it replaces.
   */
  readonly beside: readonly string[];
}

/**
 * Parts of a dialect that another engine with the same protocol needs in its own
 * words. Absent: those of the dialect.
 */
export interface DialectParts {
  /**
   * Reads the catalog. A column's `type`, `zone` and `detail` decide how its values are compared and written.
   */
  catalog?(ask: Ask, definition: DatabaseDefinition): Promise<Catalog>;
  /** A text that changes with the catalog, and is cheaper. */
  fingerprint?(ask: Ask, definition: DatabaseDefinition): Promise<string>;
  /**
   * SQL that takes back what a saved query may have left in its session:
   * settings, roles, locks, temporary tables.
   */
  readonly reset?: string;
}

/** Runs a statement on a connection that only reads; parameters are sent as text. */
export type Ask = (sql: string, parameters?: readonly string[]) => Promise<readonly Row[]>;

/** Options of connecting. */
export interface ConnectOptions {
  /**
   * Aborted while the attempt lasts if it is given up: after `server.plugin_timeout`, when the
   * database is removed, and when the service stops. Never aborted later. A connection that
   * comes all the same is disposed of.
   */
  readonly signal: AbortSignal;
}
