/**
 * Finds plugins by folder: `formats/<name>/mod.ts`, `auth/<name>/mod.ts`, `plugins/dialects/<name>/mod.ts`,
 * `plugins/caches/<name>/mod.ts`, in this program and in `plugins_path`. A packed plugin has a
 * `mod.js` instead. Imports none of them.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AnyPlugin } from "./contract.ts";

/** The kinds of plugins; each has its own folder. */
export type PluginKind = AnyPlugin["kind"];

/** The module of a plugin, before it is imported. */
export interface PluginLocation {
  readonly kind: PluginKind;
  readonly name: string;
  /** The URL of its module. */
  readonly url: string;
  /** The path of its module, for messages. */
  readonly path: string;
}

/** The folder of each kind, below a root. */
export const FOLDERS = {
  format: "formats",
  auth: "auth",
  dialect: "plugins/dialects",
  cache: "plugins/caches",
} as const satisfies Readonly<Record<PluginKind, string>>;

/** The names of the kinds in messages. */
export const KIND_NAMES = {
  format: "format",
  auth: "authentication method",
  dialect: "dialect",
  cache: "cache",
} as const satisfies Readonly<Record<PluginKind, string>>;

/** The folder of this program; in a compiled binary, its embedded files. */
export const BUILT_IN_ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Whether a plugin comes with this program: `plugins_path` may be below its folder, too. */
export function isBuiltIn({ kind, path }: Pick<PluginLocation, "kind" | "path">): boolean {
  return path.startsWith(join(BUILT_IN_ROOT, FOLDERS[kind], "/"));
}

/**
 * Every plugin in the given folders. A kind's folder may be missing; a missing
 * root throws {@link PluginError}.
 */
export function discoverPlugins(roots: readonly string[]): readonly PluginLocation[] {
  const missing = roots.filter((root) => !stat(root)?.isDirectory);
  if (missing.length > 0) {
    throw new PluginError(
      missing.map((root) => `There is no folder "${root}", which plugins_path of service.ini names`),
    );
  }
  const kinds = Object.keys(FOLDERS) as PluginKind[];
  return roots.flatMap((root) => kinds.flatMap((kind) => scan(kind, join(root, FOLDERS[kind]))));
}

/** Plugins cannot be found or loaded; each complaint is a sentence for the operator. */
export class PluginError extends Error {
  constructor(readonly complaints: readonly string[]) {
    super(complaints.join("\n"));
    this.name = "PluginError";
  }
}

function scan(kind: PluginKind, folder: string): readonly PluginLocation[] {
  if (!stat(folder)?.isDirectory) return [];
  return [...Deno.readDirSync(folder)]
    .flatMap(({ name }) => {
      const path = ["mod.ts", "mod.js"].map((file) => join(folder, name, file)).find((each) =>
        stat(each)?.isFile
      );
      return path === undefined ? [] : [{ kind, name, path }];
    })
    .map((found) => ({ ...found, url: pathToFileURL(found.path).href }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function stat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}
