/**
 * The refusals of changes of definitions, with their errors.
 *
 * @module
 */

import type { Configuration, DefinitionKind, Members } from "@/config/mod.ts";
import { refuseDatabase, refuseQuery, refuseUser, type TablesOf } from "./escalation.ts";
import type { User } from "@/core/model.ts";
import { forbidden, quote, ServiceError } from "@/core/errors.ts";

/** A change before its refusals are checked. */
export interface Refusing {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly actor: User;
  /** The members as they were sent. */
  readonly sent: Members;
  readonly tablesOf: TablesOf;
  /** Whether a type of database has its own users. */
  hasLogins(dbType: string): boolean;
}

/** Reasons why the actor may not make this change. */
export function refusalsOf(
  { kind, id, actor, sent, tablesOf, hasLogins }: Refusing,
  current: Configuration,
  next: Configuration,
): readonly string[] {
  switch (kind) {
    case "userdef": {
      const after = next.users.get(id);
      return after ? refuseUser(actor, { before: current.users.get(id), after, current, tablesOf }) : [];
    }
    case "dbdef": {
      const after = next.databases.get(id);
      const login = sent["autoload_user"];
      const sendsPassword = typeof login === "object" && login !== null && "dbpass" in login;
      const before = current.databases.get(id);
      if (!after) return [];
      const change = { before, after, current, sendsPassword, hasLogins: hasLogins(after.dbType) };
      return refuseDatabase(actor, change);
    }
    case "querydef": {
      const after = next.queries.get(id);
      return after ? refuseQuery(actor, { before: current.queries.get(id), after }) : [];
    }
    default:
      return kind satisfies never;
  }
}

/** 403; the message does not reveal whether the definition exists. */
export function mayNot(actor: User, what: string, kind: DefinitionKind, id?: string): ServiceError {
  const target = id === undefined ? `/${kind}` : `/${kind}/${id}`;
  return forbidden(`User ${quote(actor.login)} may not ${what} ${quote(target)}`);
}

/** 403 with all rights that the actor would grant without having them. */
export function notToBeGranted(actor: User, refusals: readonly string[]): ServiceError {
  const errors = refusals.map((refusal) => `User ${quote(actor.login)} may not do this: ${refusal}`);
  return new ServiceError("forbidden", errors[0] ?? "", { errors });
}

/** 409 for an id that is taken. */
export function alreadyThere(kind: DefinitionKind, id: string): ServiceError {
  return new ServiceError("conflict", `Cannot create ${quote(`/${kind}/${id}`)}: it is there already`);
}

/** 404 for callers who may know that the definition does not exist. */
export function isGone(kind: DefinitionKind, id: string): ServiceError {
  return new ServiceError("not-found", `Cannot find ${quote(`/${kind}/${id}`)}`);
}
