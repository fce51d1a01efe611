/**
 * Tables of records with related records inside, for `depth`, and of transposed lists.
 *
 * @module
 */

import type {
  Body,
  Cell,
  Page,
  Pieces,
  Row,
  Shape,
  ShapeColumn,
  ShapeRelation,
  ValueType,
} from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { showPager } from "./list_pager.ts";
import { showPrograms } from "./programs.ts";
import { Room } from "./room.ts";
import { showRange } from "./run.ts";
import { escapeHtml, escapeLabel, link } from "./text.ts";
import { LONGEST, showValue } from "./value.ts";

/** The start of a table that scrolls separately; the keyboard can focus it. */
export function openTable(caption: string): string {
  return '<section class="scroll tall" aria-labelledby="caption" tabindex="0">\n' +
    `<table>\n<caption class="hidden" id="caption">${escapeHtml(caption)}</caption>\n`;
}

/** The attribute of a cell whose text is aligned to the right. */
export function numberClass(isNumber = false): string {
  return isNumber ? ' class="number"' : "";
}

/** The end of a table after {@link openTable}. */
export const CLOSE_TABLE = "</tbody>\n</table>\n</section>\n";

/** The body of a list or record with related records inside. */
export function compileNested(shape: Shape): (page: Page) => Body {
  const table = compileTable(shape);
  const list = shape.form === "records" || shape.form === "values";
  return (page) => {
    const { run } = page;
    const room = new Room(table.head, page);
    const before = list && !run ? page.offset : 0;
    return {
      begin: () => `${table.head}<tbody>\n`,
      row(row) {
        if (room.isFull) return "";
        const text = table.row(row, before + room.rows + 1);
        if (list && typeof text === "string") return room.take(text);
        room.rows++;
        return text;
      },
      end() {
        if (run) return CLOSE_TABLE + showRange(page, run, room.rows);
        return CLOSE_TABLE + (list ? showPager(page, room) : "") + showPrograms(page);
      },
    };
  };
}

/** A row is a column here, so records are counted horizontally. */
export function transposedBody(page: Page, shape: Shape): Body {
  let records = 0;
  let index = 0;
  return {
    begin: () => "<tbody>\n",
    row(row) {
      records = row.length - 1;
      return transposedRow(row, shape.columns[index++]?.type);
    },
    end: () => CLOSE_TABLE + showPager(page, { rows: records }) + showPrograms(page),
  };
}

/** The table of a shape: its header row, and its rows, numbered for their links. */
interface Table {
  readonly head: string;
  /** Pieces if the record has nested records. */
  row(row: Row, number: number): string | Pieces;
}

interface Part {
  readonly head: string;
  cell(row: Row, path: string | null): string;
}

/** A relation with its records. */
interface Nested {
  readonly head: string;
  pieces(row: Row): Pieces;
}

const NONE = '<span class="none">none</span>';

/** Compiles the table of a list of records, or of a list of values. */
function compileTable({ columns, toOne, toMany, locate }: Shape): Table {
  /** A relation without link and without records is not shown. */
  const relations = (list: readonly ShapeRelation[]) =>
    list.filter(({ expanded }) => locate !== undefined || expanded !== undefined).map(compileRelation);
  const parts = [...relations(toOne), ...columns.map(compileColumn), ...relations(toMany)];
  const first = locate === undefined ? "" : '<th scope="col">#</th>';
  const open = (path: string | null, number: number) =>
    locate === undefined ? "<tr>" : `<tr>${recordCell(path, number)}`;
  const plain = parts.filter((part) => "cell" in part);
  return {
    head: `<thead><tr>${first}${parts.map((part) => part.head).join("")}</tr></thead>\n`,
    row(row, number) {
      const path = locate === undefined ? null : locate(row);
      let text = open(path, number);
      if (plain.length < parts.length) return writePieces(row, text, parts, path);
      for (const part of plain) text += part.cell(row, path);
      return text + "</tr>\n";
    },
  };
}

function* writePieces(
  row: Row,
  start: string,
  parts: readonly (Part | Nested)[],
  path: string | null,
): Pieces {
  yield start;
  for (const part of parts) {
    if ("pieces" in part) yield* part.pieces(row);
    else yield part.cell(row, path);
  }
  yield "</tr>\n";
}

/** A row of a transposed list: the column's name, then its values. */
function transposedRow(row: Row, type: ValueType = "any"): string {
  const [name, ...values] = row;
  const cells = values.map((value) => valueCell(value, type));
  return `<tr><th scope="row">${showValue(name, { type: "json" })}</th>${cells.join("")}</tr>\n`;
}

function compileColumn(column: ShapeColumn, index: number): Part {
  const comment = column.comment === undefined ? "" : ` title="${escapeLabel(column.comment)}"`;
  return {
    head: `<th scope="col"${numberClass(isNumeric(column.type))}${comment}>${escapeHtml(column.name)}</th>`,
    cell: (row) => valueCell(row[index], column.type),
  };
}

function compileRelation(relation: ShapeRelation): Part | Nested {
  const { name, segment, expanded, nullableKey = [] } = relation;
  const head = `<th scope="col">${escapeHtml(name)}</th>`;
  if (expanded === undefined) {
    return {
      head,
      cell: (row, path) => {
        if (nullableKey.some((cell) => row[cell] === null)) return `<td>${NONE}</td>`;
        return `<td>${path === null ? "" : link(`${path}/${segment}.html`, name)}</td>`;
      },
    };
  }
  const table = compileTable(expanded.shape);
  return { head, pieces: (row) => nestedTable(table, row[expanded.cell]) };
}

function* nestedTable(table: Table, cell: Cell | undefined): Pieces {
  if (!Array.isArray(cell) || cell.length === 0) return yield `<td>${NONE}</td>`;
  const rows: readonly Row[] = cell;
  yield `<td><table>${table.head}<tbody>`;
  for (const [index, row] of rows.entries()) {
    const record = table.row(row, index + 1);
    if (typeof record === "string") yield record;
    else yield* record;
  }
  yield "</tbody></table></td>";
}

function recordCell(path: string | null, number: number): string {
  const label = String(number);
  return `<td class="number">${path === null ? label : link(`${path}.html`, label)}</td>`;
}

function valueCell(value: Cell | undefined, type: ValueType): string {
  const right = isNumeric(type) || typeof value === "number" || typeof value === "bigint";
  return (right ? '<td class="number">' : "<td>") + showValue(value, { type, longest: LONGEST }) + "</td>";
}
