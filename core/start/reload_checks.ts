/**
 * Whether files that were read again can be put in force.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import { type Configuration, ConfigurationError, formatComplaint } from "@/config/mod.ts";

/** Warnings aside: those of the start are about more files. */
export function isSame(next: Configuration, before: Configuration): boolean {
  return (["users", "databases", "queries"] as const).every((name) =>
    isDeepStrictEqual(next[name], before[name])
  );
}

/** A file that was there and is gone is a mistake, or an editor that is not done; nobody means to lose all users. */
export function requireSameFiles(
  missing: readonly string[],
  { users, databases, queries, settings }: Configuration,
): void {
  const needed = [
    ...(users.size > 0 ? [settings.users_path] : []),
    ...(databases.size > 0 ? [settings.databases_path] : []),
    ...(queries.size > 0 ? [settings.querydefs_path] : []),
  ];
  const gone = needed.filter((path) => missing.includes(path));
  if (gone.length === 0) return;
  throw new ConfigurationError(gone.map((file) => ({ file, key: "", message: "The file is gone" })));
}

/** What is wrong with the files, for the log. Throws what is no complaint. */
export function complaintsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.complaints.map(formatComplaint);
  if (error instanceof Error && "complaints" in error && Array.isArray(error.complaints)) {
    return error.complaints.map(String);
  }
  throw error;
}
