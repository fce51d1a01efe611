/**
 * What a login at a provider leaves in the browser that began it: a sealed cookie, without which no response of the provider
 * opens a session.
 *
 * @module
 */

import type { AuthHost, SealedCookie, Sender } from "@/plugins/contract.ts";

/** Seconds that people have to log in at the provider. */
export const FLOW_LIFETIME = 900;

/** A login that has begun. */
export interface Flow {
  readonly idp: string;
  /** The name of the request. */
  readonly request: string;
  /** Where the login leads: a path of this service. */
  readonly next: string;
  /** It was begun because of a login that began at the provider. */
  readonly isUnasked?: true;
}

type FlowHost = Pick<AuthHost, "sealedCookie">;

/** The cookie; a login that has begun before in the same browser is given up. */
export function flowCookie(host: FlowHost): SealedCookie {
  return host.sealedCookie("auth_saml", FLOW_LIFETIME);
}

/** The login that this browser has begun; undefined without one, and when it took too long. */
export function flowOf(sender: Sender, host: FlowHost): Flow | undefined {
  const kept = flowCookie(host).read(sender);
  // Only this module's own flows are in the cookie.
  return kept === undefined ? undefined : JSON.parse(kept) as Flow;
}
