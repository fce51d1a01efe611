/**
 * Runs the summary of a list of records. All numbers of an answer come from one transaction. Where ranges or
 * periods have to be chosen first, an earlier read finds the smallest and the largest value; the outermost
 * ranges have no end, so a change in between leaves no row uncounted.
 *
 * @module
 */

import { startDeadline } from "@/core/base/in_time.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { Column } from "@/core/catalog.ts";
import { repeatOnce } from "@/core/database/explain_failure.ts";
import type { Row } from "@/core/model.ts";
import { readLexical } from "@/core/request/read_value.ts";
import { columnAt } from "@/core/schema/table.ts";
import { PathSql } from "@/core/sql/path_sql.ts";
import { bindEach, type Statement } from "@/core/sql/statement.ts";
import { type Grouped, type GroupKey, SummaryStatements } from "@/core/sql/summary_statements.ts";
import type { KeptStatement } from "@/core/tables/kept_statement.ts";
import type { ColumnSummary, ReadOptions, Run, Summary } from "@/plugins/contract.ts";
import type { SummaryPlan } from "./plan_summary.ts";
import { isComparable, isDated, isNumeric, PERIODS } from "./ranges.ts";
import {
  chooseGrouping,
  type Chosen,
  type ColumnFacts,
  columnSummary,
  type CountedGroup,
  frequentValues,
  MOST_FREQUENT,
  MOST_GROUPS,
  MOST_POINTS,
  summaryGroups,
  summaryPoints,
  TOO_LONG,
  valueOf,
} from "./summary_parts.ts";

/** Throws 504 after five seconds, and explained failures of the database. */
export function executeSummary(plan: SummaryPlan, options: SummaryOptions): Promise<Summary> {
  return withinTime(plan, options, (read) => summarize(plan, read));
}

/** Like {@link executeSummary}, but only the most frequent values of the column, by one statement. */
export function readFrequent(plan: SummaryPlan, options: SummaryOptions): Promise<ColumnSummary["frequent"]> {
  return withinTime(plan, options, async (read) => {
    const { question: { column: position }, source: { walk: { last: { table } } } } = plan;
    const batch = new Batch(plan);
    const frequent = askFrequent(batch, position);
    await batch.read(read);
    return frequentValues(columnAt(table, position), frequent());
  });
}

/** `milliseconds`: default 5,000. */
interface SummaryOptions extends ReadOptions {
  readonly milliseconds?: number;
}

async function withinTime<T>(
  plan: SummaryPlan,
  options: SummaryOptions,
  work: (read: ReadOptions) => Promise<T>,
): Promise<T> {
  const { signal, requestId, turn, milliseconds } = options;
  using deadline = startDeadline(signal, TOO_LONG, milliseconds);
  using _lease = plan.managed.lease(plan.database);
  try {
    return await repeatOnce(() => work({ signal: deadline.signal, requestId, turn }), plan);
  } catch (error) {
    return deadline.rethrow(error);
  }
}

async function summarize(plan: SummaryPlan, read: ReadOptions): Promise<Summary> {
  const { question, source: { walk: { last: { table: { columns } } } } } = plan;
  const { column: position, by, points } = question;
  const column = columnAt({ columns }, position);
  const chosen = by === undefined ? undefined : await choose(plan, by, read);
  const batch = new Batch(plan);
  const facts = askFacts(batch, position, column);
  const groups = chosen && askGroups(batch, chosen);
  const found = points === undefined ? undefined : batch.add(`points ${points}`, (statements) => {
    return statements.points(plan.source, [position, points], MOST_POINTS + 1);
  });
  await batch.read(read);
  return {
    column: columnSummary(column, facts()),
    ...(chosen && groups ? { groups: summaryGroups(groups(), chosen, question, columns) } : {}),
    ...(found && points !== undefined
      ? {
        points: summaryPoints(
          found().map((row) => [valueOf(row[0]), valueOf(row[1])]),
          column,
          columnAt({ columns }, points),
        ),
      }
      : {}),
  };
}

/** Statements that are read in one transaction. The functions give their rows afterwards. */
class Batch {
  readonly plan: SummaryPlan;
  readonly #runs: Run[] = [];
  #results: readonly (readonly Row[])[] = [];

  constructor(plan: SummaryPlan) {
    this.plan = plan;
  }

  /**
   * `key`: equal for statements that differ only in values. `values`: those of the slots behind the walk's.
   */
  add(
    key: string,
    build: (statements: SummaryStatements) => Statement,
    values: readonly unknown[] = [],
  ): () => readonly Row[] {
    const { walk } = this.plan.source;
    const { prepared, slots } = keepStatement(this.plan, `${this.plan.question.column} ${key}`, build);
    const bound = [...walk.values, ...values];
    const index = this.#runs.push({ prepared, parameters: bindEach(slots, (slot) => bound[slot]) }) - 1;
    return () => this.#results[index] ?? [];
  }

  async read(options: ReadOptions): Promise<void> {
    this.#results = await this.plan.database.read(this.#runs, options);
  }
}

const createKept = () => new WeightedCache<KeptStatement & { readonly length: number }>();

