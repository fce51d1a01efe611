/**
 * The operations that a view supports: those with an `INSTEAD OF` trigger.
 *
 * @module
 */

import type { TableDescription } from "@/plugins/contract.ts";
import type { Handle } from "./driver.ts";

type Writable = NonNullable<TableDescription["writable"]>;

/**
 * Lets SQLite itself compile statements: only its parser understands every trigger text (comments, quotes, `UPDATE OF`
 * some columns). The statements never run.
 */
export function writableOf(handle: Handle, view: string, columns: readonly string[]): Writable {
  const name = quoted(view);
  const changes = columns.map((column) => `${quoted(column)} = NULL`).join(", ");
  const statements: readonly (readonly [Writable[number], string])[] = [
    ["create", `INSERT INTO ${name} DEFAULT VALUES`],
    ["update", `UPDATE ${name} SET ${changes}`],
    ["delete", `DELETE FROM ${name}`],
  ];
  return statements.filter(([, sql]) => hasTrigger(handle, view, sql)).map(([operation]) => operation);
}

/** A trigger that does not compile exists, too: writing then reports the mistake. */
function hasTrigger(handle: Handle, view: string, sql: string): boolean {
  try {
    handle.prepare(sql);
    return true;
  } catch (error) {
    return !(error instanceof Error) || error.message !== `cannot modify ${view} because it is a view`;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
