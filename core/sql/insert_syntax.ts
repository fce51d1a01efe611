/**
 * Parts of INSERT statements. Pure.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import type { Column } from "@/core/catalog.ts";
import type { Table } from "@/core/schema/table.ts";
import type { Insertion, SqlTraits } from "@/plugins/contract.ts";

interface Filler {
  readonly column: Column;
  readonly value: RawBuilder<unknown>;
}

/** A column with SQL for its default, so that records without any column can be inserted many at a time. */
export function fillerOf({ columns }: Table, { defaulted }: SqlTraits): Filler | undefined {
  for (const column of columns) {
    const isFree = !column.generated && (column.nullable || column.hasDefault);
    const value = isFree ? defaulted?.(column) : undefined;
    if (value) return { column, value };
  }
  return undefined;
}

/** The syntax of most engines. */
export function insertReturning({ table, columns, rows, keys }: Insertion): RawBuilder<unknown> {
  const names = columns.map(({ name }) => sql.id(name));
  const values = names.length > 0
    ? sql`(${sql.join(names)}) values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`
    : sql`default values`;
  const returning = keys.length > 0
    ? sql` returning ${sql.join(keys.map(({ name }) => sql.id(name)))}`
    : sql``;
  return sql`insert into ${table} ${values}${returning}`;
}
