/**
 * Rows of any engine as lines of literals, as SQLite writes its own: `1, 'Rope', NULL`.
 *
 * @module
 */

import type { Rows } from "./connection.ts";
import type { DatabaseFixture } from "./definition.ts";
import { type Kind, kindOf } from "./engine.ts";

/** Line breaks are shown as signs, so that a row stays a line. */
export function quoteLine(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll("\n", "␊").replaceAll("\r", "␍")}'`;
}

/** A real as SQLite writes it: never like an integer. */
export function realText(value: number): string {
  return String(value).replace(/^-?\d+$/, "$&.0");
}

/** The kinds of the definition's columns, by name. */
export function kindsOf({ tables }: DatabaseFixture): ReadonlyMap<string, Kind> {
  return new Map(
    tables.flatMap(({ columns }) => columns.map((column) => [column.name, kindOf(column)] as const)),
  );
}

/** A column that is none of the definition is counted or measured. */
export function linesOf({ columns, rows }: Rows, kinds: ReadonlyMap<string, Kind>): readonly string[] {
  const list = columns.map((name) => kinds.get(name) ?? "integer");
  return rows.map((row) => row.map((cell, at) => literal(cell, list[at] ?? "integer")).join(", "));
}

function literal(cell: string | Uint8Array | null, kind: Kind): string {
  if (cell === null) return "NULL";
  if (cell instanceof Uint8Array) return `x'${cell.toHex()}'`;
  switch (kind) {
    case "integer":
      return cell;
    case "boolean":
      return /^(t|true|1)$/.test(cell) ? "1" : "0";
    case "decimal":
      return cell.replace(/\.?0+$/, (zeros) => cell.includes(".") ? "" : zeros);
    case "float":
      return realText(Number(cell));
    case "datetime":
    case "time":
      return quoteLine(cell.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));
    default:
      return quoteLine(cell);
  }
}
