/**
 * Converts a request's members to those of the configuration file: hashes in place of passwords and keys, an owner for
 * new definitions, and no read-only members.
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
  type Members,
  SHORTEST_KEY,
} from "@/config/mod.ts";
import { hashNewPassword, type PasswordRules } from "@/core/identity/change_password.ts";
import { refuseMembers } from "./read_body.ts";
import { type Definition, shownMembers } from "./documents.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { nearest } from "@/core/base/nearest.ts";
import { BUILT_IN_ROOT, discoverPlugins } from "@/plugins/discover.ts";
import type { User } from "@/core/model.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Service } from "@/core/service.ts";
import { requireOwner } from "@/core/identity/own_account.ts";
import { requireWithinReach } from "./written_database.ts";
import type { AuthSession, Dialect } from "@/plugins/contract.ts";
import { requireUsable } from "./try_query.ts";

/** The change and its actor. */
export interface Preparation {
  readonly kind: DefinitionKind;
  readonly actor: User;
  readonly service: PasswordRules & Pick<Service, "configuration" | "databases" | "dialects" | "log">;
  readonly id: string;
  readonly members: Members;
  /** Absent: the definition is new. */
  readonly found?: Definition;
  /** The session of the request. */
  readonly session: AuthSession | undefined;
}

/** The members to write: hashes in place of passwords and keys, and no read-only members. */
export async function prepareMembers(preparation: Preparation): Promise<Members> {
  const { kind, actor, service, id, members, found } = preparation;
  if (kind === "querydef") {
    const prepared = storedMembers(kind, members);
    const existing = found?.kind === "querydef" ? found.definition : undefined;
    await requireUsable(prepared, existing, { author: actor, service });
    return prepared;
  }
  if (kind === "dbdef") {
    const before = found?.kind === "dbdef" ? found.definition : undefined;
    const dialect = await requireDialect(members["db_type"] ?? before?.dbType, service);
    await requireWithinReach(members, { before, dialect, actor, service });
    return members;
  }
  requireShort(members);
  const { password, apikey } = members;
  const target = found?.kind === "userdef" ? found.user : newUser(id, members);
  const mayEdit = found === undefined || mayDo(actor, "edit", found);
  const keepsKey = readFlag(members, "keep_apikey");
  if (found && actor.login === id && actor.login !== ADMIN) {
    const { session } = preparation;
    const policies = service.configuration.authentication;
    await requireOwner({ target, members, session, policies, now: Date.now() }, service);
  }
  const currentPassword = members["current_password"];
  const hashed = typeof password === "string"
    ? await hashNewPassword(
      { target, password, ...(typeof currentPassword === "string" ? { currentPassword } : {}) },
      { user: actor, mayEdit },
      service,
    )
    : password;
  const endsKey = typeof password === "string" && target.apikeyHash !== undefined && !keepsKey;
  return {
    ...(endsKey ? { apikey: null } : {}),
    ...storedMembers(kind, members),
    ...(password === undefined ? {} : { password: hashed }),
    ...(typeof apikey === "string" ? { apikey: storedKey(apikey) } : {}),
  };
}

/** Formats without types send text. */
function readFlag(members: Members, name: string): boolean {
  const value = members[name] ?? false;
  if (["true", "false"].includes(String(value))) return String(value) === "true";
  throw refuseMembers("definition", [`${quote(name)}: expected true or false`]);
}

/** Users change these members of their own account, and every change of any account reads them again. */
function requireShort(members: Members): void {
  const complaints = Object.values(DEFINITION_FILES.userdef.members).flatMap(({ wire, type }) => {
    const [value, longest] = [members[wire], type.schema["maxLength"]];
    // Passwords have their own rules.
    if (wire === "password" || typeof value !== "string" || typeof longest !== "number") return [];
    return value.length > longest ? [`${quote(wire)}: it has more than ${longest} characters`] : [];
  });
  if (complaints.length > 0) throw refuseMembers("definition", complaints);
}

/**
 * The dialect of a type of database; undefined without a name. Throws 400 for an unknown one, which would make the whole
 * file unreadable.
 */
export async function requireDialect(
  name: unknown,
  { dialects, log }: Pick<Service, "dialects" | "log">,
): Promise<Dialect | undefined> {
  if (typeof name !== "string" || name === "") return undefined;
  try {
    return await dialects.get(name);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    log.warn(`A database definition needs dialect ${quote(name)}: ${error.message}`);
    const [meant] = nearest(name, builtInDialects(), 1);
    const hint = meant === undefined ? "" : `: did you mean ${quote(meant)}?`;
    throw refuseMembers("definition", [`"db_type": there is no dialect ${quote(name)} to be used${hint}`]);
  }
}

function builtInDialects(): readonly string[] {
  return discoverPlugins([BUILT_IN_ROOT]).filter(({ kind }) => kind === "dialect").map(({ name }) => name);
}

/** Throws 400 for a key that may be guessed. */
function storedKey(apikey: string): string {
  if (apikey.length >= SHORTEST_KEY) return hashedKey(apikey);
  throw refuseMembers("definition", [
    `"apikey": it has less than ${SHORTEST_KEY} characters and may be guessed`,
  ]);
}

/** Throws 409 for a key that another user has. */
export function requireFreeKey({ users }: Configuration, id: string, { apikey }: Members): void {
  if (typeof apikey !== "string") return;
  const isTaken = [...users.values()].some(({ login, apikeyHash }) =>
    login !== id && apikey === `${HASHED_KEY}${apikeyHash}`
  );
  if (!isTaken) return;
  throw new ServiceError("conflict", "Cannot use this API key: it is another user's, choose a new one");
}

/** Throws 409 for an e-mail address that another account has, because providers identify users by it. */
export function requireFreeEmail({ users }: Configuration, id: string, { email }: Members): void {
  if (typeof email !== "string" || email === "" || users.get(id)?.email === email) return;
  const isTaken = [...users.values()].some((user) =>
    user.login !== id && user.email.toLowerCase() === email.toLowerCase()
  );
  if (isTaken) throw new ServiceError("conflict", "Cannot use this e-mail address: another account has it");
}

/** The creator of a definition may do everything with it; the creator of an account may see and change it. */
export function ownership(kind: DefinitionKind, { login }: User, members: Members): Members {
  if (kind !== "userdef") return { creator: members["creator"] ?? login };
  if (login === ADMIN) return {};
  return { view: members["view"] ?? [login], edit: members["edit"] ?? [login] };
}

/**
 * Drops members that are sent back as they were shown, so that the file keeps its spelling, such as references to the
 * environment.
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
function storedMembers(kind: DefinitionKind, members: Members): Members {
  const others = Object.values(DEFINITION_FILES[kind].members).flatMap(({ wire, only }) =>
    only ? [wire] : []
  );
  return Object.fromEntries(Object.entries(members).filter(([name]) => !others.includes(name)));
}
