/**
 * The result of a saved query as a list: its breadcrumbs, its order, its export and its summary.
 *
 * @module
 */

import { stateAddress, wholeLimitOf } from "@/core/pages/address.ts";
import type { QueryPlan } from "@/core/queries/plan_query.ts";
import { findQueryText } from "@/core/queries/saved_query.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { LIMIT_SLOT } from "@/core/sql/statement.ts";
import type { ShownRows } from "@/core/tables/execute_read.ts";
import type { PageAction } from "@/plugins/contract.ts";
import { queryCrumbs } from "./query_links.ts";

/** The breadcrumbs of a result, and links to other pages about it: `further` are added to them. */
export function shownOf(
  id: string,
  { given, further }: {
    readonly given: ReadonlyMap<string, string | null>;
    readonly further: readonly PageAction[];
  },
  request: ApiRequest,
  service: Service,
): NonNullable<QueryPlan["shown"]> {
  const others: readonly PageAction[] = given.size === 0
    ? []
    : [{ label: "Other values", href: stateAddress("edit", request, service), tone: "plain" }];
  const actions = [...others, ...further];
  const values = [...given].map(([name, value]) => `${name} ${value ?? "NULL"}`).join(", ");
  return {
    crumbs: queryCrumbs(id, service, given.size === 0 ? undefined : values),
    ...(actions.length === 0 ? {} : { actions }),
  };
}

/**
 * The rows with the facts of their page. Only a result that can be read in pages can be sorted, and only one
 * that is read, not run, can be summed up. Its rows are counted only if the page has all of them: counting
 * would run the query a second time.
 */
export function asList(
  rows: ShownRows,
  { shown, request, query, view, readOnly, managed }: QueryPlan,
  service: Service,
): ShownRows {
  const { compiled: { shape, rows: { slots } }, result } = rows;
  if (!shown) return rows;
  const summary = stateAddress("chart", request, service);
  const isPaged = slots.includes(LIMIT_SLOT) && shape.form === "records" && result.kind === "rows";
  if (!isPaged) {
    const action: PageAction = { label: "Summary and chart", href: summary };
    const further = readOnly && findQueryText(query.definition, view).isReadable ? [action] : [];
    return { ...rows, shown: { ...shown, actions: [...further, ...shown.actions ?? []] } };
  }
  const { sort = [], limit = Infinity, offset = 0 } = request.parameters;
  const isWhole = offset === 0 && result.rows.length < limit;
  return {
    ...rows,
    shown: {
      ...shown,
      ...(isWhole ? { total: result.rows.length } : {}),
      ...wholeLimitOf(managed),
      list: {
        filters: [],
        sort: sort.map(({ column, decoded, descending }) => {
          const isName = shape.columns.some(({ name }) => name === decoded);
          return { column: isName ? decoded : column, descending };
        }),
        columns: [],
        choices: [],
        action: "",
        kept: [],
        place: "",
        summary,
        summaryOf: `${summary}&ui.x=`,
      },
    },
  };
}
