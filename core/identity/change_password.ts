/**
 * Changing a password: who must know the old one, what a new one has to be like, and the hash that is stored of it.
 *
 * @module
 */

import { checkPasswordStrength, hashCost } from "@/config/mod.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import type { User } from "@/core/model.ts";
import type { PasswordChecker } from "./check_password.ts";
import { hashPassword } from "./passwords.ts";
import { ADMIN } from "./permissions.ts";
import type { Settings } from "@/config/settings.ts";
import type { Throttle } from "@/core/identity/throttle/throttle.ts";

/** What is asked for. */
export interface PasswordChange {
  /** Whose password it is. */
  readonly target: User;
  readonly password: string;
  /** The password so far, as the caller gave it. */
  readonly currentPassword?: string;
}

/** Who asks for it. */
export interface PasswordChanger {
  readonly user: User;
  /** Has the right to edit the target account. */
  readonly mayEdit: boolean;
}

/** What a change is checked with. */
export interface PasswordRules {
  readonly settings: Settings;
  readonly passwords: Pick<PasswordChecker, "check">;
  readonly throttle: Pick<Throttle, "beginPassword" | "beginRating">;
}

/**
 * The hash to be stored of a new password. `admin`, and who may edit the account of somebody else, need not know the
 * current one; whoever changes their own must. A new password counts as strong or weak as `min_password_strength` says.
 * Throws 400 for a password that is missing or too weak, 403 for a wrong current one and 429 after too many of either.
 */
export async function hashNewPassword(
  change: PasswordChange,
  by: PasswordChanger,
  rules: PasswordRules,
): Promise<string> {
  const { target, password, currentPassword } = change;
  const { settings } = rules;
  const what = `Cannot set password of ${quote(target.login)}`;
  if (needsCurrent(target, by)) await requireCurrentPassword(target, currentPassword, { what, ...rules });
  const rating = await rules.throttle.beginRating(by.user.login);
  await checkPasswordStrength({ settings }, target, password);
  await rating.succeeded();
  return password === "" ? "" : await hashPassword(password, hashCost(settings));
}

/** Who has no password yet has none to tell. */
function needsCurrent(target: User, { user, mayEdit }: PasswordChanger): boolean {
  if (user.login === ADMIN || target.password === undefined) return false;
  return user.login === target.login || !mayEdit;
}

/** Throws 400 for a current password that is missing, 403 for a wrong one and 429 after too many of them. */
export async function requireCurrentPassword(
  { login }: User,
  current: unknown,
  { what, passwords, throttle }: Pick<PasswordRules, "passwords" | "throttle"> & {
    /** What is refused, as the error begins. */
    readonly what: string;
  },
): Promise<void> {
  if (typeof current !== "string") {
    throw new ServiceError("bad-request", `${what}: its current password must be sent, too`);
  }
  // Whoever has taken over a session must not find out the password with it.
  const attempt = await throttle.beginPassword(`account ${login}`, login);
  const user = await passwords.check(login, current).catch(async (error) => {
    // It was not looked at, so it is no failure.
    await attempt.succeeded();
    throw error;
  });
  if (user) return await attempt.succeeded();
  throw new ServiceError("forbidden", `${what}: the current password is not right`);
}
