/**
 * The end of the first run: the details of `admin` go into users.cfg, and the file that stands for the first run goes away.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { removeIfThere, updateYamlFile, type YamlDocument } from "./store.ts";
import type { Settings } from "./settings.ts";

/** What the first run finds out. */
export interface AdminDetails {
  /** The hash of the password. */
  readonly password: string;
  readonly name?: string;
  readonly email?: string;
}

type Paths = Pick<Settings, "initial_state_path" | "users_path">;

/** Whether nobody can administer the service yet. */
export function isFirstRun({ initial_state_path: path }: Paths): boolean {
  return existsSync(path);
}

/**
 * Stores the details and ends the first run. False when it was over already: of several that try at once one succeeds. A
 * crash in between leaves an `admin` without password, which `main.ts set-password admin` gives one.
 */
export async function completeFirstRun(paths: Paths, details: AdminDetails): Promise<boolean> {
  const claimed = `${paths.initial_state_path}.claimed`;
  if (!await claim(paths.initial_state_path, claimed)) return false;
  try {
    await updateYamlFile(paths.users_path, (document) => setDetails(document, details));
  } catch (error) {
    await Deno.rename(claimed, paths.initial_state_path);
    throw error;
  }
  await removeIfThere(claimed);
  return true;
}

/** Renaming a file succeeds for one process only. */
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
