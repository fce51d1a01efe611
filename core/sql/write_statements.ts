/**
 * Compiles the statements of requests that write, and keeps them: those that change records, and those that
 * look at records before a change. Like those of reads they depend only on the walk's shape.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { Column } from "@/core/catalog.ts";
import { columnAt, columnsAt, type Table } from "@/core/schema/table.ts";
import type { Step, Walk } from "@/core/schema/walk_path.ts";
import type { Insertion, SqlTraits } from "@/plugins/contract.ts";
import { lastOf, type PathSql } from "./path_sql.ts";
import { columnsOf } from "./selection.ts";
import { compile, compileRaw, INTEGER, selected, slot, type Statement, tableName } from "./statement.ts";

/** The type that drivers return as it is stored. */
const ANY = { type: "any", declaredType: "" } as const;
/** Number of rows in which the spelling of a column is searched. */
const SAMPLE = 100;

/** Builds each statement once. `steps` are those of the walk, or the first ones of it. */
export class WriteStatements {
  readonly #path: PathSql;
  readonly #kept = new WeightedCache<Statement>();

  constructor(path: PathSql) {
    this.#path = path;
  }

  /**
   * Inserts records in one statement; its slots are the values of `positions`, row by row. Returns the keys.
   */
  insert(table: Table, positions: readonly number[], count: number): Statement {
    return this.#keep(`insert ${table.name} ${positions.join()} ${count}`, () => {
      const { traits } = this.#path;
      const filler = positions.length === 0 && count > 1 ? fillerOf(table, traits) : undefined;
      const keys = columnsAt(table, table.primaryKey);
      const insertion = {
        table: tableName(table),
        columns: filler ? [filler.column] : columnsAt(table, positions),
        rows: Array.from({ length: count }, (_, row) => {
          if (filler) return [filler.value];
          return positions.map((_, column) => slot(row * positions.length + column));
        }),
        keys,
      };
      return compileRaw(traits.insert?.(insertion) ?? insertReturning(insertion), this.#path.kysely, keys);
    });
  }

  /** Changes `positions` of every record of a walk; their slots follow those of the walk. */
  update(walk: Walk, positions: readonly number[]): Statement {
    return this.#keep(`update ${walk.key} ${positions.join()}`, () => {
      const { table } = walk.last;
      const assignments = positions.map((position, index) => {
        return sql`${sql.id(columnAt(table, position).name)} = ${slot(walk.values.length + index)}`;
      });
      return this.#change(sql`update ${tableName(table)} set ${sql.join(assignments)}`, walk);
    });
  }

  /** Deletes every record of a walk. */
  delete(walk: Walk): Statement {
    return this.#keep(`delete ${walk.key}`, () => {
      return this.#change(sql`delete from ${tableName(walk.last.table)}`, walk);
    });
  }

  /** The columns of a walk's record, or of `most` records, locked until the transaction ends. */
  record(walk: Walk, most?: number): Statement {
    return this.#keep(`record ${walk.key} ${walk.columns?.join() ?? ""} ${most ?? ""}`, () => {
      const all = this.#path.from(walk.steps)
        .select(columnsOf(walk).map((column) => this.#path.delivered(column)));
      const query = most === undefined ? all : this.#path.first(all, most);
      // A row of a view may not be a row that can be locked.
      const isLocked = this.#path.traits.forUpdate === true && walk.last.table.kind === "table";
      return compile(isLocked ? query.forUpdate() : query, columnsOf(walk));
    });
  }

  /** Two different values at most: those that a related record takes its foreign key from. */
  values({ key }: Walk, steps: readonly Step[], positions: readonly number[]): Statement {
    return this.#keep(`values ${steps.length} ${key} ${positions.join()}`, () => {
      const columns = columnsAt(lastOf(steps).table, positions);
      const query = this.#path.from(steps).select(columns.map((column) => this.#path.delivered(column)));
      return compile(this.#path.first(query.distinct(), 2), columns);
    });
  }

  /** The stored cells of some rows of a walk. */
  cells({ key, steps }: Pick<Walk, "key" | "steps">, positions: readonly number[]): Statement {
    return this.#keep(`cells ${key} ${positions.join()}`, () => {
      const { table } = lastOf(steps);
      const query = this.#path.from(steps).select(
        positions.map((position) => selected(columnAt(table, position))),
      );
      return compile(this.#path.first(query, SAMPLE), positions.map(() => ANY));
    });
  }

  /** A row for each record that the steps lead to. */
  exists({ key }: Walk, steps: readonly Step[]): Statement {
    return this.#keep(`exists ${steps.length} ${key}`, () => {
      return compile(this.#path.from(steps).select(sql`1`.as("found")), [INTEGER]);
    });
  }

  /**
   * Uses the table's own name: engines differ in aliases here, and SQLite has none for a view with triggers.
   */
  #change(change: RawBuilder<unknown>, { steps, last }: Walk): Statement {
    const name = last.table.identifier.at(-1) ?? last.table.name;
    const conditions = this.#path.conditions(steps, { name, isTarget: true });
    const where = conditions.length > 0 ? sql` where ${sql.join(conditions, sql` and `)}` : sql``;
    return compileRaw(sql`${change}${where}`, this.#path.kysely, []);
  }

  #keep(key: string, build: () => Statement): Statement {
    return this.#kept.getOrMake(key, build, ({ sql }) => sql.length);
  }
}

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
