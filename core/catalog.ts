/**
 * The catalog: the tables of a database as its engine describes them. Types only.
 *
 * @module
 */

import type { ForeignKey, Operation, ValueType } from "./model.ts";

/** A column of a table, from the catalog. */
export interface Column {
  readonly name: string;
  readonly type: ValueType;
  /** The engine's own name of the type, as declared: `NVARCHAR(40)`. */
  readonly declaredType: string;
  readonly nullable: boolean;
  /** Largest number of characters, where the type declares one. */
  readonly maxLength?: number;
  /** The database fills it when an insert leaves it out: a default, an identity, a rowid. */
  readonly hasDefault: boolean;
  /** The database counts it up when an insert leaves it out: serial, identity, auto_increment. */
  readonly identity?: boolean;
  /** The encoding of its text, if the database would replace characters that it lacks: `windows-1252`. */
  readonly encoding?: string;
  /** Computed by the database; can never be written. */
  readonly generated: boolean;
  /** The database ignores a given value instead of refusing it: SQL Server's `rowversion`. */
  readonly ignoresGiven?: boolean;
  /** The zone of a time: `utc`: in UTC without suffix; `offset`: each value has its own. Absent: no zone. */
  readonly zone?: "utc" | "offset";
  /**
   * Further texts of its values, for schemas: `-?infinity` of dates on PostgreSQL. A regular expression
   * without anchors, in the syntax that JSON Schema and XML Schema share.
   */
  readonly irregular?: string;
  /** Its cells may hold values that its type refuses: SQLite checks no types, MySQL has zero dates. */
  readonly loose?: boolean;
  /** Limits of its values beyond those of the type, for schemas; the database itself refuses other values. */
  readonly bounds?: ColumnBounds;
  /** Absent: nothing is known beyond {@link type}. */
  readonly detail?: TypeDetail;
  readonly comment?: string;
}

/**
 * Facts about the values of a type that {@link ValueType} leaves out, for
 * formats with exact types of their own.
 */
export interface TypeDetail {
  /** Digits of an exact number. */
  readonly precision?: number;
  /** The number of digits behind the decimal point, of the {@link precision}. */
  readonly scale?: number;
  /** The size of an integer or a float: 32 of `int`. */
  readonly bits?: number;
  /** The integer is never negative. */
  readonly isUnsigned?: true;
  /** The type of the elements of a list, which is itself shown as text or JSON. */
  readonly element?: ValueType;
}

/** Limits of the values of a column. */
export interface ColumnBounds {
  /** The texts of an enumeration. */
  readonly members?: readonly string[];
  /** Its values are UUIDs in their usual form. */
  readonly isUuid?: true;
  /** The least and the greatest whole number, where both are exact. */
  readonly range?: readonly [least: number, greatest: number];
}

/** A table or view, from the catalog. */
export interface TableDescription {
  /** Its name in URLs: the table's own in the database's default schema, `schema.table` in others. */
  readonly name: string;
  /** The parts of its name in SQL, `["sales", "Order"]`; absent: {@link name} alone. */
  readonly identifier?: readonly string[];
  readonly kind: "table" | "view";
  readonly columns: readonly Column[];
  /** Names of the primary-key columns; empty without a key. */
  readonly primaryKey: readonly string[];
  /** Several records may have one primary key: those of the tables that inherit from it on PostgreSQL. */
  readonly sharesKey?: true;
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly foreignKeys: readonly ForeignKey[];
  /** The operations that the engine supports: on a view, those for which it has triggers. Absent: all. */
  readonly writable?: readonly Exclude<Operation, "read">[];
  /**
   * A statement that changes no row of it changes nothing else: no trigger and no rule acts in its place. So
   * changes of one row need no transaction around them.
   */
  readonly withoutRules?: true;
  /**
   * One statement inserts several records of it as if each came alone, or none of them: no trigger and no
   * rule looks at the statement as a whole. So records of several requests may be inserted together.
   */
  readonly joinsInserts?: true;
  /** A change that fails may stay in part, as in MyISAM. So none is tried a second time. */
  readonly withoutTransactions?: true;
  readonly comment?: string;
}

/** The result of reading the catalog: tables, and messages about those that were left out. */
export interface Catalog {
  readonly tables: readonly TableDescription[];
  readonly omitted: readonly string[];
}
