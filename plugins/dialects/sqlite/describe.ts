/**
 * Describes a saved query's statement.
 *
 * @module
 */

import type { StatementDescription } from "@/plugins/contract.ts";
import { valueTypeOf } from "./column_types.ts";
import type { Handle, Statement } from "./driver.ts";
import { InvalidStatement, isBusy } from "./failures.ts";

/** Columns that are expressions have no type: they have the type of each value. */
export function describeStatement(handle: Handle, sql: string): StatementDescription {
  const statement = prepare(handle, sql);
  const columns = statement.reader ? statement.columns() : [];
  return {
    columns: columns.map(({ name, type }) => ({
      name,
      type: type === null ? "any" : valueTypeOf(type),
      declaredType: type ?? "",
    })),
    isReadOnly: statement.readonly,
  };
}

function prepare(handle: Handle, sql: string): Statement {
  try {
    return handle.prepare(sql);
  } catch (error) {
    if (isBusy(error) || !(error instanceof Error)) throw error;
    throw new InvalidStatement(error.message, { cause: error });
  }
}
