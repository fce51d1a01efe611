/**
 * Conformance tests of formats whose author gives `parse`: the data of an answer, read back and compared.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Cell, Row, Shape, ValueType } from "@/plugins/contract.ts";
import { isSame } from "@/tests/conformance/same.ts";
import {
  accepts,
  formsOf,
  type ShownCell,
  type ShownRecord,
  type Subject,
} from "@/tests/conformance/format_subject.ts";
import { NESTED, NESTED_ROWS } from "@/tests/conformance/nested_shapes.ts";
import { type Answer, column, shape } from "@/tests/conformance/shapes.ts";

/** NULL is told from empty text. */
const WRITTEN = { csvNullStr: true, nilVisible: true } as const;

/** Values that every data format can write without loss. */
const PLAIN: Readonly<Partial<Record<ValueType, readonly Cell[]>>> = {
  integer: [0, -1, 9007199254740991, -9223372036854775808n, null],
  decimal: ["12345678901234567890.123456789", "-0.10", null],
  float: [1.5, -2e21, 5e-324, null],
  boolean: [true, false, null],
  text: ["plain", "", 'say "hi", it\'s', "a,b;c\td", "<b>&amp;</b>", "Größe, 表, 😀", "line\nbreak", null],
  date: ["2009-01-01", null],
  datetime: ["2009-01-01T00:00:00", null],
  time: ["23:59:59", null],
  binary: [Uint8Array.of(0, 255, 128), new Uint8Array(), null],
};

const TYPES = Object.keys(PLAIN) as ValueType[];
const COLUMNS = TYPES.map((type) => column(`a ${type}`, type));
const ROWS: readonly Row[] = Array.from({ length: 8 }, (_, at): Row =>
  TYPES.map((type) => {
    const values = PLAIN[type] ?? [];
    return values[at % values.length] ?? null;
  }));

/** Every form, with values of every type. */
export async function showsEveryForm(subject: Subject): Promise<void> {
  for (const answer of formsOf(COLUMNS, ROWS as Parameters<typeof formsOf>[1])) {
    await showsRows(subject, answer);
  }
}

/** No row is lost, repeated or out of order, also in a stream and beyond the size of any buffer. */
export async function showsEveryRow(subject: Subject): Promise<void> {
  const columns = [column("Id", "integer"), column("Name")];
  for (const stream of [false, true]) {
    for (const count of [0, 1, 2, 50, 51, 1001]) {
      const rows = Array.from({ length: count }, (_, at) => [at, at % 7 === 3 ? null : `row ${at}`]);
      await showsRows(subject, { shape: shape(columns), rows, options: { stream } });
    }
  }
}

/** Each record shows its own reference, and none if references are off. */
export async function showsReferences(subject: Subject): Promise<void> {
  const located = shape([column("Id", "integer"), column("Name")], {
    locate: ([id]) => id === null ? null : `/db/Shop/Customer/Id/${id}`,
  });
  const rows = [[1, "Ann"], [22, "Bo"], [null, "Cy"]];
  for (const href of [true, false]) {
    for (const form of ["records", "record"] as const) {
      const written = form === "record" ? rows.slice(1, 2) : rows;
      await showsRows(subject, { shape: { ...located, form }, rows: written, options: { href } });
    }
  }
}

/** Related records are inside their own record, at every depth. */
export async function showsRelated(subject: Subject): Promise<void> {
  for (const href of [true, false]) {
    await showsRows(subject, { shape: NESTED, rows: NESTED_ROWS, options: { href } });
    const record: Shape = { ...NESTED, form: "record" };
    await showsRows(subject, { shape: record, rows: NESTED_ROWS.slice(0, 1), options: { href } });
  }
}

async function showsRows(subject: Subject, answer: Answer): Promise<void> {
  const { shape, rows } = answer;
  const options = { ...WRITTEN, ...answer.options };
  const shown = await subject.parse?.(await accepts(subject, { ...answer, options }), shape);
  assert.ok(shown, "parse gives the rows of the answer");
  const showsPaths = (subject.references ?? subject.format.nested ?? false) && options.href !== false;
  compareRows(shown, rows, { shape, showsPaths, place: `${shape.form} of ${shape.name}` });
}

