/**
 * Changes one definition in databases.cfg, users.cfg or querydefs.cfg: the change is decided,
 * checked and written while the file is locked. The entry is edited in place: unchanged members keep
 * their comments, order and `${NAME}`.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import { isBlock } from "@/plugins/kit/members.ts";
import { type Complaint, type Configuration, ConfigurationError, type Environment } from "./configuration.ts";
import { DATABASE_MEMBERS } from "./databases.ts";
import { type AnyMembers, isSecretMember } from "./definition_members.ts";
import { escapeAll, expandAll, withBuiltIns } from "./expand.ts";
import { reloadConfiguration } from "./load.ts";
import { QUERY_MEMBERS } from "./queries.ts";
import { FileFailure, updateYamlFile } from "./store.ts";
import { USER_MEMBERS } from "./users.ts";
import { keysAt, valueAt, type YamlDocument, type YamlPath } from "./yaml.ts";

/** A database, a user or a saved query, by the name in the API's paths and answers. */
export type DefinitionKind = "dbdef" | "userdef" | "querydef";

interface DefinitionFile {
  readonly title: string;
  readonly setting: "databases_path" | "users_path" | "querydefs_path";
  readonly entries: "databases" | "users" | "queries";
  /** The member that repeats the id. */
  readonly idMember: string;
  /** Another name of it, which bodies may have and answers have, too. */
  readonly idAlias?: string;
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
    idAlias: "login",
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

/** Members by name; null removes one. */
export type Members = Readonly<Record<string, unknown>>;

/** A change of one definition. Its functions throw to refuse it. */
interface DefinitionChange {
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
 * Writes a change. Throws {@link ConfigurationError} for mistakes in the definition itself (keys
 * are relative to it), {@link UnusableFilesError} for mistakes elsewhere in the files, and the
 * errors of the change's functions.
 */
export async function changeDefinition(
  configuration: Configuration,
  environment: Environment,
  { kind, id, decide, accept }: DefinitionChange,
): Promise<void> {
  const { setting, entries, members: table } = DEFINITION_FILES[kind];
  const path = configuration.settings[setting];
  const known = withBuiltIns(environment, configuration.directories);
  const readText = (text: string) => reloadConfiguration(configuration, environment, new Map([[path, text]]));
  let current = configuration;
  await updateYamlFile(path, {
    only: id,
    change: (document, text) => {
      // A file that was emptied or removed by mistake must not be recreated with one entry.
      if (text === "" && configuration[entries].size > 0) {
        throw unusable(path, "", "The file is gone or empty");
      }
      current = checked(() => readText(text), () => false);
      const members = decide(current);
      requireOwnMapping(document, path, id, current[entries].has(id));
      if (members === "remove") document.deleteIn([id]);
      else editEntry(document, { id, members, table, environment: known });
    },
    verify: (text) => {
      const isOwn = ({ file, key }: Complaint) => file === path && (key === id || key.startsWith(`${id}.`));
      const next = checked(() => readText(text), isOwn, id.length + 1);
      requireOthersUnchanged(id, path, current[entries], next[entries]);
      accept(next, current);
    },
  }).catch((error: unknown) => {
    // A file that is not YAML; complaints about the definition itself have no file any more.
    if (error instanceof ConfigurationError && error.complaints.some(({ file }) => file !== "")) {
      throw new UnusableFilesError(error.complaints);
    }
    if (!(error instanceof FileFailure)) throw error;
    throw unusable(path, "", `Cannot be changed: ${error.message}`, { cause: error });
  });
}

function unusable(file: string, key: string, message: string, options?: ErrorOptions): UnusableFilesError {
  return new UnusableFilesError([{ file, key, message }], options);
}

/** Complaints about the entry lose file and id, because its writer has to correct them. */
function checked(
  read: () => Configuration,
  isOwn: (complaint: Complaint) => boolean,
  prefix = 0,
): Configuration {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const own = error.complaints.filter(isOwn);
    if (own.length === 0) throw new UnusableFilesError(error.complaints);
    throw new ConfigurationError(
      own.map(({ key, message }) => ({ file: "", key: key.slice(prefix), message })),
    );
  }
}

/** An entry that is an alias, or has a key other than text, cannot be changed separately. */
function requireOwnMapping(document: YamlDocument, file: string, id: string, isThere: boolean): void {
  const node: unknown = document.getIn([id], true);
  const isMapping = typeof node === "object" && node !== null && "items" in node;
  if (isThere === isMapping && document.hasIn([id]) === isThere) return;
  throw unusable(file, id, "Is an alias or has no plain text as key");
}

/** Blocks may be shared through anchors: the change of one entry must not change another. */
function requireOthersUnchanged(
  id: string,
  file: string,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): void {
  for (const other of new Set([...before.keys(), ...after.keys()])) {
    if (other === id || isDeepStrictEqual(before.get(other), after.get(other))) continue;
    throw unusable(file, id, `Shares a block with ${other} by an anchor`);
  }
}

interface EntryEdit {
  readonly id: string;
  /** The new values by name; null removes a member, also inside objects. */
  readonly members: Members;
  /** Its aliases are removed with the member; members that are never shown are kept if they are not given. */
  readonly table: AnyMembers;
  readonly environment: Environment;
}

/**
 * Sets members of an entry, creating it if necessary. Values are escaped, so
 * that nothing in them is expanded.
 */
export function editEntry(document: YamlDocument, edit: EntryEdit): void {
  const { id, members, table } = edit;
  if (!document.hasIn([id])) document.setIn([id], document.createNode({}));
  for (const [name, value] of Object.entries(members)) {
    for (const { wire, alias } of Object.values(table)) {
      if (wire === name && alias !== undefined) document.deleteIn([id, alias]);
    }
    if (value === null) document.deleteIn([id, name]);
    else merge(document, [id, name], value, edit);
  }
}

function merge(document: YamlDocument, path: YamlPath, value: unknown, edit: EntryEdit): void {
  const keys = keysAt(document, path);
  const before = expandAll(valueAt(document, path), { file: "", key: "", complaints: [] }, edit.environment);
  if (keys === undefined || !isBlock(value)) {
    if (!isDeepStrictEqual(before, value)) document.setIn(path, escapeAll(withoutNull(value)));
    return;
  }
  const keepsSecrets = isSameLogin(before, value);
  for (const key of keys) {
    const isGiven = typeof key === "string" && Object.hasOwn(value, key);
    const isKept = keepsSecrets && isSecretMember(edit.table, [...path.slice(1), key].map(String));
    if (!isGiven && !isKept) document.deleteIn([...path, key]);
  }
  for (const [key, item] of Object.entries(value)) {
    if (item === null) document.deleteIn([...path, key]);
    else merge(document, [...path, key], item, edit);
  }
}

/** A password belongs to its login and is not kept for another one. */
function isSameLogin(before: unknown, after: Members): boolean {
  const login = (members: unknown) => isBlock(members) ? members["dbuser"] ?? "" : "";
  return login(before) === login(after);
}

function withoutNull(value: unknown): unknown {
  if (!isBlock(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, item]) => item !== null).map(([key, item]) => [key, withoutNull(item)]),
  );
}
