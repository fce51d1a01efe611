/**
 * Creates, changes and deletes definitions. Rights are checked twice: first, before anything costs time, and
 * again on the content of the file while it is locked.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import {
  changeDefinition,
  type Configuration,
  ConfigurationError,
  DEFINITION_FILES,
  formatComplaint,
  type Members,
  unknownDatabase,
  UnusableFilesError,
} from "@/config/mod.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { newLock, requireRoom } from "@/core/identity/licence.ts";
import { type AccountAction, accountActions, enabledUsers, endSessions } from "@/core/identity/users.ts";
import type { User } from "@/core/model.ts";
import type { BodySource } from "@/core/request/body.ts";
import type { BodyFormat } from "@/core/request/read_records.ts";
import { type Definition, findDefinition, showDefinition } from "./documents.ts";
import { complaintsAboutAccount } from "./name_complaints.ts";
import {
  noRights,
  ownership,
  prepareMembers,
  requireFree,
  storedMembers,
  withoutKnown,
} from "./prepare_definition.ts";
import { readMembersOf, refuseDefinition, refuseMember } from "./read_body.ts";
import {
  alreadyThere,
  type ChangeInput,
  definitionNotFound,
  notPermitted,
  notToBeGranted,
  refusalsOf,
  type Sent,
} from "./refusals.ts";

/** A body that has not been read yet. */
interface ChangeBody {
  readonly source: BodySource;
  readonly format: BodyFormat;
}

/** Bytes. Stored definitions are read again with every change of any of them. */
const LONGEST_BODY = 1_048_576;

interface Changed {
  /** Absent: the definition is no account. */
  readonly actions?: readonly AccountAction[];
  /** A problem that did not prevent storing it. */
  readonly warning?: string;
}

/** Creates a definition. Throws 400, 403 and 409. */
export async function createDefinition(
  input: ChangeInput,
  body: ChangeBody,
): Promise<Changed & { readonly id: string }> {
  const { kind, actor, service } = input;
  const { id, members: sent } = await readBodyOf(input, body);
  const { idMember, entries } = DEFINITION_FILES[kind];
  if (typeof id !== "string") throw refuseMember(idMember, "is required, as text");
  if (findDefinition(kind, id, service.configuration)) throw alreadyThere(kind, id);
  const prepared = Object.entries(await prepareMembers(input, { id, members: sent }));
  const members = Object.fromEntries(prepared.filter(([, value]) => value !== null));
  const owned = { ...members, ...ownership(kind, actor, members) };
  const written = await write(input, { id, members: sent }, (current, deciding) => {
    if (!mayDo(deciding, "create", { kind })) throw notPermitted(actor, "create", kind);
    if (current[entries].has(id)) throw alreadyThere(kind, id);
    requireFree(current, { id, members: owned });
    return owned;
  });
  return { id, ...warningAbout(input, id, written) };
}

/** The configuration before and after a change; they are equal if nothing had to be written. */
interface Written {
  readonly before: Configuration;
  readonly after: Configuration;
}

/** Consequences of a stored change that must not go unnoticed. */
function warningAbout(input: ChangeInput, id: string, written: Written): Changed {
  const lock = newLock(input.service.licence, written);
  const sentences = [
    ...(lock === undefined ? [] : [`The licence locks out everybody but admin: ${lock}`]),
    ...rulesWithoutEffect(input, id, written.after),
  ];
  return sentences.length === 0 ? {} : { warning: sentences.join("; ") };
}

/**
 * Databases that do not exist, and names in `access` that match no table. Similar names are only those of the
 * actor's own databases.
 */
function rulesWithoutEffect(
  { kind, actor, service }: ChangeInput,
  id: string,
  { users, databases }: Configuration,
): readonly string[] {
  const user = kind === "userdef" ? users.get(id) : undefined;
  if (!user || !mayDo(actor, "view", { kind: "userdef", definition: user })) return [];
  const unknown = [...user.databases.keys()].filter((database) => !databases.has(database));
  const complaints = [
    ...unknown.map((database) => {
      return { key: `databases.${database}`, message: unknownDatabase(database, actor.databases) };
    }),
    ...complaintsAboutAccount(user, service.databases),
  ];
  return complaints.map(({ key, message }) => `${key}: ${message}`);
}

