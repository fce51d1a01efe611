/**
 * Sets a user's password, from the command line or on the first run.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import type { User } from "@/core/model.ts";
import { nearest } from "@/core/nearest.ts";
import { assessPassword, hashPassword } from "@/core/passwords.ts";
import type { Configuration } from "./configuration.ts";
import { removeIfThere, updateYamlFile } from "./store.ts";

/** What is needed of a configuration to set a password. */
export type PasswordConfiguration = Pick<Configuration, "settings" | "users">;

/**
 * Checks a new password, writes its hash into users.cfg and, for `admin`, ends the first run. Throws
 * {@link ServiceError} for an unknown user and for a password that the settings refuse; the message says what to do.
 */
export async function changePassword(
  configuration: PasswordConfiguration,
  login: string,
  password: string,
): Promise<void> {
  const user = configuration.users.get(login) ?? refuseUnknown(login, configuration);
  await checkStrength(configuration, user, password);
  await setPassword(configuration, login, await hashPassword(password));
  if (login === "admin") await removeIfThere(configuration.settings.initial_state_path);
}

/** Writes a password's hash into users.cfg. */
export async function setPassword(
  configuration: PasswordConfiguration,
  login: string,
  hash: string,
): Promise<void> {
  await updateYamlFile(configuration.settings.users_path, (document) => {
    // Someone may have removed the user since the configuration was read.
    if (!document.hasIn([login])) refuseUnknown(login, configuration);
    document.setIn([login, "password"], hash);
  });
}

function refuseUnknown(login: string, { users }: PasswordConfiguration): never {
  const meant = nearest(login, users.keys()).map(quote).join(", ");
  const hint = meant === "" ? "" : `: did you mean ${meant}?`;
  throw new ServiceError("not-found", `Cannot find user ${quote(login)}${hint}`);
}

async function checkStrength(
  { settings }: PasswordConfiguration,
  { login, name, email }: User,
  password: string,
): Promise<void> {
  if (password === "") {
    if (settings.allow_empty_password) return;
    throw new ServiceError(
      "bad-request",
      `Cannot set password of ${quote(login)}: it is empty and allow_empty_password is False`,
    );
  }
  const least = settings.min_password_strength;
  const inputs = [login, name, email, settings["branding.name"]].filter((text) => text !== "");
  const { score, advice } = await assessPassword(password, inputs);
  if (score >= least) return;
  const hint = advice === "" ? "" : `: ${advice}`;
  throw new ServiceError(
    "bad-request",
    `Cannot set password of ${
      quote(login)
    }: its strength is ${score} and min_password_strength is ${least}${hint}`,
  );
}
