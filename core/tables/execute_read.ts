/**
 * Stage 4: runs a read. It returns after the first rows have arrived, so a
 * failing statement cannot follow a 200.
 *
 * @module
 */

import { answerTooLarge } from "@/core/base/client_memory.ts";
import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import { repeatOnce } from "@/core/database/explain_failure.ts";
import { badRequest, quote, type ServiceError } from "@/core/errors.ts";
import type { Row } from "@/core/model.ts";
import { bindEach, LIMIT_SLOT, type RowPage } from "@/core/sql/statement.ts";
import type { ReadOptions, Run, StreamOptions } from "@/plugins/contract.ts";
import type { CompiledRead } from "./compile_read.ts";
import { MAX_WHOLE, putRelated } from "./expand_relations.ts";
import { putJoined } from "./joined_labels.ts";
import type { KeptExpansion } from "./kept_statement.ts";
import type { ReadPlan } from "./plan_read.ts";
import { countOf, readNow, requireSubject, type Result, runOf, tooMany, totalOf } from "./read_statements.ts";
import { MOST_RELATED } from "./related_part.ts";
import { fittingRows, noteSize } from "./row_sizes.ts";
import { readShared } from "./shared_read.ts";
import { AHEAD, canStream, MAX_BUFFERED, openStream, readAhead } from "./stream_read.ts";

/** Forms of an answer with one record. */
const SINGULAR: ReadonlySet<string> = new Set(["record", "value"]);

/** How many times as many rows are tried next if they are smaller than those of earlier reads. */
const GROWTH = 8;

/** Rows, and the compiled read that shows them. */
export interface ShownRows {
  readonly kind: "rows";
  readonly compiled: CompiledRead;
  readonly result: Result;
  /** See {@link ReadPlan.shown}. */
  readonly shown?: ReadPlan["shown"];
  /** Number of rows that a statement has changed, if it is one that changes some. */
  readonly changes?: number;
}

/**
 * Reads the rows, and returns them with their compiled writer. The signal is only accessed where work
 * can be cancelled. Throws 404 for a missing record, 400 for a key that several records have, and
 * explained failures of the database.
 */
export function executeRead(plan: ReadPlan, options: StreamOptions): Eventual<ShownRows> {
  const { compiled, shown } = plan;
  const work = (): Eventual<Result> => plan.stream ? openStream(plan, options) : readAll(plan, options);
  return whenThere(repeatOnce(work, plan), (result) => {
    return shown ? { kind: "rows", compiled, result, shown } : { kind: "rows", compiled, result };
  });
}

/** The rows of a read that is never streamed: the caller knows that they are few. */
export async function readRows(plan: ReadPlan, options: StreamOptions): Promise<readonly Row[]> {
  const result = await repeatOnce(() => readAll(plan, options, Infinity), plan);
  if (result.kind === "stream") throw new TypeError("A read without streaming was streamed");
  return result.rows;
}

/** Tries `fitting` rows first: more may be too large to be in memory at once. */
function readAll(
  plan: ReadPlan,
  options: StreamOptions,
  fitting = plan.compiled.single ? Infinity : fittingRows(plan.compiled),
): Eventual<Result> {
  const { compiled } = plan;
  if (plan.written && !compiled.rows.slots.includes(LIMIT_SLOT)) return readAhead(plan, options);
  const isBounded = compiled.single || (plan.limit ?? Infinity) <= MAX_BUFFERED || !canStream(compiled);
  const most = isBounded ? Math.min(plan.limit ?? Infinity, MAX_WHOLE + 1) : MAX_BUFFERED + 1;
  if (most === 0) return readNone(plan, options);
  const limit = Math.min(most, fitting);
  const isCounted = compiled.count !== undefined && plan.counted === undefined;
  const kept = [compiled.rows, ...compiled.expansions, ...(isCounted ? [compiled.count] : [])];
  const page = { limit, offset: plan.offset };
  const runs = kept.map((statement) => runOf(statement, plan, page));
  const read = () => readNow(plan, runs, boundsOf(compiled, options));
  return whenThere(readShared(plan, options.requestId, read), (results) => {
    const rows = results[0] ?? [];
    const isLarge = fitting < Infinity && noteSize(compiled, rows);
    const isCut = limit < most && rows.length === limit;
    if (isCut && !isLarge) return readAll(plan, options, Math.max(GROWTH * limit, fittingRows(compiled)));
    if (isLarge && (isCut || canStream(compiled))) return streamLarge(plan, options);
    if (!isBounded && rows.length > MAX_BUFFERED) return streamLong(plan, options);
    const total = isCounted ? countOf(results.at(-1)) : countAfter(plan, rows.length, { limit, options });
    return whenThere(total, (number) => complete(plan, results, { page, options }, number));
  });
}

/** Fetches many rows at once: a client that has not asked for a stream waits for the end of the answer. */
function streamLong(plan: ReadPlan, { signal, requestId, turn, fetchSize }: StreamOptions): Promise<Result> {
  return openStream(plan, { signal, requestId, turn, fetchSize: Math.max(AHEAD, fetchSize) });
}

/** Fetches no more rows at once than fit. Throws 400 for an answer that needs all rows at once. */
function streamLarge(plan: ReadPlan, options: StreamOptions): Eventual<Result> {
  if (!canStream(plan.compiled)) throw answerTooLarge();
  const { signal, requestId, turn } = options;
  const fetchSize = Math.min(options.fetchSize, fittingRows(plan.compiled));
  return openStream(plan, { signal, requestId, turn, fetchSize });
}

