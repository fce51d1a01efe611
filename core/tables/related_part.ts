/**
 * The first related records on the page of a record: a few of their columns, with
 * labels behind foreign keys. Pure.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { Column } from "@/core/catalog.ts";
import { columnAt, type Relation, type Table } from "@/core/schema/table.ts";
import type { RelationLabel, RelationSome } from "@/plugins/contract.ts";
import { type Expansion, locator, type ShapePlace } from "./answer_shape.ts";

/** Related records of each relation. */
export const MOST_RELATED = 5;
/** They are counted up to this number. */
const MOST_COUNTED = 100;
/** Columns of a related record. */
const MOST_COLUMNS = 6;
/** Statements for labels behind the foreign keys of related records, on one page. */
const MOST_LABELS = 12;
/** A column that may hold longer texts is not shown, unless it leads to a record. */
const LONGEST = 255;

/** The rest of {@link MOST_LABELS}. */
interface LabelBudget {
  left: number;
}

/** A budget for one page. */
export function labelBudget(): LabelBudget {
  return { left: MOST_LABELS };
}

/** The read of the first records of a to-many relation; `cell` is where the record gets them. */
export function firstRelated(
  relation: Relation,
  { read, cell, budget }: {
    /** The columns of the record. */
    readonly read: readonly number[];
    readonly cell: number;
    readonly budget: LabelBudget;
  },
): Expansion {
  const { table, foreign } = relation;
  const shown = shownColumns(relation);
  const columns = [...new Set([...foreign, ...table.primaryKey, ...shown])];
  const labelled = labelledBy(relation, shown).slice(0, budget.left);
  budget.left -= labelled.length;
  return {
    ...partOf(relation, columns, { read, cell }),
    most: MOST_COUNTED + 1,
    children: labelled.map((each, index) => ({
      ...labelRead(each, columns, columns.length + index),
      chain: [relation, each],
      isLate: true as const,
    })),
  };
}

/** The read of a label. */
export interface LabelRead extends Expansion {
  readonly columns: readonly number[];
}

/** The read of the label behind a foreign key: of the foreign key, the own key and the texts. */
export function labelRead(relation: Relation, read: readonly number[], cell: number): LabelRead {
  const { table, foreign } = relation;
  return partOf(relation, [...new Set([...foreign, ...table.primaryKey, ...table.label])], { read, cell });
}

/** The read of some columns of related records. */
export function partOf(
  relation: Relation,
  columns: readonly number[],
  { read, cell }: { readonly read: readonly number[]; readonly cell: number },
): LabelRead {
  const { local, foreign } = relation;
  return {
    relation,
    chain: [relation],
    cell,
    local: local.map((position) => read.indexOf(position)),
    foreign: foreign.map((position) => columns.indexOf(position)),
    columns,
    children: [],
  };
}

/** The records of {@link firstRelated} as a format sees them. */
export function someOf(expansion: Expansion, place: ShapePlace): RelationSome {
  const { columns = [], children, relation } = expansion;
  return {
    most: MOST_RELATED,
    countedUpTo: MOST_COUNTED,
    ...textsOf(expansion, place),
    columns: shownColumns(relation).map((position) => {
      const { name, type } = columnAt(relation.table, position);
      const child = children.find(({ relation: { local } }) => local[0] === position);
      const label = child && textsOf(child, place);
      return { name, type, cell: columns.indexOf(position), ...defined({ label }) };
    }),
  };
}

/** The texts of the label of an expansion's rows, or their key, and the way to their record. */
export function textsOf(
  { cell, columns = [], relation: { table } }: Expansion,
  place: ShapePlace,
): Omit<RelationLabel, "column"> {
  const at = (position: number) => columns.indexOf(position);
  const key = table.primaryKey.map(at);
  const texts = table.label.length > 0 ? table.label.map(at) : key;
  return { cell, texts, locate: locator(table, place, key) };
}

/** The key and the label, and others as far as there is room; not those that lead back. */
function shownColumns({ table, foreign }: Relation): readonly number[] {
  const leading = new Set(table.toOne.flatMap(({ local }) => local));
  const others = table.columns.flatMap((column, position) => {
    return isShort(column) || leading.has(position) ? [position] : [];
  });
  const wanted = [...table.primaryKey, ...table.label, ...others].filter((each) => !foreign.includes(each));
  if (wanted.length === 0) return foreign;
  return [...new Set(wanted)].slice(0, MOST_COLUMNS).toSorted((a, b) => a - b);
}

const SHORT: ReadonlySet<Column["type"]> = new Set([
  "integer",
  "decimal",
  "float",
  "boolean",
  "date",
  "datetime",
  "time",
]);

function isShort({ type, maxLength = Infinity }: Column): boolean {
  return SHORT.has(type) || (type === "text" && maxLength <= LONGEST);
}

/** Types whose values are bound as they were read. */
const BINDABLE: ReadonlySet<Column["type"]> = new Set(["integer", "text"]);

function labelledBy({ table }: Relation, shown: readonly number[]): Table["toOne"] {
  return table.toOne.filter(({ local: [first = -1, ...others], table: { label } }) => {
    const isBindable = BINDABLE.has(columnAt(table, Math.max(first, 0)).type);
    return others.length === 0 && shown.includes(first) && isBindable && label.length > 0;
  });
}
