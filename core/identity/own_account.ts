/**
 * Proof of identity before a change of identifying members of one's own account: an attacker who finds a logged-in
 * browser must not be able to take over the account.
 *
 * @module
 */

import type { Members } from "@/config/mod.ts";
import type { AuthSession } from "@/plugins/contract.ts";
import { type PasswordRules, requireCurrentPassword } from "./change_password.ts";
import { forbidden, quote } from "@/core/errors.ts";
import type { AuthPolicy, User } from "@/core/model.ts";

/** Milliseconds after a login in which no further proof is required. */
const RECENT = 300_000;

/** A user's change of their own account. */
export interface OwnChange {
  readonly target: User;
  readonly members: Members;
  /** The session of the request; absent if the request itself has credentials. */
  readonly session: AuthSession | undefined;
  readonly policies: readonly AuthPolicy[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Throws 403 for members that a login provider matches users by; also, unless the login is recent, 400 or 403 for a
 * change of e-mail or API key without the correct current password.
 */
export async function requireOwner(change: OwnChange, rules: PasswordRules): Promise<void> {
  const { target, members, session, now } = change;
  requireUnmapped(change);
  const identifying = [
    ...(isChanged("email", change) ? ["email"] : []),
    ...(members["apikey"] === undefined ? [] : ["apikey"]),
    ...(typeof members["password"] === "string" ? ["password"] : []),
  ];
  // A change of the password asks for the current one in any case.
  const isAsked = identifying.includes("password") && target.password !== undefined;
  if (identifying.length === 0 || isAsked || isRecent(session, now)) return;
  const what = `Cannot change ${identifying.map(quote).join(", ")} of ${quote(target.login)}`;
  if (target.password !== undefined) {
    return await requireCurrentPassword(target, members["current_password"], { what, ...rules });
  }
  // Without a password, the credentials of the request itself are the only possible proof.
  if (session) throw forbidden(`${what}: the login is more than five minutes ago, log in again first`);
}

/** A key can be stolen like a cookie, so a session that it opened does not count as a login. */
function isRecent(session: AuthSession | undefined, now: number): boolean {
  return session !== undefined && session.method !== "apikey" && now - session.openedAt < RECENT;
}

function requireUnmapped(change: OwnChange): void {
  const refused = (["name", "email"] as const).filter((member) => {
    return isChanged(member, change) && change.policies.some((policy) => isMappedBy(policy, member));
  });
  if (refused.length === 0) return;
  throw forbidden(
    `Cannot change ${refused.map(quote).join(", ")} of ${quote(change.target.login)}: ` +
      "people are told apart by it when they log in, so only others who may edit the account change it",
  );
}

function isChanged(member: "name" | "email", { target, members }: OwnChange): boolean {
  const value = members[member];
  return value !== undefined && (value ?? "") !== target[member];
}

/** Whether an identity provider of a method finds accounts by this member. */
function isMappedBy({ enabled, section }: AuthPolicy, member: string): boolean {
  const providers = section["identity_providers"];
  if (!enabled || typeof providers !== "object" || providers === null) return false;
  return Object.values(providers).some((provider: unknown) =>
    typeof provider === "object" && provider !== null && "user_config_attribute" in provider &&
    provider.user_config_attribute === member
  );
}
