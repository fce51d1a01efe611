/**
 * INSERT, UPDATE and DELETE for the rows that a path leads to. Pure.
 *
 * @module
 */

import { type Compilable, type RawBuilder, sql } from "kysely";
import type { PathSql } from "./path_sql.ts";
import type { Table } from "./schema.ts";
import { columnAt, compile, slot, type Statement } from "./sql.ts";
import type { Walk } from "./walk.ts";

/** Builds the statements that write. */
export class WriteStatements {
  readonly #path: PathSql;

  constructor(path: PathSql) {
    this.#path = path;
  }

  /** New records in one statement; the values of `positions` row by row are its slots. Gives the keys back. */
  insert(table: Table, positions: readonly number[], count: number): Statement {
    const keys = table.primaryKey.map((position) => columnAt(table, position));
    const names = positions.map((position) => sql.id(columnAt(table, position).name));
    const rows = Array.from({ length: count }, (_, row) => {
      return sql`(${sql.join(names.map((_, column) => slot(row * names.length + column)))})`;
    });
    const values = names.length > 0
      ? sql`(${sql.join(names)}) values ${sql.join(rows)}`
      : sql`default values`;
    const returning = keys.length > 0
      ? sql` returning ${sql.join(keys.map(({ name }) => sql.id(name)))}`
      : sql``;
    return compile(this.#raw(sql`insert into ${sql.id(table.name)} ${values}${returning}`), keys);
  }

  /** Changes `positions` of every record of a walk; their values follow the walk's in the slots. */
  update(walk: Walk, positions: readonly number[]): Statement {
    const { table } = walk.last;
    const assignments = positions.map((position, index) => {
      return sql`${sql.id(columnAt(table, position).name)} = ${slot(walk.values.length + index)}`;
    });
    return compile(
      this.#raw(
        sql`update ${sql.id(table.name)} set ${sql.join(assignments)}${this.#where(walk)}`,
      ),
      [],
    );
  }

  delete(walk: Walk): Statement {
    return compile(
      this.#raw(sql`delete from ${sql.id(walk.last.table.name)}${this.#where(walk)}`),
      [],
    );
  }

  /** By the table's own name: engines differ in aliases here, and SQLite has none for a view with triggers. */
  #where({ steps, last }: Walk): RawBuilder<unknown> {
    const conditions = this.#path.conditions(steps, last.table.name);
    return conditions.length > 0 ? sql` where ${sql.join(conditions, sql` and `)}` : sql``;
  }

  #raw(statement: RawBuilder<unknown>): Compilable {
    return { compile: () => statement.compile(this.#path.kysely) };
  }
}
