/**
 * Arguments of saved queries. The type of those that are declared is told to the server; the others have the type that the
 * server finds for them.
 *
 * @module
 */

import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import { Bound } from "./bound.ts";
import { OID } from "./decode.ts";
import { textOf } from "./forms.ts";

/** The largest number of 32 bits. */
const LARGEST = 2_147_483_647;

/** 0: the server finds it. Functions rarely take more than 32 bits, and what takes 64 takes 32 as well. */
export function typeOfArgument(type: ValueType | undefined, text: string | null): number {
  switch (type) {
    case "integer":
      return Math.abs(Number(text ?? 0)) <= LARGEST ? OID.int4 : OID.int8;
    case "decimal":
      return OID.numeric;
    case "boolean":
      return OID.bool;
    case "date":
      return OID.date;
    case "datetime":
      return OID.timestamp;
    case "text":
      return OID.text;
    default:
      return 0;
  }
}

/** With its type where that is declared, else as text of which the server finds the type. */
export function argument(value: Value, { type, declaredType }: Column): unknown {
  const text = value === null ? null : textOf(value);
  const oid = typeOfArgument(declaredType === "" ? undefined : type, text);
  return oid === 0 ? text : new Bound(text, oid);
}
