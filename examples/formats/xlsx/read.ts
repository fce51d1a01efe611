/**
 * Reads bodies: the first sheet of a workbook, with the names in its first row that has cells. Cells that are
 * not there are NULL. A formula counts as the value that the spreadsheet has computed.
 *
 * @module
 */

import type { BodyRecord, BodyValue, Reading, ReadInput, ReadResult } from "@/plugins/contract.ts";
import { unescapeText } from "./cells.ts";
import { type DateKind, kindOf, textOf } from "./dates.ts";
import { type Parts, partsOf } from "./parts.ts";
import { walk } from "./xml.ts";
import { Refusal } from "./zip.ts";

/** Unpacks the workbook outside of this thread, then reads it in steps. */
export async function readBody(
  body: string | Uint8Array<ArrayBuffer>,
  input: Pick<ReadInput, "columns" | "signal">,
): Promise<ReadResult | Reading> {
  try {
    if (typeof body === "string") throw new Refusal("this is no workbook");
    const parts = await partsOf(body);
    input.signal.throwIfAborted();
    return readParts(parts, input);
  } catch (error) {
    if (error instanceof Refusal) return { complaint: error.message };
    throw error;
  }
}

function* readParts(parts: Parts, { columns }: Pick<ReadInput, "columns">): Reading {
  try {
    const strings: string[] = [];
    if (parts.strings !== "") yield* walk(parts.strings, new TextCollector(strings));
    const kinds: (DateKind | undefined)[] = [];
    if (parts.styles !== "") yield* walk(parts.styles, styleCollector(kinds));
    const sheet = new SheetReader({ strings, kinds, columns, isFrom1904: parts.isFrom1904 });
    for (const _ of walk(parts.sheet, sheet)) {
      yield* sheet.take();
      yield;
    }
    yield* sheet.take();
    return { isList: sheet.count !== 1 };
  } catch (error) {
    if (error instanceof Refusal) return { complaint: error.message };
    throw error;
  }
}

/** The texts of `<si>`: joined runs, without the readings of Japanese words. */
class TextCollector {
  #text = "";
  #isText = false;
  #isReading = false;

  constructor(readonly texts: string[]) {}

  open(name: string): void {
    if (name === "si") this.#text = "";
    if (name === "rPh") this.#isReading = true;
    this.#isText = name === "t" && !this.#isReading;
  }

