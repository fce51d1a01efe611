/**
 * Sets a user's password, from the command line or on the first run.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import type { User } from "@/core/model.ts";
import { nearest } from "@/core/base/nearest.ts";
import { assessPassword, type HashCost, hashPassword } from "@/core/identity/passwords.ts";
import type { Configuration } from "./configuration.ts";
import type { Settings } from "./settings.ts";
import { removeIfThere, updateYamlFile } from "./store.ts";

/** The parts of a configuration that setting a password uses. */
export type PasswordConfiguration = Pick<Configuration, "settings" | "users">;

/**
 * Checks a new password, writes its hash into users.cfg and, for `admin`, ends the first run. Throws {@link ServiceError}
 * for an unknown user and for a password that the settings refuse; the message says what to do.
 */
export async function changePassword(
  configuration: PasswordConfiguration,
  login: string,
  password: string,
): Promise<void> {
  const user = configuration.users.get(login) ?? refuseUnknown(login, configuration);
  await checkPasswordStrength(configuration, user, password);
  await setPassword(configuration, login, await hashPassword(password, hashCost(configuration.settings)));
  if (login === "admin") await removeIfThere(configuration.settings.initial_state_path);
}

/** Writes a password's hash into users.cfg. */
export async function setPassword(
  configuration: PasswordConfiguration,
  login: string,
  hash: string,
): Promise<void> {
  await updateYamlFile(configuration.settings.users_path, (document) => {
    // The user may have been removed since the configuration was read.
    if (!document.hasIn([login])) refuseUnknown(login, configuration);
    document.setIn([login, "password"], hash);
  });
}

/** A new hash of a user's password, to replace the old one. */
export interface PasswordReplacement {
  readonly login: string;
  /** The old content of users.cfg. */
  readonly password: string;
  readonly hash: string;
}

/** Writes a password's hash into users.cfg if the old one is still there, and is literal. */
export async function replacePassword(
  { settings }: Pick<Configuration, "settings">,
  { login, password, hash }: PasswordReplacement,
): Promise<void> {
  await updateYamlFile(settings.users_path, {
    isWanted: (document) => document.getIn([login, "password"]) === password,
    change: (document) => document.setIn([login, "password"], hash),
  });
}

function refuseUnknown(login: string, { users }: PasswordConfiguration): never {
  const meant = nearest(login, users.keys()).map(quote).join(", ");
  const hint = meant === "" ? "" : `: did you mean ${meant}?`;
  throw new ServiceError("not-found", `Cannot find user ${quote(login)}${hint}`);
}

/** The requirements on passwords, for people; indexed by `min_password_strength`. */
const ADVICE = [
  "Any password will do.",
  "It must not be a common password, a word or a name.",
  "Three unrelated words, or ten mixed characters, are enough; a common word, a name or a date is not.",
  "Four unrelated words, or twelve mixed characters, are enough; a common word, a name or a date is not.",
  "Five unrelated words, or fourteen mixed characters, are enough; common words, names or dates are not.",
] as const;

/** Advice before people choose a password. */
export function passwordAdvice(
  { min_password_strength: least }: Pick<Settings, "min_password_strength">,
): string {
  return ADVICE[least] ?? ADVICE[4];
}

/** The cost of hashing a password. */
export function hashCost(settings: Settings): HashCost {
  return { memoryCost: settings["argon2.memory_cost"], timeCost: settings["argon2.time_cost"] };
}

const LONGEST_PASSWORD = 1000;
/** Number of characters that are rated. More would take seconds of blocked time, and a longer password is not weaker. */
const RATED = 64;

/**
 * Throws a {@link ServiceError} for a password that the settings do not allow; the message says what is wrong and what to
 * choose instead.
 */
export async function checkPasswordStrength(
  { settings }: Pick<Configuration, "settings">,
  { login, name, email }: Pick<User, "login" | "name" | "email">,
  password: string,
): Promise<void> {
  if (password === "") {
    if (settings.allow_empty_password) return;
    throw refuse(login, "it is empty");
  }
  if (password.length > LONGEST_PASSWORD) {
    throw refuse(login, `it has more than ${LONGEST_PASSWORD} characters`);
  }
  const inputs = [login, name, email, settings["branding.name"]].filter((text) => text !== "");
  const { score, advice } = await assessPassword(password.slice(0, RATED), inputs);
  if (score >= settings.min_password_strength) return;
  const words = `it is too easy to guess, choose a longer one. ${passwordAdvice(settings)} ${advice}`;
  throw refuse(login, words.trim());
}

function refuse(login: string, why: string): ServiceError {
  return new ServiceError("bad-request", `Cannot set password of ${quote(login)}: ${why}`);
}