/** Changes only the given members of a definition. Throws 400, 403, 404 and 409. */
export async function updateDefinition(input: ChangeInput, id: string, body: ChangeBody): Promise<Changed> {
  const { kind, actor, service } = input;
  const { id: sentId, members } = await readBodyOf(input, body);
  if (sentId !== undefined && sentId !== id) {
    const { idMember } = DEFINITION_FILES[kind];
    throw refuseMember(idMember, `an id cannot be changed, it stays ${quote(id)}`);
  }
  const sent = { id, members };
  const found = findEditable(input, actor, sent, service.configuration);
  const prepared = await prepareMembers(input, sent, found);
  const written = await write(input, sent, (current, deciding) => {
    const now = findEditable(input, deciding, sent, current);
    requireFree(current, { id, members: prepared });
    return withoutKnown(prepared, now);
  });
  if (kind !== "userdef") return {};
  const actions = accountActions(written.before.users.get(id), written.after.users.get(id));
  // Another process, which learns of it later, would also end sessions that the new password has opened.
  if (actions.includes("password")) await endSessions([id], service);
  return { actions, ...warningAbout(input, id, written) };
}

/** Deletes a definition. Throws 403, 404 and 409. */
export async function deleteDefinition(input: ChangeInput, id: string): Promise<void> {
  const { kind, actor } = input;
  await write(input, { id, members: {} }, (current, deciding) => {
    const found = findDefinition(kind, id, current);
    if (!found) throw definitionNotFound(kind, id);
    if (!mayDo(deciding, "delete", found)) throw notPermitted(actor, "delete", kind, id);
    return "remove";
  });
}

async function readBodyOf({ kind, service }: ChangeInput, { source, format }: ChangeBody) {
  const limit = Math.min(LONGEST_BODY, service.settings.max_body_size);
  return await readMembersOf(kind, source, { format, limit });
}

type Decide = (current: Configuration, actor: User) => Members | "remove";

async function write(input: ChangeInput, sent: Sent, decide: Decide): Promise<Written> {
  const { kind, actor, service } = input;
  const { id } = sent;
  const { configuration, files } = service;
  let written: Written = { before: configuration, after: configuration };
  // The actor may have lost rights, or been removed, since the request came.
  const actorIn = ({ users }: Configuration) => enabledUsers(users).get(actor.login) ?? noRights(actor);
  await changeDefinition(configuration, files.environment, {
    kind,
    id,
    decide: (current) => decide(current, actorIn(current)),
    accept: (next, current) => {
      const refusals = refusalsOf({ ...input, actor: actorIn(current) }, sent, current, next);
      if (refusals.length > 0) throw notToBeGranted(actor, refusals);
      const change = { before: current, after: next };
      requireRoom(actor, service.licence, change);
      written = change;
    },
  }).catch((error: unknown) => {
    throw refusalOf(error, `${kind} ${id}`, id, service);
  });
  await files.refresh();
  return written;
}

function refusalOf(error: unknown, what: string, id: string, { log }: ChangeInput["service"]): unknown {
  if (error instanceof ConfigurationError) return refuseDefinition(error.complaints);
  if (!(error instanceof UnusableFilesError)) return error;
  for (const complaint of error.complaints) log.warn(`Cannot change ${what}: ${formatComplaint(complaint)}`);
  return new ServiceError(
    "conflict",
    `Cannot change ${quote(id)}: the configuration files do not allow it as they are; the log tells why`,
  );
}

/** The definition, if the actor may change all given members that are not as they were shown. */
function findEditable(
  { kind, service }: ChangeInput,
  actor: User,
  { id, members }: Sent,
  configuration: Configuration,
): Definition {
  const found = findDefinition(kind, id, configuration);
  if (!found) throw definitionNotFound(kind, id);
  if (mayDo(actor, "edit", found)) return found;
  const isAccount = found.kind === "userdef" && mayDo(actor, "edit", { ...found, member: "name" });
  if (!isAccount) throw notPermitted(actor, "change", kind, id);
  const shown = showDefinition(actor, found, service) ?? {};
  const refused = Object.entries(storedMembers(kind, members)).filter(([member, value]) =>
    !mayDo(actor, "edit", { ...found, member }) && !isDeepStrictEqual(shown[member], value)
  ).map(([member]) => member);
  if (refused.length > 0) throw notPermitted(actor, `change ${refused.map(quote).join(", ")} of`, kind, id);
  return found;
}
