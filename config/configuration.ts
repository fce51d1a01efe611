/**
 * The types of a loaded configuration.
 *
 * @module
 */

import type { AuthPolicy, DatabaseDefinition, QueryDefinition, User } from "@/core/model.ts";
import type { Complaint } from "./complaints.ts";
import type { Settings } from "./settings.ts";

/** The directories of the service's files. */
export interface Directories {
  /** The parent of the other three unless they were moved. */
  readonly home?: string;
  readonly config: string;
  readonly state: string;
  readonly log: string;
}

/** Environment variables, in the form of `Deno.env.toObject()`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A sequence in URL segments that stands for a character. */
export interface Substitution {
  readonly sequence: string;
  readonly character: string;
}

/** The whole configuration as one immutable value. */
export interface Configuration {
  readonly directories: Directories;
  readonly settings: Settings;
  /** Settings of third-party formats as written, by their full key: `yaml_sdb.flow`. */
  readonly formatSettings: ReadonlyMap<string, string>;
  /** Longest sequence first. */
  readonly substitutions: readonly Substitution[];
  /** Every block of auth.cfg, enabled or not; lowest priority number first. */
  readonly authentication: readonly AuthPolicy[];
  readonly databases: ReadonlyMap<string, DatabaseDefinition>;
  readonly users: ReadonlyMap<string, User>;
  readonly queries: ReadonlyMap<string, QueryDefinition>;
  /** The texts from which these three were read, by the file's path; without an entry for an absent file. */
  readonly texts: ReadonlyMap<string, string>;
  /** The values of `db.{db_id}.limit` in service.ini by database. */
  readonly limits: ReadonlyMap<string, number>;
  /** Messages for the log that do not stop the start. */
  readonly warnings: readonly string[];
}

/** State that the readers of single files share while a configuration is loaded. */
export interface Loading {
  readonly directories: Directories;
  /** The environment with the built-in names. */
  readonly environment: Environment;
  readonly complaints: Complaint[];
  readonly warnings: string[];
  /** The texts of the files that were read. */
  readonly read: Map<string, string>;
  /** Texts in place of files, to check a change before it is written. */
  readonly texts: ReadonlyMap<string, string>;
}
