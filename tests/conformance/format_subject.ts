/**
 * The subject of the conformance tests of formats.
 *
 * @module
 */

import type { Cell, Format, FormatPlugin, Shape, Value, ValueType } from "@/plugins/contract.ts";
import { VALUES } from "@/tests/conformance/hostile.ts";
import { type Answer, shape, write } from "@/tests/conformance/shapes.ts";

/** A format that has been set up, and its judge. */
export interface Subject {
  readonly name: string;
  readonly plugin: FormatPlugin;
  readonly format: Format;
  /** Throws when the text of a whole answer breaks the format's own rules. */
  wellFormed(text: string): void | Promise<void>;
  /** Throws unless each of the texts fits the schema. Absent: schemas are only written. */
  validate?(schema: string, texts: readonly string[]): void | Promise<void>;
}

/** Writes an answer, checks it, and returns its text. Rows are frozen, because a writer must not change its input. */
export async function accepts({ format, wellFormed }: Subject, answer: Answer): Promise<string> {
  const text = await write(format, { ...answer, rows: answer.rows.map((row) => Object.freeze([...row])) });
  await wellFormed(text);
  return text;
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
