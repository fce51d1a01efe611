/**
 * What a login at a provider leaves in the browser that began it: a sealed cookie, without which no answer of the provider
 * opens a session.
 *
 * @module
 */

import { timingSafeEqual } from "node:crypto";
import type { AuthHost, SealedCookie, Sender } from "@/plugins/contract.ts";

const NAME = "auth_sso";
/** Seconds that people have to log in at the provider. */
export const FLOW_LIFETIME = 900;

/** A login that has begun. */
export interface Flow {
  readonly idp: string;
  readonly state: string;
  readonly nonce: string;
  /** Proves to the provider that whoever redeems the code is who began. */
  readonly verifier: string;
  /** Where the login leads: a path of this service. */
  readonly next: string;
  /** What the provider was asked to show. */
  readonly prompt?: string | undefined;
}

type FlowHost = Pick<AuthHost, "sealedCookie">;

/** The value of `Set-Cookie` that begins a login; one that has begun before in this browser is given up. */
export function flowCookie(flow: Flow, sender: Sender, host: FlowHost): string {
  return cookieOf(host).give(JSON.stringify(flow), sender);
}

/** The value of `Set-Cookie` that ends it. */
export function endedFlow(sender: Sender, host: FlowHost): string {
  return cookieOf(host).clear(sender);
}

/** The login that this browser has begun; undefined without one, and when it took too long. */
export function flowOf(sender: Sender, host: FlowHost): Flow | undefined {
  const kept = cookieOf(host).read(sender);
  // Only this module's own flows are in the cookie.
  return kept === undefined ? undefined : JSON.parse(kept) as Flow;
}

function cookieOf(host: FlowHost): SealedCookie {
  return host.sealedCookie(NAME, FLOW_LIFETIME);
}

/** Compares in a time that does not tell where the texts differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [new TextEncoder().encode(one), new TextEncoder().encode(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