  text(text: string): void {
    if (this.#isText) this.#text += text;
  }

  close(name: string): void {
    this.#isText = false;
    if (name === "rPh") this.#isReading = false;
    if (name === "si") this.texts.push(unescapeText(this.#text));
  }
}

/** Collects what each style of cells shows. */
function styleCollector(kinds: (DateKind | undefined)[]) {
  const codes = new Map<number, string>();
  let isCells = false;
  return {
    open(name: string, attribute: (name: string) => string | undefined) {
      if (name === "numFmt") codes.set(Number(attribute("numFmtId")), attribute("formatCode") ?? "");
      if (name === "cellXfs") isCells = true;
      if (name !== "xf" || !isCells) return;
      const id = Number(attribute("numFmtId") ?? 0);
      kinds.push(kindOf(id, codes.get(id)));
    },
    close(name: string) {
      if (name === "cellXfs") isCells = false;
    },
  };
}

interface SheetContext extends Pick<ReadInput, "columns"> {
  readonly strings: readonly string[];
  readonly kinds: readonly (DateKind | undefined)[];
  readonly isFrom1904: boolean;
}

/** The open cell. */
interface OpenCell {
  readonly at: number;
  readonly place: string;
  readonly type: string;
  readonly style: number;
  value: string | undefined;
}

const MOST_COLUMNS = 16_384;
/** Characters of all cells: a text that is in the workbook once may be in every cell. */
const MOST_TEXT = 67_108_864;

/** Collects the records of a sheet while its XML is walked through. */
class SheetReader {
  /** Number of records so far. */
  count = 0;
  readonly #context: SheetContext;
  #rows: (BodyValue | undefined)[][] = [];
  #names: readonly string[] | undefined;
  #row: (BodyValue | undefined)[] = [];
  #rowNumber = 0;
  /** The row has a cell of a type without value: it is a record of NULLs. */
  #isBlank = false;
  #cell: OpenCell | undefined;
  /** Whether text belongs to the value of the cell. */
  #isValue = false;
  #isReading = false;
  /** Number of characters in cells so far. */
  #length = 0;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** The records since the last call, one after another: a short row makes a record with every name. */
  *take(): Generator<BodyRecord, void, void> {
    const [rows, names = []] = [this.#rows, this.#names];
    this.#rows = [];
    for (const row of rows) yield new Map(names.map((name, at) => [name, row[at] ?? null]));
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    this.#isValue = false;
    if (name === "row") {
      this.#row = [];
      this.#isBlank = false;
      this.#rowNumber = Number(attribute("r") ?? this.#rowNumber + 1);
    } else if (name === "c") {
      const place = attribute("r") ?? "";
      const at = place === "" ? this.#row.length : columnOf(place);
      if (!(at < MOST_COLUMNS)) {
        throw new Refusal(`row ${this.#rowNumber} has more than ${MOST_COLUMNS} cells`);
      }
      const [type = "n", style] = [attribute("t"), Number(attribute("s") ?? 0)];
      this.#isBlank ||= attribute("t") !== undefined;
      this.#cell = { at, place: place || `in row ${this.#rowNumber}`, type, style, value: undefined };
    } else if (name === "rPh") this.#isReading = true;
    else if (this.#cell && !this.#isReading && (name === "v" || name === "t")) {
      this.#isValue = true;
      this.#cell.value ??= "";
    }
  }

  text(text: string): void {
    if (this.#isValue && this.#cell) this.#cell.value += text;
  }

  close(name: string): void {
    this.#isValue = false;
    if (name === "rPh") this.#isReading = false;
    if (name === "c" && this.#cell) {
      this.#row[this.#cell.at] = this.#valueOf(this.#cell);
      this.#cell = undefined;
    }
    if (name === "row") this.#endRow();
  }

  #valueOf({ at, place, type, style, value }: OpenCell): BodyValue | undefined {
    if (value === undefined) return undefined;
    if (type === "inlineStr" || type === "str") return unescapeText(value);
    if (type === "s") {
      const text = this.#context.strings[Number(value)];
      if (text === undefined) throw new Refusal(`cell ${ascii(place)} names a text that is not there`);
      this.#length += text.length;
      if (this.#length > MOST_TEXT) throw new Refusal("its cells have more than 64 Mi characters");
      return text;
    }
    if (type === "b") return value.trim() === "1" || value.trim() === "true";
    if (type === "d") return value;
    if (type === "e") throw new Refusal(`cell ${ascii(place)} has the error ${ascii(value)}`);
    if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value.trim())) {
      throw new Refusal(`cell ${ascii(place)} has no number: ${ascii(value)}`);
    }
    const column = this.#context.columns.get(this.#names?.[at] ?? "");
    const kind = this.#context.kinds[style];
    // A cell that shows a day may have a time.
    const whole = kind === "date" && column === "datetime" ? column : kind;
    const date = whole && textOf(Number(value), whole, this.#context.isFrom1904);
    if (date !== undefined) return date;
    // In a column of texts digits are a text: a spreadsheet makes a number of every "007" that it may.
    return column === "text" ? value.trim() : { kind: "number", text: value.trim() };
  }

  #endRow(): void {
    const row = this.#row;
    this.#row = [];
    if (!this.#isBlank && row.every((value) => value === undefined)) return;
    if (!this.#names) {
      this.#names = namesIn(row);
      return;
    }
    const names = this.#names;
    const extra = row.findIndex((value, at) => value !== undefined && at >= names.length);
    if (extra >= 0) throw new Refusal(`row ${this.#rowNumber} has a cell beyond the last name`);
    this.#rows.push(row);
    this.count++;
  }
}

/** The names of the first row. Throws {@link Refusal} for a name that is missing or there twice. */
function namesIn(row: readonly (BodyValue | undefined)[]): readonly string[] {
  const names = Array.from(row, (value) => {
    if (value === undefined || value === null) throw new Refusal("a column has no name in the first row");
    return typeof value === "object" ? "text" in value ? value.text : "" : String(value);
  });
  const seen = new Set<string>();
  const repeated = names.find((name) => seen.size === seen.add(name).size);
  if (repeated !== undefined) throw new Refusal(`the name ${ascii(repeated)} is there twice`);
  return names;
}

/** 0 for A1. NaN for what is no place. */
function columnOf(place: string): number {
  const [, letters] = /^([A-Z]{1,3})\d+$/.exec(place) ?? [];
  if (letters === undefined) return NaN;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

const LONGEST = 60;

/** A text of the body within a complaint. */
function ascii(text: string): string {
  return JSON.stringify(text.slice(0, LONGEST)).replace(/[^ -~]/g, "?");
}
