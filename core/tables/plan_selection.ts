/**
 * Plans the rows of a read and their order, from the parameters of the request. Pure.
 *
 * @module
 */

import type { NameIndex } from "@/core/base/name_index.ts";
import { badRequest, quote } from "@/core/errors.ts";
import type { Parameters } from "@/core/request/parameter_table.ts";
import type { SortKey } from "@/core/request/parameter_values.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Relation, Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Selection } from "@/core/sql/selection.ts";

/** The rows that a request asks for, and their order. Throws 400 for an order that they cannot have. */
export function selectionOf({ parameters }: ApiRequest, walk: Walk): Selection {
  const { columns, last: { table, single } } = walk;
  const distinct = parameters.distinct ?? false;
  const sort = sortPositions(parameters, table.columnNames, `table ${quote(table.name)}`, table);
  const unlisted = distinct &&
    sort.find(({ position, via }) => via !== undefined || (columns && !columns.includes(position)));
  if (unlisted) {
    throw badRequest(
      `Cannot sort distinct rows by ${quote(unlisted.column)}: it is not one of the listed columns`,
    );
  }
  const seen = new Set<string>();
  const unique = sort.filter(({ position, via }) => {
    const key = `${via?.name ?? ""}/${position}`;
    return !seen.has(key) && seen.add(key);
  });
  return { distinct, sort: unique, paged: !single };
}

/**
 * The keys of `sort` with the positions of their columns; of a `table` also those behind its relations to one
 * record, as `Country/Name`. Throws 400 for a column that the owner lacks.
 */
export function sortPositions(
  { sort = [] }: Parameters,
  columns: NameIndex<number>,
  owner: string,
  table?: Table,
): Selection["sort"] {
  return sort.map((key) => {
    const found = sortedColumn(key, columns, table);
    if (found) return { ...key, ...found };
    const why = (table && whyNotBehind(key.decoded, table)) ?? whichColumns(owner, columns);
    throw badRequest(`Cannot sort by ${quote(key.column)}: ${why}`);
  });
}

/** The column of a key of `sort`: its name counts without percent-encoding first, as pages print it. */
export function sortedColumn(
  { column, decoded }: SortKey,
  columns: NameIndex<number>,
  table?: Table,
): { readonly via?: Relation; readonly position: number } | undefined {
  const position = columns.find(decoded) ?? columns.find(column);
  if (position !== undefined) return { position };
  return table && (columnBehind(decoded, table) ?? columnBehind(column, table));
}

/** The column of the one related record that `Country/Name` names. */
function columnBehind(name: string, table: Table) {
  const [via, behind] = splitRelation(name, table);
  const position = via?.table.columnNames.find(behind);
  return via && !via.many && position !== undefined ? { via, position } : undefined;
}

/** Why a name that begins with a relation cannot be sorted by; undefined for other names. */
function whyNotBehind(name: string, table: Table): string | undefined {
  const [via, behind] = splitRelation(name, table);
  if (!via) return undefined;
  if (via.many) {
    return `a row may have several related ${quote(via.name)}, and a sort needs a relation to one record`;
  }
  const [next] = splitRelation(behind, via.table);
  if (next) return "it leads over more than one relation";
  return whichColumns(`table ${quote(via.table.name)}`, via.table.columnNames);
}

/** The relation before the first slash of a name, and the text behind it. */
function splitRelation(name: string, { relationNames }: Table): readonly [Relation | undefined, string] {
  const slash = name.indexOf("/");
  return [slash < 0 ? undefined : relationNames.find(name.slice(0, slash)), name.slice(slash + 1)];
}

function whichColumns(owner: string, { names }: NameIndex<number>): string {
  return `${owner} has the columns ${names.map(quote).join(", ")}`;
}
