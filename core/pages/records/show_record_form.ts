/**
 * Stage 4 of the forms about a record: reads what they show, and describes their fields.
 *
 * @module
 */

import { counted } from "@/core/base/counted.ts";
import { defined } from "@/core/base/defined.ts";
import type { Column } from "@/core/catalog.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { Row, Value } from "@/core/model.ts";
import type { ViewPlan } from "@/core/plan.ts";
import { notice } from "@/core/pages/blocks.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { columnAt, relationTitle } from "@/core/schema/table.ts";
import { hashRecord } from "@/core/tables/etag.ts";
import { executeRead, readRows } from "@/core/tables/execute_read.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import type { PageBlock, PageField, PageForm, PageView, StreamOptions } from "@/plugins/contract.ts";
import { chooserOf, labelOf, MOST_OFFERED, type Offered, optionOf, textOf } from "./choice_field.ts";
import type { Choice } from "./choices.ts";
import { KEY_COLUMNS } from "./chosen_key.ts";
import { importView } from "./import_form.ts";
import { KEPT, keptMark } from "./kept_text.ts";
import { type FieldInput, fieldOf, isNullEmpty, mayBeEmpty, typedText } from "./record_fields.ts";
import type { RecordFormPlan } from "./plan_record_form.ts";

/** Reads the record and the choices of its fields, and returns the page with the form. */
export async function showRecordForm(plan: RecordFormPlan, options: Exchange): Promise<ViewPlan> {
  const row = plan.record && (await readRows(plan.record, options))[0];
  const view = plan.purpose === "delete"
    ? await deletion(plan, row, options)
    : plan.purpose === "import"
    ? await importView(plan, options)
    : await editing(plan, row, options);
  return { kind: "view", view, crumbs: plan.crumbs };
}

/** The one record of a read; undefined without one, as behind a foreign key that is NULL. */
async function recordOf(plan: ReadPlan, options: StreamOptions): Promise<Row | undefined> {
  try {
    return (await readRows(plan, options))[0];
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found") return undefined;
    throw error;
  }
}

/** The record's label, else the table's name with the key, as on the record's page. */
function titleOf({ table }: RecordFormPlan, row: Row | undefined): string {
  const key = table.primaryKey.map((position) => textOf((row?.[position] ?? "") as Value));
  return labelOf(table, row) || `${table.name} ${key.join(", ")}`;
}

/** Asks before a record is deleted, and says how many records of which tables refer to it. */
async function deletion(
  plan: RecordFormPlan,
  row: Row | undefined,
  options: StreamOptions,
): Promise<PageView> {
  const { action, own, place, list, dependants, typed } = plan;
  const referring = [];
  for (const { relation, count } of dependants) {
    const { result: { total = 0 } } = await executeRead(count, options);
    if (total === 0) continue;
    const href = own.replace(/\.html$/, `/${relation.segment}.html`);
    referring.push({
      label: relationTitle(relation, plan.table),
      value: { text: counted(total, "record"), href },
    });
  }
  const form: PageForm = {
    kind: "form",
    action,
    hidden: { "ui.method": "DELETE", "ui.page": "delete", "ui.next": list, ...fieldsOf(place) },
    fields: [],
    ...defined({ problem: typed?.problem }),
    buttons: [{ label: "Delete", tone: "problem" }],
    cancel: own + place.replace("&", "?"),
  };
  const fate = REFERRED.test(typed?.problem ?? "")
    ? "delete or change them first."
    : "the database refuses to delete it, or deletes them with it. This cannot be undone.";
  return {
    title: `Delete ${titleOf(plan, row)}?`,
    lead: referring.length === 0
      ? "No record that you may read refers to it. This cannot be undone."
      : `Other records refer to it: ${fate}`,
    blocks: [...(referring.length === 0 ? [] : [{ kind: "facts", items: referring } as const]), form],
  };
}

/** Messages of engines about a record that others refer to. */
const REFERRED = /foreign key|REFERENCE constraint/i;

function fieldsOf(place: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(place));
}

