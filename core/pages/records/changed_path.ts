/**
 * The path of a record after a form has changed it: its key may be another one. Pure.
 *
 * @module
 */

import { formMembers } from "@/core/pages/definitions/form_members.ts";
import { type LinkStyle, printName, printValue } from "@/core/request/print_path.ts";

/** `path`: that of the record by its key, below the prefix. Paths of definitions stay as they are. */
export function changedPath(
  path: string,
  values: ReadonlyMap<string, readonly string[]>,
  links: LinkStyle,
): string {
  const [, section = "", database = "", table = "", ...key] = path.split("/");
  if (section !== "db") return path;
  const changed = new Map(
    Object.entries(formMembers(path, values)).map(([name, value]) => [printName(name, links), value]),
  );
  const own = key.map((segment, index) => {
    const value = index % 2 === 1 ? changed.get(key[index - 1] ?? "") : undefined;
    return typeof value === "string" ? printValue(value, links) : segment;
  });
  return ["", section, database, table, ...own].join("/");
}