/** Reads what is known to be needed only after the rows: the record above an empty list, and late labels. */
function complete(
  plan: ReadPlan,
  results: readonly (readonly Row[])[],
  reading: Reading,
  total: number | undefined,
): Eventual<Result> {
  const { expansions, late } = plan.compiled;
  const rows = results[0] ?? [];
  if (rows.length === 0) {
    return whenThere(requireSubject(plan, reading.options), () => assemble(plan, results, reading, total));
  }
  if (!late) return assemble(plan, results, reading, total);
  const run = (runs: readonly Run[]) => readNow(plan, runs, boundsOf(plan.compiled, reading.options));
  const all = readLate(expansions, late, results.slice(1, 1 + expansions.length), run);
  return whenThere(all, (found) => assemble(plan, [rows, ...found], reading, total));
}

/** The number of all rows of a list for people; its last page tells the number itself. */
function countAfter(
  plan: ReadPlan,
  length: number,
  { limit, options }: { readonly limit: number; readonly options: ReadOptions },
): Eventual<number | undefined> {
  const { counted, compiled: { count, countedUpTo = Infinity }, offset } = plan;
  if (!counted || !count) return undefined;
  if (length < limit && (length > 0 || offset === 0)) return offset + length;
  const run = runOf(count, plan, { limit: 0, offset: 0 });
  return counted.count(
    (bounded) => whenThere(readNow(plan, [run], bounded), ([rows]) => countOf(rows)),
    options,
    (total) => total > countedUpTo || total >= offset + length || (length === 0 && total <= offset),
  );
}

interface Reading {
  readonly page: RowPage;
  readonly options: ReadOptions;
}

/** Combines the results of all statements of a read: the rows, then those of each relation. */
function assemble(
  plan: ReadPlan,
  [rows = [], ...results]: readonly (readonly Row[])[],
  { page, options }: Reading,
  total: number | undefined,
): Eventual<Result> {
  const { compiled: { joined = [], late = [], shape, subject } } = plan;
  const expansions = [...plan.compiled.expansions, ...late];
  if (rows.length > MAX_WHOLE) throw tooMany();
  if (rows.length > 1 && SINGULAR.has(shape.form)) throw ambiguousKey(subject, rows.length);
  const labels = putJoined(rows, joined);
  if (expansions.length === 0) return { kind: "rows", rows, related: labels, total };
  const { related, unpaired } = putRelated(expansions, rows, results);
  if (unpaired.length === 0) return { kind: "rows", rows, related: labels + related, total };
  const runs = unpaired.flatMap(({ pairs }) => pairs ? [runOf(pairs(), plan, page)] : []);
  return whenThere(readNow(plan, runs, options), (found) => {
    const pairs = new Map(unpaired.map((expansion, index) => [expansion, found[index] ?? []]));
    putRelated(expansions, rows, results, pairs);
    return { kind: "rows", rows, related: labels + related, total };
  });
}

/** A page of zero rows is not read, because some engines refuse it; the number of all rows is still read. */
async function readNone(plan: ReadPlan, options: ReadOptions): Promise<Result> {
  const total = await totalOf(plan, options);
  await requireSubject(plan, options);
  return { kind: "rows", rows: [], related: 0, total };
}

/** Reads no more related records than one answer can hold. */
function boundsOf({ expansions }: CompiledRead, options: ReadOptions): ReadOptions {
  if (expansions.length === 0) return options;
  const { requestId, turn } = options;
  return {
    mostRows: MAX_WHOLE,
    requestId,
    turn,
    get signal() {
      return options.signal;
    },
  };
}

/**
 * SQLite keeps the number `1` beside the text `1`, with the same URL; an `alternate_key` need not be unique.
 */
export function ambiguousKey(table: string, count: number): ServiceError {
  const name = quote(table);
  return badRequest(
    `Cannot tell which record of table ${name} is meant: ${count} have this key; wantarray lists them`,
  );
}

/** The rows of each expansion. */
type Related = readonly (readonly Row[])[];

/**
 * Reads the labels behind the foreign keys of related records: only once these are read is it known which
 * records to ask for. Asking for them by key costs the same however many records are related. The answer has
 * the rows of all expansions, those of the late ones at the end. `rows`: those of the others.
 */
function readLate(
  expansions: readonly KeptExpansion[],
  late: readonly KeptExpansion[],
  rows: Related,
  read: (runs: readonly Run[]) => Eventual<Related>,
): Eventual<Related> {
  const asked = late.map((kept) => {
    const parent = expansions.findIndex(({ expansion }) => expansion.children.includes(kept.expansion));
    return lateRun(kept, rows[parent] ?? []);
  });
  const runs = asked.filter((run) => run !== undefined);
  if (runs.length === 0) return [...rows, ...asked.map(() => [])];
  return whenThere(read(runs), (results) => {
    const rest = results.values();
    return [...rows, ...asked.map((run) => run ? rest.next().value ?? [] : [])];
  });
}

/** Undefined without a key to ask for. */
function lateRun(
  { expansion: { local: [cell = -1] }, prepared, slots }: KeptExpansion,
  parents: readonly Row[],
): Run | undefined {
  const keys = parents.slice(0, MOST_RELATED).map((row) => row[cell] ?? null).filter((key) => key !== null);
  if (keys.length === 0) return undefined;
  // A key that is asked for twice stands for one that is missing.
  return { prepared, parameters: bindEach(slots, (slot) => keys[slot] ?? keys[0]) };
}
