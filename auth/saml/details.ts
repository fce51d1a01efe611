/**
 * What is kept with a session, so that it can be ended at the provider and by the provider.
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

/** Most bytes of JSON: the session's cookie may hold it. */
const LARGEST = 1_200;

/** The details of a login; undefined where they are too long to be kept. */
export function detailsOf(
  idp: string,
  nameId: NameId,
  { sessionIndex }: Identity,
): SessionDetails | undefined {
  const details = { idp, nameId: { ...nameId }, ...(sessionIndex === undefined ? {} : { sessionIndex }) };
  const size = new TextEncoder().encode(JSON.stringify(details)).length;
  return size <= LARGEST ? details : undefined;
}

/** The login that a session of this method keeps. */
export function loginIn(details: SessionDetails | undefined): ProviderLogin | undefined {
  const { idp, nameId, sessionIndex } = details ?? {};
  if (typeof idp !== "string" || !isNameId(nameId)) return undefined;
  return { idp, nameId, ...(typeof sessionIndex === "string" ? { sessionIndex } : {}) };
}

/** What all sessions of one person at a provider are found by. */
export function subjectOf(idp: string, nameId: string): string {
  return JSON.stringify([idp, nameId]);
}

/** Only this module's own details are kept under the name of the method. */
function isNameId(value: Json | undefined): value is NameId & { readonly [name: string]: string } {
  return typeof value === "object" && value !== null && "value" in value && typeof value.value === "string";
}
