/**
 * From the members of a request to those of the configuration file.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import {
  type Configuration,
  DEFINITION_FILES,
  type DefinitionKind,
  HASHED_KEY,
  hashedKey,
  keyWeakness,
  type Members,
} from "@/config/mod.ts";
import { ServiceError } from "@/core/errors.ts";
import { hashNewPassword, isMappedBy, requireOwner } from "@/core/identity/account_changes.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import type { User } from "@/core/model.ts";
import { findDialect } from "./check_connection.ts";
import { requireUsable } from "./check_query.ts";
import { type Definition, shownMembers } from "./documents.ts";
import { refuseMember, refuseMembers } from "./read_body.ts";
import type { ChangeInput, Sent } from "./refusals.ts";
import { requireWithinReach } from "./within_reach.ts";

/**
 * The members to write: hashes in place of passwords and keys, and no read-only members.
 * Without `found` the definition is new.
 */
export async function prepareMembers(input: ChangeInput, sent: Sent, found?: Definition): Promise<Members> {
  const { kind, actor, service } = input;
  const { members } = sent;
  switch (kind) {
    case "querydef": {
      const prepared = storedMembers(kind, members);
      const existing = found?.kind === kind ? found.definition : undefined;
      await requireUsable(prepared, existing, { author: actor, service });
      return prepared;
    }
    case "dbdef": {
      const before = found?.kind === kind ? found.definition : undefined;
      const type = members["db_type"] ?? before?.dbType;
      const dialect = typeof type === "string" && type !== "" ? await findDialect(type, service) : undefined;
      await requireWithinReach(members, { before, dialect, actor, service });
      return members;
    }
    case "userdef":
      return await prepareAccount(input, sent, found?.kind === kind ? found.definition : undefined);
    default:
      return kind satisfies never;
  }
}

async function prepareAccount(
  { actor, service, session }: ChangeInput,
  { id, members }: Sent,
  before: User | undefined,
): Promise<Members> {
  requireShort(members);
  const { password, apikey, current_password: currentPassword } = members;
  const target = before ?? newUser(id, members);
  if (before && actor.login === id && actor.login !== ADMIN) {
    const policies = service.configuration.authentication;
    await requireOwner({ target, members, session, policies, now: Date.now() }, service);
  }
  const isNew = typeof password === "string";
  const hash = isNew && await hashNewPassword(
    { target, password, ...(typeof currentPassword === "string" ? { currentPassword } : {}) },
    actor,
    service,
  );
  return {
    ...storedMembers("userdef", members),
    ...(isNew ? { password: hash } : {}),
    ...(typeof apikey === "string" ? { apikey: storedKey(apikey) } : {}),
  };
}

/** Users change these members of their own account, and every change of any account reads them again. */
function requireShort(members: Members): void {
  const complaints = Object.values(DEFINITION_FILES.userdef.members).flatMap(({ wire, type }) => {
    const [value, longest] = [members[wire], type.schema["maxLength"]];
    // Passwords have their own rules.
    if (wire === "password" || typeof value !== "string" || typeof longest !== "number") return [];
    return value.length > longest ? [{ key: wire, message: `it has more than ${longest} characters` }] : [];
  });
  if (complaints.length > 0) throw refuseMembers(complaints);
}

/** Throws 400 for a key that may be guessed, or that headers change. */
function storedKey(apikey: string): string {
  const weakness = keyWeakness(apikey);
  if (weakness === undefined) return hashedKey(apikey);
  throw refuseMember("apikey", `it has ${weakness}`);
}

/** What identity providers may find an account by. */
const FOUND_BY = [["email", "e-mail address"], ["name", "name"], ["appid", "application id"]] as const;

/**
 * Throws 409 for a key or an e-mail address of another account, and for a name or application id of another
 * one where a provider finds accounts by it: the provider would find two, and log in neither person.
 */
export function requireFree({ users, authentication }: Configuration, { id, members }: Sent): void {
  const others = [...users.values()].filter(({ login }) => login !== id);
  const { apikey } = members;
  if (others.some(({ apikeyHash }) => apikeyHash !== undefined && apikey === `${HASHED_KEY}${apikeyHash}`)) {
    throw new ServiceError("conflict", "Cannot use this API key: it is another user's, choose a new one");
  }
  for (const [member, what] of FOUND_BY) {
    const value = members[member];
    if (typeof value !== "string" || value === "" || users.get(id)?.[member] === value) continue;
    const isEmail = member === "email";
    if (!isEmail && !authentication.some((policy) => isMappedBy(policy, member))) continue;
    const spell = (text: string) => isEmail ? text.toLowerCase() : text;
    if (!others.some((user) => spell(user[member] ?? "") === spell(value))) continue;
    const sentence = "another account has it";
    throw new ServiceError("conflict", `Cannot use this ${what}: ${sentence}`, {
      complaints: [{ record: 0, column: member, sentence }],
    });
  }
}

/** The creator of a definition may do everything with it; the creator of an account may see and change it. */
export function ownership(kind: DefinitionKind, { login }: User, members: Members): Members {
  if (kind !== "userdef") return { creator: members["creator"] ?? login };
  if (login === ADMIN) return {};
  return { view: members["view"] ?? [login], edit: members["edit"] ?? [login] };
}

/**
 * Drops members that are sent back as they were shown, so that the file keeps its spelling, such
 * as references to the environment.
 */
export function withoutKnown(members: Members, found: Definition): Members {
  const shown = shownMembers(found);
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => !isDeepStrictEqual(shown[name], value)),
  );
}

/** A user for rating the strength of a first password. */
function newUser(login: string, { name, email }: Members): User {
  const text = (value: unknown) => typeof value === "string" ? value : "";
  return { ...noRights({ login }), name: text(name), email: text(email) };
}

/** A user who does not exist, or no longer. */
export function noRights({ login }: Pick<User, "login">): User {
  const lists = { dbdef: [], querydef: [], userdef: [], view: [], edit: [] };
  return { login, enabled: true, name: "", email: "", databases: new Map(), ...lists };
}

/** The members without those that only requests or answers have. */
export function storedMembers(kind: DefinitionKind, members: Members): Members {
  const others = Object.values(DEFINITION_FILES[kind].members).flatMap(({ wire, only }) =>
    only ? [wire] : []
  );
  return Object.fromEntries(Object.entries(members).filter(([name]) => !others.includes(name)));
}
