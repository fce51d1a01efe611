/**
 * The services of all requests: one snapshot, which is replaced as a whole when the configuration changes.
 *
 * @module
 */

import type { Configuration, Environment } from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";
import type { ClientMemory } from "@/core/base/client_memory.ts";
import type { LoopDelay } from "@/core/base/loop_delay.ts";
import type { LoadedDialect } from "@/core/database/guard_dialect.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { PasswordChecker } from "@/core/identity/check_password.ts";
import type { FindClient } from "@/core/identity/client_address.ts";
import type { Licence } from "@/core/identity/licence.ts";
import type { Cookie } from "@/core/identity/sessions/cookies.ts";
import type { FormTokens } from "@/core/identity/sessions/csrf_tokens.ts";
import type { DeriveSecrets } from "@/core/identity/sessions/secret.ts";
import type { Sessions } from "@/core/identity/sessions/sessions.ts";
import type { Throttle } from "@/core/identity/throttle/throttle.ts";
import type { AssetTable } from "@/core/request/assets.ts";
import type { Encoder } from "@/core/request/encoder.ts";
import type { FormatTable, Negotiated } from "@/core/request/formats.ts";
import type { RequestContext } from "@/core/request/parse_request.ts";
import type { LinkStyle } from "@/core/request/print_path.ts";
import type { Audit } from "@/core/storage/audit.ts";
import type { LogFields } from "@/core/storage/log.ts";
import type { OneTime } from "@/core/storage/one_time.ts";
import type { RequestLog } from "@/core/storage/request_log.ts";
import type { WorkerGroup } from "@/core/storage/worker_group.ts";
import type { AuthMethod, Log } from "@/plugins/contract.ts";
import type { DialectType } from "@/plugins/dialect_type.ts";
import type { AuthPolicy, QueryDefinition, User } from "./model.ts";

/** An enabled authentication method, in the order of the policy file. */
export interface NamedMethod {
  readonly name: string;
  readonly method: AuthMethod;
}

/** Dialects by name; an unused one is loaded on demand. Rejects for an unknown name. */
export interface DialectSource {
  get(name: string): Promise<LoadedDialect>;
  /** Undefined for a dialect that is not loaded yet. */
  loaded(name: string): LoadedDialect | undefined;
}

/** The parts that outlive changes of users. */
export interface Entrance {
  readonly sessions: Sessions;
  readonly sessionCookie: Cookie;
  readonly throttle: Throttle;
  readonly findClient: FindClient;
  readonly passwords: PasswordChecker;
  /** For forms before a login. */
  readonly formTokens: FormTokens;
  /** Remembers names that may be used only once. */
  readonly oneTime: OneTime;
  /** The service's keys, to recognise its own tokens later. */
  readonly secrets: DeriveSecrets;
}

/** The configuration files, for requests. */
export interface ConfigurationFiles {
  /** The values of `${NAME}` in them. */
  readonly environment: Environment;
  /** Mistakes in the present files; the last valid configuration stays active. */
  readonly complaints: readonly string[];
  /** Number of times that a changed configuration was activated. */
  readonly reloads: number;
  /** Activates the present content of the files. Complaints are stored, not thrown. */
  refresh(): Promise<void>;
  /** Connects or disconnects a database also in the other processes that share the directory. */
  order(database: string, order: ConnectionOrder): Promise<void>;
}

/** An order to all processes that share a directory. */
export type ConnectionOrder = "connect" | "disconnect";

/** One immutable snapshot of configuration and plugins. Databases manage their own connection. */
export interface Service extends RequestContext, Entrance {
  readonly product: string;
  readonly version: string;
  /** The configuration that this snapshot was made from. */
  readonly configuration: Configuration;
  /** The files that change the configuration. */
  readonly files: ConfigurationFiles;
  /** Absent: the open edition. */
  readonly licence: Licence;
  readonly settings: Settings;
  /** Encodes text answers in `output_encoding`. */
  readonly encoder: Encoder;
  /** The header with the number of all rows: `Rowhouse-All-Record-Count`. */
  readonly countHeader: string;
  readonly formats: FormatTable;
  /** The files that pages load. */
  readonly assets: AssetTable;
  readonly policies: readonly AuthPolicy[];
  readonly methods: readonly NamedMethod[];
  /** The enabled users; {@link configuration} also has the disabled ones. */
  readonly users: ReadonlyMap<string, User>;
  readonly dialects: DialectSource;
  /** The types of databases that were installed at the start, for pages. */
  readonly dialectTypes: readonly DialectType[];
  readonly databases: ReadonlyMap<string, ManagedDatabase>;
  readonly queries: ReadonlyMap<string, QueryDefinition>;
  readonly links: LinkStyle;
  readonly log: Log;
  readonly audit: Audit;
  /** Memory of answers that are built but not sent yet. */
  readonly answerMemory: ClientMemory;
  /** Memory of request bodies until their request is done. */
  readonly bodyMemory: ClientMemory;
  readonly requests: RequestLog;
  /** Writes the line of a request into the log. */
  readonly noteRequest: (fields: LogFields) => void;
  /** Aborted when the service is about to stop. */
  readonly stopping: AbortSignal;
  /** The other workers of this process. */
  readonly group: WorkerGroup;
  readonly loopDelay: LoopDelay;
  /** Scheme and host of `--base-url`, for absolute URLs; absent: the request's own. */
  readonly origin?: string;
  /** The one-time token of the first run. */
  readonly firstRunToken: string;
  findUserByApiKey(key: string): User | undefined;
  streamByDefault(format: string): boolean;
  /** The whole `Content-Type` of answers in a format: JSON needs no charset with UTF-8. */
  contentTypeOf(format: Negotiated): string;
}

/** The source of the present snapshot; a request uses one snapshot to its end. */
export interface Snapshots {
  readonly service: Service;
}
