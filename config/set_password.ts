/**
 * Passwords in users.cfg: their strength, new ones, hashes in place of plain ones, and the first run, which
 * ends when `admin` has a password.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { didYouMean } from "@/core/base/nearest.ts";
import { badRequest, notFound, quote, type ServiceError } from "@/core/errors.ts";
import { assessPassword, type HashCost, hashPassword, isPasswordHash } from "@/core/identity/passwords.ts";
import type { User } from "@/core/model.ts";
import { removeIfThere } from "@/core/storage/shared_file.ts";
import { isBlock } from "@/plugins/kit/members.ts";
import type { Configuration } from "./configuration.ts";
import { literalText } from "./expand.ts";
import type { Settings } from "./settings.ts";
import { updateYamlFile } from "./store.ts";
import { HASHED_KEY, hashedKey } from "./users.ts";
import { keysAt, parseYaml } from "./yaml.ts";

/**
 * Checks a new password, writes its hash into users.cfg and, for `admin`, ends the first run. Throws {@link
 * ServiceError} for an unknown user and for a password that the settings refuse; the message says what to do.
 */
export async function changePassword(
  { settings, users }: Pick<Configuration, "settings" | "users">,
  login: string,
  password: string,
): Promise<void> {
  const user = users.get(login) ?? refuseUnknown(login, users);
  await checkPasswordStrength(settings, user, password);
  // An empty one stays visible in the file: it counts only while the settings allow it.
  const hash = password === "" ? "" : await hashPassword(password, hashCost(settings));
  await updateYamlFile(settings.users_path, {
    only: login,
    change: (document) => {
      // The user may have been removed since the configuration was read.
      if (!document.hasIn([login])) refuseUnknown(login, users);
      document.setIn([login, "password"], hash);
    },
  });
  if (login === "admin") await removeMark(settings);
}

/** Replaces the hash of a user's password if the old one is still in users.cfg, and is literal. */
export async function replacePassword(
  { users_path: path }: Pick<Settings, "users_path">,
  { login, password, hash }: { readonly login: string; readonly password: string; readonly hash: string },
): Promise<void> {
  await updateYamlFile(path, {
    only: login,
    change: (document) => {
      if (document.getIn([login, "password"]) !== password) return false;
      document.setIn([login, "password"], hash);
      return true;
    },
  });
}

/**
 * Replaces plain passwords and API keys in users.cfg by their hashes and returns their number. References
 * (`${NAME}`) to the environment stay. The file is not written if there is nothing to do, or if it has
 * changed since the configuration was read (the result is 0). Throws if the file cannot be written.
 */
export async function hashPlainSecrets(
  { settings, texts }: Pick<Configuration, "settings" | "texts">,
): Promise<number> {
  const before = texts.get(settings.users_path) ?? "";
  // One after another: logins are refused while too many passwords wait.
  const hashes = await Array.fromAsync(plainSecrets(parseYaml(before).value), async ({ path, text }) => {
    const hash = path[1] === "password" ? await hashPassword(text, hashCost(settings)) : hashedKey(text);
    return [path, hash] as const;
  });
  if (hashes.length === 0) return 0;
  const byLogin = Map.groupBy(hashes, ([[login]]) => login);
  const isWritten = await updateYamlFile(settings.users_path, {
    only: [...byLogin.keys()],
    change: (document, text) => {
      if (text !== before) return false;
      for (const login of keysAt(document, []) ?? []) {
        for (const [path, hash] of byLogin.get(String(login)) ?? []) document.setIn(path, hash);
      }
      return true;
    },
  });
  return isWritten ? hashes.length : 0;
}

function plainSecrets(users: unknown) {
  const entriesOf = (value: unknown) => isBlock(value) ? Object.entries(value) : [];
  return entriesOf(users).flatMap(([login, user]) =>
    entriesOf(user).flatMap(([member, raw]) => {
      const text = typeof raw === "string" ? literalText(raw) : undefined;
      // An empty password counts as none, or is explicitly allowed.
      const isPlain = text !== undefined && text !== "" && IS_PLAIN.get(member)?.(text);
      return isPlain ? [{ path: [login, member] as const, text }] : [];
    })
  );
}

const isPlainKey = (text: string) => !text.startsWith(HASHED_KEY);

const IS_PLAIN: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["password", (text: string) => !isPasswordHash(text)],
  ["apikey", isPlainKey],
  ["api_key", isPlainKey],
]);

function refuseUnknown(login: string, users: Configuration["users"]): never {
  const hint = didYouMean(login, users.keys(), 3) || ": add it to users.cfg first";
  throw notFound(`Cannot find user ${quote(login)}${hint}`);
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
/**
 * Number of characters that are rated. More would take seconds of blocked time, and
 * a longer password is not weaker.
 */
const RATED = 64;

/**
 * Throws a {@link ServiceError} for a password that the settings do not allow; the message says what is
 * wrong and what to choose instead.
 */
export async function checkPasswordStrength(
  settings: Settings,
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
  const complaints = [{ record: 0, column: "password", sentence: why }];
  return badRequest(`Cannot set password of ${quote(login)}: ${why}`, { complaints });
}

/** The answers of the first run. */
interface AdminDetails {
  readonly password: string;
  readonly name?: string;
  readonly email?: string;
}

type Paths = Pick<Settings, "initial_state_path" | "users_path">;

/** Whether the marker file of the first run exists. */
export function isFirstRun({ initial_state_path: path }: Paths): boolean {
  return existsSync(path);
}

/** Removes the marker file once `admin` has a password from any source. */
export async function endFirstRun(
  { settings, users }: Pick<Configuration, "settings" | "users">,
): Promise<void> {
  if (users.get("admin")?.password !== undefined) await removeMark(settings);
}

/** Removes the mark of the first run. It has no effect any more, so it may stay in a read-only directory. */
async function removeMark({ initial_state_path: path }: Pick<Paths, "initial_state_path">): Promise<void> {
  await removeIfThere(path).catch(() => {});
}

/**
 * Stores the details and ends the first run. False if it was over already: a password that is in the file
 * stays, so that one of several concurrent calls succeeds.
 */
export async function completeFirstRun(paths: Paths, details: AdminDetails): Promise<boolean> {
  const isDone = await updateYamlFile(paths.users_path, {
    only: "admin",
    change: (document) => {
      if (!isFirstRun(paths) || (document.getIn(["admin", "password"]) ?? "") !== "") return false;
      if ((document.getIn(["admin"]) ?? null) === null) document.setIn(["admin"], document.createNode({}));
      for (const [member, value] of Object.entries(details)) document.setIn(["admin", member], value);
      return true;
    },
  });
  await removeMark(paths);
  return isDone;
}
