/**
 * Edits one entry of a configuration file in place: unchanged members keep their comments, order and `${NAME}`.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import type { Environment } from "./configuration.ts";
import { escapeAll, expandAll } from "./expand.ts";
import { keysAt, valueAt, type YamlDocument, type YamlPath } from "./yaml.ts";

/** Members by name; null removes one. */
export type Members = Readonly<Record<string, unknown>>;

/** One change of one entry. */
export interface EntryEdit {
  readonly id: string;
  /** The new values by name; null removes a member, also inside objects. */
  readonly members: Members;
  /** Aliases of members: `{api_key: "apikey"}`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The environment with the built-in names. */
  readonly environment: Environment;
  /** Whether a member is kept if it is not given, because it is never shown. */
  isSecret(path: readonly string[]): boolean;
}

/** Sets members of an entry, creating it if necessary. Values are escaped, so that nothing in them is expanded. */
export function editEntry(document: YamlDocument, edit: EntryEdit): void {
  const { id, members, aliases } = edit;
  if (!document.hasIn([id])) document.setIn([id], document.createNode({}));
  for (const [name, value] of Object.entries(members)) {
    for (const [alias, target] of Object.entries(aliases)) {
      if (target === name) document.deleteIn([id, alias]);
    }
    if (value === null) document.deleteIn([id, name]);
    else merge(document, [id, name], value, edit);
  }
}

function merge(document: YamlDocument, path: YamlPath, value: unknown, edit: EntryEdit): void {
  const keys = keysAt(document, path);
  if (keys === undefined || !isMapping(value)) return replace(document, path, value, edit);
  const before = expanded(valueAt(document, path), edit);
  const keepsSecrets = isSameLogin(before, value);
  for (const key of keys) {
    const isGiven = typeof key === "string" && Object.hasOwn(value, key);
    const isKept = keepsSecrets && edit.isSecret([...path.slice(1), key].map(String));
    if (!isGiven && !isKept) document.deleteIn([...path, key]);
  }
  for (const [key, item] of Object.entries(value)) {
    if (item === null) document.deleteIn([...path, key]);
    else merge(document, [...path, key], item, edit);
  }
}

function replace(document: YamlDocument, path: YamlPath, value: unknown, edit: EntryEdit): void {
  if (isDeepStrictEqual(expanded(valueAt(document, path), edit), value)) return;
  document.setIn(path, escapeAll(withoutNull(value)));
}

/** A password belongs to its login and is not kept for another one. */
function isSameLogin(before: unknown, after: Members): boolean {
  const login = (members: unknown) => isMapping(members) ? members["dbuser"] ?? "" : "";
  return login(before) === login(after);
}

function expanded(value: unknown, { environment }: EntryEdit): unknown {
  return expandAll(value, { file: "", key: "", complaints: [] }, environment);
}

function withoutNull(value: unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, item]) => item !== null).map(([key, item]) => [key, withoutNull(item)]),
  );
}

function isMapping(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
