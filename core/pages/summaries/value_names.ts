/**
 * Names of a foreign key's values in summaries: people know a port as `Bergen (1)`, not as 1.
 *
 * @module
 */

import type { Value } from "@/core/model.ts";
import { optionOf } from "@/core/pages/records/choice_field.ts";
import { ownRead } from "@/core/pages/records/plain_read.ts";
import { printValue } from "@/core/request/print_path.ts";
import { readLexical } from "@/core/request/read_value.ts";
import { columnAt, columnSegment } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import { inOrder, type ValueNames } from "@/core/summaries/chart_model.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import { readRows } from "@/core/tables/execute_read.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import type { StreamOptions, Summary } from "@/plugins/contract.ts";

/** Largest number of values that get a name: those of a chart and the most frequent ones. */
const MOST_NAMED = 100;

/** The part of a summary with values. */
type Named = Pick<Summary, "groups"> & { readonly column: Pick<Summary["column"], "frequent"> };

/** Reads the names of a summary's values. */
export type NameReader = (summary: Named, options: StreamOptions) => Promise<ValueNames>;

/** Plans the names of a column's values; undefined for a column that leads to no records with a label. */
export function planNames({ last }: Walk, position: number, input: DataRequest): NameReader | undefined {
  const relation = last.table.toOne.find(({ local: [first, ...others], table }) => {
    return first === position && others.length === 0 && table.label.length > 0;
  });
  const [foreign] = relation?.foreign ?? [];
  if (!relation || foreign === undefined) return undefined;
  const { table } = relation;
  const key = columnAt(table, foreign);
  const column = columnSegment(key.name, table, input.service.links);
  const { special } = input.connection.database.sql;
  const plan = (values: readonly string[]): ReadPlan => {
    const texts = values.map((value) => printValue(value, input.service.links));
    // The path has the first key twice: with one key it would lead to a record, which must exist.
    return ownRead([table.segment, column, [texts[0], ...texts].join(",")], input, { limit: values.length });
  };
  return async (summary, options) => {
    // SQLite stores any text as a number: it is the key of no record.
    const values = valuesOf(summary).filter((value) => readLexical(value, key, special) !== undefined);
    if (values.length === 0) return new Map();
    const rows = await readRows(plan(values), options);
    return new Map(
      rows.flatMap((row) => optionOf(row, table, [foreign])).map(({ value, label }) => [value, label]),
    );
  };
}

/** Those of the chart in its order: bars show the first ones. An empty text cannot be in a list of values. */
function valuesOf({ column: { frequent }, groups }: Named): readonly string[] {
  const keys: readonly Value[] = [
    ...frequent.map(({ value }) => value),
    ...(groups?.by === "value" ? inOrder(groups).map(({ key }) => key) : []),
  ];
  const texts = keys.filter((key) => key !== null && !(key instanceof Uint8Array)).map(String);
  return [...new Set(texts.filter((text) => text !== ""))].slice(0, MOST_NAMED);
}
