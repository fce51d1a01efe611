/**
 * The sealed cookie of a login that has begun; without it no response of the provider opens a session.
 *
 * @module
 */

import type { AuthHost, SealedCookie, Sender } from "@/plugins/contract.ts";

/** Seconds that users have to log in at the provider. */
export const FLOW_LIFETIME = 900;

/** A login that has begun. */
export interface Flow {
  readonly idp: string;
  /** The id of the request. */
  readonly request: string;
  /** The destination after the login: a path of this service. */
  readonly next: string;
  /** It continues a login that began at the provider. */
  readonly isUnasked?: true;
}

type FlowHost = Pick<AuthHost, "sealedCookie">;

/** The cookie; a new login replaces an earlier one of the same browser. */
export function flowCookie(host: FlowHost): SealedCookie {
  return host.sealedCookie("auth_saml", FLOW_LIFETIME);
}

/** The login that this browser has begun; undefined without one, and after it has expired. */
export function flowOf(sender: Sender, host: FlowHost): Flow | undefined {
  const kept = flowCookie(host).read(sender);
  // Only this module seals this cookie.
  return kept === undefined ? undefined : JSON.parse(kept) as Flow;
}
