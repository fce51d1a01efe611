/**
 * The title of a relation on pages: the name of its table, with the columns of the foreign key if several
 * relations lead to the table. Pure.
 *
 * @module
 */

import type { Relation, Table } from "./table.ts";

/** `Route`, or `Route by DestinationPortId`. `owner`: the table whose relation it is. */
export function relationTitle(relation: Relation, owner: Table): string {
  const { table, many, local, foreign } = relation;
  const others = [...owner.toOne, ...owner.toMany].filter((each) => each.table === table);
  if (others.length < 2) return table.name;
  const columns = many
    ? foreign.map((position) => table.columns[position]?.name)
    : local.map((position) => owner.columns[position]?.name);
  return `${table.name} by ${columns.join(", ")}`;
}
