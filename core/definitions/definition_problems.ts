/**
 * Why a definition is not created, changed or deleted, as errors for the caller.
 *
 * @module
 */

import type { DefinitionKind } from "@/config/mod.ts";
import { forbidden, quote, ServiceError } from "@/core/errors.ts";
import type { User } from "@/core/model.ts";

/** 403; it says nothing about whether there is such a definition. */
export function mayNot(actor: User, what: string, kind: DefinitionKind, id?: string): ServiceError {
  const target = id === undefined ? `/${kind}` : `/${kind}/${id}`;
  return forbidden(`User ${quote(actor.login)} may not ${what} ${quote(target)}`);
}

/** 403 with everything that the actor would hand on without having it. */
export function notToBeGranted(actor: User, refusals: readonly string[]): ServiceError {
  const errors = refusals.map((refusal) => `User ${quote(actor.login)} may not do this: ${refusal}`);
  return new ServiceError("forbidden", errors[0] ?? "", { errors });
}

/** 409 for an id that is taken. */
export function alreadyThere(kind: DefinitionKind, id: string): ServiceError {
  return new ServiceError("conflict", `Cannot create ${quote(`/${kind}/${id}`)}: it is there already`);
}

/** 404 for callers who may know. */
export function isGone(kind: DefinitionKind, id: string): ServiceError {
  return new ServiceError("not-found", `Cannot find ${quote(`/${kind}/${id}`)}`);
}