/** Prepared once for each view, like those of reads. */
function keepStatement(
  { view, source: { walk, distinct }, database }: SummaryPlan,
  key: string,
  build: (statements: SummaryStatements) => Statement,
): KeptStatement {
  const make = () => {
    const statement = build(new SummaryStatements(new PathSql(database.sql)));
    return { prepared: database.prepare(statement), slots: statement.slots, length: statement.sql.length };
  };
  const kept = view.memo(createKept);
  return kept.getOrMake(`${distinct} ${key}\n${walk.key}`, make, ({ length }) => length);
}

/** Numbers and times have a smallest value by MIN; MIN lacks some types that the engines compare as text. */
function hasMin({ type }: Column): boolean {
  return isNumeric(type) || isDated(type) || type === "time";
}

function askFacts(batch: Batch, position: number, column: Column): () => ColumnFacts {
  const { plan: { source } } = batch;
  const parts = { distinct: isComparable(column.type), ends: hasMin(column), sum: isNumeric(column.type) };
  const facts = batch.add("facts", (statements) => statements.facts(source, position, parts));
  const isOrdered = column.type === "text" || column.type === "any";
  const [least, greatest] = [false, true].map((descending) =>
    isOrdered
      ? batch.add(`end ${descending}`, (statements) => statements.end(source, position, descending))
      : undefined
  );
  const frequent = parts.distinct ? askFrequent(batch, position) : undefined;
  return () => {
    const cells = (facts()[0] ?? []).map(valueOf);
    const [rows, values] = cells.splice(0, 2).map(Number);
    const [distinct] = cells.splice(0, parts.distinct ? 1 : 0).map(Number);
    const own = cells.splice(0, parts.ends ? 2 : 0);
    const ends = least && greatest ? [least, greatest].map((end) => valueOf(end()[0]?.[0])) : own;
    return {
      rows: rows ?? 0,
      values: values ?? 0,
      ...(distinct === undefined ? {} : { distinct }),
      ends: [ends[0] ?? null, ends[1] ?? null],
      ...(parts.sum ? { sum: cells[0] ?? null } : {}),
      frequent: frequent?.() ?? [],
    };
  };
}

function askFrequent(batch: Batch, position: number): () => ColumnFacts["frequent"] {
  const key = { kind: "value" } as const;
  const grouped = { column: position, key, largest: "count" as const, most: MOST_FREQUENT };
  const rows = batch.add("frequent", (statements) => statements.groups(batch.plan.source, grouped));
  return () => rows().map((row) => [valueOf(row[0]), Number(row[1])]);
}

/** Reads the ends of the column where the grouping depends on them. */
async function choose(
  plan: SummaryPlan,
  by: NonNullable<SummaryPlan["question"]["by"]>,
  read: ReadOptions,
): Promise<Chosen> {
  const { question: { column: position }, source } = plan;
  const column = columnAt(source.walk.last.table, position);
  const isOpen = by === "range" || (by === "auto" && hasMin(column) && column.type !== "time");
  if (!isOpen) return chooseGrouping(by, column, [null, null]);
  const batch = new Batch(plan);
  const parts = { distinct: false, ends: true, sum: false };
  const bounds = batch.add("bounds", (statements) => statements.facts(source, position, parts));
  await batch.read(read);
  return chooseGrouping(by, column, [valueOf(bounds()[0]?.[2]), valueOf(bounds()[0]?.[3])]);
}

const SQL_TOTALS = { sum: "sum", mean: "sum", least: "min", greatest: "max" } as const;
/** Charts have the groups with the largest totals. */
const ORDERS = { ...SQL_TOTALS, mean: "avg" } as const;

function askGroups(batch: Batch, { by, edges }: Chosen): () => readonly CountedGroup[] {
  const { plan: { question: { column: position, total }, source, database: { sql: traits } } } = batch;
  const { walk } = source;
  const column = columnAt(walk.last.table, position);
  // The first range has no start and the last no end.
  const values = (edges ?? []).slice(1, -1).map((edge) => {
    const value = readLexical(edge, column) ?? edge;
    return traits.parameter?.(value, column) ?? value;
  });
  const grouped: Grouped = {
    column: position,
    key: keyOf({ by, count: values.length, first: walk.values.length }),
    ...(total ? { total: { column: total.column, by: SQL_TOTALS[total.total] } } : {}),
    ...(by === "value" ? { largest: total ? ORDERS[total.total] : "count" } : {}),
    most: MOST_GROUPS + 1,
  };
  const name = `groups ${JSON.stringify([grouped.key, grouped.total, grouped.largest])}`;
  const rows = batch.add(name, (statements) => statements.groups(source, grouped), values);
  return () =>
    rows().map((row) => ({
      key: valueOf(row[0]),
      count: Number(row[1]),
      ...(total ? { values: Number(row[2]), total: valueOf(row[3]) } : {}),
    }));
}

function keyOf(
  { by, count, first }: { readonly by: Chosen["by"]; readonly count: number; readonly first: number },
): GroupKey {
  if (by === "value") return { kind: "value" };
  if (by !== "range") return { kind: "period", length: PERIODS[by] };
  return { kind: "range", edges: Array.from({ length: count }, (_, index) => first + index) };
}
