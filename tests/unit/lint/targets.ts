/**
 * The target of an import: a file of this project, an npm package, a built-in module, or
 * anything else that is not allowed.
 *
 * @module
 */

import { isAbsolute, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const PINNED = /^npm:((?:@[^/@]+\/)?[^/@]+)@\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\/|$)/;

/** A file's path is relative to the project's root; "relative" tells the form of the import. */
export type Target =
  | { readonly kind: "file"; readonly path: string; readonly relative: boolean }
  | { readonly kind: "package"; readonly name: string }
  /** An npm package that the specifier itself pins, such as `npm:ajv@8.20.0/dist/2020.js`. */
  | { readonly kind: "pinned"; readonly name: string }
  | { readonly kind: "builtin" }
  | { readonly kind: "remote" };

/** The linted file's path from the project root with `/`; undefined for a file outside of the project. */
export function projectPath(filename: string): string | undefined {
  if (!isAbsolute(filename)) return filename;
  const path = relative(ROOT, filename);
  return path.startsWith("..") || isAbsolute(path) ? undefined : path.split(sep).join("/");
}

/** Resolves a specifier as the import map in deno.json does. */
export function resolveTarget(specifier: string, importer: string): Target {
  if (specifier.startsWith("node:")) return { kind: "builtin" };
  if (specifier.startsWith("@/")) {
    return { kind: "file", path: posix.normalize(specifier.slice(2)), relative: false };
  }
  if (/^\.{1,2}\//.test(specifier)) {
    return { kind: "file", path: posix.join(posix.dirname(importer), specifier), relative: true };
  }
  const [, pinned] = PINNED.exec(specifier) ?? [];
  if (pinned !== undefined) return { kind: "pinned", name: pinned };
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier) || specifier.startsWith("/")) return { kind: "remote" };
  return { kind: "package", name: packageName(specifier) };
}

/** `hono` of `hono/cors`, `@node-rs/argon2` of `@node-rs/argon2/x`. */
function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
