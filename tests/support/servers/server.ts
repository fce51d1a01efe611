/**
 * A database server as tests see it, independent of the product.
 *
 * @module
 */

/** The server products by the name of their dialect. */
export type ServerDialect = "postgresql" | "mysql" | "mssql";

/** The dialects that need a server. */
export const SERVER_DIALECTS: readonly ServerDialect[] = ["postgresql", "mysql", "mssql"];

/** Where a server listens and the login that may do everything there. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** A server that may be shared with other tests, so databases need unique names. */
export interface TestServer extends Address, AsyncDisposable {
  readonly dialect: ServerDialect;
  /**
   * Makes an empty database and returns its name: `rowhouse_` and the given name, which should tell the
   * test. An old database of this name is removed. Text is compared by the codes of its characters.
   */
  createDatabase(name: string): Promise<string>;
  dropDatabase(database: string): Promise<void>;
  /** Runs statements in the engine's script language, stops at the first failure, and returns the output. */
  exec(sql: string, database?: string): Promise<string>;
}

/** A server of the test's own. */
export interface OwnServer extends TestServer {
  /** Ends it as a failing machine would, with everything that it started. */
  kill(): Promise<void>;
  /** Starts it again after {@link kill}, with the data that it had, and waits until it answers. */
  restart(): Promise<void>;
}

/** How one server product is installed, started and spoken to. */
export interface Product {
  readonly dialect: ServerDialect;
  /** The environment variable that names a running server instead. */
  readonly variable: string;
  /** Where that server's URL has no port. */
  readonly defaultPort: number;
  /** Why no server can be started here; undefined where it can. */
  missing(): string | undefined;
  /** Fills an empty directory that belongs to the user that servers run as. */
  install?(directory: string): Promise<void>;
  /** Fills the directory of a server that follows another one and is only read. */
  follow?(directory: string, primary: Address): Promise<void>;
  /** The command that serves in the foreground. */
  command?(place: Place): readonly string[];
  /** Ends it at once and cleanly enough to leave nothing behind. Default: KILL. */
  readonly stopSignal?: string;
  createDatabase(address: Address, database: string): Promise<void>;
  dropDatabase(address: Address, database: string): Promise<void>;
  exec(address: Address, sql: string, database?: string): Promise<string>;
}

/** Where a server of the tests' own is. */
export interface Place {
  readonly directory: string;
  readonly port: number;
  /** Committed changes survive a crash. */
  readonly durable: boolean;
}