interface Expected {
  readonly shape: Shape;
  readonly showsPaths: boolean;
  /** The place in the answer, for messages. */
  readonly place: string;
}

function compareRows(shown: readonly ShownRecord[], rows: readonly Row[], expected: Expected): void {
  assert.equal(shown.length, rows.length, `${expected.place}: the number of rows`);
  for (const [at, row] of rows.entries()) {
    const record = shown[at];
    assert.ok(record);
    const place = `${expected.place}, row ${at}`;
    if (expected.shape.form === "columns") compareColumn(record, row, { ...expected, place });
    else compareRecord(record, row, { ...expected, place });
  }
}

function compareRecord(record: ShownRecord, row: Row, { shape, showsPaths, place }: Expected): void {
  const names = shape.columns.map(({ name }) => name);
  assert.ok(
    isSame([...record.cells.keys()], names),
    `${place}: the names of the cells: ${[...record.cells.keys()]}`,
  );
  for (const [at, { name, type }] of shape.columns.entries()) {
    compareCell(record.cells.get(name), row[at] ?? null, type, `${place}, ${name}`);
  }
  const isRecord = shape.form === "records" || shape.form === "record";
  if (isRecord) compareReference(record.href, showsPaths ? shape.locate?.(row) : undefined, place);
  for (const { name, expanded } of [...shape.toOne, ...shape.toMany]) {
    if (!expanded) continue;
    const rows = row[expanded.cell] as readonly Row[];
    const related = record.related?.get(name);
    assert.ok(related, `${place}: the records of ${name}`);
    compareRows(related, rows, { shape: expanded.shape, showsPaths, place: `${place}, ${name}` });
  }
}

/** A transposed row is the column's name, then its values. */
function compareColumn(record: ShownRecord, [name = null, ...values]: Row, { shape, place }: Expected): void {
  const [[found, cells] = []] = record.cells;
  assert.equal(found, name, `${place}: the name of the column`);
  assert.ok(Array.isArray(cells) && cells.length === values.length, `${place}: the number of values`);
  const type = shape.columns.find((column) => column.name === name)?.type ?? "any";
  for (const [at, value] of values.entries()) compareCell(cells[at], value, type, `${place}, value ${at}`);
}

function compareReference(
  href: string | null | undefined,
  path: string | null | undefined,
  place: string,
): void {
  if (path === undefined || path === null) return assert.equal(href ?? null, null, `${place}: no reference`);
  assert.ok(typeof href === "string" && href.startsWith(path), `${place}: the reference ${href} of ${path}`);
  assert.match(href.slice(path.length), /^(\.[a-z0-9]+)?$/, `${place}: the reference ${href} of ${path}`);
}

function compareCell(shown: ShownCell | undefined, cell: Cell, type: ValueType, place: string): void {
  assert.notEqual(shown, undefined, `${place} is shown`);
  const isShown = isSameCell(shown ?? null, cell, type);
  assert.ok(isShown, `${place}: ${String(shown)} (${typeof shown}) is shown in the place of ${String(cell)}`);
}

/**
 * Whether a cell is shown as this value: as text without any loss, or as
 * precisely as the given type can tell.
 */
function isSameCell(shown: ShownCell, cell: Cell, type: ValueType): boolean {
  if (shown === null || cell === null) return shown === cell;
  if (cell instanceof Uint8Array) {
    return isSame(shown instanceof Uint8Array ? shown.toBase64() : shown, cell.toBase64());
  }
  if (typeof shown === "number") return Number(cell) === shown;
  if (typeof shown === "bigint") return String(cell) === String(shown);
  if (typeof shown === "boolean") return cell === shown;
  if (typeof shown !== "string") return false;
  return type === "float" ? shown !== "" && Number(shown) === Number(cell) : shown === String(cell);
}
