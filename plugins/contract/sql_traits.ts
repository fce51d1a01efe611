/**
 * How an engine's SQL differs from other engines'.
 *
 * @module
 */

import type { DialectAdapter, Expression, QueryCompiler, RawBuilder } from "kysely";
import type { Column, Value } from "@/core/model.ts";

/** How an engine's SQL differs, as data and small functions; each has the default named with it. */
export interface SqlTraits {
  /** As in Kysely's own dialects. */
  createAdapter(): DialectAdapter;
  /** As in Kysely's own dialects. */
  createQueryCompiler(): QueryCompiler;
  /** What is compared instead of a column of this type: a text date as a time. Default: the column itself. */
  comparable?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /** A filter's value as the driver wants it bound against {@link comparable}. Default: unchanged. */
  parameter?(value: Value, column: Column): unknown;
  /**
   * Decimals of a second that a time is compared by, where a value that has more would be rounded or cut: it then equals
   * none, and a range keeps its meaning. Default: as many as there are.
   */
  readonly secondDecimals?: number;
  /** Text cannot hold the character U+0000: text with it equals none, and a range keeps its meaning. Default false. */
  readonly textWithoutNul?: boolean;
  /**
   * A value as the driver wants it bound to be stored in a column. Default: unchanged. Throws a RangeError where the column
   * would keep another value; its message is the end of a sentence: `12.345678901234567890 has more digits than it keeps`.
   */
  stored?(value: Value, column: Column): unknown;
  /**
   * Whether values of a column may be stored in several forms that are shown alike, or that {@link stored} would change: a
   * change leaves a cell alone that shows the given value already. Default: false.
   */
  respells?(column: Column): boolean;
  /**
   * What is selected instead of a column, so that every digit arrives. Only in the outermost select: filters, order and
   * `distinct` work on the column itself. Default: the column.
   */
  selectable?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /**
   * A value that only this engine has, by its text: `NaN` as a decimal, `infinity` as a date, a year before the common era.
   * Asked, for filters and bodies, where the text is no value of the column's type. Default: undefined, there is none.
   */
  special?(text: string, column: Column): Value | undefined;
  /**
   * The cells of a {@link Column.loose} column that answers show as this text, as the driver wants them bound against the
   * column itself. Asked for filters on the columns of keys where the text is no value of the column's type, so that
   * references lead to their records. Default: there are none, and the text is refused.
   */
  cells?(text: string, column: Column): readonly unknown[];
  /** Ranges with two ends are written with BETWEEN. Default true; false: as two comparisons. */
  readonly between?: boolean;
  /** What LIKE is applied to instead of a column that the engine does not match as text. Default: the column. */
  textual?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /**
   * How a page is written: `limit` LIMIT and OFFSET, `fetch` ORDER BY, OFFSET and FETCH NEXT, and TOP for fixed numbers.
   * Default `limit`.
   */
  readonly paging?: "limit" | "fetch";
  /** Ascending order has NULL before everything else by itself; false: the order says so. Default true. */
  readonly nullsFirst?: boolean;
  /**
   * A statement that inserts rows and gives back the {@link Insertion.keys} of each. Default: `INSERT … RETURNING`, and
   * `DEFAULT VALUES` where no columns are given.
   */
  insert?(insertion: Insertion): RawBuilder<unknown>;
  /**
   * The rows that an insert gives back are in the order of its values. False: where the database makes keys that are no
   * {@link Column.identity}, records are inserted one at a time. Default true.
   */
  readonly ordersInserts?: boolean;
  /**
   * What stands among the values of an insert for a column that takes its default: records without any column are inserted
   * many at a time by it. Asked for columns that are nullable or have a default, none of them generated. Default: undefined,
   * there are no words for it, and such records go one by one.
   */
  defaulted?(column: Column): RawBuilder<unknown> | undefined;
  /**
   * An argument of a saved query as the driver wants it bound. The column has the argument's name and type; its
   * `declaredType` is empty where the type was only guessed from the value. Default: unchanged. Throws a RangeError as
   * {@link stored} does.
   */
  argument?(value: Value, column: Column): unknown;
  /** How the n-th parameter is written, counted from 1, where one can be used more than once. Default: `?`, one for each use. */
  parameterName?(number: number): string;
  /** A query with WITH may stand in another WITH. Default true; false: its parts are put beside the other ones. */
  readonly nestedWith?: boolean;
  /**
   * UPDATE and DELETE may not read their own table in a subquery that could be merged into them, so such subqueries are made
   * derived tables with DISTINCT. Default false.
   */
  readonly materializesTarget?: boolean;
  /**
   * `SELECT … FOR UPDATE` keeps a row as it was read until the transaction ends. Default false: nobody else can write
   * between two statements of a transaction, or one that did makes it fail.
   */
  readonly forUpdate?: boolean;
  /**
   * An UPDATE may not name a {@link Column.identity}, not even with the value it has: it is left out of changes that keep it.
   * Default false.
   */
  readonly fixesIdentity?: boolean;
  /** Most parameters in one statement. */
  readonly maxParameters: number;
  /** How SQL that people write is cut into tokens: saved queries have `:name` parameters. */
  readonly lexis: SqlLexis;
}

/** What differs between engines in the tokens of SQL; every absent member is no. */
export interface SqlLexis {
  /** What stands around quoted names. `doubled`: the closing one written twice is a character of the name. */
  readonly names: readonly { readonly open: string; readonly close: string; readonly doubled: boolean }[];
  /** The characters that stand around strings; written twice within they are characters of it. */
  readonly strings: readonly string[];
  /** Where a backslash takes the next character into a string: in all of them, or in those with E before the quote. */
  readonly backslash?: "always" | "prefixed";
  /** `$tag$ … $tag$` is a string. */
  readonly dollarStrings?: boolean;
  /** `#` begins a comment. */
  readonly hashComments?: boolean;
  /** `--` begins a comment only where white space or the end follows. */
  readonly spacedDashes?: boolean;
  /** A comment within a comment is one. */
  readonly nestedComments?: boolean;
  /** Whether what stands in a comment that begins with `/*!` or `/*M!`, and the digits after it, is no comment. */
  executes?(opening: string): boolean;
  /** `a[1:n]` is a slice of an array: its colon begins no parameter. */
  readonly slices?: boolean;
  /** Placeholders that the engine itself knows and that saved queries may not use, as they stand at a token's start. */
  readonly placeholders: RegExp;
  /**
   * First words, in upper case, of the statements that a saved query may be: none that ends a transaction, changes the
   * session for whoever gets its connection next, or reaches beyond the database.
   */
  readonly statements: readonly string[];
  /**
   * Those of {@link statements} that are no queries, yet can be read and streamed outside a transaction: what they write is
   * rolled back and refused. Default: none.
   */
  readonly readable?: readonly string[];
  /**
   * Matches a statement that reaches beyond the database. It is applied to the tokens with a space between them: strings
   * are empty, and quoted names stand in brackets, with `_` for each character that is no letter, digit, `_`, `$` or `#`.
   */
  readonly beyond?: RegExp;
}

/** Rows to insert with one statement. */
export interface Insertion {
  /** The table's quoted name. */
  readonly table: RawBuilder<unknown>;
  /** The given columns; none: every column takes its default, and there is one row. */
  readonly columns: readonly Column[];
  /** The values of each row, bound later. */
  readonly rows: readonly (readonly Expression<unknown>[])[];
  /** Columns whose values are given back; none: the table has no key. */
  readonly keys: readonly Column[];
}
