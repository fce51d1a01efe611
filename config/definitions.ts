/**
 * Changes one definition in databases.cfg, users.cfg or querydefs.cfg: the change is decided, checked and written while
 * the file is locked.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import { ConfigurationError } from "./complaints.ts";
import type { Configuration, Environment } from "./configuration.ts";
import { DATABASE_MEMBERS } from "./databases.ts";
import { aliasesOf, type AnyMembers, isSecretMember } from "./definition_members.ts";
import { editEntry, type Members } from "./edit_entry.ts";
import { withBuiltIns } from "./expand.ts";
import { reloadConfiguration } from "./load.ts";
import { QUERY_MEMBERS } from "./queries.ts";
import { FileFailure, updateYamlFile } from "./store.ts";
import { USER_MEMBERS } from "./users.ts";
import type { YamlDocument } from "./yaml.ts";

/** A database, a user or a saved query, by the name in the API's paths and answers. */
export type DefinitionKind = "dbdef" | "userdef" | "querydef";

/** The facts about a kind of definition. */
export interface DefinitionFile {
  readonly title: string;
  readonly setting: "databases_path" | "users_path" | "querydefs_path";
  readonly entries: "databases" | "users" | "queries";
  /** The member that repeats the id. */
  readonly idMember: string;
  readonly members: AnyMembers;
}

/** The file of each kind of definition, and its members. */
export const DEFINITION_FILES: { readonly [Kind in DefinitionKind]: DefinitionFile } = {
  dbdef: {
    title: "Database",
    setting: "databases_path",
    entries: "databases",
    idMember: "db_id",
    members: DATABASE_MEMBERS,
  },
  userdef: {
    title: "User",
    setting: "users_path",
    entries: "users",
    idMember: "user_id",
    members: USER_MEMBERS,
  },
  querydef: {
    title: "Query",
    setting: "querydefs_path",
    entries: "queries",
    idMember: "query_id",
    members: QUERY_MEMBERS,
  },
};

/** A change of one definition. Its functions throw to refuse it. */
export interface DefinitionChange {
  readonly kind: DefinitionKind;
  readonly id: string;
  /** Gets the present content of the files; returns the members to set, or `remove`. */
  decide(current: Configuration): Members | "remove";
  /** Gets the configuration after the change. */
  accept(next: Configuration, current: Configuration): void;
}

/** The files have mistakes, so they cannot be changed; {@link complaints} are for the operator. */
export class UnusableFilesError extends Error {
  constructor(readonly complaints: ConfigurationError["complaints"], options?: ErrorOptions) {
    super("The configuration files are not in order", options);
    this.name = "UnusableFilesError";
  }
}

/**
 * Writes a change. Throws {@link ConfigurationError} for mistakes in the definition itself (keys are relative to it),
 * {@link UnusableFilesError} for mistakes elsewhere in the files, and the errors of the change's functions.
 */
export async function changeDefinition(
  configuration: Configuration,
  environment: Environment,
  change: DefinitionChange,
): Promise<void> {
  const { setting, entries, members: table } = DEFINITION_FILES[change.kind];
  const path = configuration.settings[setting];
  const readText = (text: string) => reloadConfiguration(configuration, environment, new Map([[path, text]]));
  let current = configuration;
  await updateYamlFile(path, {
    change: (document, text) => {
      requireFile(text, configuration, change);
      current = usable(() => readText(text));
      const members = change.decide(current);
      requireOwnMapping(document, path, change.id, current[entries].has(change.id));
      if (members === "remove") {
        document.deleteIn([change.id]);
        return;
      }
      const known = withBuiltIns(environment, configuration.directories);
      const isSecret = (path: readonly string[]) => isSecretMember(table, path);
      editEntry(document, {
        id: change.id,
        members,
        aliases: aliasesOf(table),
        environment: known,
        isSecret,
      });
    },
    verify: (text) => {
      const next = checked(() => readText(text), path, change.id);
      requireOthersUnchanged(change, current, next);
      change.accept(next, current);
    },
  }).catch((error: unknown) => {
    // A file that is not YAML; complaints about the definition itself have no file any more.
    if (error instanceof ConfigurationError && error.complaints.some(({ file }) => file !== "")) {
      throw new UnusableFilesError(error.complaints);
    }
    if (!(error instanceof FileFailure)) throw error;
    const message = `Cannot be changed: ${error.message}`;
    throw new UnusableFilesError([{ file: path, key: "", message }], { cause: error });
  });
}

/** A file that was emptied or removed by mistake must not be recreated with one entry. */
function requireFile(text: string, before: Configuration, { kind }: DefinitionChange): void {
  const { entries, setting } = DEFINITION_FILES[kind];
  if (text !== "" || before[entries].size === 0) return;
  throw new UnusableFilesError([{ file: before.settings[setting], key: "", message: "The file is gone" }]);
}

function usable(read: () => Configuration): Configuration {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UnusableFilesError(error.complaints);
    throw error;
  }
}

/** Complaints about the entry lose file and id, because its writer has to correct them. */
function checked(read: () => Configuration, path: string, id: string): Configuration {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const own = error.complaints.filter(({ file, key }) => {
      return file === path && (key === id || key.startsWith(`${id}.`));
    });
    if (own.length === 0) throw new UnusableFilesError(error.complaints);
    throw new ConfigurationError(own.map(({ key, message }) => {
      return { file: "", key: key.slice(id.length + 1), message };
    }));
  }
}

/** An entry that is an alias, or has a key other than text, cannot be changed separately. */
function requireOwnMapping(document: YamlDocument, file: string, id: string, isThere: boolean): void {
  const node: unknown = document.getIn([id], true);
  const isMapping = typeof node === "object" && node !== null && "items" in node;
  if (isThere === isMapping && document.hasIn([id]) === isThere) return;
  throw new UnusableFilesError([{ file, key: id, message: "Is an alias or has no plain text as key" }]);
}

/** Blocks may be shared through anchors: the change of one entry must not change another. */
function requireOthersUnchanged(
  { kind, id }: DefinitionChange,
  before: Configuration,
  after: Configuration,
): void {
  const { entries, setting } = DEFINITION_FILES[kind];
  const others = new Set<string>([...before[entries].keys(), ...after[entries].keys()]);
  others.delete(id);
  for (const other of others) {
    if (isDeepStrictEqual(before[entries].get(other), after[entries].get(other))) continue;
    throw new UnusableFilesError([{
      file: before.settings[setting],
      key: id,
      message: `Shares a block with ${other} by an anchor`,
    }]);
  }
}
