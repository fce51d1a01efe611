/**
 * Reads a request's body: one object or an array of objects.
 *
 * @module
 */

import type { BodyRecord, BodyValue, Reading } from "@/plugins/contract.ts";
import { MAX_NAMES, MAX_RECORDS, quote, Refusal } from "@/plugins/kit/formats.ts";
import { Scanner } from "./scanner.ts";

/** The records of a body, or the place and kind of its mistake. */
export function* readBody(text: string): Reading {
  try {
    return yield* readRecords(new Scanner(text));
  } catch (error) {
    if (error instanceof Refusal) return { complaint: `${placeOf(text, error.at)}: ${error.message}` };
    throw error;
  }
}

function* readRecords(scanner: Scanner): Reading {
  const isList = scanner.next() === "[";
  if (!isList && scanner.next() !== "{") scanner.refuse("expected an object or an array of objects");
  if (isList) yield* readList(scanner);
  else yield yield* readRecord(scanner);
  if (scanner.next() !== "") scanner.refuse("there is more text behind the end");
  return { isList };
}

function* readList(scanner: Scanner): Generator<BodyRecord | undefined, void, void> {
  scanner.expect("[", "an array");
  if (scanner.skip("]")) return;
  let count = 0;
  do {
    if (count++ === MAX_RECORDS) scanner.refuse(`there are more than ${MAX_RECORDS} records`);
    yield yield* readRecord(scanner);
  } while (scanner.skip(","));
  scanner.expect("]", '"," or "]"');
}

function* readRecord(scanner: Scanner): Generator<undefined, BodyRecord, void> {
  const record = new Map<string, BodyValue>();
  scanner.expect("{", "an object");
  if (scanner.skip("}")) return record;
  do {
    scanner.next();
    const start = scanner.at;
    const name = scanner.string();
    if (record.has(name)) scanner.refuse(`the name ${quote(name)} is there twice`, start);
    if (record.size === MAX_NAMES) scanner.refuse(`an object has more than ${MAX_NAMES} names`, start);
    scanner.expect(":", '":"');
    const value = scanner.value();
    record.set(name, value === undefined ? yield* scanner.nested() : value);
  } while (scanner.skip(","));
  scanner.expect("}", '"," or "}"');
  return record;
}

/** Line and column of a position, from 1. */
function placeOf(text: string, at: number): string {
  let line = 1;
  let start = text.startsWith("\ufeff") ? 1 : 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${at - start + 1}`;
}
