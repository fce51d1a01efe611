/**
 * Creates, changes and deletes definitions. Rights are checked twice: first, before anything costs time, and again on the
 * content of the file while it is locked.
 *
 * @module
 */

import {
  changeDefinition,
  type Configuration,
  ConfigurationError,
  DEFINITION_FILES,
  type DefinitionKind,
  formatComplaint,
  type Members,
  UnusableFilesError,
} from "@/config/mod.ts";
import { type BodyFormat, type BodySource } from "@/core/request/body.ts";
import { readMembersOf, refuseMembers } from "./read_body.ts";
import { type Definition, findDefinition } from "./documents.ts";
import { alreadyThere, isGone, mayNot, notToBeGranted, refusalsOf } from "./refusals.ts";
import { type AccountSwitch, enabledUsers, switchOf } from "@/core/identity/users.ts";
import { endSessions, hasOtherPassword } from "@/core/identity/end_sessions.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { requireRoom } from "@/core/identity/licence_file.ts";
import type { User } from "@/core/model.ts";
import { complaintsAboutAccount } from "./name_complaints.ts";
import {
  noRights,
  ownership,
  prepareMembers,
  requireFreeEmail,
  requireFreeKey,
  withoutKnown,
} from "./prepare_definition.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Service } from "@/core/service.ts";
import type { AuthSession } from "@/plugins/contract.ts";

/** The context of a change. */
export interface ChangeInput {
  readonly kind: DefinitionKind;
  readonly actor: User;
  readonly service: Service;
  /** The session of the request. */
  readonly session: AuthSession | undefined;
}

/** A body that has not been read yet. */
export interface ChangeBody {
  readonly source: BodySource;
  readonly format: BodyFormat;
}

/** Bytes. Stored definitions are read again with every change of any of them. */
const LONGEST_BODY = 1_048_576;

/** The result of creating a definition. */
export interface Created {
  readonly id: string;
  /** A problem that did not prevent storing it. */
  readonly warning?: string;
}

/** Creates a definition. Throws 400, 403 and 409. */
export async function createDefinition(input: ChangeInput, body: ChangeBody): Promise<Created> {
  const { kind, actor, service } = input;
  const sent = await readBodyOf(input, body);
  const { idMember } = DEFINITION_FILES[kind];
  const { id } = sent;
  if (typeof id !== "string") throw refuseMembers("definition", [`${quote(idMember)}: is required, as text`]);
  if (findDefinition(kind, id, service)) throw alreadyThere(kind, id);
  const members = withoutNulls(await prepareMembers({ ...input, id, members: sent.members }));
  const owned = { ...members, ...ownership(kind, actor, members) };
  const { after } = await write(input, id, {
    decide: (current, deciding) => {
      if (!mayDo(deciding, "create", { kind })) throw mayNot(actor, "create", kind);
      if (current[DEFINITION_FILES[kind].entries].has(id)) throw alreadyThere(kind, id);
      requireFreeKey(current, id, owned);
      if (kind === "userdef") requireFreeEmail(current, id, owned);
      return owned;
    },
    sent: sent.members,
  });
  return { id, ...(kind === "userdef" ? warningAbout(input, after.users.get(id)) : {}) };
}

/** Names in `access` that match no table: a rule without effect must not go unnoticed. */
function warningAbout(
  { actor, service }: ChangeInput,
  user: User | undefined,
): { readonly warning?: string } {
  if (!user || !mayDo(actor, "view", { kind: "userdef", user })) return {};
  const complaints = complaintsAboutAccount(user, service.databases);
  if (complaints.length === 0) return {};
  return { warning: complaints.map(({ key, message }) => `${key}: ${message}`).join("; ") };
}

/** The result of changing a definition. */
export interface Updated {
  /** The change enabled or disabled the account. */
  readonly action?: AccountSwitch;
  /** A problem that did not prevent storing it. */
  readonly warning?: string;
}

/** Changes only the given members of a definition. Throws 400, 403, 404 and 409. */
export async function updateDefinition(
  input: ChangeInput,
  id: string,
  body: ChangeBody,
): Promise<Updated> {
  const { kind } = input;
  const sent = await readBodyOf(input, body);
  if (sent.id !== undefined && sent.id !== id) {
    const { idMember } = DEFINITION_FILES[kind];
    throw refuseMembers("definition", [`${quote(idMember)}: an id cannot be changed, it stays ${quote(id)}`]);
  }
  const found = requireEditable(input, id, sent.members);
  const members = await prepareMembers({ ...input, id, members: sent.members, found });
  const { before, after } = await write(input, id, {
    decide: (current, deciding) => {
      const now = findDefinition(kind, id, asDefinitions(current));
      if (!now) throw isGone(kind, id);
      requireMembers(deciding, now, Object.keys(sent.members));
      requireFreeKey(current, id, members);
      if (kind === "userdef") requireFreeEmail(current, id, members);
      return withoutKnown(members, now);
    },
    sent: sent.members,
  });
  if (kind !== "userdef") return {};
  const [userBefore, userAfter] = [before.users.get(id), after.users.get(id)];
  if (hasOtherPassword(userBefore, userAfter)) await endSessions([id], input.service);
  const action = switchOf(userBefore, userAfter);
  return { ...(action === undefined ? {} : { action }), ...warningAbout(input, userAfter) };
}

