/**
 * The form that brings many records at once, as lines of CSV: all of them become records, or none. The pasted
 * lines are shown as the service reads them, with their mistakes, before they are sent.
 *
 * @module
 */

import { inTurns } from "@/core/base/cooperative.ts";
import { counted } from "@/core/base/counted.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { notice, NULL, section, table } from "@/core/pages/blocks.ts";
import { formState } from "@/core/pages/form_state.ts";
import { receiveBody, withBody } from "@/core/request/body.ts";
import { chooseBodyFormat } from "@/core/request/body_format.ts";
import { type FormState, UNREAD } from "@/core/request/form_fields.ts";
import type { Table } from "@/core/schema/table.ts";
import { validateBody } from "@/core/tables/validate_body.ts";
import type { BodyRecord, BodyValue, PageBlock, PageText, PageView } from "@/plugins/contract.ts";
import type { RecordFormPlan } from "./plan_record_form.ts";

/** Characters of the lines that the form sends back to the browser. */
const LONGEST = 1_000_000;
/** Records that are shown before they are sent. */
const MOST_SHOWN = 5;

/** The lines as the service reads them. */
interface Preview {
  readonly first: readonly BodyRecord[];
  /** Absent: there are mistakes. */
  readonly count?: number;
  readonly found: Pick<FormState, "complaints" | "problem">;
}

/**
 * The page with the form. If it has been sent with lines, the page also shows the first records and the
 * mistakes.
 */
export async function importView(plan: RecordFormPlan, exchange: Exchange): Promise<PageView> {
  const { table, typed, own, action, supplied } = plan;
  const columns = table.columns.filter(({ generated }, position) => !generated && !supplied.has(position));
  const lines = typed?.values.get("ui.csv")?.[0] ?? "";
  const preview = typed && await readLines(lines, plan, exchange);
  const isRefused = typed !== undefined && (typed.problem !== undefined || typed.complaints.size > 0);
  const { complaints = new Map(), problem } = (isRefused ? typed : preview?.found) ?? {};
  const isEmpty = preview?.count === 0 && !typed?.values.has(UNREAD);
  const isLong = lines.length > LONGEST;
  const form: PageBlock = {
    kind: "form",
    action,
    hidden: { "ui.method": "POST", "ui.page": "import", "ui.next": own, "ui.done": "imported" },
    fields: [{
      kind: "field",
      name: "ui.csv",
      label: "Lines",
      input: "long text",
      value: isLong ? "" : lines,
      hint: `The first line has the names of the columns, with tabs, commas or semicolons between them: ${
        columns.map(({ name }) => name).join(",")
      }`,
    }, {
      kind: "field",
      name: "ui.file",
      label: "or a CSV file",
      input: "file",
      ...(isLong ? { hint: "The lines are too many to stay here: choose the file again." } : {}),
    }],
    hasFile: true,
    buttons: [{ label: "Import" }, { label: "Look at the first rows", name: "ui.look", value: "true" }],
    cancel: own,
  };
  return {
    title: `Import into ${table.name}`,
    lead:
      "Paste lines from a spreadsheet, or choose a CSV file. Either every line becomes a record, or none does.",
    blocks: [...(isEmpty ? [NO_RECORD] : mistakes(complaints, problem)), ...firstRows(preview, table), form],
  };
}

const NO_RECORD = notice("warning", "There are no records in the lines: paste some, or choose a file.");

async function readLines(
  lines: string,
  { table, checks }: RecordFormPlan,
  { client, headers: sent, signal, service, turn }: Exchange,
): Promise<Preview> {
  const headers = new Headers(sent);
  headers.delete("Content-Encoding");
  headers.set("Content-Type", "text/csv");
  const raw = new Request("http://lines/", { method: "POST", body: lines });
  const first: BodyRecord[] = [];
  if (lines.trim() === "") return { first, count: 0, found: { complaints: new Map() } };
  const columns = new Map(table.columns.map(({ name, type }) => [name, type]));
  const input = { name: table.name, columns, nullMarker: "<null>", csvNullStr: false };
  try {
    const count = await withBody({ raw, headers, client, signal, service }, async (source) => {
      const format = chooseBodyFormat(headers, undefined, service);
      const body = await receiveBody(source, format, { input, limit: service.settings.max_body_size });
      const noted = { ...body, records: notingFirst(body.records, first) };
      return (await inTurns(validateBody(noted, checks), turn)).records.length;
    });
    return { first, count, found: { complaints: new Map() } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { first, found: formState(new Map([["ui.csv", [lines]]]), error) };
  }
}

function* notingFirst(
  records: Generator<BodyRecord | undefined, boolean, void>,
  first: BodyRecord[],
): Generator<BodyRecord | undefined, boolean, void> {
  for (;;) {
    const { done, value } = records.next();
    if (done) return value;
    if (value && first.length < MOST_SHOWN) first.push(value);
    yield value;
  }
}

function mistakes(
  complaints: ReadonlyMap<string, string>,
  problem: string | undefined,
): readonly PageBlock[] {
  if (problem !== undefined) return [notice("problem", problem)];
  if (complaints.size === 0) return [];
  // A column that is misspelt is a mistake in every row.
  const kinds = Map.groupBy(complaints, ([label, sentence]) => label.replace(/^Row \d+/, "") + sentence);
  const text = kinds.size === 1
    ? "There is a mistake; nothing is imported."
    : `There are ${kinds.size} mistakes; nothing is imported.`;
  const items = [...kinds.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const [label, sentence] = first;
    return [{ label, value: sentence + (others.length === 0 ? "" : ", as in other rows") }];
  });
  return [notice("problem", text), { kind: "facts", items }];
}

function firstRows(preview: Preview | undefined, { columns }: Table): readonly PageBlock[] {
  const [record] = preview?.first ?? [];
  if (!preview || !record) return [];
  const { first, count } = preview;
  const names = [...record.keys()];
  const nullable = new Set(columns.flatMap((column) => column.nullable ? [column.name] : []));
  const rows = first.map((each) => names.map((name) => inWords(each.get(name), nullable.has(name))));
  return [section("first", titleOf(first.length, count), table("Lines as they are read", names, rows))];
}

function titleOf(shown: number, count: number | undefined): string {
  if (count === undefined) return "The first records";
  const all = counted(count, "record");
  return shown === count ? all : `${all}, the first ${shown}`;
}

/** No value is NULL, or left to the database. */
function inWords(value: BodyValue | undefined, isNullable: boolean): PageText {
  const nothing = isNullable ? NULL : "";
  if (value === undefined || value === null) return nothing;
  if (typeof value !== "object") return String(value);
  return value.kind === "empty" ? nothing : value.text;
}
