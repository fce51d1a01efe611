/**
 * Fields in which people choose a related record: from a list, or by searching it.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { Row, Value } from "@/core/model.ts";
import { sentences } from "@/core/pages/blocks.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import type { Table } from "@/core/schema/table.ts";
import type { PageField, PageOption } from "@/plugins/contract.ts";
import { printKeyText } from "./chosen_key.ts";

/** Records that a field offers as its values; more have to be searched. */
export const MOST_OFFERED = 50;

/** The label of a record; empty without one. */
export function labelOf({ label }: Table, row: Row | undefined): string {
  const texts = label.map((position) => row?.[position]).filter((value) =>
    value !== null && value !== undefined
  );
  return texts.map(String).join(" ").slice(0, 100).toWellFormed();
}

/** The values of a foreign key with the labels of their records. */
export interface Offered {
  readonly options: readonly PageOption[];
  /** The options are all records: there are no others. */
  readonly isComplete: boolean;
  /** The label of the record that the stored value leads to; empty without one. */
  readonly current: string;
  readonly wanted?: string;
}

/** A record as a choice, `Norway (NO)`; none without a key, which is in the columns at `positions`. */
export function optionOf(row: Row, table: Table, positions: readonly number[]): readonly PageOption[] {
  const values = positions.map((position) => row[position] as Value | undefined);
  const texts = values.filter((value) => value !== null && value !== undefined).map(textOf);
  if (texts.length < positions.length) return [];
  const [label, key] = [labelOf(table, row), texts.join(", ")];
  return [{
    value: texts.length === 1 ? key : printKeyText(texts),
    label: label === "" || label === key ? key : `${label} (${key})`,
  }];
}

/** A value as a form sends it. */
export function textOf(value: Value): string {
  return value instanceof Uint8Array ? value.toBase64() : String(value);
}

/** The field beside those of a foreign key of several columns, which it fills. */
export function chooserOf(
  { field, name, label, fills }: {
    readonly field: string;
    readonly name: string;
    readonly label: string;
    /** The names of the columns. */
    readonly fills: readonly string[];
  },
  offered: Offered,
  typed: FormState | undefined,
): PageField {
  const value = typed?.values.get(field)?.[0] ?? "";
  return {
    kind: "field",
    name: field,
    label,
    value,
    ...offeredInput(offered, value, true),
    ...defined({
      hint: sentences(
        `A choice fills ${fills.slice(0, -1).join(", ")} and ${fills.at(-1)}.`,
        offered.current !== "" && `Now it is ${offered.current}.`,
        vainHint(offered),
      ),
      problem: complaintOf(name, typed, offered),
      search: searchOf(name, offered),
    }),
  };
}

/** The input of a field with records to choose from. */
export function offeredInput(
  offered: Offered,
  value: string,
  hasBlank: boolean,
): Pick<PageField, "input" | "options" | "offered" | "value"> {
  const { options, isComplete, wanted } = offered;
  if (isFound(offered)) return choose(offered, value);
  if (!isInVain(offered) && (isComplete || wanted === "")) return selectInput(options, value, hasBlank);
  return { input: "text", offered: options };
}

/** A list of choices, with the value that the field has. */
export function selectInput(
  options: readonly PageOption[],
  value: string,
  hasBlank: boolean,
): Pick<PageField, "input" | "options"> {
  const isKnown = options.some((option) => option.value === value);
  const none = hasBlank ? [{ value: "", label: "" }] : [];
  const own = isKnown || value === "" ? [] : [{ value, label: value }];
  return { input: "select", options: [...none, ...own, ...options] };
}

/**
 * The records that a search has found. One of several is to be chosen: what was typed is no key. Sent
 * without a choice it is refused again, whereas an empty field would be NULL.
 */
function choose({ options, isComplete }: Offered, value: string) {
  const isKnown = options.some((option) => option.value === value);
  const [only] = options.length === 1 ? options : [];
  const count = isComplete ? `${options.length}` : `More than ${options.length}`;
  const ask = { value, label: `${count} fit “${value}”: choose one` };
  return {
    input: "select" as const,
    value: isKnown ? value : only?.value ?? value,
    options: isKnown || only ? options : [ask, ...options],
  };
}

/** A name in place of the key is no mistake where records have it. */
export function complaintOf(
  name: string,
  typed: FormState | undefined,
  offered: Offered | undefined,
): string | undefined {
  const complaint = typed?.complaints.get(name);
  if (complaint === undefined) return undefined;
  if (isInVain(offered)) return "Search for another part of its name, or type its key.";
  return isFound(offered) ? "Choose the record that you mean." : complaint;
}

/** The button beside a foreign key; behind a search it leads to the field for another one. */
export function searchOf(name: string, offered: Offered | undefined): PageField["search"] {
  if (!offered || (offered.isComplete && offered.wanted === undefined)) return undefined;
  return isFound(offered) || offered.wanted === ""
    ? { name: "ui.search", value: "", label: "Search again" }
    : { name: "ui.search", value: name, label: "Search" };
}

/** The hint of a search that has found nothing. */
export function vainHint(offered: Offered | undefined): string | undefined {
  return isInVain(offered) ? `No record fits “${offered?.wanted}”.` : undefined;
}

/** Whether a search has found nothing. */
function isInVain(offered: Offered | undefined): boolean {
  return Boolean(offered?.wanted) && offered?.options.length === 0;
}

/** Whether a search has found records. */
function isFound(offered: Offered | undefined): boolean {
  return Boolean(offered?.wanted) && !isInVain(offered);
}
