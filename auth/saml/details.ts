/**
 * The details of a session, needed to end it at the provider and by the provider.
 *
 * @module
 */

import type { Json, SessionDetails } from "@/plugins/contract.ts";
import type { Identity } from "./identity.ts";
import type { NameId } from "./messages.ts";

/** A login at a provider. */
export interface ProviderLogin {
  readonly idp: string;
  readonly nameId: NameId;
  readonly sessionIndex?: string;
}

/** Largest size in bytes of JSON: the session's cookie may contain it. */
const LARGEST = 1_200;

/** The details of a login; undefined if they are too long. */
export function detailsOf(
  idp: string,
  nameId: NameId,
  { sessionIndex }: Identity,
): SessionDetails | undefined {
  const details = { idp, nameId: { ...nameId }, ...(sessionIndex === undefined ? {} : { sessionIndex }) };
  const size = new TextEncoder().encode(JSON.stringify(details)).length;
  return size <= LARGEST ? details : undefined;
}

/** The login in the details of a session of this method. */
export function loginIn(details: SessionDetails | undefined): ProviderLogin | undefined {
  const { idp, nameId, sessionIndex } = details ?? {};
  if (typeof idp !== "string" || !isNameId(nameId)) return undefined;
  return { idp, nameId, ...(typeof sessionIndex === "string" ? { sessionIndex } : {}) };
}

/** The subject that finds all sessions of one person at a provider. */
export function subjectOf(idp: string, nameId: string): string {
  return JSON.stringify([idp, nameId]);
}

/** Only this module writes these details. */
function isNameId(value: Json | undefined): value is NameId & { readonly [name: string]: string } {
  return typeof value === "object" && value !== null && "value" in value && typeof value.value === "string";
}