/** A choice with the records that it may lead to. */
interface Offer extends Choice {
  readonly offered: Offered;
}

async function offersOf({ choices }: RecordFormPlan, options: StreamOptions): Promise<readonly Offer[]> {
  const offers: Offer[] = [];
  for (const choice of choices) {
    const { relation: { table }, columns, foreign, rows, current, wanted } = choice;
    const found = rows ? await readRows(rows, options) : [];
    const isComplete = found.length <= MOST_OFFERED;
    const isAlone = columns.length === 1;
    const related = current && !(isAlone && isComplete) ? await recordOf(current, options) : undefined;
    const [now] = isAlone || !related ? [] : optionOf(related, table, foreign);
    const offered = {
      isComplete,
      current: now?.label ?? labelOf(table, related),
      options: found.slice(0, MOST_OFFERED).flatMap((each) => optionOf(each, table, foreign)),
      ...defined({ wanted }),
    };
    offers.push({ ...choice, offered });
  }
  return offers;
}

/** The fields in which the records of keys of several columns are chosen, by their first column. */
function choosersOf(
  offers: readonly Offer[],
  { table, typed }: RecordFormPlan,
): ReadonlyMap<number, readonly PageField[]> {
  const several = offers.filter(({ columns }) => columns.length > 1);
  const byColumn = Map.groupBy(several, ({ columns }) => Math.min(...columns));
  return new Map([...byColumn].map(([column, all]) => [
    column,
    all.map((offer) =>
      chooserOf(
        { ...offer, label: relationTitle(offer.relation, table), fills: namesOf(offer.columns, table) },
        offer.offered,
        typed,
      )
    ),
  ]));
}

function namesOf(columns: readonly number[], table: RecordFormPlan["table"]): readonly string[] {
  return columns.map((position) => columnAt(table, position).name);
}

async function editing(plan: RecordFormPlan, row: Row | undefined, options: Exchange): Promise<PageView> {
  const { purpose, table, typed, own, place } = plan;
  const offers = await offersOf(plan, options);
  const { fields, hidden } = columnFields(plan, row, offers);
  const isNew = purpose !== "edit";
  const form: PageForm = {
    kind: "form",
    action: isNew ? plan.action : ownAction(plan, row, options),
    hidden: {
      "ui.method": isNew ? "POST" : "PUT",
      "ui.page": purpose === "copy" ? "new" : purpose,
      ...hidden,
      // A new record has no place in the list.
      ...(isNew ? {} : fieldsOf(place)),
      ...keyColumnsOf(offers, table),
      ...(isNew || !row ? {} : { "ui.match": openedOf(typed)?.get("ui.match")?.[0] ?? tagOf(row, table) }),
    },
    fields,
    ...(fields.some(({ input }) => input === "file") ? { hasFile: true } : {}),
    ...defined({ problem: typed?.problem ?? untold(typed, fields) }),
    buttons: [{ label: isNew ? "Create" : "Save" }],
    cancel: own + place.replace("&", "?"),
  };
  return {
    title: isNew ? `New ${table.name}` : `Edit ${titleOf(plan, row)}`,
    blocks: [...outdated(typed), form],
  };
}

/** Mistakes of columns without a field, such as one that is gone since the form was opened. */
function untold(typed: FormState | undefined, fields: readonly PageField[]): string | undefined {
  if (!typed || typed.complaints.size === 0) return undefined;
  if (fields.some(({ problem }) => problem !== undefined)) return undefined;
  return [...typed.complaints].map(([name, sentence]) => `${name}: ${sentence}`).join("; ");
}

/** The form as it was opened: shown again, it is about that version, until it has been told of another. */
function openedOf(typed: FormState | undefined): FormState["values"] | undefined {
  return typed?.isOutdated ? undefined : typed?.values;
}

function tagOf(row: Row, { columns }: RecordFormPlan["table"]): string {
  return hashRecord(row.slice(0, columns.length));
}

