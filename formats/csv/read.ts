/**
 * Reads a request's body by RFC 4180: names in the first line, one record in each further line.
 *
 * @module
 */

import type { BodyRecord, BodyValue, Reading, ReadInput, ValueType } from "@/plugins/contract.ts";
import { MAX_RECORDS, quote, Refusal } from "@/plugins/kit/formats.ts";
import { needsQuotes } from "./field.ts";
import { type Line, LineScanner } from "./line_scanner.ts";

const EMPTY = { kind: "empty" } as const;

/** The records of a body, or the place and kind of its mistake. */
export function* readBody(text: string, input: ReadInput): Reading {
  try {
    return yield* readRecords(new LineScanner(text), input);
  } catch (error) {
    if (error instanceof Refusal) return { complaint: error.message };
    throw error;
  }
}

function* readRecords(scanner: LineScanner, input: ReadInput): Reading {
  const names = yield* scanner.next();
  if (!names) return { complaint: "there is no line of column names" };
  const read = recordReader(names, input);
  let count = 0;
  for (;;) {
    const line = yield* scanner.next();
    if (!line) return { isList: count !== 1 };
    if (count++ === MAX_RECORDS) throw new Refusal(`there are more than ${MAX_RECORDS} records`);
    yield read(line);
  }
}

/** Converts lines to records by the names of the first line. */
function recordReader(
  names: Line,
  { columns, nullMarker, csvNullStr }: ReadInput,
): (line: Line) => BodyRecord {
  requireNames(names, columns);
  const keys = names.fields.map((name) => {
    const type = columns.get(name) ?? "any";
    return { name, type, empty: emptyOf(type, csvNullStr) };
  });
  // The writer quotes a marker with special characters; a quoted field then cannot
  // be distinguished from equal text.
  const isQuoted = needsQuotes(nullMarker);
  return ({ fields, quoted, number }) => {
    if (fields.length !== keys.length) {
      const found = fields.length === 1 ? "1 field" : `${fields.length} fields`;
      throw new Refusal(`line ${number} has ${found}, not ${keys.length}`);
    }
    const record = new Map<string, BodyValue>();
    for (const [index, { name, type, empty }] of keys.entries()) {
      const field = fields[index] ?? "";
      const isNull = csvNullStr && field === nullMarker && (isQuoted || !quoted.has(index));
      record.set(name, isNull ? null : field === "" ? empty : respell(field, type));
    }
    return record;
  };
}

/**
 * The meaning of an empty field: NULL unless the type has empty texts or, if NULL has a marker, zero bytes.
 */
function emptyOf(type: ValueType, csvNullStr: boolean): BodyValue {
  if (type === "text" || type === "any" || (csvNullStr && type === "binary")) return "";
  return csvNullStr ? EMPTY : null;
}

/**
 * The service's spelling of a value. Dataframes print whole numbers as `2.0` if the column has missing
 * values, spreadsheets turn `true` into `TRUE`, and people copy `yes` from pages.
 */
export function respell(field: string, type: ValueType): string {
  if (type === "integer" && /^[+-]?\d+\.0+$/.test(field)) return field.slice(0, field.indexOf("."));
  return type === "boolean" ? BOOLEANS.get(field.toLowerCase()) ?? field : field;
}

const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ["true", "true"],
  ["yes", "true"],
  ["false", "false"],
  ["no", "false"],
]);

function requireNames({ fields, number }: Line, columns: ReadInput["columns"]): void {
  const known = new Set<string>();
  for (const name of fields) {
    if (name === "" && !columns.has(name)) throw new Refusal(`line ${number}: a column has no name`);
    if (known.has(name)) throw new Refusal(`line ${number}: the name ${quote(name)} is there twice`);
    known.add(name);
  }
}
