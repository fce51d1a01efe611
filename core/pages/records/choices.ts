/**
 * Stage 3 of the choice of related records in forms: the reads of the records that a foreign key may lead to.
 *
 * @module
 */

import type { FormState } from "@/core/request/form_fields.ts";
import { searchWalk } from "@/core/schema/search_walk.ts";
import { columnAt, type Relation } from "@/core/schema/table.ts";
import { isExact, type Walk } from "@/core/schema/walk_path.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import { MOST_OFFERED, textOf } from "./choice_field.ts";
import { CHOSEN } from "./chosen_key.ts";
import { plainRead, walkedRead } from "./plain_read.ts";

/**
 * Characters of a search. A megabyte of text would keep the service busy for
 * seconds until it is part of a statement.
 */
const LONGEST_SEARCH = 200;

/** The records that a foreign key may lead to. */
export interface Choice {
  readonly relation: Relation;
  /** The columns that it fills, in the order of the key, without those whose value the path gives. */
  readonly columns: readonly number[];
  /** The columns of the related records with these values. */
  readonly foreign: readonly number[];
  /** The name of its field. */
  readonly field: string;
  /** Complaints and searches name the column, or the relation if there are several. */
  readonly name: string;
  /** Absent: no record fits what was searched. */
  readonly rows?: ReadPlan;
  /** The record that it leads to now. */
  readonly current?: ReadPlan;
  /** The text that was searched. */
  readonly wanted?: string;
}

/** A form about a record. */
interface Asked {
  readonly walk: Walk;
  /** The columns whose values the path gives. */
  readonly supplied: ReadonlySet<number>;
  readonly typed: FormState | undefined;
  /** The record exists already. */
  readonly hasRecord: boolean;
}

/** The choices of every foreign key. */
export function choicesOf(asked: Asked, input: DataRequest): readonly Choice[] {
  return asked.walk.last.table.toOne.flatMap((relation) => choiceOf(relation, asked, input) ?? []);
}

function choiceOf(
  relation: Relation,
  { walk, supplied, typed, hasRecord }: Asked,
  input: DataRequest,
): Choice | undefined {
  const { table } = walk.last;
  const open = relation.local.flatMap((column, index) => {
    return supplied.has(column) ? [] : [{ column, foreign: relation.foreign[index] ?? -1 }];
  });
  const columns = open.map(({ column }) => column);
  const fixed = fixedValues(relation, walk, supplied);
  const isComputed = columns.some((column) => columnAt(table, column).generated);
  if (columns.length === 0 || isComputed || !fixed) return undefined;
  const name = columns.length === 1 ? columnAt(table, columns[0] ?? -1).name : relation.name;
  const field = `${columns.length === 1 ? "c" : CHOSEN}.${name}`;
  const text = typed?.values.get(field)?.[0] ?? "";
  const asked = typed?.values.get("ui.search")?.[0];
  // People may have sent a name instead of the key; that of several columns has a label again.
  const isBack = columns.length === 1 ? typed?.complaints.has(name) : asked === undefined;
  const isSearched = asked === name || (text !== "" && isBack === true);
  const wanted = isSearched ? text.slice(0, LONGEST_SEARCH) : "";
  const found = searchWalk(relation.table, {
    text: wanted,
    columns: [...relation.table.label, ...relation.foreign],
    fixed,
  }, { links: input.service.links, traits: input.connection.database.sql });
  return {
    relation,
    columns,
    foreign: open.map(({ foreign }) => foreign),
    field,
    name,
    ...(found ? { rows: walkedRead(found, input, { limit: MOST_OFFERED + 1 }) } : {}),
    ...(hasRecord ? { current: plainRead([...input.segments, relation.segment], input) } : {}),
    ...(isSearched ? { wanted } : {}),
  };
}

/**
 * The values of the relation's columns that the path gives to a new record: only such records are offered.
 * Undefined if the path does not have them itself.
 */
function fixedValues(
  { local, foreign }: Relation,
  { last, steps, plain }: Walk,
  supplied: ReadonlySet<number>,
): readonly { readonly column: number; readonly text: string }[] | undefined {
  const values: { readonly column: number; readonly text: string }[] = [];
  for (const [index, column] of local.entries()) {
    if (!supplied.has(column)) continue;
    const given = last.via?.local[last.via.foreign.indexOf(column)];
    const filter = last.filters.find((each) => each.column === column && isExact(each)) ??
      steps.at(-2)?.filters.find((each) => each.column === given && isExact(each));
    const [condition] = filter?.conditions ?? [];
    const value = condition?.kind === "in" ? plain[condition.slots[0] ?? -1] : undefined;
    if (value === undefined || value === null) return undefined;
    values.push({ column: foreign[index] ?? -1, text: textOf(value) });
  }
  return values;
}
