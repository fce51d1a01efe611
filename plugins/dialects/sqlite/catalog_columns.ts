/**
 * Columns and primary key of one table.
 *
 * @module
 */

import type { Column } from "@/plugins/contract.ts";
import type { Query } from "./driver.ts";
import { maxLengthOf, valueTypeOf } from "./column_types.ts";

interface ListedColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  /** Position within the primary key, from 1; 0 outside. */
  readonly pk: number;
  /** 1: hidden column of a virtual table; 2 and 3: generated. */
  readonly hidden: number;
}

const COLUMNS =
  `SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid`;
const KEY_INDEX = "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'";

/** Includes generated columns, but not hidden ones of virtual tables; the key's columns are in the order of the key. */
export function readColumns(
  query: Query,
  table: string,
  { withoutRowid, strict, isView }: {
    readonly withoutRowid: boolean;
    readonly strict: boolean;
    readonly isView: boolean;
  },
): { readonly columns: readonly Column[]; readonly primaryKey: readonly string[] } {
  const listed = query<ListedColumn>(COLUMNS, table).filter(({ hidden }) => hidden !== 1);
  const key = listed.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const rowid = !withoutRowid && key.length === 1 && isInteger(key[0]) &&
    query(KEY_INDEX, table).length === 0;
  return {
    columns: listed.map((column) => describe(column, { rowid, withoutRowid, strict, isView })),
    primaryKey: key.map(({ name }) => name),
  };
}

/** A key that is the rowid has no index; `INTEGER PRIMARY KEY DESC` has one and is not the rowid. */
function isInteger(column: ListedColumn | undefined): boolean {
  return column?.type.toUpperCase() === "INTEGER";
}

/** SQLite's type of a view's column over one without a type; its values may have any type. */
const UNTYPED_IN_VIEW = "BLOB";

/** SQLite allows NULL in primary keys, except in rowids and in tables without rowid. */
function describe(
  column: ListedColumn,
  table: {
    readonly rowid: boolean;
    readonly withoutRowid: boolean;
    readonly strict: boolean;
    readonly isView: boolean;
  },
): Column {
  const key = column.pk > 0;
  const generated = column.hidden > 1;
  const type = table.isView && column.type === UNTYPED_IN_VIEW
    ? ""
    : column.type.replace(/\s*\bGENERATED ALWAYS$/i, "");
  const maxLength = maxLengthOf(type);
  return {
    name: column.name,
    type: valueTypeOf(type),
    declaredType: type,
    nullable: column.notnull === 0 && !(key && (table.rowid || table.withoutRowid)),
    ...(maxLength === undefined ? {} : { maxLength }),
    hasDefault: hasDefault(column.dflt_value) || generated || (key && table.rowid),
    ...(key && table.rowid ? { identity: true } : {}),
    generated,
    ...((key && table.rowid) || table.strict ? {} : { loose: true }),
  };
}

function hasDefault(value: string | null): boolean {
  return value !== null && value.toUpperCase() !== "NULL";
}
