/**
 * What is built once at start and used by every request.
 *
 * @module
 */

import type { ManagedDatabase } from "./databases.ts";
import type { LinkStyle } from "./links.ts";
import type { AuthPolicy, User } from "./model.ts";
import type { Encoder } from "./charset.ts";
import type { FormatTable, Negotiated } from "./negotiate.ts";
import type { RequestContext } from "./request.ts";
import type { AuthMethod, Log } from "@/plugins/contract.ts";
import type { Settings } from "@/config/settings.ts";

/** An enabled authentication method, in the order of the policy file. */
export interface NamedMethod {
  readonly name: string;
  readonly method: AuthMethod;
}

/** One immutable snapshot of configuration and plugins. Databases look after their own connection. */
export interface Service extends RequestContext {
  readonly product: string;
  readonly version: string;
  readonly settings: Settings;
  /** Encodes text answers as `output_encoding` asks. */
  readonly encoder: Encoder;
  /** The name of the header that carries the number of all rows: `Rowhouse-All-Record-Count`. */
  readonly countHeader: string;
  readonly formats: FormatTable;
  readonly policies: readonly AuthPolicy[];
  readonly methods: readonly NamedMethod[];
  readonly users: ReadonlyMap<string, User>;
  readonly databases: ReadonlyMap<string, ManagedDatabase>;
  readonly links: LinkStyle;
  readonly log: Log;
  /** Scheme and host of `--base-url`, for absolute URLs; absent: the request's own. */
  readonly origin?: string;
  streamByDefault(format: string): boolean;
  /** The whole `Content-Type` of answers in a format: JSON needs no charset while it is UTF-8. */
  contentTypeOf(format: Negotiated): string;
}
