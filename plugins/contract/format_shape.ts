/**
 * Shapes of answers, for which formats compile their writers.
 *
 * @module
 */

import type { Column, ColumnBounds, TypeDetail } from "@/core/catalog.ts";
import type { Row, ValueType } from "@/core/model.ts";

/**
 * The form of an answer; the same for every row.
 *
 * | form | one row is | the answer is |
 * |---|---|---|
 * | `records` | a record | a list of records |
 * | `record` | a record | one record; there is exactly one row |
 * | `values` | one value | a list of scalars |
 * | `value` | one value | a scalar; there is exactly one row |
 * | `columns` | a column: its name, then its values | a transposed list; {@link columns} tells the type of each row in turn |
 */
export interface Shape {
  /** See the table above. */
  readonly form: "records" | "record" | "values" | "value" | "columns";
  /** The table's or query's name; names the elements in formats that need names. */
  readonly name: string;
  /** The table's comment in the database. */
  readonly comment?: string;
  /** In the order of the cells of a row. */
  readonly columns: readonly ShapeColumn[];
  /** To-one relations, shown before the columns. */
  readonly toOne: readonly ShapeRelation[];
  /** To-many relations, shown after the columns. */
  readonly toMany: readonly ShapeRelation[];
  /**
   * The path of the record that a row holds, without extension, percent-encoded ASCII without quotes, angle
   * brackets or ampersands: `/db/Chinook/Customer/CustomerId/1`. Null where a row has no key. Absent: records
   * of this shape show no references at all.
   */
  readonly locate?: (row: Row) => string | null;
  /** On pages: the columns whose texts make the label of a record. */
  readonly label?: readonly number[];
}

/** A column of an answer. */
export interface ShapeColumn {
  /** Its name in the database. */
  readonly name: string;
  /** The type that decides how values are written. */
  readonly type: ValueType;
  /** Whether it may be NULL. */
  readonly nullable: boolean;
  /** The engine's name of the type: `NVARCHAR(40)`. */
  readonly declaredType: string;
  /** Part of the primary key. */
  readonly isKey: boolean;
  /** A new record must have it: not nullable, and the database does not fill it. */
  readonly isRequired: boolean;
  /** Computed by the database; never written. */
  readonly isGenerated: boolean;
  /** The suffix of its times: `Z`, or an offset in each value. Absent: no suffix. */
  readonly zone?: "Z" | "offset";
  /**
   * Further texts that its values may have beside those of its type: a regular expression without anchors.
   */
  readonly irregular?: string;
  /** Largest number of characters, where the type declares one. */
  readonly maxLength?: number;
  /**
   * Facts about its type. `zone`: its times are moments in UTC, or have an offset each, whatever is written.
   */
  readonly detail?: TypeDetail & Pick<Column, "zone">;
  /** Limits of its values beyond those of the type. */
  readonly bounds?: ColumnBounds;
  /** The column's comment in the database. */
  readonly comment?: string;
  /**
   * On pages: the row's cell with the number of characters or bytes of a value of which the row may have only
   * the beginning; NULL if it has the whole value. Absent: it always has.
   */
  readonly length?: number;
}

/** A relation that records of an answer have. */
export interface ShapeRelation {
  /** Its key or element in the answer. */
  readonly name: string;
  /** The path segment that leads from a record's path to its related records, encoded: `Invoice`. */
  readonly segment: string;
  /** True when it leads to a list of records, false when it leads to one at most. */
  readonly many: boolean;
  /**
   * Cells of a row that hold the foreign key of a to-one relation and may be NULL: if one of them is NULL, no
   * record is related, and an expanded relation is NULL. Absent: a record is always related.
   */
  readonly nullableKey?: readonly number[];
  /** If expanded: the row's cell with the related rows, and their shape. */
  readonly expanded?: { readonly cell: number; readonly shape: Shape };
  /** On pages: its name for people. */
  readonly title?: string;
  /** On pages: the label of a to-one relation's record. */
  readonly label?: RelationLabel;
  /** On the page of a record: the first records of a to-many relation. */
  readonly some?: RelationSome;
  /**
   * On pages of lists: the row's cell with the number of related records,
   * NULL if there are too many to count.
   */
  readonly count?: number;
}

/** The first records of a to-many relation. */
export interface RelationSome extends Omit<RelationLabel, "column"> {
  /** The number of rows to show; there are more if the cell has more. */
  readonly most: number;
  /** The cell has at most one row more than this: then there are more than this. */
  readonly countedUpTo: number;
  /** The columns to show, in order. */
  readonly columns: readonly RelationColumn[];
}

/** A column of the first records of a to-many relation. */
export interface RelationColumn {
  /** Its name. */
  readonly name: string;
  /** The type of its values. */
  readonly type: ValueType;
  /** The cell of the related row with its value. */
  readonly cell: number;
  /** The label of the record that the value leads to. */
  readonly label?: Omit<RelationLabel, "column">;
}

/** The label of the record that a to-one relation leads to. */
export interface RelationLabel {
  /** The column in whose place it stands; the last one of a foreign key of several columns. */
  readonly column: number;
  /** The row's cell with the related row, an empty list without one. */
  readonly cell: number;
  /**
   * The cells of the related row whose texts make the label, joined by spaces. Empty: its key is the label.
   */
  readonly texts: readonly number[];
  /** The name in the parameter `sort` that orders the list by the label, not yet encoded. Absent: none. */
  readonly order?: string;
  /** The path of the related record, like {@link Shape.locate}. */
  locate(row: Row): string | null;
}
