/**
 * The end of the first run: `admin` gets a password in users.cfg, and the marker file of the first run is removed.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { removeIfThere, updateYamlFile } from "./store.ts";
import type { Configuration } from "./configuration.ts";
import type { Settings } from "./settings.ts";

/** The answers of the first run. */
export interface AdminDetails {
  /** The hash of the password. */
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
  if (users.get("admin")?.password !== undefined) await removeIfThere(settings.initial_state_path);
}

/**
 * Stores the details and ends the first run. False if it was over already: a password that is in the file stays, so that
 * one of several concurrent calls succeeds.
 */
export async function completeFirstRun(paths: Paths, details: AdminDetails): Promise<boolean> {
  const isDone = await updateYamlFile(paths.users_path, (document) => {
    if (!isFirstRun(paths) || (document.getIn(["admin", "password"]) ?? "") !== "") return false;
    if ((document.getIn(["admin"]) ?? null) === null) document.setIn(["admin"], document.createNode({}));
    for (const [member, value] of Object.entries(details)) document.setIn(["admin", member], value);
    return true;
  });
  await removeIfThere(paths.initial_state_path);
  return isDone;
}
