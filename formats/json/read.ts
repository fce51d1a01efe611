/**
 * Reads a request's body: one object or an array of objects.
 *
 * @module
 */

import type { BodyRecord, BodyValue, ReadResult } from "@/plugins/contract.ts";
import { Refusal, Scanner } from "./scanner.ts";

/** Keeps what a small body can take in memory within bounds: `{},` is three bytes. */
const MAX_RECORDS = 1_000_000;

/** The records of a body, or where and why it is none. */
export function readBody(text: string): ReadResult {
  try {
    return readRecords(new Scanner(text));
  } catch (error) {
    if (error instanceof Refusal) return { complaint: `${placeOf(text, error.at)}: ${error.message}` };
    throw error;
  }
}

function readRecords(scanner: Scanner): ReadResult {
  const isList = scanner.next() === "[";
  if (!isList && scanner.next() !== "{") scanner.refuse("expected an object or an array of objects");
  const records = isList ? readList(scanner) : [readRecord(scanner)];
  if (scanner.next() !== "") scanner.refuse("there is more text behind the end");
  return { records, isList };
}

function readList(scanner: Scanner): readonly BodyRecord[] {
  const records: BodyRecord[] = [];
  scanner.expect("[", "an array");
  if (scanner.skip("]")) return records;
  do {
    if (records.length === MAX_RECORDS) scanner.refuse(`there are more than ${MAX_RECORDS} records`);
    records.push(readRecord(scanner));
  } while (scanner.skip(","));
  scanner.expect("]", '"," or "]"');
  return records;
}

function readRecord(scanner: Scanner): BodyRecord {
  const record = new Map<string, BodyValue>();
  scanner.expect("{", "an object");
  if (scanner.skip("}")) return record;
  do {
    scanner.next();
    const start = scanner.at;
    const name = scanner.string();
    if (record.has(name)) scanner.refuse(`the name ${quote(name)} is there twice`, start);
    scanner.expect(":", '":"');
    record.set(name, scanner.value());
  } while (scanner.skip(","));
  scanner.expect("}", '"," or "}"');
  return record;
}

/** Lines and columns count from 1. */
function placeOf(text: string, at: number): string {
  let line = 1;
  let start = text.startsWith("\ufeff") ? 1 : 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${at - start + 1}`;
}

/** A name from outside: ASCII, and no longer than a message can bear. */
function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}...` : name).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
