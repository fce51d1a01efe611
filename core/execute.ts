/**
 * Stage 4: executes a plan. The only stage that runs statements on data and reads bodies.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { executeTask } from "@/core/definitions/execute_task.ts";
import { executeQuery } from "@/core/queries/execute_query.ts";
import { withBody } from "@/core/request/body.ts";
import { type ApiRequest, parseRequest } from "@/core/request/parse_request.ts";
import { executeRead, type ShownRows } from "@/core/tables/execute_read.ts";
import { bodyOptions, executeWrite, type WriteResult } from "@/core/tables/execute_write.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import type { InsertPlan } from "@/core/tables/plan_write.ts";
import type { Exchange } from "./exchange.ts";
import type { AnswerPlan, TaskResult } from "./plan.ts";
import { type Plan, planRequest } from "./resources.ts";

/** New records. */
export interface CreatedRecords {
  readonly kind: "records";
  /** The path of each record, without extension; of its table if it has no key. */
  readonly paths: readonly string[];
  /** The path for `Location`; absent for several records, and for a record without key. */
  readonly only?: string;
  /** The records themselves, if the client prefers them. */
  readonly shown?: ShownRows;
}

/** The input of stage 5. */
export type Outcome = AnswerPlan | ShownRows | CreatedRecords | TaskResult;

/** Above this number of new records the answer has their paths, whatever the client prefers. */
const MOST_SHOWN = 1000;

/** Throws explained failures of the database, and 400 for a body; nothing is half done. */
export function execute(
  plan: Plan,
  request: ApiRequest,
  caller: Caller,
  exchange: Exchange,
): Eventual<Outcome> {
  switch (plan.kind) {
    case "redirect":
    case "options":
    case "text":
    case "document":
    case "schema":
      return plan;
    case "read":
      return executeRead(plan, exchange);
    case "query":
      return executeQuery(plan, exchange);
    case "insert":
    case "update":
    case "delete":
      return withBody(exchange, (source) => executeWrite(plan, bodyOptions(source, request, exchange)))
        .then((written): Eventual<Outcome> => {
          if (written.kind === "done" || plan.kind !== "insert") return { kind: "done" };
          return created(plan, written, request, caller, exchange);
        });
    case "task":
      return withBody(exchange, (source) => executeTask(plan.task, caller, source, exchange));
    default:
      return plan satisfies never;
  }
}

async function created(
  { place, table }: InsertPlan,
  { paths: found, isList }: Extract<WriteResult, { kind: "created" }>,
  request: ApiRequest,
  caller: Caller,
  exchange: Exchange,
): Promise<CreatedRecords> {
  const paths = found.map((path) => path ?? `${place.databasePath}/${table.segment}`);
  const isShown = prefersRecords(exchange) && !found.includes(null) && paths.length <= MOST_SHOWN;
  const shown = isShown ? await readCreated(paths, isList, request, caller, exchange) : undefined;
  const [only] = isList ? [] : found;
  return {
    kind: "records",
    paths,
    ...(typeof only === "string" ? { only } : {}),
    ...(shown ? { shown } : {}),
  };
}

function prefersRecords({ headers }: Exchange): boolean {
  return /(?:^|,)\s*return\s*=\s*"?representation"?\s*(?:[,;]|$)/i.test(headers.get("prefer") ?? "");
}

/**
 * Reads the records like GET of each path, in the order of the paths. Undefined if they cannot be shown: they exist by
 * then, so this is not a failure.
 */
async function readCreated(
  paths: readonly string[],
  isList: boolean,
  request: ApiRequest,
  caller: Caller,
  exchange: Exchange,
): Promise<ShownRows | undefined> {
  const query = isList ? "?wantarray" : "";
  try {
    const plans = paths.map((path) => planRecord(`${path}.${request.format.name}${query}`, caller, exchange));
    const [first] = plans;
    if (!first) throw new TypeError("There are no new records");
    const records = [];
    for (const plan of plans) {
      const { result } = await executeRead(plan, exchange);
      if (result.kind === "rows") records.push(...result.rows);
    }
    return { kind: "rows", compiled: first.compiled, result: { kind: "rows", rows: records } };
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function planRecord(target: string, caller: Caller, exchange: Exchange): ReadPlan {
  const request = parseRequest("GET", target, exchange.headers, exchange.service);
  const plan = planRequest(request, caller, exchange);
  if (plan.kind !== "read") throw new TypeError(`"${target}" is no record`);
  return plan;
}
