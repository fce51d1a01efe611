/**
 * Statements: their text and parameters, and what is known of them before and after they have run.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import type { Row, ValueType } from "@/core/model.ts";

/** A statement and the columns of its result, for {@link Database.prepare}. */
export interface StatementText {
  /** SQL with the placeholders of the engine's compiler. */
  readonly sql: string;
  /** Columns of the result, in order; they decide how values are decoded. */
  readonly columns: readonly Pick<Column, "type" | "declaredType">[];
  /**
   * The first word of a saved query in upper case; absent for statements on tables. A saved query may change
   * its session: the dialect resets the session before other callers get it.
   */
  readonly verb?: string;
  /** Positions of the page's limit and offset among the parameters, if the statement has them. */
  readonly limitAt?: number;
  /** See {@link limitAt}. */
  readonly offsetAt?: number;
}

/** A prepared statement; only the database that made it can run it. */
export type Prepared = object;

/** A statement and its parameters. */
export interface Run {
  /** From {@link Database.prepare} of the same database. */
  readonly prepared: Prepared;
  /** One value per placeholder, in their order. */
  readonly parameters: readonly unknown[];
}

/** A statement that a person wrote. */
export interface WrittenStatement {
  /** SQL with the placeholders of the engine's compiler. */
  readonly sql: string;
  /** Its first word in upper case. */
  readonly verb: string;
  /** The declared type of each placeholder, in their order; undefined: not declared. */
  readonly parameters: readonly (ValueType | undefined)[];
}

/** A column of a result, as the engine names it: names may be empty or repeated. */
export type ResultColumn = Pick<Column, "name" | "type" | "declaredType" | "zone" | "irregular">;

/** Facts about a statement before it runs. */
export interface StatementDescription {
  /**
   * Columns of its result. Empty: it returns no rows. Absent: known only after it has
   * run, see {@link Outcome.columns}.
   */
  readonly columns?: readonly ResultColumn[];
  /** False: it changes something. Absent: the engine cannot tell before it runs. */
  readonly isReadOnly?: boolean;
}

/** The effect of a statement. */
export interface Outcome {
  /**
   * Rows of a query or of `RETURNING`, with values as in {@link Value}; the
   * first result if there are several.
   */
  readonly rows: readonly Row[];
  /** Columns of the rows, where {@link Database.describe} could not tell. */
  readonly columns?: readonly ResultColumn[];
  /**
   * The {@link Column.identity} of the first inserted row, from engines that do not return rows; each
   * following row has {@link identityStep} more.
   */
  readonly firstIdentity?: number | bigint;
  /** Default 1. */
  readonly identityStep?: number;
  /** Number of inserted, changed or deleted rows. */
  readonly changes: number;
  /** A look of the write returns other rows now: nothing was done. */
  readonly isOutdated?: true;
}
