/**
 * Changes of accounts: the rules for a new password, and the proof of identity that a change of
 * identifying members of one's own account needs. An attacker who finds a logged-in browser must not
 * be able to take over the account.
 *
 * @module
 */

import { checkPasswordStrength, hashCost, type Members } from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";
import { forbidden, quote, ServiceError } from "@/core/errors.ts";
import type { Throttle } from "@/core/identity/throttle/throttle.ts";
import type { AuthPolicy, User } from "@/core/model.ts";
import type { AuthSession } from "@/plugins/contract.ts";
import { NetworkTurns } from "@/plugins/kit/network_turns.ts";
import { settleAttempt } from "@/plugins/kit/password_attempt.ts";
import type { PasswordChecker } from "./check_password.ts";
import { hashPassword } from "./passwords.ts";
import { ADMIN } from "./permissions.ts";

interface PasswordChange {
  /** The account whose password changes. */
  readonly target: User;
  readonly password: string;
  /** The current password, as the caller sent it. */
  readonly currentPassword?: string;
}

/** The services that check a change. */
interface PasswordRules {
  readonly settings: Settings;
  readonly passwords: Pick<PasswordChecker, "check">;
  readonly throttle: Pick<Throttle, "beginChange">;
}

/**
 * Returns the hash of a new password, for a user who may change it. A change of one's own needs the current
 * password, unless it is that of `admin`. `min_password_strength` sets the required strength. Throws 400 for
 * a password that is missing or too weak, 403 for a wrong current one and 429 after too many of either.
 */
export async function hashNewPassword(
  change: PasswordChange,
  { login }: Pick<User, "login">,
  rules: PasswordRules,
): Promise<string> {
  const { target, password, currentPassword } = change;
  const { settings } = rules;
  const what = `Cannot set password of ${quote(target.login)}`;
  if (needsCurrent(target, login)) await requireCurrentPassword(target, currentPassword, { what, ...rules });
  await turns.take(login, async () => {
    const rating = await rules.throttle.beginChange("rating", login);
    await checkPasswordStrength(settings, target, password);
    await rating.succeeded();
  });
  return password === "" ? "" : await hashPassword(password, hashCost(settings));
}

/** Of each user: more strong passwords at once than there are attempts would be refused. */
const turns = new NetworkTurns();

/** A user without password has no current one to send. */
function needsCurrent(target: User, login: string): boolean {
  return login === target.login && login !== ADMIN && target.password !== undefined;
}

/** Throws 400 if the current password is missing, 403 if it is wrong and 429 after too many wrong ones. */
async function requireCurrentPassword(
  { login }: User,
  current: unknown,
  { what, passwords, throttle }: Pick<PasswordRules, "passwords" | "throttle"> & {
    /** The refused action, as the beginning of the error message. */
    readonly what: string;
  },
): Promise<void> {
  if (typeof current !== "string") {
    throw aboutCurrent("bad-request", what, "the current password is needed, too");
  }
  // An attacker with a stolen session must not be able to guess the password through it.
  const attempt = await throttle.beginChange("current", login);
  const user = await settleAttempt(attempt, passwords.check(login, current));
  if (!user) throw aboutCurrent("forbidden", what, "the current password is not right");
}

function aboutCurrent(code: "bad-request" | "forbidden", what: string, sentence: string): ServiceError {
  const complaints = [{ record: 0, column: "current_password", sentence }];
  return new ServiceError(code, `${what}: ${sentence}`, { complaints });
}

/** Milliseconds after a login in which no further proof is required. */
const RECENT = 300_000;

interface OwnChange {
  readonly target: User;
  readonly members: Members;
  /** The session of the request; absent if the request itself has credentials. */
  readonly session: AuthSession | undefined;
  readonly policies: readonly AuthPolicy[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Throws 403 for members that a login provider matches users by; also 400 or 403 without the correct current
 * password, if the change takes the password away or, unless the login is recent, for an e-mail or API key.
 */
export async function requireOwner(change: OwnChange, rules: PasswordRules): Promise<void> {
  const { target, members, session, now } = change;
  requireUnmapped(change);
  const { password } = members;
  // The next change would need no proof any more.
  const isRemoved = password === null && target.password !== undefined;
  const identifying = [
    ...(isChanged("email", change) ? ["email"] : []),
    ...(members["apikey"] === undefined ? [] : ["apikey"]),
    ...(typeof password === "string" || isRemoved ? ["password"] : []),
  ];
  // A new password asks for the current one in any case.
  const isAsked = typeof password === "string" && target.password !== undefined;
  if (identifying.length === 0 || isAsked || (!isRemoved && isRecent(session, now))) return;
  const what = `Cannot change ${identifying.map(quote).join(", ")} of ${quote(target.login)}`;
  if (target.password !== undefined) {
    return await requireCurrentPassword(target, members["current_password"], { what, ...rules });
  }
  // Without a password, the credentials of the request itself are the only possible proof.
  if (session) throw forbidden(`${what}: the login is more than five minutes ago, log in again first`);
}

/** An API key can be stolen like a cookie, so a session that credentials of a request opened is no login. */
function isRecent(session: AuthSession | undefined, now: number): boolean {
  return session?.isLogin === true && now - session.openedAt < RECENT;
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

/** Whether a method, or an identity provider of it, finds accounts by this member. */
export function isMappedBy({ enabled, section }: AuthPolicy, member: string): boolean {
  const blocks: readonly unknown[] = [section, ...Object.values(section["identity_providers"] ?? {})];
  return enabled &&
    blocks.some((block) =>
      typeof block === "object" && block !== null && "user_config_attribute" in block &&
      block.user_config_attribute === member
    );
}
