/**
 * Records as tables; related records as tables within.
 *
 * @module
 */

import type { Cell, Row, Shape, ShapeColumn, ShapeRelation, ValueType } from "@/plugins/contract.ts";
import { escapeHtml, link, showValue } from "./text.ts";

/** A shape's table: its header row, and its rows, numbered for their links. */
export interface Table {
  readonly head: string;
  row(row: Row, number: number): string;
}

interface Part {
  readonly head: string;
  cell(row: Row, path: string | null): string;
}

const NUMERIC: ReadonlySet<ValueType> = new Set<ValueType>(["integer", "decimal", "float"]);
const NONE = '<span class="none">none</span>';

/** Compiles the table of a list of records, or of a list of values. */
export function compileTable(shape: Shape): Table {
  const { locate } = shape;
  const parts = [
    ...compileRelations(shape.toOne, locate !== undefined),
    ...shape.columns.map(compileColumn),
    ...compileRelations(shape.toMany, locate !== undefined),
  ];
  const first = locate === undefined ? "" : '<th scope="col">#</th>';
  return {
    head: `<thead><tr>${first}${parts.map((part) => part.head).join("")}</tr></thead>\n`,
    row(row, number) {
      const path = locate === undefined ? null : locate(row);
      let text = locate === undefined ? "<tr>" : `<tr>${recordCell(path, number)}`;
      for (const part of parts) text += part.cell(row, path);
      return text + "</tr>\n";
    },
  };
}

/** A line of a transposed list: the column's name, then its values. */
export function transposedRow(row: Row, type: ValueType | undefined): string {
  const [name, ...values] = row;
  const cells = values.map((value) => valueCell(value, isNumeric(type)));
  return `<tr><th scope="row">${showValue(name)}</th>${cells.join("")}</tr>\n`;
}

function compileColumn(column: ShapeColumn, index: number): Part {
  const numeric = isNumeric(column.type);
  const comment = column.comment === undefined ? "" : ` title="${escapeHtml(column.comment)}"`;
  return {
    head: `<th scope="col"${numeric ? ' class="number"' : ""}${comment}>${escapeHtml(column.name)}</th>`,
    cell: (row) => valueCell(row[index], numeric),
  };
}

/** A relation that is neither a link nor expanded has nothing to show. */
function compileRelations(relations: readonly ShapeRelation[], refers: boolean): Part[] {
  return relations
    .filter((relation) => refers || relation.expanded !== undefined)
    .map(compileRelation);
}

function compileRelation(relation: ShapeRelation): Part {
  const { name, segment, expanded } = relation;
  const head = `<th scope="col">${escapeHtml(name)}</th>`;
  if (expanded === undefined) {
    return { head, cell: (_row, path) => `<td>${referTo(path, segment, name)}</td>` };
  }
  const table = compileTable(expanded.shape);
  return { head, cell: (row) => `<td>${nestedTable(table, row[expanded.cell])}</td>` };
}

function nestedTable(table: Table, cell: Cell | undefined): string {
  if (!Array.isArray(cell) || cell.length === 0) return NONE;
  const rows: readonly Row[] = cell;
  return `<table>${table.head}<tbody>${
    rows.map((row, index) => table.row(row, index + 1)).join("")
  }</tbody></table>`;
}

function referTo(path: string | null, segment: string, name: string): string {
  return path === null ? "" : link(`${path}/${segment}.html`, name);
}

function recordCell(path: string | null, number: number): string {
  const label = String(number);
  return `<td class="number">${path === null ? label : link(`${path}.html`, label)}</td>`;
}

function valueCell(value: Cell | undefined, numeric: boolean): string {
  const right = numeric || typeof value === "number" || typeof value === "bigint";
  return (right ? '<td class="number">' : "<td>") + showValue(value) + "</td>";
}

function isNumeric(type: ValueType | undefined): boolean {
  return type !== undefined && NUMERIC.has(type);
}
