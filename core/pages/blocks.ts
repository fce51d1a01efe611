/**
 * The blocks and fields that many pages have. Pure.
 *
 * @module
 */

import type {
  PageAction,
  PageBlock,
  PageField,
  PageNotice,
  PageOption,
  PageSection,
  PageTable,
  PageText,
  Tone,
} from "@/plugins/contract.ts";

/**
 * The order of a dictionary, in every locale of the process: names with an umlaut or a small letter are not
 * behind all others.
 */
export const BY_NAME = new Intl.Collator("en", { numeric: true });

/** A message that stands out, with links in it. */
export function notice(tone: Tone, text: string, ...actions: readonly PageAction[]): PageNotice {
  return { kind: "notice", tone, text, actions };
}

/** Blocks under a heading; `id` is the fragment that links to it. */
export function section(id: string, title: string, ...blocks: readonly PageBlock[]): PageSection {
  return { kind: "section", id, title, blocks };
}

/** A table. Columns are labels, or objects if they have numbers; `empty`: the text in place of no rows. */
export function table(
  caption: string,
  columns: readonly (string | PageTable["columns"][number])[],
  rows: PageTable["rows"],
  empty = "",
): PageTable {
  const described = columns.map((column) => typeof column === "string" ? { label: column } : column);
  return { kind: "table", caption, columns: described, rows, empty };
}

/** NULL in a table, which does not look like the text. */
export const NULL: PageText = { text: "NULL", isCode: true };

/** A {@link table} with a box that narrows it if it is long. */
export function narrowable(...parts: Parameters<typeof table>): PageTable {
  const made = table(...parts);
  return { ...made, ...narrowing(made.rows.length) };
}

/** Lists with more rows have the box. */
const MANY = 8;

/** The box of a list with so many rows. */
export function narrowing(rows: number): { readonly narrow?: string } {
  return rows > MANY ? { narrow: "Narrow the list" } : {};
}

/** The sentences of a hint, of those that there are. */
export function sentences(...parts: readonly (string | false | undefined)[]): string | undefined {
  return parts.filter(Boolean).join(" ") || undefined;
}

/** Choices that are shown as they are sent. */
export function optionsOf(values: readonly string[]): readonly PageOption[] {
  return values.map((value) => ({ value, label: value }));
}

/** The choices of a boolean. */
export const YES_NO: readonly PageOption[] = [{ value: "true", label: "yes" }, {
  value: "false",
  label: "no",
}];

/** A field with a list of choices. */
export function select(
  name: string,
  label: string,
  value: string,
  options: readonly PageOption[],
): PageField {
  return { kind: "field", name, label, input: "select", value, options };
}
