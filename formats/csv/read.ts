/**
 * Reads a request's body as RFC 4180 describes it: names in the first line, a record in each of the others.
 *
 * @module
 */

import { CsvError, type CsvErrorCode, type InfoRecord, type Options, parse } from "csv-parse/sync";
import type { BodyRecord, BodyValue, ReadInput, ReadResult, ValueType } from "@/plugins/contract.ts";
import { needsQuotes } from "./field.ts";

/** One field; null where it stands for NULL. */
type Field = string | null;

/** Why a body is refused. */
class Refusal extends Error {}

/** Keeps what a small body can take in memory within bounds: a record may be two bytes. */
const MAX_RECORDS = 1_000_000;

/** Types that hold the empty string; in others an empty field is NULL. */
const TEXTUAL: ReadonlySet<ValueType> = new Set(["text", "json", "any"]);
/** Where NULL has a marker, an empty field of bytes is no bytes. */
const TEXTUAL_BESIDE_MARKER: ReadonlySet<ValueType> = new Set([...TEXTUAL, "binary"]);

const OPTIONS: Options = {
  bom: true,
  record_delimiter: ["\r\n", "\n", "\r"],
  // A record of one empty field is written in quotes; what is blank is no record.
  skip_empty_lines: true,
  // The lines are compared here, where the message is made.
  relax_column_count: true,
};

const MESSAGES: { readonly [Code in CsvErrorCode]?: string } = {
  CSV_QUOTE_NOT_CLOSED: "a quote is not closed",
  CSV_INVALID_CLOSING_QUOTE: "there is text behind a closing quote",
  INVALID_OPENING_QUOTE: "there is a quote inside a field without quotes",
};

/** The records of a body, or where and why it is none. */
export function readBody(text: string, input: ReadInput): ReadResult {
  const reader = new LineReader(input);
  try {
    parse(text, { ...OPTIONS, ...castOptions(input), on_record: (line, info) => reader.take(line, info) });
    return reader.result();
  } catch (error) {
    if (error instanceof Refusal) return { complaint: error.message };
    if (error instanceof CsvError) return { complaint: complaintOf(error) };
    throw error;
  }
}

/** Whether a field has quotes is known only while it is cast, which costs time, so it is done only where it matters. */
function castOptions({ csvNullStr, nullMarker }: ReadInput): Options {
  if (!csvNullStr) return {};
  // The writer quotes a marker that needs it; then text that reads like the marker cannot be told from it.
  const isQuoted = needsQuotes(nullMarker);
  return { cast: (field, { quoting }) => field === nullMarker && (isQuoted || !quoting) ? null : field };
}

function complaintOf(error: CsvError): string {
  const message = MESSAGES[error.code] ?? "this is no CSV";
  return typeof error.lines === "number" ? `line ${error.lines}: ${message}` : message;
}

/** Turns lines into records as they come. */
class LineReader {
  readonly #input: ReadInput;
  #columns: readonly { readonly name: string; readonly empty: BodyValue }[] | undefined;
  readonly #records: BodyRecord[] = [];

  constructor(input: ReadInput) {
    this.#input = input;
  }

  /** Gives nothing, so that the parser keeps nothing. */
  take(line: readonly Field[], { lines }: InfoRecord): undefined {
    if (!this.#columns) this.#readNames(line.map((field) => field ?? this.#input.nullMarker), lines);
    else if (line.length !== this.#columns.length) {
      const fields = line.length === 1 ? "1 field" : `${line.length} fields`;
      throw new Refusal(`line ${lines} has ${fields}, not ${this.#columns.length}`);
    } else if (this.#records.length === MAX_RECORDS) {
      throw new Refusal(`there are more than ${MAX_RECORDS} records`);
    } else this.#records.push(this.#readRecord(line));
  }

  result(): ReadResult {
    if (!this.#columns) return { complaint: "there is no line of column names" };
    return { records: this.#records, isList: this.#records.length !== 1 };
  }

  #readNames(names: readonly string[], line: number): void {
    const known = new Set<string>();
    for (const name of names) {
      if (name === "") throw new Refusal(`line ${line}: a column has no name`);
      if (known.has(name)) throw new Refusal(`line ${line}: the name ${quote(name)} is there twice`);
      known.add(name);
    }
    const { columns, csvNullStr } = this.#input;
    const textual = csvNullStr ? TEXTUAL_BESIDE_MARKER : TEXTUAL;
    this.#columns = names.map((name) => ({
      name,
      empty: textual.has(columns.get(name) ?? "any") ? "" : null,
    }));
  }

  #readRecord(line: readonly Field[]): BodyRecord {
    const record = new Map<string, BodyValue>();
    this.#columns?.forEach(({ name, empty }, index) => {
      const field = line[index] ?? null;
      record.set(name, field === "" ? empty : field);
    });
    return record;
  }
}

/** A name from outside: ASCII, and no longer than a message can bear. */
function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}...` : name).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
