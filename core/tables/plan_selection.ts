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
export function selectionOf({ parameters }: ApiRequest, { columns: listed, last }: Walk): Selection {
  const { table, single } = last;
  const owner = `table ${quote(table.name)}`;
  const sort = sortPositions(parameters, { columns: table.columnNames, owner, table, listed });
  return { distinct: parameters.distinct ?? false, sort, paged: !single };
}

interface Sortable {
  readonly columns: NameIndex<number>;
  /** Who has the columns, in a message. */
  readonly owner: string;
  /** Its relations to one record may be sorted by, too. Absent for results of queries. */
  readonly table?: Table;
  /** Absent: all columns. */
  readonly listed?: readonly number[] | undefined;
}

/**
 * The keys of `sort` with the positions of their columns, each column once; of a `table` also those behind
 * its relations to one record, as `Country/Name`. Throws 400 for a column that the owner lacks, and of
 * distinct rows for one that is not listed.
 */
export function sortPositions(
  { sort = [], distinct = false }: Parameters,
  { columns, owner, table, listed }: Sortable,
): Selection["sort"] {
  const seen = new Set<string>();
  return sort.flatMap((key) => {
    const found = sortedColumn(key, columns, table);
    if (!found) {
      const why = (table && whyNotBehind(key.decoded, table)) ?? whichColumns(owner, columns);
      throw badRequest(`Cannot sort by ${quote(key.column)}: ${why}`);
    }
    const { via, position } = found;
    if (distinct && (via || listed?.includes(position) === false)) {
      throw badRequest(
        `Cannot sort distinct rows by ${quote(key.column)}: it is not one of the listed columns`,
      );
    }
    const column = `${via?.name ?? ""}/${position}`;
    if (seen.has(column)) return [];
    seen.add(column);
    return [{ ...key, ...found }];
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

/** The relation at the beginning of a name, before a slash, and the text behind it. */
function splitRelation(name: string, { relationNames }: Table): readonly [Relation | undefined, string] {
  for (let slash = name.indexOf("/"); slash >= 0; slash = name.indexOf("/", slash + 1)) {
    const via = relationNames.find(name.slice(0, slash));
    if (via) return [via, name.slice(slash + 1)];
  }
  return [undefined, name];
}

function whichColumns(owner: string, { names }: NameIndex<number>): string {
  return `${owner} has the columns ${names.map(quote).join(", ")}`;
}
