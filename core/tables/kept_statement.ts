/**
 * Statements that a compiled read keeps: prepared, without values.
 *
 * @module
 */

import type { Statement } from "@/core/sql/statement.ts";
import type { Prepared } from "@/plugins/contract.ts";
import type { Expansion } from "./answer_shape.ts";

/** A statement that the database has prepared. */
export interface KeptStatement {
  readonly prepared: Prepared;
  readonly slots: Statement["slots"];
}

/** The statement of a relation, and the place of its rows. */
export interface KeptExpansion extends KeptStatement {
  readonly expansion: Expansion;
  /** Prepares the statement of `WalkStatements.pairs`. Absent: the rows have the keys of their parents. */
  readonly pairs?: () => KeptStatement;
}

/** The statements that read several records of one compiled read. */
export interface KeyedRows {
  /** The cell of a row with its key. */
  readonly cell: number;
  /** The number of cells of the compiled read; those behind it are not given to its writer. */
  readonly width: number;
  /** Reads the records with one of so many keys. */
  statement(count: number): KeptStatement;
}