/** Deletes a definition. Throws 403, 404 and 409. */
export async function deleteDefinition(input: ChangeInput, id: string): Promise<void> {
  const { kind, actor } = input;
  await write(input, id, {
    decide: (current, deciding) => {
      const found = findDefinition(kind, id, asDefinitions(current));
      if (!found) throw isGone(kind, id);
      if (!mayDo(deciding, "delete", found)) throw mayNot(actor, "delete", kind, id);
      return "remove";
    },
    sent: {},
  });
}

async function readBodyOf({ kind, service }: ChangeInput, { source, format }: ChangeBody) {
  const limit = Math.min(LONGEST_BODY, service.settings.max_body_size);
  return await readMembersOf(kind, source, { format, limit });
}

/** The functions that decide a change of the files. */
interface Writing {
  /** Gets the present configuration and the present actor. */
  decide(current: Configuration, actor: User): Members | "remove";
  /** The members as they were sent. */
  readonly sent: Members;
}

/** The configuration before and after a change; equal if nothing had to be written. */
interface Written {
  readonly before: Configuration;
  readonly after: Configuration;
}

async function write({ kind, actor, service }: ChangeInput, id: string, writing: Writing): Promise<Written> {
  const { configuration, databases, dialects, files, log } = service;
  const hasLogins = (dbType: string) => dialects.hasLogins(dbType);
  const tablesOf = (database: string) => databases.get(database)?.tables;
  let written: Written = { before: configuration, after: configuration };
  // The actor may have lost rights, or been removed, since the request came.
  const actorIn = ({ users }: Configuration) => enabledUsers(users).get(actor.login) ?? noRights(actor);
  try {
    await changeDefinition(configuration, files.environment, {
      kind,
      id,
      decide: (current) => writing.decide(current, actorIn(current)),
      accept: (next, current) => {
        const refusing = { kind, id, actor: actorIn(current), sent: writing.sent, tablesOf, hasLogins };
        const refusals = refusalsOf(refusing, current, next);
        if (refusals.length > 0) throw notToBeGranted(actor, refusals);
        requireRoom(actor, service.licence, { current, next });
        written = { before: current, after: next };
      },
    });
  } catch (error) {
    if (error instanceof ConfigurationError) {
      throw refuseMembers("definition", error.complaints.map(formatComplaint));
    }
    if (!(error instanceof UnusableFilesError)) throw error;
    for (const complaint of error.complaints) {
      log.warn(`Cannot change ${kind} ${id}: ${formatComplaint(complaint)}`);
    }
    throw new ServiceError(
      "conflict",
      `Cannot change ${quote(id)}: the configuration files do not allow it as they are; the log tells why`,
    );
  }
  await files.refresh();
  return written;
}

/** The definition, if the actor may change all given members. */
function requireEditable({ kind, actor, service }: ChangeInput, id: string, members: Members): Definition {
  const found = findDefinition(kind, id, service);
  if (!found) throw isGone(kind, id);
  requireMembers(actor, found, Object.keys(members));
  return found;
}

/** Members that are instructions and are not stored. */
const UNSTORED = ["current_password", "keep_apikey"];

function requireMembers(actor: User, found: Definition, members: readonly string[]): void {
  if (mayDo(actor, "edit", found)) return;
  const id = found.kind === "userdef" ? found.user.login : found.definition.id;
  const refused = found.kind === "userdef"
    ? members.filter((member) => !UNSTORED.includes(member) && !mayDo(actor, "edit", { ...found, member }))
    : members;
  const isNothing = found.kind !== "userdef" || !mayDo(actor, "edit", { ...found, member: "name" });
  if (isNothing) throw mayNot(actor, "change", found.kind, id);
  if (refused.length > 0) throw mayNot(actor, `change ${refused.map(quote).join(", ")} of`, found.kind, id);
}

function asDefinitions(configuration: Configuration) {
  return { queries: configuration.queries, configuration };
}

function withoutNulls(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
