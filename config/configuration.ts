/**
 * The types of a loaded configuration, and the mistakes in it. They are collected, so that an
 * operator sees all of them at once.
 *
 * @module
 */

import type { AuthPolicy, DatabaseDefinition, QueryDefinition, User } from "@/core/model.ts";
import type { Complaint } from "@/plugins/kit/members.ts";
import type { Settings } from "./settings.ts";

export { complain, type Complaint, inside, type Place } from "@/plugins/kit/members.ts";

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

/** A sequence in URL segments that stands for a character: `__` for `/`. */
export interface Substitution {
  readonly sequence: string;
  readonly character: string;
}

/** A value of service.ini as written, and with its references replaced. Only the former is shown. */
export interface Given {
  readonly raw: string;
  readonly text: string;
}

/** The whole configuration as one immutable value. */
export interface Configuration {
  readonly directories: Directories;
  readonly settings: Settings;
  /**
   * Settings of service.ini that may be those of plugins, which are not known yet,
   * by their full key: `csv_sdb.flow`.
   */
  readonly pluginSettings: ReadonlyMap<string, Given>;
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

/** The configuration cannot be used; {@link ConfigurationError.complaints} lists the reasons. */
export class ConfigurationError extends Error {
  constructor(readonly complaints: readonly Complaint[]) {
    super(complaints.map(formatComplaint).join("\n"));
    this.name = "ConfigurationError";
  }
}

/** One line for one complaint: `file: key: message`. */
export function formatComplaint({ file, key, message }: Complaint): string {
  return [file, key, message].filter((part) => part !== "").join(": ");
}

/** Most complaints that are shown outside a check: a file of another kind has thousands. */
const MOST = 20;

/** The first complaints, and the number of the others. */
export function firstOf(complaints: readonly string[]): readonly string[] {
  if (complaints.length <= MOST) return complaints;
  return [
    ...complaints.slice(0, MOST),
    `There are ${complaints.length - MOST} more: main.ts check tells all of them`,
  ];
}
