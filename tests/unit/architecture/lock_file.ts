/**
 * The pinned packages of a lock file, as Deno reads it: `deno task` and `deno run` fetch every package of
 * their lock file before anything runs, whether it is imported or not.
 *
 * @module
 */

import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { denoInfo } from "./deno_info.ts";

/** A lock file of the project. */
export type LockFilePath = "deno.lock" | "tests/deno.lock";

/** The content of a lock file. */
export interface LockFile {
  /** The id of the package by its specifier in deno.json or in a module: `npm:ajv@8.20.0`. */
  readonly specifiers: Readonly<Record<string, string>>;
  /**
   * By id: name, version and, where it matters, the versions of its peers, such
   * as `ajv-formats@3.0.1_ajv@8.20.0`.
   */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** A package of a lock file, under its id (`ajv@8.20.0`). */
export interface LockedPackage {
  readonly integrity: string;
  /** The ids of the packages that it needs. */
  readonly needs: readonly string[];
}

interface Written {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
}

/** Reads one of the project's lock files through Deno. */
export async function readLockFile(path: LockFilePath): Promise<LockFile> {
  const { specifiers, npm }: Written = JSON.parse(await Deno.readTextFile(join(ROOT, path)));
  const { npmPackages } = await denoInfo("--lock", path, "main.ts");
  const packages = Object.entries(npmPackages).map(([id, { dependencies }]) => {
    const integrity = npm[id]?.integrity;
    if (integrity === undefined) throw new Error(`${path} has no integrity of ${id}`);
    return [id, { integrity, needs: dependencies.toSorted() }] as const;
  });
  const ids = Object.entries(specifiers).map(([asked, version]) => [asked, `${nameOf(asked)}@${version}`]);
  return { specifiers: Object.fromEntries(ids), packages: Object.fromEntries(packages) };
}

/** The ids of the packages that nothing asks for, neither directly nor for another package. */
export function unneededPackages({ specifiers, packages }: LockFile): readonly string[] {
  const needed = new Set(Object.values(specifiers));
  // A set that grows while it is walked is walked to its new end.
  for (const id of needed) for (const need of packages[id]?.needs ?? []) needed.add(need);
  return Object.keys(packages).filter((id) => !needed.has(id));
}

/** `ajv` of `npm:ajv@8.20.0`. */
function nameOf(specifier: string): string {
  return specifier.replace(/^npm:/, "").replace(/(?<=.)@.*$/, "");
}
