/**
 * Converts values of the driver to those of the contract. Compiled once per statement.
 *
 * @module
 */

import type { Row, StatementText, Value } from "@/plugins/contract.ts";
import { integerOf, shortestReal } from "@/plugins/kit/numbers.ts";
import { momentOf, readTime, writeMoment, writeTime } from "./moments.ts";

/** A cell as the driver decodes it. */
export interface DriverCell {
  readonly value: unknown;
}

type Column = StatementText["columns"][number];
type Decode = (value: unknown) => Value;

/** Converts a row of the driver. */
export type RowDecoder = (cells: readonly DriverCell[]) => Row;

/** `columns`: those of the result, in its order; further cells stay as they are. */
export function compileDecoder(columns: readonly Column[]): RowDecoder {
  const decoders = columns.map(decoderOf);
  return (cells) =>
    cells.map(({ value }, at) => {
      return value === null || value === undefined ? null : (decoders[at] ?? plain)(value);
    });
}

function decoderOf({ type, declaredType }: Column): Decode {
  switch (type) {
    case "integer":
      return integer;
    case "float":
      return declaredType === "real" ? real : plain;
    case "boolean":
      return (value) => (typeof value === "boolean" ? value : Boolean(Number(value)));
    case "date":
      return (value) => momentOf(value)?.date ?? plain(value);
    case "datetime":
      return moment;
    case "time":
      return time;
    case "text":
    case "json":
      return (value) => (typeof value === "string" ? value : plain(value));
    default:
      return plain;
  }
}

/** 64-bit integers arrive as text. */
function integer(value: unknown): Value {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) return plain(value);
  return integerOf(value);
}

function real(value: unknown): Value {
  return typeof value === "number" ? shortestReal(value) : plain(value);
}

function moment(value: unknown): Value {
  const found = momentOf(value);
  return found ? writeMoment(found) : plain(value);
}

function time(value: unknown): Value {
  const found = typeof value === "string" ? readTime(value) : momentOf(value);
  return found ? writeTime(found) : plain(value);
}

/** A value of an unknown type; the driver's `Buffer` becomes plain bytes. */
function plain(value: unknown): Value {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return value;
    default:
      return value instanceof Uint8Array
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : anyMoment(value);
  }
}

function anyMoment(value: unknown): Value {
  const found = momentOf(value);
  return found ? writeMoment(found) : String(value);
}
