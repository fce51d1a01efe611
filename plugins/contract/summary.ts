/**
 * Summaries of lists as data: a column in numbers, groups of rows, points of two
 * columns; and the charts made of them.
 *
 * @module
 */

import type { Value, ValueType } from "@/core/model.ts";

/** How rows come into groups: by equal values, by ranges of numbers of one width, by a period of a date. */
export type Grouping = "value" | "range" | "year" | "month" | "day";

/** One number for many: the mean and the sum have every digit, so they are text. */
export type Total = "sum" | "mean" | "least" | "greatest";

/** The answer to a question about a list. */
export interface Summary {
  /** The column that the question is about. */
  readonly column: ColumnSummary;
  /** Absent: the question asks for none. */
  readonly groups?: SummaryGroups;
  /** Absent: the question asks for none. */
  readonly points?: SummaryPoints;
}

/** A column in numbers. Members that its type does not have are absent. */
export interface ColumnSummary {
  /** Its name in the database. */
  readonly name: string;
  /** Its type; that of its values where the database knows none. */
  readonly type: ValueType;
  /** Number of rows, with NULL. */
  readonly rows: number;
  /** The result has more rows; the summary is about the first {@link rows} of it. */
  readonly isCut?: true;
  /** Number of rows with NULL. */
  readonly nulls: number;
  /** Number of different values, as the database compares them. */
  readonly distinct?: number;
  /** Exact decimals are text without zeros at the end. Absent: there is no value. */
  readonly smallest?: Value;
  /** See {@link smallest}. */
  readonly largest?: Value;
  /** Digits without zeros at the end; a float has at most 15 digits. */
  readonly sum?: string;
  /** See {@link sum}. */
  readonly mean?: string;
  /** The most frequent values, the first one most. */
  readonly frequent: readonly { readonly value: Value; readonly count: number }[];
}

/** Rows by a column. Rows with NULL in it are in no group. */
export interface SummaryGroups {
  /** How they were made. */
  readonly by: Grouping;
  /** Groups by value have the largest first; others are in their order, with empty ranges. */
  readonly items: readonly SummaryGroup[];
  /** There are more groups. */
  readonly isCut: boolean;
  /** The second column and its total; absent: groups are only counted. */
  readonly total?: { readonly name: string; readonly total: Total };
}

/** A group of rows. */
export interface SummaryGroup {
  /** The value, the period (`2009`, `2009-01`, `2009-01-31`), or the least number of the range as text. */
  readonly key: Value;
  /** The end of a range: the least number of the next one. The last range includes it. */
  readonly to?: string;
  /** Number of rows. */
  readonly count: number;
  /** The total of the second column as text; null if it is NULL in every row of the group. */
  readonly total?: string | null;
}

/** Rows as points of two columns. */
export interface SummaryPoints {
  /** Name of the second column. */
  readonly name: string;
  /** In the order of the list's key. Rows with NULL in one of the columns are left out. */
  readonly items: readonly (readonly [x: Value, y: Value])[];
  /** There are more rows. */
  readonly isCut: boolean;
}

/** The kinds of charts. */
export type ChartKind = "bar" | "line" | "scatter" | "histogram";

/** A chart, ready to be drawn. Names of columns are only in its texts. */
export interface ChartModel {
  /** Its kind. */
  readonly kind: ChartKind;
  /** A sentence that says what the chart shows. */
  readonly sentence: string;
  /** The axis at the bottom. */
  readonly x: ChartAxis;
  /** The axis at the left. */
  readonly y: ChartAxis;
  /** The marks, in order. */
  readonly items: readonly ChartItem[];
}

/** An axis. */
export interface ChartAxis {
  /** Plain text. */
  readonly title: string;
  /** How its values are placed. */
  readonly scale: "number" | "text" | "time";
}

/** A bar, a point, or a part of a line. */
export interface ChartItem {
  /** A number, a text, or a date and time in ISO 8601, as the axis has them. */
  readonly x: number | string;
  /** The end of the range in a histogram. */
  readonly to?: number;
  /** The height. */
  readonly y: number;
}
