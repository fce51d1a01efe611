/**
 * What every request uses: one snapshot, which is replaced as a whole when the configuration changes.
 *
 * @module
 */

import type { ClientMemory } from "@/core/base/client_memory.ts";
import type { Audit } from "@/core/storage/audit.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { Licence } from "@/core/identity/licence_file.ts";
import type { LinkStyle } from "@/core/request/print_path.ts";
import type { AuthPolicy, QueryDefinition, User } from "./model.ts";
import type { Encoder } from "@/core/request/encoder.ts";
import type { FormatTable, Negotiated } from "@/core/request/formats.ts";
import type { RequestLog } from "@/core/storage/request_log.ts";
import type { RequestContext } from "@/core/request/parse_request.ts";
import type { AuthMethod, Dialect, Log } from "@/plugins/contract.ts";
import type { FindClient } from "@/core/identity/client_address.ts";
import type { FirstRun } from "@/core/identity/first_run.ts";
import type { PasswordChecker } from "@/core/identity/check_password.ts";
import type { SessionCookie } from "@/core/identity/sessions/cookie.ts";
import type { FormTokens } from "@/core/identity/sessions/csrf_tokens.ts";
import type { DeriveSecrets } from "@/core/identity/sessions/secret.ts";
import type { Sessions } from "@/core/identity/sessions/sessions.ts";
import type { Throttle } from "@/core/identity/throttle/throttle.ts";
import type { OneTime } from "@/core/storage/one_time.ts";
import type { Environment } from "@/config/mod.ts";
import type { Configuration } from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";

/** An enabled authentication method, in the order of the policy file. */
export interface NamedMethod {
  readonly name: string;
  readonly method: AuthMethod;
}

/** Dialects by name; one that no database has needed so far is loaded. Rejects where there is none. */
export interface DialectSource {
  get(name: string): Promise<Dialect>;
  /** Whether the engine has users of its own; false for a dialect that has not been loaded. */
  hasLogins(name: string): boolean;
}

/** The same for all requests; it outlives changes of users. */
export interface Entrance {
  readonly sessions: Sessions;
  readonly sessionCookie: SessionCookie;
  readonly throttle: Throttle;
  readonly findClient: FindClient;
  /** Checks logins with passwords. */
  readonly passwords: PasswordChecker;
  /** For forms of people without a session. */
  readonly formTokens: FormTokens;
  readonly firstRun: FirstRun;
  /** Remembers what may be used once only. */
  readonly oneTime: OneTime;
  /** Keys of the service's own, for what has to be recognised later. */
  readonly secrets: DeriveSecrets;
}

/** What requests may ask of the configuration files. */
export interface ConfigurationFiles {
  /** What `${NAME}` in them stands for. */
  readonly environment: Environment;
  /** What is wrong with the files as they are now; what was read before is in force then. */
  readonly complaints: readonly string[];
  /** How often a changed configuration was put in force. */
  readonly reloads: number;
  /** Puts in force what is in the files now. Complaints are kept, not thrown. */
  refresh(): Promise<void>;
  /** Connects or disconnects a database in the other processes that share the directory, too. */
  order(database: string, order: ConnectionOrder): Promise<void>;
}

/** What all processes that share a directory shall do with a database. */
export type ConnectionOrder = "connect" | "disconnect";

/** One immutable snapshot of configuration and plugins. Databases look after their own connection. */
export interface Service extends RequestContext, Entrance {
  readonly product: string;
  readonly version: string;
  /** Everything that the rest of this snapshot was made of. */
  readonly configuration: Configuration;
  /** Where the configuration is changed and read again. */
  readonly files: ConfigurationFiles;
  /** Absent: the open edition. */
  readonly licence: Licence;
  readonly settings: Settings;
  /** Encodes text answers as `output_encoding` asks. */
  readonly encoder: Encoder;
  /** The name of the header that carries the number of all rows: `Rowhouse-All-Record-Count`. */
  readonly countHeader: string;
  readonly formats: FormatTable;
  readonly policies: readonly AuthPolicy[];
  readonly methods: readonly NamedMethod[];
  /** Those who can act: without the ones that are not enabled, which are in {@link configuration} only. */
  readonly users: ReadonlyMap<string, User>;
  readonly dialects: DialectSource;
  readonly databases: ReadonlyMap<string, ManagedDatabase>;
  readonly queries: ReadonlyMap<string, QueryDefinition>;
  readonly links: LinkStyle;
  readonly log: Log;
  readonly audit: Audit;
  /** What answers take up that were built and not sent yet. */
  readonly answerMemory: ClientMemory;
  /** What bodies of requests take up until what they ask for is done. */
  readonly bodyMemory: ClientMemory;
  readonly requests: RequestLog;
  /** Scheme and host of `--base-url`, for absolute URLs; absent: the request's own. */
  readonly origin?: string;
  /** The user whose API key this is. */
  findUserByApiKey(key: string): User | undefined;
  streamByDefault(format: string): boolean;
  /** The whole `Content-Type` of answers in a format: JSON needs no charset while it is UTF-8. */
  contentTypeOf(format: Negotiated): string;
}

/** Where a request finds the snapshot that is in force when it comes; it keeps that one to its end. */
export interface Snapshots {
  readonly service: Service;
}
