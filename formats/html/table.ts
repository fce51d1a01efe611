/**
 * Records as tables; related records as nested tables.
 *
 * @module
 */

import type { Cell, Pieces, Row, Shape, ShapeColumn, ShapeRelation, ValueType } from "@/plugins/contract.ts";
import { escapeHtml, link, showValue } from "./text.ts";

/** The table of a shape: its header row, and its rows, numbered for their links. */
export interface Table {
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
  const head = `<thead><tr>${first}${parts.map((part) => part.head).join("")}</tr></thead>\n`;
  const pathOf = (row: Row) => locate === undefined ? null : locate(row);
  const open = (path: string | null, number: number) =>
    locate === undefined ? "<tr>" : `<tr>${recordCell(path, number)}`;
  const plain = parts.filter((part) => "cell" in part);
  if (plain.length < parts.length) {
    return {
      head,
      row(row, number) {
        const path = pathOf(row);
        return writePieces(row, { start: open(path, number), parts, path });
      },
    };
  }
  return {
    head,
    row(row, number) {
      const path = pathOf(row);
      let text = open(path, number);
      for (const part of plain) text += part.cell(row, path);
      return text + "</tr>\n";
    },
  };
}

function* writePieces(
  row: Row,
  { start, parts, path }: {
    readonly start: string;
    readonly parts: readonly (Part | Nested)[];
    readonly path: string | null;
  },
): Pieces {
  yield start;
  for (const part of parts) {
    if ("pieces" in part) yield* part.pieces(row);
    else yield part.cell(row, path);
  }
  yield "</tr>\n";
}

/** A row of a transposed list: the column's name, then its values. */
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

/** A relation without link and without records is not shown. */
function compileRelations(relations: readonly ShapeRelation[], refers: boolean): (Part | Nested)[] {
  return relations
    .filter((relation) => refers || relation.expanded !== undefined)
    .map(compileRelation);
}

function compileRelation(relation: ShapeRelation): Part | Nested {
  const { name, segment, expanded, nullableKey = [] } = relation;
  const head = `<th scope="col">${escapeHtml(name)}</th>`;
  if (expanded === undefined) {
    return {
      head,
      cell: (row, path) => {
        const isNull = nullableKey.some((cell) => row[cell] === null);
        return `<td>${isNull ? NONE : referTo(path, segment, name)}</td>`;
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
