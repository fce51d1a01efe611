/**
 * What the page of a list reads beyond the answer itself: the key of each record, so that it has a link even if its
 * columns are chosen, and the label of the record behind each foreign key. Pure.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Relation } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import { allPositions } from "@/core/sql/statement.ts";
import { type Expansion, formOf, locator, shapeOf, type ShapePlace } from "./answer_shape.ts";
import type { RelationLabel, Shape, ShapeRelation } from "@/plugins/contract.ts";

/** Pages count no further: counting every row of a large table takes longer than reading a page of it. */
export const MOST_COUNTED = 100_000;

/** The read of a page. */
export interface PageRead {
  /** The walk with the columns to read. */
  readonly walk: Walk;
  readonly shape: Shape;
  /** One for each label. */
  readonly expansions: readonly Expansion[];
}

/** Whether the answer is a list for people, without related records inside. */
export function isPageOfList({ parameters, format }: ApiRequest, walk: Walk, stream: boolean): boolean {
  const form = formOf(walk, parameters);
  return format.format.paged === true && !stream && !walk.last.single && (parameters.depth ?? 0) === 0 &&
    (form === "records" || form === "values");
}

/** Distinct rows are no records: they have neither links nor labels. */
export function pageRead(
  walk: Walk,
  distinct: boolean,
  form: Shape["form"],
  place: ShapePlace,
): PageRead {
  const { table } = walk.last;
  const shape = shapeOf(walk, form, place, []);
  if (distinct && walk.columns) return { walk, shape, expansions: [] };
  const listed = walk.columns ?? allPositions(table);
  const read = [...listed, ...table.primaryKey.filter((position) => !listed.includes(position))];
  const cellOf = (position: number) => read.indexOf(position);
  const labelled = table.toOne.filter(({ local }) => local.every((position) => listed.includes(position)));
  const expansions = labelled.map((relation, index): Expansion => {
    const columns = narrowed(relation);
    return {
      relation,
      chain: [relation],
      cell: read.length + index,
      local: relation.local.map(cellOf),
      foreign: relation.foreign.map((position) => columns.indexOf(position)),
      columns,
      children: [],
    };
  });
  const toOne = labelled.map(({ name, segment, many }, index): ShapeRelation => {
    return { name, segment, many, ...defined({ label: labelOf(expansions[index], place) }) };
  });
  const hasKey = table.primaryKey.length > 0;
  const locate = hasKey ? locator(table, place, table.primaryKey.map(cellOf)) : undefined;
  return {
    walk: walk.columns ? { ...walk, columns: read } : walk,
    shape: { ...shape, toOne, ...defined({ locate }) },
    expansions,
  };
}

/** The columns of a related record that its label needs: the foreign key, its own key and its texts. */
function narrowed({ table, foreign }: Relation): readonly number[] {
  return [...new Set([...foreign, ...table.primaryKey, ...table.label])];
}

function labelOf(
  expansion: Expansion | undefined,
  place: ShapePlace,
): RelationLabel | undefined {
  if (!expansion) return undefined;
  const { cell, columns = [], local, relation: { table } } = expansion;
  const at = (position: number) => columns.indexOf(position);
  return {
    column: local.at(-1) ?? 0,
    cell,
    texts: table.label.map(at),
    locate: locator(table, place, table.primaryKey.map(at)),
  };
}
