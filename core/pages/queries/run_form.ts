/**
 * The pages of a query that GET does not run: a form sends its values like a program, and asks for the rows
 * on a page, for a chart, or for a file.
 *
 * @module
 */

import { counted } from "@/core/base/counted.ts";
import { defined } from "@/core/base/defined.ts";
import type { QueryDefinition } from "@/core/model.ts";
import { notice, select } from "@/core/pages/blocks.ts";
import type { ViewPlan } from "@/core/plan.ts";
import type { QueryPlan } from "@/core/queries/plan_query.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { printName } from "@/core/request/print_path.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import type { Service } from "@/core/service.ts";
import type { QueryText } from "@/core/sql/query_text.ts";
import type { ShownRows } from "@/core/tables/execute_read.ts";
import type { PageAction, PageBlock, PageForm, PageOption, PageView } from "@/plugins/contract.ts";
import { argumentFields } from "./argument_fields.ts";
import { queryCrumbs } from "./query_links.ts";

/** Whether people send a form to run it: also where only other methods than GET may change data. */
export function isSentByForm(
  { methods, readOnly }: QueryDefinition,
  { isWriting }: Pick<QueryText, "isWriting">,
): boolean {
  const isGetRefused = isWriting && readOnly === undefined && SENDING.some((each) => methods.includes(each));
  return !methods.includes("GET") || isGetRefused;
}

/** Methods of forms. */
const SENDING = ["POST", "PUT"];

interface RunInput {
  readonly definition: QueryDefinition;
  /** The names of its parameters. */
  readonly names: readonly string[];
  /** Values of the path, null for NULL. */
  readonly given: ReadonlyMap<string, string | null>;
  /** The form after it has been sent. */
  readonly typed: FormState | undefined;
  readonly actions: readonly PageAction[];
  readonly service: Service;
}

/** The value of the field `ui.as` for a chart. */
export const AS_CHART = "chart";
/** The beginning of that for a file as spreadsheets want it, before the name of its format. */
export const AS_SPREADSHEET = "spreadsheet ";
/** Parameters of a format that make such files. */
export const SPREADSHEET = ["bom", "escape_formulas"];

/** The page with the form of a query. */
export function runView(input: RunInput): PageView {
  const { definition: { id, description, methods }, actions } = input;
  const form = runForm(input);
  const runs = methods.length === 0
    ? "No method runs this query."
    : `Only programs run this query, with ${methods.join(" or ")}.`;
  return {
    title: id,
    ...(description === "" ? {} : { lead: description }),
    actions,
    blocks: [form ?? { kind: "text", text: runs }],
  };
}

/** Undefined for a query that only DELETE runs: it has no body for the values. */
function runForm(
  { definition, names, given, typed, service }: Omit<RunInput, "actions">,
): PageForm | undefined {
  const { id, parameters, methods, readOnly } = definition;
  const method = SENDING.find((each) => methods.includes(each));
  if (method === undefined) return undefined;
  const typedIn = ({ values }: FormState, name: string) =>
    values.has(`n.${name}`) ? null : values.get(`s.${name}`)?.[0];
  const fields = argumentFields(names, ["s.", "n."], (name) => ({
    type: parameters.get(name),
    value: typed ? typedIn(typed, name) : given.get(name),
    problem: typed?.complaints.get(name),
    isRequired: true,
  }));
  const chosen = typed?.values.get("ui.as")?.at(-1) ?? "";
  const warning: PageBlock = { kind: "text", text: "This query may change data." };
  return {
    kind: "form",
    action: `${service.prefix}/ui/query/${printName(id, service.links)}`,
    hidden: { "ui.method": method },
    fields: [...fields, select("ui.as", "Show the result as", chosen, answersOf(service))],
    ...defined({ problem: typed?.problem }),
    ...(readOnly === true ? {} : { before: [warning] }),
    buttons: [{ label: "Run" }],
  };
}

function answersOf({ formats }: Service): readonly PageOption[] {
  const files = formats.names.flatMap((name): readonly PageOption[] => {
    const format = formats.get(name)?.format;
    if (!format || format.schemasOf || format.view) return [];
    const title = name.toUpperCase();
    const file = { value: name, label: `a file: ${title}` };
    const isForSpreadsheets = SPREADSHEET.every((parameter) => format.parameters?.[parameter] !== undefined);
    if (!isForSpreadsheets) return [file];
    return [file, { value: AS_SPREADSHEET + name, label: `a file for spreadsheets: ${title}` }];
  });
  return [
    { value: "", label: "rows on a page" },
    { value: AS_CHART, label: "a summary with a chart" },
    ...files,
  ];
}

const RUN = "The query has been run";

/** The page of a result, as far as planning knows it. */
export function runShown(
  plan: QueryPlan,
  typed: FormState,
  service: Service,
): NonNullable<QueryPlan["shown"]> | undefined {
  const { query: { definition, names } } = plan;
  const values = new Map(typed.values);
  values.delete("ui.as");
  const again = runForm({ definition, names, given: new Map(), typed: { ...typed, values }, service });
  const crumbs = queryCrumbs(definition.id, service, "Result");
  return again && { crumbs, done: `${RUN}.`, run: { again, before: 0 } };
}

/** Most rows on a page, if they fit. */
const MOST_ROWS = 1000;

/**
 * The rows of a run for a page, from the place that its form asks for. The other rows of a query that only
 * reads are on further pages, for which it runs again.
 */
export function showRun(rows: ShownRows, { request, shown, readOnly }: QueryPlan): ShownRows | ViewPlan {
  const { compiled: { shape }, result, changes } = rows;
  if (!shown?.run || result.kind !== "rows") return rows;
  const { run: { again }, crumbs } = shown;
  if (shape.columns.length === 0) {
    const text = changes === undefined ? `${RUN}.` : `${RUN}: it has changed ${counted(changes, "row")}.`;
    return { kind: "view", crumbs, view: { title: shape.name, blocks: [notice("good", text), again] } };
  }
  const place = Number(uiValues(request.query).get("offset")?.at(-1));
  const before = readOnly && Number.isSafeInteger(place) && place > 0 ? place : 0;
  return {
    ...rows,
    result: { kind: "rows", rows: result.rows.slice(before, before + MOST_ROWS) },
    shown: {
      ...shown,
      total: result.rows.length,
      run: { again, before, ...(readOnly ? { others: unchanged(again) } : {}) },
    },
  };
}

/** A form with the same values, which nobody changes. */
export function unchanged({ action, hidden, fields, before }: PageForm): PageForm {
  const values = fields.flatMap((field) => {
    if (field.kind !== "field" || field.name === "ui.as") return [];
    const { name, value = "", nothing } = field;
    return [[name, value] as const, ...(nothing?.isOn ? [[nothing.name, "true"] as const] : [])];
  });
  return {
    kind: "form",
    action,
    hidden: { ...hidden, ...Object.fromEntries(values) },
    fields: [],
    ...defined({ before }),
    buttons: [],
  };
}
