/**
 * Stage 4: runs a read. It returns after the first rows have arrived, so a
 * failing statement cannot follow a 200.
 *
 * @module
 */

import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import { repeatOnce } from "@/core/database/explain_failure.ts";
import { badRequest, notFound, quote, ServiceError } from "@/core/errors.ts";
import type { Row } from "@/core/model.ts";
import { bindSlots, LIMIT_SLOT, type RowPage } from "@/core/sql/statement.ts";
import type { ReadOptions, Run, StreamOptions } from "@/plugins/contract.ts";
import type { CompiledRead, KeptStatement } from "./compile_read.ts";
import { MAX_WHOLE, putRelated } from "./expand_relations.ts";
import { putJoined } from "./joined_labels.ts";
import { readLate } from "./late_labels.ts";
import type { ReadPlan } from "./plan_read.ts";

/** The rows of a read, all at once or as a stream; `total` is the number of all rows, if requested. */
export type Result =
  | {
    readonly kind: "rows";
    readonly rows: readonly Row[];
    /** Number of related records that were read. Absent: no relations. */
    readonly related?: number;
    readonly total?: number | undefined;
  }
  | StreamResult;

interface StreamResult {
  readonly kind: "stream";
  readonly chunks: AsyncIterator<readonly Row[]>;
  readonly first: readonly Row[];
  readonly total: number | undefined;
}

/** An answer without limit is built in memory up to this number of rows; a longer one is streamed. */
const MAX_BUFFERED = 5000;

/** Rows per chunk while the answer may still be built in memory. */
const AHEAD = 500;

/** Forms of an answer with one record. */
const SINGULAR: ReadonlySet<string> = new Set(["record", "value"]);

/** Rows, and the compiled read that shows them. */
export interface ShownRows {
  readonly kind: "rows";
  readonly compiled: CompiledRead;
  readonly result: Result;
  /** See {@link ReadPlan.shown}. */
  readonly shown?: ReadPlan["shown"];
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

function readAll(plan: ReadPlan, options: StreamOptions): Eventual<Result> {
  const { compiled } = plan;
  if (plan.written && !compiled.rows.slots.includes(LIMIT_SLOT)) return readAhead(plan, options);
  const isBounded = compiled.single || (plan.limit ?? Infinity) <= MAX_BUFFERED || !canStream(compiled);
  const limit = isBounded ? Math.min(plan.limit ?? Infinity, MAX_WHOLE + 1) : MAX_BUFFERED + 1;
  if (limit === 0) return readNone(plan, options);
  const isCounted = compiled.count !== undefined && plan.counted === undefined;
  const kept = [compiled.rows, ...compiled.expansions, ...(isCounted ? [compiled.count] : [])];
  const page = { limit, offset: plan.offset };
  const runs = kept.map((statement) => runOf(statement, plan, page));
  return whenThere(readNow(plan, runs, boundsOf(compiled, options)), (results) => {
    const rows = results[0] ?? [];
    if (!isBounded && rows.length > MAX_BUFFERED) return openStream(plan, options);
    const total = isCounted ? countOf(results.at(-1)) : countAfter(plan, rows.length, { limit, options });
    return whenThere(total, (number) => {
      const reading = { page, options };
      if (rows.length === 0) {
        return whenThere(requireSubject(plan, options), () => assemble(plan, results, reading, number));
      }
      if (!compiled.late) return assemble(plan, results, reading, number);
      const related = readLate(
        compiled.expansions,
        compiled.late,
        results.slice(1),
        (late) => readNow(plan, late, boundsOf(compiled, options)),
      );
      return whenThere(related, (all) => assemble(plan, [rows, ...all], reading, number));
    });
  });
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
    (total) => total > countedUpTo || total >= offset + length,
  );
}

/** For a statement without page: reads rows as they come, and streams them when they are too many. */
async function readAhead(plan: ReadPlan, { signal, requestId, turn }: StreamOptions): Promise<Result> {
  const isStreamable = canStream(plan.compiled);
  const most = isStreamable ? MAX_BUFFERED : MAX_WHOLE;
  const opened = await openStream(plan, { signal, requestId, turn, fetchSize: AHEAD });
  const rows = [...opened.first];
  while (rows.length <= most) {
    const { value, done } = await opened.chunks.next();
    if (done) return { kind: "rows", rows, total: opened.total };
    for (const row of value) rows.push(row);
  }
  if (isStreamable) return { ...opened, first: rows };
  await opened.chunks.return?.();
  throw tooMany();
}

