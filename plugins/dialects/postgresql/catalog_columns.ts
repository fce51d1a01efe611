/**
 * One column of a table or view.
 *
 * @module
 */

import type { ColumnRow } from "./catalog_queries.ts";
import { boundsOf, maxLengthOf, meaningOf, scaleOf } from "./column_types.ts";
import type { PostgresColumn } from "./forms.ts";
import { IRREGULAR } from "./specials.ts";

/** Undefined for a type whose values cannot be read. */
export function describeColumn(row: ColumnRow): PostgresColumn | undefined {
  const meaning = meaningOf(row);
  if (!meaning) return undefined;
  const maxLength = maxLengthOf(row);
  const scale = scaleOf(row);
  return {
    name: row.name,
    ...meaning,
    declaredType: row.declared,
    ...irregularOf(meaning),
    ...(scale === undefined ? {} : { scale }),
    nullable: !row.notNull,
    ...(maxLength === undefined ? {} : { maxLength }),
    ...boundsOf(row),
    hasDefault: row.filled || row.generated,
    ...(row.counted ? { identity: true } : {}),
    generated: row.generated,
    ...(row.comment === null ? {} : { comment: row.comment }),
  };
}

/** {@link Column.irregular} of a type; money has no such values. */
export function irregularOf(
  { type, form }: Pick<PostgresColumn, "type" | "form">,
): Pick<PostgresColumn, "irregular"> {
  const irregular = form === "money" ? undefined : IRREGULAR[type];
  return irregular === undefined ? {} : { irregular };
}
