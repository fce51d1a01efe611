/**
 * The message about a single record that does not exist. Pure.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import type { Step } from "@/core/schema/walk_path.ts";
import { lastOf } from "@/core/sql/path_sql.ts";

/** Says that the last step has no record; a path over a relation to one record does not give its key. */
export function missingRecord(steps: readonly Step[]): string {
  const { table, via, filters } = lastOf(steps);
  const isReached = via !== undefined && !via.many && steps.at(-2)?.single === true;
  if (!isReached) return `Cannot find a record of table ${quote(table.name)} with this key`;
  const none = filters.length > 0 ? "none that fits the filters" : "none";
  return `Cannot find a related record of table ${quote(table.name)}: ` +
    `the record before it in the path has ${none}, or does not exist`;
}
