/**
 * Deno's facts about a module, without running it.
 *
 * @module
 */

import { ROOT } from "@/tests/support/root.ts";

/** The part of the answer that the tests look at. */
export interface DenoInfo {
  readonly modules: readonly InfoModule[];
  /** Every package of the lock file by its id, imported or not, with the ids of its dependencies. */
  readonly npmPackages: Readonly<Record<string, { readonly dependencies: readonly string[] }>>;
}

/** A module that is imported, directly or by others: a file, an npm package, or one that is built in. */
export interface InfoModule {
  readonly kind?: string;
  readonly specifier: string;
  /** Why it cannot be used. */
  readonly error?: string;
}

/** Runs `deno info --json` in the project's folder. */
export async function denoInfo(...args: readonly string[]): Promise<DenoInfo> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
