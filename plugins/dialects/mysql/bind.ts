/**
 * Binds parameters with their types, which determine the comparison: text against a number would be compared as
 * floating-point numbers and lose digits.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { TypedParameter } from "./driver.ts";

/** A decimal that is bound with all its digits. */
export class ExactDecimal {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  toString(): string {
    return this.#digits;
  }
}

/** Values are never part of the SQL: each is sent beside the statement. */
export function bind(parameters: readonly unknown[]): unknown[] {
  return parameters.map(bound);
}

function bound(value: unknown): unknown {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return Number.isSafeInteger(value) ? TypedParameter.LONGLONG(BigInt(value)) : value;
    case "bigint":
      return value < 0n ? TypedParameter.LONGLONG(value) : TypedParameter.LONGLONG.unsigned(value);
    case "boolean":
      return TypedParameter.TINY(value ? 1 : 0);
    default:
      return boundObject(value);
  }
}

function boundObject(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof ExactDecimal) return TypedParameter.NEWDECIMAL(value.toString());
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError("A parameter has a type that the dialect does not bind");
}
