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
    const names = columns.names.map(quote).join(", ");
    throw badRequest(`Cannot sort by ${quote(key.column)}: ${owner} has the columns ${names}`);
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
function columnBehind(name: string, { relationNames }: Table) {
  const slash = name.indexOf("/");
  const via = slash < 0 ? undefined : relationNames.find(name.slice(0, slash));
  const position = via?.table.columnNames.find(name.slice(slash + 1));
  return via && !via.many && position !== undefined ? { via, position } : undefined;
}
