/**
 * The differences between the SQL of the engines.
 *
 * @module
 */

import type { DialectAdapter, Expression, QueryCompiler, RawBuilder } from "kysely";
import type { Column } from "@/core/catalog.ts";
import type { Value } from "@/core/model.ts";

/** A parameter with what a dialect makes of the value at an end of a range, as the driver binds it. */
export type RangeEnd = (make: (value: unknown) => unknown) => Expression<unknown>;

/** The SQL of an engine, as data and small functions; the default of each is named with it. */
export interface SqlTraits {
  /** The adapter of a Kysely dialect for the engine. */
  createAdapter(): DialectAdapter;
  /** The query compiler of a Kysely dialect for the engine. */
  createQueryCompiler(): QueryCompiler;
  /**
   * The expression that is compared instead of a column: a text date as a time. Default: the column itself.
   */
  comparable?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /**
   * The comparison of {@link comparable} with an inclusive range, of which one end may be missing, or with
   * one value, which is both ends, together with conditions on the column itself, so that an index finds its
   * rows. Default: the comparison alone.
   */
  indexed?(
    comparison: Expression<unknown>,
    reference: Expression<unknown>,
    column: Column,
    range: {
      readonly from?: RangeEnd | undefined;
      readonly to?: RangeEnd | undefined;
      readonly isOne: boolean;
    },
  ): Expression<unknown>;
  /**
   * The expression that orders rows instead of a column of a type that the engine cannot order, such as
   * documents and shapes. Default: the column itself.
   */
  ordered?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /** A filter's value in the form that the driver binds against {@link comparable}. Default: unchanged. */
  parameter?(value: Value, column: Column): unknown;
  /**
   * The most decimals of a second that a column can store. A filter's value with more is refused, because the
   * engine would round or cut it. Default: 9, the most decimals of any value.
   */
  readonly secondDecimals?: number;
  /**
   * A value in the form that the driver binds to store it in a column. Default: unchanged. Throws a
   * RangeError where the column would keep another value; its message is the end of a sentence:
   * `12.345678901234567890 has more digits than it keeps`.
   */
  stored?(value: Value, column: Column): unknown;
  /**
   * Whether a column may store one value in several forms that look alike in answers, or {@link
   * stored} would change the form. An update then leaves a cell unchanged that already shows
   * the given value. Default: false.
   */
  respells?(column: Column): boolean;
  /**
   * A function that writes a new value, as {@link stored} returns it, in the spelling of a cell of the
   * column. The cell has the form in which the driver reads a column without a type; undefined: no cell is
   * known. Default: values of the column have one spelling.
   */
  spelled?(column: Column): ((value: unknown, cell: unknown) => unknown) | undefined;
  /**
   * The expression that is selected instead of a column, so that every digit arrives. Only in the outermost
   * select: filters, order and `distinct` use the column itself. Default: the column.
   */
  selectable?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /**
   * The expressions that pages select instead of a column whose values may be large. A value of more than
   * `most` characters or bytes has a length, and a beginning of at least so many. Default: undefined, and
   * pages read whole values.
   */
  cut?(reference: Expression<unknown>, column: Column, most: number): CutValue | undefined;
  /**
   * The value of a text that only this engine has: `NaN` as a decimal, `infinity` as a date, a year
   * before the common era. Called, for filters and bodies, where the text is not a value of the
   * column's type. Default: undefined.
   */
  special?(text: string, column: Column): Value | undefined;
  /**
   * The cells of a {@link Column.loose} column, or of one without a type, that answers show as this text,
   * in the form that the driver binds against the column itself. They need not be those that a comparison
   * with the text as a value of the type finds. Called for filters on key columns, so that references lead
   * to their records, and on columns without a type. Default: none, and a text that is not a value of the
   * type is refused.
   */
  cells?(text: string, column: Column): readonly unknown[];
  /**
   * The date of a date, or of a date with time, as the text `2009-01-31`; NULL for values without a year from
   * 1 to 9999. Default: the column itself.
   */
  dayText?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /**
   * The sum of {@link comparable} numbers of a column, with every digit, which does not overflow where the
   * column's type would. It is read as a float for floats, else as a decimal. Default: `sum(…)`.
   */
  summed?(compared: Expression<unknown>, column: Column): Expression<unknown>;
  /** True: ranges with two ends use BETWEEN. False: two comparisons. Default true. */
  readonly between?: boolean;
  /**
   * The expression that LIKE uses instead of a column that the engine does not
   * match as text. Default: the column.
   */
  textual?(reference: Expression<unknown>, column: Column): Expression<unknown>;
  /**
   * The syntax of a page. `limit`: LIMIT and OFFSET. `fetch`: ORDER BY, OFFSET and FETCH NEXT, and TOP
   * for fixed numbers. Default `limit`.
   */
  readonly paging?: "limit" | "fetch";
  /**
   * The engine plans a statement again for each value of a parameter that is the limit, as SQLite does, which
   * takes longer than most pages. So the limit and the offset are expressions. Default false.
   */
  readonly plansLimits?: boolean;
  /** True: ascending order puts NULL first. False: the statement has to say so. Default true. */
  readonly nullsFirst?: boolean;
  /**
   * A statement that inserts rows and returns the {@link Insertion.keys} of each. Default: `INSERT …
   * RETURNING`, and `DEFAULT VALUES` without columns.
   */
  insert?(insertion: Insertion): RawBuilder<unknown>;
  /**
   * True: the rows that an insert returns are in the order of its values. False: where the database makes
   * keys that are not a {@link Column.identity}, records are inserted one at a time. Default true.
   */
  readonly ordersInserts?: boolean;
  /**
   * The SQL that stands among the values of an insert for a column's default: with it, records without any
   * column are inserted many at a time. Called for columns that are nullable or have a default and are not
   * generated. Default: undefined, and such records are inserted one at a time.
   */
  defaulted?(column: Column): RawBuilder<unknown> | undefined;
  /**
   * An argument of a saved query in the form that the driver binds. The column has the argument's name and
   * type; its `declaredType` is empty where the type was only guessed from the value. Default: unchanged.
   * Throws a RangeError like {@link stored}.
   */
  argument?(value: Value, column: Column): unknown;
  /**
   * The placeholder of the n-th parameter, counted from 1, if a parameter can be used more than
   * once. Default: `?`, one per use.
   */
  parameterName?(number: number): string;
  /**
   * True: a query with WITH may be nested in another WITH. False: its parts become
   * parts of the outer one. Default true.
   */
  readonly nestedWith?: boolean;
  /**
   * True: UPDATE and DELETE may not read their own table in a subquery that the engine could merge into them,
   * so such subqueries become derived tables with DISTINCT. Default false.
   */
  readonly materializesTarget?: boolean;
  /**
   * True: `SELECT … FOR UPDATE` keeps a row unchanged until the transaction ends. False: other transactions
   * cannot write between two statements of a transaction, or make it fail. Default false.
   */
  readonly forUpdate?: boolean;
  /**
   * True: an UPDATE may not name a {@link Column.identity}, not even with its present value, so updates that
   * keep it leave it out. Default false.
   */
  readonly fixesIdentity?: boolean;
  /** Largest number of parameters in one statement. */
  readonly maxParameters: number;
  /** The rules by which the text of saved queries is cut into tokens, to find their `:name` parameters. */
  readonly lexis: SqlLexis;
}

