/**
 * INSERT, UPDATE and DELETE of the rows that a path selects. Pure.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { columnAt, compileRaw, type PathSql, slot, type Statement, tableName } from "./statement.ts";
import type { Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Column, Insertion, SqlTraits } from "@/plugins/contract.ts";

interface Filler {
  readonly column: Column;
  readonly value: RawBuilder<unknown>;
}

/** Builds the statements that write. */
export class WriteStatements {
  readonly #path: PathSql;

  constructor(path: PathSql) {
    this.#path = path;
  }

  /** Inserts records in one statement; its slots are the values of `positions`, row by row. Returns the keys. */
  insert(table: Table, positions: readonly number[], count: number): Statement {
    const { traits } = this.#path;
    const filler = positions.length === 0 && count > 1 ? fillerOf(table, traits) : undefined;
    const keys = table.primaryKey.map((position) => columnAt(table, position));
    const insertion = {
      table: tableName(table),
      columns: filler ? [filler.column] : positions.map((position) => columnAt(table, position)),
      rows: Array.from({ length: count }, (_, row) => {
        if (filler) return [filler.value];
        return positions.map((_, column) => slot(row * positions.length + column));
      }),
      keys,
    };
    return compileRaw(traits.insert?.(insertion) ?? insertReturning(insertion), this.#path.kysely, keys);
  }

  /** Changes `positions` of every record of a walk; their slots follow those of the walk. */
  update(walk: Walk, positions: readonly number[]): Statement {
    const { table } = walk.last;
    const assignments = positions.map((position, index) => {
      return sql`${sql.id(columnAt(table, position).name)} = ${slot(walk.values.length + index)}`;
    });
    return this.#change(sql`update ${tableName(table)} set ${sql.join(assignments)}`, walk);
  }

  /** Deletes every record of a walk. */
  delete(walk: Walk): Statement {
    return this.#change(sql`delete from ${tableName(walk.last.table)}`, walk);
  }

  /** Uses the table's own name: engines differ in aliases here, and SQLite has none for a view with triggers. */
  #change(change: RawBuilder<unknown>, { steps, last }: Walk): Statement {
    const name = last.table.identifier.at(-1) ?? last.table.name;
    const conditions = this.#path.conditions(steps, { name, isTarget: true });
    const where = conditions.length > 0 ? sql` where ${sql.join(conditions, sql` and `)}` : sql``;
    return compileRaw(sql`${change}${where}`, this.#path.kysely, []);
  }
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
function insertReturning({ table, columns, rows, keys }: Insertion): RawBuilder<unknown> {
  const names = columns.map(({ name }) => sql.id(name));
  const values = names.length > 0
    ? sql`(${sql.join(names)}) values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`
    : sql`default values`;
  const returning = keys.length > 0
    ? sql` returning ${sql.join(keys.map(({ name }) => sql.id(name)))}`
    : sql``;
  return sql`insert into ${table} ${values}${returning}`;
}