/** By the key of the record: a change may lead away from a path over a relation. */
function ownAction(
  { record, action }: RecordFormPlan,
  row: Row | undefined,
  { service: { prefix } }: Exchange,
): string {
  const path = row && record?.compiled.shape.locate?.(row);
  return typeof path === "string" ? `${prefix}/ui${path.slice(prefix.length)}` : action;
}

const WITHOUT_BLANKS: ReadonlySet<Column["type"]> = new Set([
  "integer",
  "decimal",
  "float",
  "date",
  "datetime",
  "time",
]);

/** The fields of a form, and hidden ones: form_members.ts says what these mean when the form comes back. */
function columnFields(
  plan: RecordFormPlan,
  row: Row | undefined,
  offers: readonly Offer[],
): { readonly fields: readonly PageField[]; readonly hidden: PageForm["hidden"] } {
  const { purpose, table, typed, supplied } = plan;
  const choosers = choosersOf(offers, plan);
  const isNew = purpose !== "edit";
  const shown = table.columns.flatMap((described, position) => {
    // The engine or the path gives these values.
    if (described.generated || supplied.has(position)) return [];
    // SQLite takes NULL as a key, but nothing leads to such a record.
    const column = table.primaryKey.includes(position) ? { ...described, nullable: false } : described;
    const stored = isOwnKey(position, plan) ? undefined : row?.[position] as Value | undefined;
    const input = {
      stored,
      typed,
      isNew,
      offered: offers.findLast(({ columns }) => columns.length === 1 && columns[0] === position)?.offered,
      isFilled: offers.some(({ columns }) => columns.length > 1 && columns.includes(position)),
      isName: [table.primaryKey, table.label, ...table.uniqueKeys].some((key) => key.includes(position)),
    };
    return [{ position, column, input, text: typedText(stored, column) }];
  });
  const namesWhere = (fits: (column: Column, input: FieldInput, text: string) => boolean) =>
    shown.filter(({ column, input, text }) => fits(column, input, text)).map(({ column }) => column.name);
  const marks = isNew ? [] : shown.flatMap(({ column, input, text }) => {
    const field = KEPT + column.name;
    const mark = openedOf(typed) ? typed?.values.get(field)?.[0] : keptMark(column, input.stored, text);
    return mark === undefined ? [] : [[field, mark] as const];
  });
  return {
    fields: shown.flatMap(({ position, column, input }) => {
      return [...choosers.get(position) ?? [], fieldOf(column, input)];
    }),
    hidden: {
      "ui.empty": typed?.values.get("ui.empty") ?? namesWhere(mayBeEmpty),
      "ui.unfilled": isNew ? [] : namesWhere(isNullEmpty),
      // SQLite may have blanks around a stored date: a form that is sent as it is does not change them.
      "ui.trimmed": namesWhere(({ type }, { offered }, text) => {
        return !offered && WITHOUT_BLANKS.has(type) && text === text.trim();
      }),
      "ui.null": typed?.values.get("ui.null") ??
        namesWhere(({ nullable }, { stored = null }) => nullable && stored === null),
      ...Object.fromEntries(marks),
    },
  };
}

/** The columns that the choice of a record fills. */
function keyColumnsOf(offers: readonly Offer[], table: RecordFormPlan["table"]): PageForm["hidden"] {
  const several = offers.filter(({ columns }) => columns.length > 1);
  return Object.fromEntries(
    several.map(({ name, columns }) => [KEY_COLUMNS + name, namesOf(columns, table)]),
  );
}

function outdated(typed: FormState | undefined): readonly PageBlock[] {
  if (!typed?.isOutdated) return [];
  const text =
    "Somebody else has changed this record since you opened it. Each field that both of you changed shows what " +
    "it holds now; saving again replaces it.";
  return [notice("warning", text)];
}

/**
 * A copy has another key. Of a key of several columns one that is chosen may stay,
 * as in a table between two others.
 */
function isOwnKey(position: number, { purpose, table: { primaryKey, columns } }: RecordFormPlan): boolean {
  const isGiven = primaryKey.length === 1 || columns[position]?.hasDefault === true;
  return purpose === "copy" && isGiven && primaryKey.includes(position);
}