/** The tokens of an engine's SQL; an absent flag is false. */
export interface SqlLexis {
  /** The quotes of names. `doubled`: the closing quote written twice is a character of the name. */
  readonly names: readonly { readonly open: string; readonly close: string; readonly doubled: boolean }[];
  /**
   * The quotes of strings; a quote written twice inside is a character of the string. One that is also in
   * {@link names} may stand for a name.
   */
  readonly strings: readonly string[];
  /** Strings in which a backslash escapes the next character: all, or those with E before the quote. */
  readonly backslash?: "always" | "prefixed";
  /** `$tag$ … $tag$` is a string. */
  readonly dollarStrings?: boolean;
  /** `#` begins a comment. */
  readonly hashComments?: boolean;
  /** `--` begins a comment only before white space or at the end. */
  readonly spacedDashes?: boolean;
  /** Comments nest. */
  readonly nestedComments?: boolean;
  /** Whether the engine runs the content of a comment that begins with `/*!` or `/*M!` and these digits. */
  executes?(opening: string): boolean;
  /** `a[1:n]` is a slice of an array: its colon begins no parameter. */
  readonly slices?: boolean;
  /** Placeholders of the engine itself, which saved queries may not use; matched at a token's start. */
  readonly placeholders: RegExp;
  /**
   * First words, in upper case, of the statements that a saved query may be: none that ends a transaction,
   * changes the session for the next user of the connection, or reaches beyond the database.
   */
  readonly statements: readonly string[];
  /**
   * Those of {@link statements} that are not queries but can be read and streamed outside a transaction:
   * their changes are rolled back and refused. Default: none.
   */
  readonly readable?: readonly string[];
  /**
   * Matches a statement that reaches beyond the database. It is applied to the tokens joined with spaces:
   * quoted names, and strings that may stand for one, are in brackets, with `_` for each character that is
   * not a letter, digit, `_`, `$` or `#`; other strings are empty.
   */
  readonly beyond?: RegExp;
}

/** What pages select of a large value, see {@link SqlTraits.cut}. */
export interface CutValue {
  /** The whole value, or its beginning. */
  readonly beginning: Expression<unknown>;
  /** NULL, or the number of characters or bytes of the whole value. */
  readonly length: Expression<unknown>;
}

/** Rows that one statement inserts. */
export interface Insertion {
  /** The table's quoted name. */
  readonly table: RawBuilder<unknown>;
  /** The given columns. Empty: every column takes its default, and there is one row. */
  readonly columns: readonly Column[];
  /** The values of each row, bound later. */
  readonly rows: readonly (readonly Expression<unknown>[])[];
  /** Columns whose values the statement returns. Empty: the table has no key. */
  readonly keys: readonly Column[];
}
