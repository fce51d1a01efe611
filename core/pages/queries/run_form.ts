/**
 * The page of a query that GET does not run: a form that sends its values like a
 * program, and the rows of the answer.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { Json, JsonObject, QueryDefinition } from "@/core/model.ts";
import { shortText } from "@/core/pages/short_text.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageField, PageTable, PageView } from "@/plugins/contract.ts";
import { ARGUMENT_INPUTS } from "./argument_inputs.ts";

/** Whether people send a form to run it. */
export function isSentByForm({ methods }: QueryDefinition): boolean {
  return !methods.includes("GET");
}

/** `given` has values of the path; `typed` is the form after it has been sent. */
export function runView(
  { id, description, parameters, methods, readOnly }: QueryDefinition,
  names: readonly string[],
  { given, typed, service }: {
    readonly given: ReadonlyMap<string, string>;
    readonly typed: FormState | undefined;
    readonly service: Service;
  },
): PageView {
  // DELETE has no body for the values.
  const method = ["POST", "PUT"].find((each) => methods.includes(each));
  const result = typed?.values.get("ui.result")?.[0];
  const fields = names.map((name): PageField => ({
    kind: "field",
    name: `s.${name}`,
    label: name,
    value: (typed ? typed.values.get(`s.${name}`)?.[0] : given.get(name)) ?? "",
    isRequired: true,
    ...defined({ problem: typed?.complaints.get(name) }),
    ...(ARGUMENT_INPUTS[parameters.get(name) ?? "text"] ?? { input: "text" }),
  }));
  const form: PageBlock = {
    kind: "form",
    action: `${service.prefix}/ui/query/${printName(id, service.links)}`,
    hidden: { "ui.method": method ?? "" },
    fields,
    ...defined({ problem: typed?.problem }),
    buttons: [{ label: "Run" }],
  };
  return {
    title: id,
    ...(description === "" ? {} : { lead: description }),
    blocks: [
      ...(result === undefined ? [] : resultBlocks(JSON.parse(result))),
      ...(readOnly === true ? [] : [{ kind: "text", text: "Running it may change data." } as const]),
      method === undefined ? { kind: "text", text: `Programs run it, with ${methods.join(" or ")}.` } : form,
    ],
  };
}

function resultBlocks(rows: Json): readonly PageBlock[] {
  const records = Array.isArray(rows) ? rows.filter(isRecord) : [];
  return [
    { kind: "notice", tone: "good", text: "The query has been run." },
    ...(records.length === 0 ? [] : [tableOf(records)]),
  ];
}

function isRecord(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A page shows no more rows; programs get all. */
const MOST_ROWS = 100;

function tableOf(records: readonly JsonObject[]): PageTable {
  const names = Object.keys(records[0] ?? {});
  const shown = records.slice(0, MOST_ROWS);
  const more = shown.length < records.length ? `, the first ${MOST_ROWS} of ${records.length}` : "";
  return {
    kind: "table",
    caption: `Rows of the result${more}`,
    columns: names.map((label) => ({ label })),
    rows: shown.map((record) => names.map((name) => textOf(record[name]))),
    empty: "",
  };
}

function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return "NULL";
  return shortText(typeof value === "object" ? JSON.stringify(value) : String(value));
}
