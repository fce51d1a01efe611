/**
 * The cells that the page of a list reads beyond the answer itself: the key of each record, so that it has a
 * link even if its columns are chosen, and the label of the record behind each foreign key. Pure.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import { allPositions, type Relation, relationTitle, type Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Cut, WalkStatements } from "@/core/sql/walk_statements.ts";
import type { RelationLabel, Shape, ShapeRelation } from "@/plugins/contract.ts";
import { type Expansion, formOf, locator, shapeOf, type ShapePlace } from "./answer_shape.ts";
import { joinedLabels } from "./joined_labels.ts";
import {
  firstRelated,
  labelBudget,
  type LabelRead,
  labelRead,
  partOf,
  someOf,
  textsOf,
} from "./related_part.ts";

/** Pages count no further: counting every row of a large table takes longer than reading a page of it. */
export const MOST_COUNTED = 100_000;

/** Characters or bytes of a value that a page reads: a list shows 300, a record 5,000, and small pictures. */
const LONGEST_CELL = 1000;
const LONGEST_VALUE = 2 ** 18;

/** The facts about a request that its page depends on. */
interface PageReadInput {
  readonly distinct: boolean;
  readonly form: Shape["form"];
  readonly place: ShapePlace;
  /** See {@link asksCounts}. */
  readonly counts: boolean;
  readonly statements: Pick<WalkStatements, "cuttable">;
}

interface PageRead {
  /** The walk with the columns to read. */
  readonly walk: Walk;
  readonly shape: Shape;
  readonly cut: Cut;
  /** Labels that are read with the rows. */
  readonly joined: readonly LabelRead[];
  /** One for each other label. */
  readonly expansions: readonly Expansion[];
}

/** Whether the answer is a list or a record for people, without related records inside. */
export function isPage({ parameters, format }: ApiRequest, walk: Walk, stream: boolean): boolean {
  const form = formOf(walk, parameters);
  if (format.format.paged !== true || stream || (parameters.depth ?? 0) > 0) return false;
  return walk.last.single ? form === "record" && !walk.columns : form === "records" || form === "values";
}

/** Related records of a page's records are counted up to this number for each relation. */
const MOST_COUNTED_RELATED = 100_000;
/** Relations whose records the page of a list counts: as many as it shows. */
const MOST_COUNTED_RELATIONS = 20;

/**
 * Whether the page of a list has the numbers of related records: they cost one statement for each relation.
 */
export function asksCounts({ query }: ApiRequest): boolean {
  return uiValues(query).has("counts");
}

/** Distinct rows are no records: they have neither links nor labels. */
export function pageRead(
  walk: Walk,
  { distinct, form, place, counts, statements }: PageReadInput,
): PageRead {
  const { table, single } = walk.last;
  const listed = walk.columns ?? allPositions(table);
  const most = single ? LONGEST_VALUE : LONGEST_CELL;
  const plain = listed.filter((position) => !isLeading(position, table));
  const cut = { columns: statements.cuttable(table, plain, most), most };
  const isRecords = !distinct || !walk.columns;
  const keys = isRecords ? table.primaryKey.filter((position) => !listed.includes(position)) : [];
  const read = [...listed, ...keys];
  const shape = withLengths(shapeOf(walk, form, place, []), listed, { cut: cut.columns, cell: read.length });
  if (!isRecords) return { walk, shape, cut, joined: [], expansions: [] };
  const labelled = table.toOne.filter(({ local }) => local.every((position) => listed.includes(position)));
  const joined = distinct ? [] : joinedLabels(labelled, table, read, read.length + cut.columns.length);
  const apart = labelled.filter((each) => !joined.some(({ relation }) => relation === each));
  const counted = counts && !walk.columns ? table.toMany.slice(0, MOST_COUNTED_RELATIONS) : [];
  const many = single ? table.toMany : counted;
  const budget = labelBudget();
  const width = joined.reduce((sum, { columns }) => sum + columns.length, read.length + cut.columns.length);
  const expansions = [...apart, ...many].map((relation, index) => {
    const cell = width + index;
    if (!relation.many) return labelRead(relation, read, cell);
    return single ? firstRelated(relation, { read, cell, budget }) : numbered(relation, read, cell);
  });
  const key = table.primaryKey.map((position) => read.indexOf(position));
  return {
    walk: walk.columns ? { ...walk, columns: read } : walk,
    shape: {
      ...shape,
      ...relationsOf(walk, { labelled, read: [...joined, ...expansions] }, place),
      label: table.label.map((position) => listed.indexOf(position)).filter((index) => index >= 0),
      ...(key.length > 0 ? { locate: locator(table, place, key) } : {}),
    },
    cut,
    joined,
    expansions,
  };
}

/** Whether the values of a column lead to records, so that pages need them whole. */
function isLeading(position: number, { primaryKey, toOne, toMany }: Table): boolean {
  return primaryKey.includes(position) || [...toOne, ...toMany].some(({ local }) => local.includes(position));
}

/** `cell`: that of the first length. */
function withLengths(
  shape: Shape,
  listed: readonly number[],
  { cut, cell }: { readonly cut: readonly number[]; readonly cell: number },
): Shape {
  const columns = shape.columns.map((column, index) => {
    const place = cut.indexOf(listed[index] ?? -1);
    return place < 0 ? column : { ...column, length: cell + place };
  });
  return { ...shape, columns };
}

/** The relations of a page. Those of a list of columns are the ones with a label, `labelled`. */
function relationsOf(
  { last: { table, single }, columns }: Walk,
  { labelled, read }: { readonly labelled: readonly Relation[]; readonly read: readonly Expansion[] },
  place: ShapePlace,
): Pick<Shape, "toOne" | "toMany"> {
  const readOf = new Map(read.map((expansion) => [expansion.relation, expansion]));
  const relation = (each: Relation) => {
    const { name, segment, many } = each;
    return { name, segment, many, title: relationTitle(each, table) };
  };
  const toOne = labelled.map((each): ShapeRelation => {
    return { ...relation(each), ...defined({ label: labelOf(readOf.get(each), place) }) };
  });
  const toMany = (columns ? [] : table.toMany).map((each): ShapeRelation => {
    const expansion = readOf.get(each);
    if (!single) return { ...relation(each), ...defined({ count: expansion?.cell }) };
    return { ...relation(each), ...defined({ some: expansion && someOf(expansion, place) }) };
  });
  return { toOne, toMany };
}

/** The number of related records, which are told apart by their foreign key. */
function numbered(relation: Relation, read: readonly number[], cell: number): Expansion {
  return { ...partOf(relation, relation.foreign, { read, cell }), countedUpTo: MOST_COUNTED_RELATED };
}

function labelOf(expansion: Expansion | undefined, place: ShapePlace): RelationLabel | undefined {
  if (!expansion) return undefined;
  const order = orderBehind(expansion.relation);
  return { column: expansion.local.at(-1) ?? 0, ...textsOf(expansion, place), ...defined({ order }) };
}

/** The parameter `sort` for the first text of the label. */
function orderBehind({ name, table }: Relation): string | undefined {
  const column = table.columns[table.label[0] ?? -1]?.name;
  return column === undefined ? undefined : `${name}/${column}`;
}
