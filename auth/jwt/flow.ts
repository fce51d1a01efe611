/**
 * What a login at a provider leaves in the browser that began it: a sealed cookie, without which no answer of the provider
 * opens a session.
 *
 * @module
 */

import { timingSafeEqual } from "node:crypto";
import type { AuthHost, Sender } from "@/plugins/contract.ts";

const NAME = "auth_sso";
/** Tells a cookie from what else is sealed. */
const MARK = "flow ";
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
}

type FlowHost = Pick<AuthHost, "seal" | "unseal" | "prefix">;

/** The value of `Set-Cookie` that begins a login; one that has begun before in this browser is given up. */
export function flowCookie(flow: Flow, sender: Sender, host: FlowHost): string {
  return write(host.seal(MARK + JSON.stringify(flow), FLOW_LIFETIME), FLOW_LIFETIME, sender, host);
}

/** The value of `Set-Cookie` that ends it. */
export function endedFlow(sender: Sender, host: FlowHost): string {
  return write("", 0, sender, host);
}

/** The login that this browser has begun; undefined without one, and when it took too long. */
export function flowOf({ headers }: Sender, host: FlowHost): Flow | undefined {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const [name = "", value = ""] = pair.trim().split("=", 2);
    const opened = name === NAME ? host.unseal(value) : undefined;
    // Only this module's own cookies have been sealed with the mark.
    if (opened?.startsWith(MARK)) return JSON.parse(opened.slice(MARK.length)) as Flow;
  }
  return undefined;
}

/** Compares in a time that does not tell where the texts differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [new TextEncoder().encode(one), new TextEncoder().encode(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function write(value: string, age: number, { client }: Sender, { prefix }: FlowHost): string {
  const secure = client.isHttps ? "; Secure" : "";
  const path = prefix === "" ? "/" : prefix;
  return `${NAME}=${value}; Max-Age=${age}; Path=${path}; HttpOnly${secure}; SameSite=Lax`;
}
