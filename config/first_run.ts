/**
 * The end of the first run: `admin` gets a password in users.cfg, and the marker file of the first run is removed.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { removeIfThere, updateYamlFile, type YamlDocument } from "./store.ts";
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
 * Stores the details and ends the first run. False if it was over already: of several concurrent calls one succeeds, and
 * a password that is already in the file stays. A crash in between leaves `admin` without password; `main.ts set-password
 * admin` sets one.
 */
export async function completeFirstRun(paths: Paths, details: AdminDetails): Promise<boolean> {
  const claimed = `${paths.initial_state_path}.claimed`;
  if (!await claim(paths.initial_state_path, claimed)) return false;
  let isDone = false;
  try {
    await updateYamlFile(paths.users_path, {
      isWanted: (document) => (document.getIn(["admin", "password"]) ?? "") === "",
      change: (document) => {
        setDetails(document, details);
        isDone = true;
      },
    });
  } catch (error) {
    await Deno.rename(claimed, paths.initial_state_path);
    throw error;
  }
  await removeIfThere(claimed);
  return isDone;
}

/** Renaming a file succeeds in one process only. */
async function claim(path: string, claimed: string): Promise<boolean> {
  try {
    await Deno.rename(path, claimed);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function setDetails(document: YamlDocument, details: AdminDetails): void {
  if ((document.getIn(["admin"]) ?? null) === null) document.setIn(["admin"], document.createNode({}));
  for (const [member, value] of Object.entries(details)) document.setIn(["admin", member], value);
}
