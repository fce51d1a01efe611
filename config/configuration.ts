/**
 * What a loaded configuration is. Types only.
 *
 * @module
 */

import type { AuthPolicy, DatabaseDefinition, QueryDefinition, User } from "@/core/model.ts";
import type { Complaint } from "./complaints.ts";
import type { Settings } from "./settings.ts";

/** Where the service's files are. */
export interface Directories {
  /** Holds the other three unless each was moved. */
  readonly home?: string;
  readonly config: string;
  readonly state: string;
  readonly log: string;
}

/** Environment variables, as `Deno.env.toObject()` gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A sequence in URL segments and the character that it stands for. */
export interface Substitution {
  readonly sequence: string;
  readonly character: string;
}

/** Everything that is configured: one value that never changes. */
export interface Configuration {
  readonly directories: Directories;
  readonly settings: Settings;
  /** Settings of third-party formats as written, by their whole key: `yaml_sdb.flow`. */
  readonly formatSettings: ReadonlyMap<string, string>;
  /** Longest sequence first. */
  readonly substitutions: readonly Substitution[];
  /** Every block of auth.cfg, enabled or not; lowest priority number first. */
  readonly authentication: readonly AuthPolicy[];
  readonly databases: ReadonlyMap<string, DatabaseDefinition>;
  readonly users: ReadonlyMap<string, User>;
  readonly queries: ReadonlyMap<string, QueryDefinition>;
  /** What these three were read from, by the file's path. A file that was not there has none. */
  readonly texts: ReadonlyMap<string, string>;
  /** The number in `db.{db_id}.limit` of service.ini by database. */
  readonly limits: ReadonlyMap<string, number>;
  /** For the log: nothing that stops the start. */
  readonly warnings: readonly string[];
}

/** What the readers of single files share while a configuration is loaded. */
export interface Loading {
  readonly directories: Directories;
  /** The environment with the built-in names. */
  readonly environment: Environment;
  readonly complaints: Complaint[];
  readonly warnings: string[];
  /** The text of every file that was read. */
  readonly read: Map<string, string>;
  /** Texts in place of files: what is about to be written is read before it is. */
  readonly texts?: ReadonlyMap<string, string>;
}
