/**
 * Arguments of saved queries: what they are sent as, and what a statement that is only described is told of them.
 *
 * @module
 */

import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import type { Bound } from "./bound.ts";
import { parameter } from "./parameter.ts";

/** As a filter's value, save that no column has a say in its type. */
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

/** The type that a statement is told of a parameter; text where none is declared. */
export function declaredTypeOf(type: ValueType | undefined): string {
  return (type && DECLARED[type]) ?? "nvarchar(4000)";
}
