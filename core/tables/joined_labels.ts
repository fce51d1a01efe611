/**
 * Labels that are read with the rows of a page, in one statement: it sees one state of the data without a
 * transaction, and a database server is asked once.
 *
 * @module
 */

import type { Cell, Row } from "@/core/model.ts";
import { columnAt, type Relation, type Table } from "@/core/schema/table.ts";
import { type LabelRead, labelRead } from "./related_part.ts";

/** Engines join 61 tables at most, and take long to plan many. */
const MOST = 8;
const NONE: readonly Row[] = [];
/** Names that become others in a subquery: SQLite has no `true` there, MariaDB no blanks at the start. */
const RENAMED = /^(?:\s|(?:true|false)$)/i;

/** The labels that can be joined; `read` are the columns of the rows, `cell` is the first for a label. */
export function joinedLabels(
  labelled: readonly Relation[],
  owner: Table,
  read: readonly number[],
  cell: number,
): readonly LabelRead[] {
  if (owner.columns.some(({ name }) => RENAMED.test(name))) return [];
  let next = cell;
  return labelled.filter((relation) => isOne(relation, owner)).slice(0, MOST).map((relation) => {
    const label = labelRead(relation, read, next);
    next += label.columns.length;
    return label;
  });
}

/**
 * Whether the engine finds at most one record: it keeps the key unique, and compares it with values of the
 * same type. SQLite has the number 1 beside the text `1`, and both equal a text.
 */
function isOne({ local, foreign, table }: Relation, owner: Table): boolean {
  const [key, ...others] = table.primaryKey;
  if (key === undefined || others.length > 0 || !table.hasOwnKey) return false;
  if (foreign.length > 1 || foreign[0] !== key) return false;
  return columnAt(table, key).declaredType === columnAt(owner, local[0] ?? -1).declaredType;
}

/**
 * Puts the record of each label into its cell, the first of those that its columns are in. Rows share equal
 * records. Returns the number of records.
 */
export function putJoined(rows: readonly Row[], joined: readonly LabelRead[]): number {
  let count = 0;
  for (const { cell, columns } of joined) {
    const found = new Map<Cell | undefined, readonly Row[]>();
    for (const row of rows) {
      const key = row[cell];
      let record = key === null ? NONE : found.get(key);
      if (record === undefined) {
        record = [row.slice(cell, cell + columns.length)];
        found.set(key, record);
      }
      (row as Cell[])[cell] = record;
    }
    count += found.size;
  }
  return count;
}
