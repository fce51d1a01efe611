/**
 * Stage 3 of the forms about a record: to add, change, copy or delete one. The
 * reads that a form needs are plans.
 *
 * @module
 */

import { dataCrumbs } from "@/core/pages/data_crumbs.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import { isWritable, type Relation, type Table } from "@/core/schema/table.ts";
import { forbiddenTable, type Walk } from "@/core/schema/walk_path.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import { requireCreating } from "@/core/tables/plan_write.ts";
import type { ValidateOptions } from "@/core/tables/validate_body.ts";
import type { Crumb } from "@/plugins/contract.ts";
import { type Choice, choicesOf } from "./choices.ts";
import { placeOf } from "./place.ts";
import { plainRead } from "./plain_read.ts";

/** What each form does, and its breadcrumb, by the parameter `ui.*` that asks for it. */
const PURPOSES = {
  new: { operation: "create", title: "Add" },
  edit: { operation: "update", title: "Edit" },
  copy: { operation: "create", title: "Copy" },
  delete: { operation: "delete", title: "Delete" },
  import: { operation: "create", title: "Import" },
} as const;

type FormPurpose = keyof typeof PURPOSES;

/** The form about a record, with the reads that it needs. */
export interface RecordFormPlan {
  readonly kind: "form";
  readonly purpose: FormPurpose;
  readonly table: Table;
  /** The page without its parameters: where the form came from, and is sent to below `/ui`. */
  readonly own: string;
  readonly action: string;
  /** The place in the list that its reader came from, as in {@link placeOf}. */
  readonly place: string;
  /** The page behind a deletion: the list of the place, or of the table's records. */
  readonly list: string;
  readonly crumbs: readonly Crumb[];
  readonly typed: FormState | undefined;
  /** The record. Without a row, or absent, for a new one. */
  readonly record?: ReadPlan;
  /** Values that the path gives to a new record, by column. */
  readonly supplied: ReadonlySet<number>;
  /** How new records are checked. */
  readonly checks: ValidateOptions;
  /** The records that foreign keys may lead to. */
  readonly choices: readonly Choice[];
  /** Counts of the records that refer to the one that is deleted. */
  readonly dependants: readonly { readonly relation: Relation; readonly count: ReadPlan }[];
}

/** The purpose of the form that a request asks for. */
export function purposeOf({ request }: DataRequest, { columns, last }: Walk): FormPurpose | undefined {
  const ui = uiValues(request.query);
  const found = (Object.keys(PURPOSES) as FormPurpose[]).find((name) => ui.has(name));
  return found === undefined || columns || (!isForNew(found) && !last.single) ? undefined : found;
}

/** Throws 403 without the right that sending the form needs. */
export function planRecordForm(
  purpose: FormPurpose,
  walk: Walk,
  input: DataRequest,
  typed: FormState | undefined,
): RecordFormPlan {
  const { request, service, view } = input;
  const { table } = walk.last;
  const { operation, title } = PURPOSES[purpose];
  if (!view.may(table.name, operation) || !isWritable(table, operation)) {
    throw forbiddenTable(table.name, operation);
  }
  const base = `/db/${request.segments[0] ?? ""}`;
  const isNew = isForNew(purpose);
  const { via, single } = walk.last;
  if (isNew && via) requireCreating(via);
  // A page of no rows is 404 below a record that does not exist.
  const above = via && !single ? plainRead(input.segments, input, { limit: 0 }) : undefined;
  const record = isNew ? above : plainRead(input.segments, input);
  const supplied = isNew ? suppliedBy(walk) : new Set<number>();
  const isForm = purpose !== "delete" && purpose !== "import";
  const own = `${service.prefix}${request.path}.html`;
  const crumbs = dataCrumbs(walk, input);
  const label = crumbs.at(-1)?.label ?? table.name;
  return {
    kind: "form",
    purpose,
    table,
    own,
    action: `${service.prefix}/ui${purpose === "copy" ? `${base}/${table.segment}` : request.path}`,
    place: placeOf(uiValues(request.query)),
    list: `${service.prefix}${base}/${table.segment}.html`,
    crumbs: [...crumbs.slice(0, -1), { label, href: own }, { label: title }],
    typed,
    ...(record ? { record } : {}),
    supplied,
    checks: {
      table,
      readable: view.schema.tables.exact(table.name),
      refidPrefix: service.settings.refid_prefix,
      complete: true,
      supplied,
      traits: view.database.sql,
    },
    choices: isForm ? choicesOf({ walk, supplied, typed, hasRecord: !isNew }, input) : [],
    dependants: purpose !== "delete" ? [] : table.toMany.map((relation) => ({
      relation,
      count: plainRead([...input.segments, relation.segment], input, { count: true, limit: 0 }),
    })),
  };
}

/** Whether a form has no record to start with. */
function isForNew(purpose: FormPurpose): boolean {
  return purpose === "new" || purpose === "import";
}

/** Columns whose value a new record takes from its path. */
function suppliedBy({ last: { via, filters } }: Walk): ReadonlySet<number> {
  return new Set([...(via?.foreign ?? []), ...filters.map(({ column }) => column)]);
}
