/**
 * Arguments of saved queries: their types when sent, and when a statement is only described.
 *
 * @module
 */

import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import type { Bound } from "./bound.ts";
import { parameter } from "./parameter.ts";

/** Like a filter's value, but without a column that determines its type. */
export function argument(value: Value, column: Column): Bound {
  return parameter(value, { ...column, declaredType: "" });
}

const DECLARED: { readonly [Type in ValueType]?: string } = {
  integer: "int",
  decimal: "decimal(38,10)",
  boolean: "bit",
  date: "date",
  datetime: "datetime2(7)",
};

/** `@1 int, @2 nvarchar(4000)`. */
export function declareArguments(types: readonly (ValueType | undefined)[]): string {
  return types.map((type, index) => `@${index + 1} ${declaredTypeOf(type)}`).join(", ");
}

/** The declared type of a parameter; text by default. */
export function declaredTypeOf(type: ValueType | undefined): string {
  return (type && DECLARED[type]) ?? "nvarchar(4000)";
}
