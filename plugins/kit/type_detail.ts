/**
 * Facts about a type that its declaration tells: digits, bits and sign.
 *
 * @module
 */

import type { Column, TypeDetail, ValueType } from "@/plugins/contract.ts";

const DECLARED =
  /^\s*([a-z][\w ]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?\))?\s*(unsigned\b.*|zerofill\b.*)?$/i;

/** The detail of a column. `sizes` has the facts of the engine's types that have no numbers in their declaration. */
export function detailOf(
  declaredType: string,
  type: ValueType,
  sizes: Readonly<Record<string, TypeDetail>>,
): Pick<Column, "detail"> {
  const [, name = "", precision, scale = "0", sign] = DECLARED.exec(declaredType) ?? [];
  const fixed = sizes[name.toLowerCase()];
  const isExact = type === "decimal" && precision !== undefined;
  const detail: TypeDetail = {
    ...fixed,
    ...(isExact ? { precision: Number(precision), scale: Number(scale) } : {}),
    ...(sign === undefined ? {} : { isUnsigned: true }),
  };
  return Object.keys(detail).length === 0 ? {} : { detail };
}
