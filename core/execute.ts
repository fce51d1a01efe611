/**
 * Stage 4: executes a plan. The only stage that runs statements on data and reads bodies.
 *
 * @module
 */

import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import { executeTask } from "@/core/definitions/execute_task.ts";
import { requestsDocument, wholeActivity } from "@/core/definitions/request_status.ts";
import { describeApi } from "@/core/openapi/describe.ts";
import { activityView } from "@/core/pages/activity.ts";
import { leadToKeyed, openRow, showList } from "@/core/pages/lists/show_list.ts";
import { asList } from "@/core/pages/queries/query_list.ts";
import { showRun } from "@/core/pages/queries/run_form.ts";
import { showRecordForm } from "@/core/pages/records/show_record_form.ts";
import { showTables } from "@/core/pages/show_tables.ts";
import { showSummary } from "@/core/pages/summaries/show_summary.ts";
import { executeQuery } from "@/core/queries/execute_query.ts";
import { withBody } from "@/core/request/body.ts";
import { executeRead, type ShownRows } from "@/core/tables/execute_read.ts";
import { BodyOptions, executeWrite, type WriteResult } from "@/core/tables/execute_write.ts";
import type { InsertPlan } from "@/core/tables/plan_write.ts";
import { readCreated } from "@/core/tables/read_created.ts";
import type { Admitted, Exchange } from "./exchange.ts";
import type { AnswerPlan, TaskResult } from "./plan.ts";
import type { Plan } from "./resources.ts";

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

/** Throws explained failures of the database, and 400 for a body; nothing is half done. */
export function execute(plan: Plan, { request, caller, exchange }: Admitted): Eventual<Outcome> {
  switch (plan.kind) {
    case "redirect":
    case "options":
    case "text":
    case "bytes":
    case "document":
    case "schema":
    case "view":
      return plan;
    case "read":
      return executeRead(plan, exchange);
    case "form":
      return showRecordForm(plan, exchange);
    case "beside":
      return showList(plan, exchange);
    case "keyed":
      return leadToKeyed(plan, exchange);
    case "open":
      return openRow(plan, exchange);
    case "tables":
      return showTables(plan, exchange);
    case "requests":
      return wholeActivity(exchange.service).then((activity): Outcome =>
        plan.as === "view"
          ? { kind: "view", view: activityView(activity, request.query, exchange.service) }
          : { kind: "document", document: requestsDocument(activity).document }
      );
    case "summary":
      return showSummary(plan, exchange);
    case "query":
      return whenThere(executeQuery(plan, exchange), (outcome): Outcome => {
        if (outcome.kind !== "rows") return outcome;
        return plan.shown?.run ? showRun(outcome, plan) : asList(outcome, plan, exchange.service);
      });
    case "description":
      return whenThere(describeApi(plan, caller, exchange), plan.show);
    case "insert":
    case "update":
    case "delete":
      return withBody(exchange, (source) => executeWrite(plan, new BodyOptions(source, request, exchange)))
        .then((written): Eventual<Outcome> => {
          if (written.kind === "done" || plan.kind !== "insert") return { kind: "done" };
          return created(plan, written, exchange);
        });
    case "task":
      return withBody(exchange, (source) => executeTask(plan.task, caller, source, exchange));
    default:
      return plan satisfies never;
  }
}

function created(
  plan: InsertPlan,
  { paths: found, isList }: Extract<WriteResult, { kind: "created" }>,
  exchange: Exchange,
): Eventual<CreatedRecords> {
  const { place, table } = plan;
  const [only] = isList ? [] : found;
  return whenThere(readCreated(plan, found, isList, exchange), (shown) => ({
    kind: "records",
    paths: found.map((path) => path ?? `${place.databasePath}/${table.segment}`),
    ...(typeof only === "string" ? { only } : {}),
    ...(shown ? { shown } : {}),
  }));
}
