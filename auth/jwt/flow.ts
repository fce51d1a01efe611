/**
 * The sealed cookie of a login that has begun; without it no answer of a provider opens a session.
 *
 * @module
 */

import { timingSafeEqual } from "node:crypto";
import type { AuthHost, SealedCookie, Sender } from "@/plugins/contract.ts";

const NAME = "auth_sso";
/** Seconds that users have to log in at the provider. */
export const FLOW_LIFETIME = 900;

/** A login that has begun. */
export interface Flow {
  readonly idp: string;
  readonly state: string;
  readonly nonce: string;
  /** The PKCE verifier: proves to the provider that the code is redeemed by the service that began the login. */
  readonly verifier: string;
  /** The destination after the login: a path of this service. */
  readonly next: string;
  /** The prompt that the provider was asked for. */
  readonly prompt?: string | undefined;
}

type FlowHost = Pick<AuthHost, "sealedCookie">;

/** The value of `Set-Cookie` that begins a login; it replaces an earlier one of this browser. */
export function flowCookie(flow: Flow, sender: Sender, host: FlowHost): string {
  return cookieOf(host).give(JSON.stringify(flow), sender);
}

/** The value of `Set-Cookie` that ends it. */
export function endedFlow(sender: Sender, host: FlowHost): string {
  return cookieOf(host).clear(sender);
}

/** The login that this browser has begun; undefined without one, and after it has expired. */
export function flowOf(sender: Sender, host: FlowHost): Flow | undefined {
  const kept = cookieOf(host).read(sender);
  // Only this module seals this cookie.
  return kept === undefined ? undefined : JSON.parse(kept) as Flow;
}

function cookieOf(host: FlowHost): SealedCookie {
  return host.sealedCookie(NAME, FLOW_LIFETIME);
}

/** Compares in a time that does not depend on where the texts differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [new TextEncoder().encode(one), new TextEncoder().encode(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
