/**
 * Stage 4 of writing: all changes of one request are one transaction.
 *
 * @module
 */

import { inTurns } from "@/core/base/cooperative.ts";
import type { Eventual } from "@/core/base/eventual.ts";
import { repeatOnce } from "@/core/database/explain_failure.ts";
import { Outdated, PendingTransaction } from "@/core/database/pending_transaction.ts";
import { badRequest, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { type Body, type BodySource, receiveBody } from "@/core/request/body.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { BodyFormat } from "@/core/request/read_records.ts";
import type { Table } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";
import type { OwnParameters, ReadInput, ReadOptions, ValueType } from "@/plugins/contract.ts";
import { insert, InsertCourse, refersToItself, suppliedColumns } from "./insert.ts";
import type { InsertPlan, UpdatePlan, WritePlan } from "./plan_write.ts";
import { remove, update } from "./update.ts";
import { insertShared, mayShare } from "./shared_insert.ts";
import { type Assignments, type Checked, validateBody, type ValidateOptions } from "./validate_body.ts";

/** The result of a write. */
export type WriteResult =
  /** Paths of the new records without extension, in the order of the body; null without a key. */
  | { readonly kind: "created"; readonly paths: readonly (string | null)[]; readonly isList: boolean }
  | { readonly kind: "done" };

/** The input of a write, or of a query with a body, beside its plan. */
export class BodyOptions implements ReadOptions {
  readonly source: BodySource;
  readonly service: Service;
  /** The parameters that define how a body writes NULL. */
  readonly nullMarker: string;
  readonly csvNullStr: boolean;
  /** Parameters that formats declare for bodies. */
  readonly parameters?: OwnParameters;
  readonly requestId: string;
  /** Costly work takes turns with that of other callers. */
  readonly turn: string;
  readonly #exchange: Pick<Exchange, "signal">;

  constructor(
    source: BodySource,
    { parameters }: Pick<ApiRequest, "parameters">,
    exchange: Pick<Exchange, "service" | "requestId" | "turn" | "signal">,
  ) {
    const { nullStr = "<null>", csvNullStr = false, own } = parameters;
    this.source = source;
    this.service = exchange.service;
    this.nullMarker = nullStr;
    this.csvNullStr = csvNullStr;
    if (own) this.parameters = own.body;
    this.requestId = exchange.requestId;
    this.turn = exchange.turn;
    this.#exchange = exchange;
  }

  /** Making it costs more than all else of a small write. */
  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

/**
 * Throws 400 for the body, 404, 409, 412, 422 and explained failures of the database; nothing is half done.
 */
export async function executeWrite(plan: WritePlan, options: BodyOptions): Promise<WriteResult> {
  plan.managed.faults.requireSound();
  using _lease = plan.managed.lease(plan.database);
  return await write(plan, options);
}

/** Reads and checks the body before a transaction begins: a slow client must not hold one open. */
function write(plan: WritePlan, options: BodyOptions): Promise<WriteResult> {
  switch (plan.kind) {
    case "insert":
      return readRecords(plan, options, suppliedColumns(plan))
        .then((checked) => insertRecords(plan, checked, options));
    case "update":
      return readRecords(plan, options).then((checked) => updateRecord(plan, checked, options));
    case "delete":
      return runAlone((transaction) => remove({ ...plan, transaction }).then(done), plan, options);
  }
}

function insertRecords(
  plan: InsertPlan,
  { records, label, isList: isWrittenAsList }: Checked,
  options: BodyOptions,
): Promise<WriteResult> {
  const [record] = records;
  if (!record) throw badRequest("Cannot create a record: the body has none");
  const isList = isWrittenAsList && records.length > 1;
  const created = (paths: readonly (string | null)[]): WriteResult => ({ kind: "created", paths, isList });
  const run = (course: InsertCourse) => {
    const work: Work = (transaction) =>
      insert({ ...plan, transaction, label }, records, course).then(created);
    return runAlone(work, quoting(plan, record, course), options);
  };
  if (records.length > 1) return tellRecord(run, plan);
  const insertAlone = () => run(new InsertCourse());
  if (!options.source.isSmall || !mayShare(plan)) return insertAlone();
  const { requestId } = options;
  const failing = quoting(plan, record);
  return insertShared({ plan: failing, record, requestId, insertAlone, created: (path) => created([path]) });
}

/**
 * Inserts several records. If a rule of the database refuses one of them, its statement is sent once more,
 * record by record, because few engines say which one it is.
 */
async function tellRecord(
  run: (course: InsertCourse) => Promise<WriteResult>,
  { table }: InsertPlan,
): Promise<WriteResult> {
  const course = new InsertCourse();
  try {
    return await run(course);
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === "conflict" && course.statement >= 0;
    if (!isRefused || table.withoutTransactions) throw error;
    return await run(new InsertCourse(course.statement)).catch((found: Error) => {
      // One by one, a record could be refused because it refers to a later one.
      throw refersToItself(table) && /foreign key/i.test(found.message) ? error : found;
    });
  }
}

function updateRecord(
  plan: UpdatePlan,
  { records, repeats, label }: Checked,
  options: BodyOptions,
): Promise<WriteResult> {
  const [record] = records;
  if (!record || records.length > 1) {
    throw badRequest(`Cannot change with ${records.length} records: the body of a PUT has exactly one`);
  }
  const change = { record, repeats, csvNullStr: options.csvNullStr };
  return runAlone(
    (transaction) => update({ ...plan, transaction, label }, change).then(done),
    quoting(plan, record),
    options,
  );
}

/** The plan with everything that errors may quote, which only a failure needs. */
function quoting<P extends WritePlan>(plan: P, record: Assignments, course?: InsertCourse): P {
  const { walk, table: { name, columns } } = plan;
  return {
    ...plan,
    get record() {
      return course?.record;
    },
    get values() {
      return [...walk.values, ...record.values(), name, ...columns.map(({ name }) => name)];
    },
  };
}

type Work = (transaction: PendingTransaction) => Promise<WriteResult>;

/** Does the work of one request, as a transaction of its own. */
async function runAlone(work: Work, plan: WritePlan, options: BodyOptions): Promise<WriteResult> {
  const serial = isConditionOnView(plan);
  const run = async (how: { readonly mayLook?: boolean; readonly isRepeated?: boolean }) => {
    await using transaction = new PendingTransaction(plan.database, options, { serial, ...how });
    const result = await work(transaction);
    await transaction.commit();
    return result;
  };
  return await repeatOnce(() => {
    return run({ mayLook: mayLook(plan) }).catch((error: unknown) => {
      if (error instanceof Outdated) return run({ isRepeated: true });
      throw error;
    });
  }, plan);
}

/** Whether the work is likely to end with one statement that may share a commit. */
function mayLook({ database, kind, table, walk }: WritePlan): boolean {
  return database.takesLooks === true && table.kind === "table" && (kind === "insert" || walk.last.single);
}

/** Whether `If-Match` or `If-None-Match` compares a record of a view, which cannot be locked. */
function isConditionOnView(plan: WritePlan): boolean {
  if (plan.kind === "insert" || plan.table.kind === "table") return false;
  return plan.match !== undefined || plan.noneMatch !== undefined;
}

function done(): WriteResult {
  return { kind: "done" };
}

/** Receives a body with members of these names and types. */
export function receive(
  members: Pick<ReadInput, "name" | "columns">,
  body: BodyFormat,
  { source, service, nullMarker, csvNullStr, parameters }: BodyOptions,
): Promise<Body> {
  const input = { ...members, nullMarker, csvNullStr, ...(parameters && { parameters }) };
  return receiveBody(source, body, { input, limit: service.settings.max_body_size });
}

/** Ends the reading of a body with the work on its records, which may stop early. */
export function closing<T>({ records }: Body, work: Eventual<T>): Eventual<T> {
  if (work instanceof Promise) return work.finally(() => records.return(false));
  records.return(false);
  return work;
}

/** The types of the columns of tables. */
const types = new WeakMap<Table, ReadonlyMap<string, ValueType>>();

function readRecords(
  plan: InsertPlan | UpdatePlan,
  options: BodyOptions,
  supplied: ReadonlySet<number> = new Set(),
): Promise<Checked> {
  const { table, body, kind, database, visible } = plan;
  const typesOf = () => new Map(table.columns.map(({ name, type }) => [name, type]));
  const columns = types.getOrInsertComputed(table, typesOf);
  return receive({ name: table.name, columns }, body, options).then((received) => {
    const checking = validateBody(received, {
      table,
      readable: visible.tables.exact(table.name),
      refidPrefix: options.service.settings.refid_prefix,
      complete: kind === "insert",
      supplied,
      traits: database.sql,
      ...repeatOption(plan, options.csvNullStr),
    });
    return closing(received, inTurns(checking, options.turn));
  });
}

/** An update may leave equal cells unchanged only in records that the caller may read. */
function repeatOption(
  plan: InsertPlan | UpdatePlan,
  csvNullStr: boolean,
): Pick<ValidateOptions, "mayRepeat"> {
  const { body: { format }, database: { sql }, visible, table } = plan;
  const isKnown = visible.tables.exact(table.name) !== undefined;
  if (plan.kind === "insert" || !isKnown || !format.shows) return {};
  return {
    mayRepeat: (value, column) =>
      (sql.respells?.(column) || format.isAmbiguous?.(value, { type: column.type, csvNullStr })) ?? false,
  };
}
