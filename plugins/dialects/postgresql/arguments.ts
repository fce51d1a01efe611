/**
 * Arguments of saved queries. The server gets the type of declared ones and infers the others.
 *
 * @module
 */

import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import { Bound } from "./bound.ts";
import { OID } from "./decode.ts";
import { textOf } from "./forms.ts";

/** The largest 32-bit integer. */
const LARGEST = 2_147_483_647;

/** 0: the server infers the type. Functions rarely take more than 32 bits, and those with 64 accept 32 as well. */
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

/** With its declared type, else as text whose type the server infers. */
export function argument(value: Value, { type, declaredType }: Column): unknown {
  const text = value === null ? null : textOf(value);
  const oid = typeOfArgument(declaredType === "" ? undefined : type, text);
  return oid === 0 ? text : new Bound(text, oid);
}
