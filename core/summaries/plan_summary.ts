/**
 * Plans the summary of a list of records. It has the filters, the access and the
 * database login of the list's own read.
 *
 * @module
 */

import type { View } from "@/core/database/connect.ts";
import type { FailedPlan } from "@/core/database/explain_failure.ts";
import { badRequest, quote } from "@/core/errors.ts";
import { columnAt } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { SummarySource } from "@/core/sql/summary_statements.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import { checkQuestion, type SummaryQuestion } from "./question.ts";

/** A summary with the values of its filters. */
export interface SummaryPlan extends FailedPlan {
  readonly kind: "read";
  readonly view: View;
  readonly source: SummarySource;
  readonly question: SummaryQuestion;
}

/**
 * Plans the answer to a question about a list. Throws 400 for a question that does not fit the types of its
 * columns, or that is about a column that distinct rows do not have.
 */
export function planSummary(input: DataRequest, question: SummaryQuestion, walk: Walk): SummaryPlan {
  const { request: { parameters }, managed, connection, view } = input;
  const { columns } = walk.last.table;
  const distinct = parameters.distinct ?? false;
  if (distinct && walk.columns) {
    for (const position of [question.column, question.total?.column, question.points]) {
      if (position === undefined || walk.columns.includes(position)) continue;
      const { name } = columnAt({ columns }, position);
      throw badRequest(`Cannot sum up column ${quote(name)}: the distinct rows do not have it`);
    }
  }
  return {
    kind: "read",
    managed,
    connection,
    database: view.database,
    view,
    values: walk.values,
    source: { walk, distinct },
    question: checkQuestion(question, columns),
  };
}
