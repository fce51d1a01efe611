/**
 * The tables of a database in the form that the planner walks: columns by position,
 * keys, relations in both directions.
 *
 * @module
 */

import type { NameIndex } from "@/core/base/name_index.ts";
import type { Column, TableDescription } from "@/core/catalog.ts";
import type { ForeignKey, Operation } from "@/core/model.ts";
import { type LinkStyle, printName } from "@/core/request/print_path.ts";

/** A table or view with its relations; positions are indexes of `columns`. */
export interface Table
  extends Omit<TableDescription, "identifier" | "primaryKey" | "sharesKey" | "uniqueKeys" | "foreignKeys"> {
  /** The parts of its name in SQL. */
  readonly identifier: readonly string[];
  /** The name as a URL segment. */
  readonly segment: string;
  /** Positions of the primary key's columns; empty without a key. */
  readonly primaryKey: readonly number[];
  /** The engine keeps the key unique; a key of the definition, or an inherited one, may have duplicates. */
  readonly hasOwnKey: boolean;
  readonly uniqueKeys: readonly (readonly number[])[];
  /** Positions of the columns whose texts tell people which record it is. Empty: the key does. */
  readonly label: readonly number[];
  /** Shown before the columns. */
  readonly toOne: readonly Relation[];
  /** Shown after the columns, by name. */
  readonly toMany: readonly Relation[];
  readonly columnNames: NameIndex<number>;
  readonly relationNames: NameIndex<Relation>;
  /** Relations that the caller may not follow, with the table that each leads to. */
  readonly forbidden: NameIndex<string>;
}

/** Rows of `table` whose columns `foreign` equal this table's columns `local`. */
export interface Relation {
  readonly name: string;
  readonly segment: string;
  readonly many: boolean;
  readonly local: readonly number[];
  readonly foreign: readonly number[];
  readonly table: Table;
  /** The foreign key behind it; the opposite relation of the other table shares it. */
  readonly foreignKey: ForeignKey;
}

/** Whether one relation leads back over the foreign key of the other. */
export function isOpposite(there: Relation | undefined, back: Relation | undefined): boolean {
  return there !== undefined && there.foreignKey === back?.foreignKey && there.many !== back.many;
}

/** The positions of all columns, in their order. */
export function allPositions(table: Table): readonly number[] {
  return table.columns.map((_, position) => position);
}

/** Throws for a position that does not exist, which is a bug: positions come from the same columns. */
export function columnAt<Found>(
  { columns }: { readonly columns: readonly Found[] },
  position: number,
): Found {
  const column = columns[position];
  if (column === undefined) throw new Error(`There is no column at ${position}`);
  return column;
}

/** The columns at these positions, in their order. */
export function columnsAt(table: Table, positions: readonly number[]): readonly Column[] {
  return positions.map((position) => columnAt(table, position));
}

/** The name of one of the table's columns as a URL segment. */
export function columnSegment(
  name: string,
  { columnNames }: Pick<Table, "columnNames">,
  links: LinkStyle,
): string {
  return printName(name, links, (other) => columnNames.exact(other) !== undefined);
}

/** Whether the engine supports the operation: a view supports those for which it has triggers. */
export function isWritable({ writable }: Table, operation: Operation): boolean {
  return operation === "read" || writable === undefined || writable.includes(operation);
}

/** The tables of one database: all, or those that one caller may read. */
export interface Schema {
  readonly tables: NameIndex<Table>;
  /** Plain names of tables outside the default schema, if unique. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Every table of a schema. */
export function allTables({ tables }: Schema): readonly Table[] {
  return tables.names.flatMap((name) => tables.exact(name) ?? []);
}

/** `Route`, or `Route by DestinationPortId`. `owner`: the table whose relation it is. */
export function relationTitle(relation: Relation, owner: Table): string {
  const { table, many, local, foreign } = relation;
  const others = [...owner.toOne, ...owner.toMany].filter((each) => each.table === table);
  if (others.length < 2) return table.name;
  const columns = many ? columnsAt(table, foreign) : columnsAt(owner, local);
  return `${table.name} by ${columns.map(({ name }) => name).join(", ")}`;
}
