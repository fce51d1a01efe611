/**
 * Changing a password: when the current password is required, the rules for a new one, and its hash.
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

/** A request to change a password. */
export interface PasswordChange {
  /** The account whose password changes. */
  readonly target: User;
  readonly password: string;
  /** The current password, as the caller sent it. */
  readonly currentPassword?: string;
}

/** The caller who changes a password. */
export interface PasswordChanger {
  readonly user: User;
  /** Whether the caller has the right to edit the target account. */
  readonly mayEdit: boolean;
}

/** The services that check a change. */
export interface PasswordRules {
  readonly settings: Settings;
  readonly passwords: Pick<PasswordChecker, "check">;
  readonly throttle: Pick<Throttle, "beginPassword" | "beginRating">;
}

/**
 * Returns the hash of a new password. `admin`, and callers who may edit the account of another user, need not know the
 * current password; a change of one's own does. `min_password_strength` sets the required strength. Throws 400 for a
 * password that is missing or too weak, 403 for a wrong current one and 429 after too many of either.
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
  await checkPasswordStrength(settings, target, password);
  await rating.succeeded();
  return password === "" ? "" : await hashPassword(password, hashCost(settings));
}

/** A user without password has no current one to send. */
function needsCurrent(target: User, { user, mayEdit }: PasswordChanger): boolean {
  if (user.login === ADMIN || target.password === undefined) return false;
  return user.login === target.login || !mayEdit;
}

/** Throws 400 if the current password is missing, 403 if it is wrong and 429 after too many wrong ones. */
export async function requireCurrentPassword(
  { login }: User,
  current: unknown,
  { what, passwords, throttle }: Pick<PasswordRules, "passwords" | "throttle"> & {
    /** The refused action, as the beginning of the error message. */
    readonly what: string;
  },
): Promise<void> {
  if (typeof current !== "string") {
    throw new ServiceError("bad-request", `${what}: its current password must be sent, too`);
  }
  // An attacker with a stolen session must not be able to guess the password through it.
  const attempt = await throttle.beginPassword(`account ${login}`, login);
  const user = await passwords.check(login, current).catch(async (error) => {
    // The password was not checked, so this is not a failed attempt.
    await attempt.succeeded();
    throw error;
  });
  if (user) return await attempt.succeeded();
  throw new ServiceError("forbidden", `${what}: the current password is not right`);
}
