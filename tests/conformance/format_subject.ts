/**
 * The subject of the conformance tests of formats.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Cell, Format, FormatPlugin, Shape, Value, ValueType } from "@/plugins/contract.ts";
import { VALUES } from "@/tests/conformance/hostile.ts";
import { type Answer, shape, write } from "@/tests/conformance/shapes.ts";

/** A whole answer: text, or the bytes of a binary format. */
export type Answered = string | Uint8Array;

/** A cell as an answer shows it: the type that the format has for it, or text. */
export type ShownCell = string | number | bigint | boolean | null | Uint8Array | readonly ShownCell[];

/**
 * One row of an answer as an author's `parse` reads it.
 *
 * | form | `parse` gives |
 * |---|---|
 * | `records`, `record` | one element per record |
 * | `values`, `value` | one element per value, a cell that has the name of the column |
 * | `columns` | one element per column: one cell with its name, a list of its values |
 */
export interface ShownRecord {
  /** The cells by the names of their columns, in the order of the answer. */
  readonly cells: ReadonlyMap<string, ShownCell>;
  /** The reference of the record. Absent or null: none is shown. */
  readonly href?: string | null;
  /** The records of each expanded relation by its name. */
  readonly related?: ReadonlyMap<string, readonly ShownRecord[]>;
}

/** The rules of a format, as its author knows them. */
export interface FormatJudge {
  /** Throws when a whole answer breaks the format's own rules. A binary format gets its bytes. */
  wellFormed(answer: Answered): void | Promise<void>;
  /** Throws unless each of the texts fits the schema. Absent: schemas are only written. */
  validate?(schema: string, texts: readonly string[]): void | Promise<void>;
  /** Reads an answer back. Absent: the tests that compare data are ignored. */
  parse?(answer: Answered, shape: Shape): readonly ShownRecord[] | Promise<readonly ShownRecord[]>;
  /** Whether records show their references. Default: whether the format is `nested`. */
  readonly references?: boolean;
}

/** A format that has been set up, and its judge. */
export interface Subject extends FormatJudge {
  readonly name: string;
  readonly plugin: FormatPlugin;
  readonly format: Format;
}

/**
 * Writes an answer, checks it, and returns it. Rows are frozen, because a writer must not change its input.
 */
export async function accepts(subject: Subject, answer: Answer): Promise<Answered> {
  const { format } = subject;
  const frozen = { ...answer, rows: answer.rows.map((row) => Object.freeze([...row])) };
  return await judged(subject, await write(format, frozen));
}

/** Checks a whole answer and returns it as its author sees it: a binary format's as bytes. */
export async function judged({ format, wellFormed }: Subject, text: string): Promise<Answered> {
  const answer = format.binary ? bytesOf(text) : text;
  await wellFormed(answer);
  return answer;
}

/** The bytes that {@link write} shows one character each. */
function bytesOf(text: string): Uint8Array {
  assert.match(text, /^[\0-\xff]*$/, "the chunks of a binary format are bytes");
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The same data in every form that it fits. */
export function formsOf(
  columns: Shape["columns"],
  rows: readonly (readonly Value[])[],
  name = "Customer",
): Answer[] {
  const [first] = columns;
  const [row] = rows;
  const transposed = columns.map((
    each,
    index,
  ): Cell[] => [each.name, ...rows.map((cells) => cells[index] ?? null)]);
  const answers: Answer[] = [
    { shape: shape(columns, { name }), rows },
    { shape: shape(columns, { name, form: "columns" }), rows: transposed },
  ];
  if (row) answers.push({ shape: shape(columns, { name, form: "record" }), rows: [row] });
  if (!first) return answers;
  const firsts = rows.map((cells) => [cells[0] ?? null]);
  answers.push({ shape: shape([first], { name, form: "values" }), rows: firsts });
  if (row) answers.push({ shape: shape([first], { name, form: "value" }), rows: firsts.slice(0, 1) });
  return answers;
}

/** Every type that a column can have. */
export function valueTypes(): ValueType[] {
  return Object.keys(VALUES) as ValueType[];
}