/** The page and the options of a read. */
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

/** The rows of each run; an asynchronous read keeps the connection open until it ends. */
function readNow(plan: ReadPlan, runs: readonly Run[], options: ReadOptions): Eventual<readonly Row[][]> {
  const read = plan.database.read(runs, options);
  return read instanceof Promise ? held(plan, read) : read;
}

/** Reads no more related records than one answer can hold. */
function boundsOf({ expansions }: CompiledRead, options: ReadOptions): ReadOptions {
  if (expansions.length === 0) return options;
  return new BoundedRead(options);
}

class BoundedRead implements ReadOptions {
  readonly mostRows = MAX_WHOLE;
  readonly requestId: string | undefined;
  readonly turn: string | undefined;
  readonly #options: ReadOptions;

  constructor(options: ReadOptions) {
    this.requestId = options.requestId;
    this.turn = options.turn;
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }
}

/** Keeps the connection open until a running read has ended. */
async function held<T>({ managed, database }: ReadPlan, read: Promise<T>): Promise<T> {
  using _lease = managed.lease(database);
  return await read;
}

function tooMany(): ServiceError {
  return badRequest(
    `Cannot put more than ${MAX_WHOLE} records into one answer of this kind: use a smaller limit`,
  );
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

/** Expanded and transposed answers need all rows at once. */
function canStream({ expansions, joined, shape }: CompiledRead): boolean {
  return expansions.length === 0 && !joined && shape.form !== "columns";
}

async function openStream(plan: ReadPlan, options: StreamOptions): Promise<StreamResult> {
  const { compiled, database } = plan;
  const total = await totalOf(plan, options);
  const page = { limit: plan.limit ?? Number.MAX_SAFE_INTEGER, offset: plan.offset };
  const chunks = database.stream(runOf(compiled.rows, plan, page), options)
    [Symbol.asyncIterator]();
  const { value, done } = await held(plan, chunks.next());
  const first = done ? [] : value;
  if (first.length === 0) await requireSubject(plan, options);
  return { kind: "stream", chunks: leased(plan, chunks), first, total };
}

/**
 * Keeps the connection open until the stream has ended or was cancelled, even
 * before its first chunk was requested.
 */
function leased(plan: ReadPlan, chunks: AsyncIterator<readonly Row[]>): AsyncIterator<readonly Row[]> {
  const lease = plan.managed.lease(plan.database);
  let isOpen = true;
  const close = () => {
    if (isOpen) lease[Symbol.dispose]();
    isOpen = false;
  };
  return {
    async next() {
      const next = await chunks.next().catch((error: unknown) => {
        close();
        throw error;
      });
      if (next.done) close();
      return next;
    },
    async return() {
      await chunks.return?.();
      close();
      return { done: true, value: undefined };
    },
  };
}

/** The number of all rows, if it is requested. */
async function totalOf(plan: ReadPlan, options: ReadOptions): Promise<number | undefined> {
  const { count } = plan.compiled;
  if (!count) return undefined;
  const [rows] = await readNow(plan, [runOf(count, plan, { limit: 0, offset: 0 })], options);
  return countOf(rows);
}

function countOf(rows: readonly Row[] | undefined): number {
  return Number(rows?.[0]?.[0] ?? 0);
}

function runOf(
  { prepared, slots }: KeptStatement,
  plan: ReadPlan,
  page: RowPage,
): Run {
  return { prepared, parameters: bindSlots(slots, plan.values, page) };
}

/** For an empty result: 404 for a single record, and for a list below a record that does not exist. */
function requireSubject(plan: ReadPlan, options: ReadOptions): Eventual<void> {
  const { compiled } = plan;
  if (compiled.single) {
    const message = `Cannot find a record of table ${quote(compiled.subject)} with this key`;
    throw notFound(message, { links: plan.links });
  }
  if (!compiled.origin) return;
  return whenThere(
    readNow(plan, [runOf(compiled.origin, plan, { limit: 1, offset: 0 })], options),
    ([found = []]) => {
      if (found.length > 0) return;
      throw notFound(`Cannot find the record whose related ${quote(compiled.subject)} are asked for`);
    },
  );
}
