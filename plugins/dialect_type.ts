/**
 * Facts about the types of databases for pages: `dialect.json` beside a dialect's module. The file is read
 * without the module, because most dialects are never loaded.
 *
 * @module
 */

import { dirname, join } from "node:path";
import type { PluginLocation } from "./discover.ts";

/** Members of definitions that not every type of database has. */
const OWN_MEMBERS = ["db_host", "db_port", "autoload_user", "db_schema"] as const;

type OwnMember = typeof OWN_MEMBERS[number];

/** A type of databases, as pages show it. */
export interface DialectType {
  /** The value of `db_type`. */
  readonly name: string;
  /** The usual name of the engine. */
  readonly title: string;
  /** The members that its databases have, of those that not every type has: `db_host`. */
  readonly members: readonly OwnMember[];
}

/** A type without `dialect.json`: it is called by its name, and no member is kept from people. */
export function plainType(name: string): DialectType {
  return { name, title: name, members: OWN_MEMBERS };
}

/** The types of all dialects in the order of their titles. A file with a mistake counts as absent. */
export function readDialectTypes(
  found: readonly PluginLocation[],
): { readonly types: readonly DialectType[]; readonly complaints: readonly string[] } {
  const complaints: string[] = [];
  const types = new Map<string, DialectType>();
  for (const { kind, name, path } of found) {
    if (kind === "dialect") types.set(name, readType(name, join(dirname(path), "dialect.json"), complaints));
  }
  return {
    types: [...types.values()].toSorted((one, other) => one.title < other.title ? -1 : 1),
    complaints,
  };
}

function readType(name: string, path: string, complaints: string[]): DialectType {
  try {
    return { name, ...parse(Deno.readTextFileSync(path)) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!(error instanceof Deno.errors.NotFound)) complaints.push(`${path}: ${error.message}`);
    return plainType(name);
  }
}

/** Throws a sentence for any other content than a title and members. */
function parse(text: string): Pick<DialectType, "title" | "members"> {
  const { title, members } = Object(JSON.parse(text));
  if (typeof title !== "string" || title.trim() === "") throw new Error("title must be a text");
  if (!Array.isArray(members) || !members.every((member) => OWN_MEMBERS.includes(member))) {
    throw new Error(`members must be a list of some of ${OWN_MEMBERS.join(", ")}`);
  }
  return { title, members };
}
