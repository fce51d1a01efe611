/**
 * Above a list: its filters as chips, the form for another filter, and the choice of columns.
 *
 * @module
 */

import type { FilterChoice, Page, PageList, Shape } from "@/plugins/contract.ts";
import { showExports } from "./exports.ts";
import { icon } from "./icons.ts";
import { totalInWords } from "./list_pager.ts";
import { type Action, showActions } from "./page.ts";
import { ELLIPSIS, escapeHtml, escapeLabel, link, markOdd, readable, showCount } from "./text.ts";
import { showOffered } from "./view_form.ts";

/** Comparisons that a form offers, by the value of `ui.is`. */
const COMPARISONS: readonly (readonly [value: string, label: string])[] = [
  ["is", "is"],
  ["not", "is not"],
  ["any", "is any of (separated by |)"],
  ["none", "is none of (separated by |)"],
  ["contains", "contains"],
  ["without", "does not contain"],
  ["begins", "begins with"],
  ["notbegins", "does not begin with"],
  ["ends", "ends with"],
  ["notends", "does not end with"],
  ["least", "is at least"],
  ["most", "is at most"],
  ["range", `is between ${ELLIPSIS} and ${ELLIPSIS}`],
  ["outside", `is not between ${ELLIPSIS} and ${ELLIPSIS}`],
  ["empty", "is empty"],
  ["filled", "is not empty"],
  ["null", "is NULL"],
  ["value", "is not NULL"],
];

/** Comparisons that need no value. */
const ALONE: ReadonlySet<string> = new Set(["empty", "filled", "null", "value"]);
const WITH_VALUE = COMPARISONS.map(([value]) => value).filter((value) => !ALONE.has(value)).join("\n");

/** Everything between the heading and the table. */
export function showListTools(page: Page, list: PageList, { name, columns, label = [] }: Shape): string {
  const count = totalInWords(page);
  const rows = count === "" ? "" : `${count} ${page.total === 1 ? "row" : "rows"}`;
  const counts = page.ui.has("counts") ? "Hide counts" : "Count related";
  const actions: readonly Action[] = [
    { label: "Add", href: list.add },
    { label: "Import", href: list.bring },
    { label: "Summary and chart", href: list.summary, tone: "plain" },
    { label: counts, href: list.counts, tone: "plain" },
  ];
  return showChips(list) +
    `<div class="tools">${showFilterForm(page, list, columns[label[0] ?? -1]?.name)}${showPicker(list)}${
      showActions(actions)
    }` +
    `<div class="end">${showExports(page, name, rows)}</div></div>\n${showFacet(list)}`;
}

/** Values of a column, each a link to the list with only its records. */
function showFacet({ facet }: PageList): string {
  if (!facet) return "";
  const { column, values, close } = facet;
  const items =
    values?.map(({ label, count, href }) =>
      `<li class="chip">${href === undefined ? markOdd(label) : link(href, label)} ${showCount(count)}</li>`
    ) ?? ["<li>counting them takes too long: narrow the list with filters</li>"];
  return `<ul class="chips" aria-label="${escapeLabel(`Frequent values of ${column}`)}">` +
    `<li>${markOdd(column)}:</li>${items.join("")}<li>${link(close, "Hide values")}</li></ul>\n`;
}

function showChips({ filters, all }: PageList): string {
  if (filters.length === 0) return "";
  const chips = filters.map(({ sentence, without, change }) =>
    `<li class="chip">${showFilter(sentence, change)}<a class="remove" href="${
      escapeHtml(without)
    }" aria-label="${escapeLabel(`Remove the filter ${sentence}`)}">${icon("remove")}</a></li>`
  );
  const clear = all === undefined || filters.length < 2 ? "" : `<li>${link(all, "Remove all filters")}</li>`;
  return `<ul class="chips" aria-label="Filters">${chips.join("")}${clear}</ul>\n`;
}

/** A filter in words, which leads to the form that changes it. */
function showFilter(sentence: string, change: string | undefined): string {
  if (change === undefined) return markOdd(sentence);
  const label = escapeLabel(`Change the filter ${sentence}`);
  return `<a href="${escapeHtml(change)}" aria-label="${label}">${markOdd(sentence)}</a>`;
}

const ALL_COMPARISONS = showComparisons(undefined);

function showComparisons(chosen: string | undefined): string {
  return COMPARISONS.map(([value, label]) =>
    `<option value="${value}"${value === chosen ? ' selected="selected"' : ""}>${label}</option>`
  ).join("");
}

/** `name`: the column that people know records by. */
function showFilterForm({ ui }: Page, list: PageList, name: string | undefined): string {
  if (list.choices.length === 0) return "";
  const { refused, changing, opened } = list;
  const shown = refused ?? changing;
  const usual = list.choices.find(({ relation, label }) => relation === undefined && label === name);
  const chosen = opened?.column ?? usual?.value ?? "";
  const isOpen = shown !== undefined || ui.has("filter");
  const offered = opened?.offered;
  const action = refused ? list.action : changing?.action ?? list.action;
  const complaint = refused === undefined
    ? ""
    : `<p class="complaint" role="alert">${escapeHtml(readable(refused.sentence))}</p>`;
  const value = (text: string | undefined) =>
    text === undefined || text === "" ? "" : ` value="${escapeHtml(text)}"`;
  return `<details class="panel"${isOpen ? ' open="open"' : ""}><summary>${icon("filter")}Filter</summary>` +
    `<form class="drop-in" accept-charset="utf-8" autocomplete="off" action="${
      escapeHtml(action)
    }">${complaint}${showKept(list)}<div class="row">` +
    `<div><label for="filter-column">Column</label><select id="filter-column" name="ui.column">${
      showChoices(list.choices, chosen)
    }</select></div>` +
    `<div><label for="filter-is">Comparison</label><select id="filter-is" name="ui.is">${
      shown === undefined ? ALL_COMPARISONS : showComparisons(shown.is)
    }</select></div>` +
    `<div data-only-if="ui.is\n${WITH_VALUE}"><label for="filter-value">Value</label>` +
    `<input type="text" id="filter-value" name="ui.value"${value(shown?.value)}${
      isOpen ? ' autofocus="autofocus"' : ""
    }${offered ? ' list="filter-offered"' : ""}/>${
      offered ? showOffered(offered, "filter-offered") : ""
    }</div>` +
    `<div data-only-if="ui.is\nrange\noutside"><label for="filter-to">to</label>` +
    `<input type="text" id="filter-to" name="ui.to"${value(shown?.to)}/></div>` +
    `<button type="submit" class="main">Apply</button></div></form></details>\n`;
}

const TYPED: ReadonlySet<FilterChoice["type"]> = new Set(["boolean", "date", "datetime", "time"]);

/** Choices as options, and the places in the text where each is marked as selected. */
interface Options {
  readonly text: string;
  readonly places: ReadonlyMap<string, number>;
}

/** The pages of a list share their choices and columns, so these are written once. */
const OPTIONS = new WeakMap<PageList["choices"], Options>();
const BOXES = new WeakMap<PageList["columns"], string>();

function showChoices(choices: PageList["choices"], chosen: string): string {
  const { text, places } = OPTIONS.getOrInsertComputed(choices, writeOptions);
  const place = places.get(chosen);
  return place === undefined ? text : `${text.slice(0, place)} selected="selected"${text.slice(place)}`;
}

/** The script makes the field for the value fit the type. */
function writeOptions(choices: PageList["choices"]): Options {
  const places = new Map<string, number>();
  let text = "";
  for (const [relation, group] of Map.groupBy(choices, (choice) => choice.relation)) {
    if (relation !== undefined) text += `<optgroup label="${escapeLabel(relation)}">`;
    for (const { value, label, type, hasOffers } of group) {
      text += `<option value="${escapeHtml(value)}"${TYPED.has(type) ? ` data-type="${type}"` : ""}` +
        (hasOffers ? ' data-offers="data-offers"' : "");
      places.set(value, text.length);
      text += `>${escapeLabel(label)}</option>`;
    }
    if (relation !== undefined) text += "</optgroup>";
  }
  return { text, places };
}

function showPicker(list: PageList): string {
  if (list.columns.length < 2) return "";
  return `<details class="panel"><summary>${
    icon("column")
  }Columns</summary><form class="drop-in" accept-charset="utf-8" autocomplete="off" action="${
    escapeHtml(list.action)
  }">${showKept(list)}<div class="picker">${BOXES.getOrInsertComputed(list.columns, writeBoxes)}</div>` +
    `<div class="buttons"><button type="submit" class="main">Show</button></div></form></details>\n`;
}

function writeBoxes(columns: PageList["columns"]): string {
  return columns.map(({ name, isShown }) =>
    `<label><input type="checkbox" name="ui.show" value="${escapeHtml(name)}"${
      isShown ? ' checked="checked"' : ""
    }/>${escapeHtml(name)}</label>`
  ).join("");
}

function showKept({ kept }: PageList): string {
  return kept.map(([name, value]) =>
    `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}"/>`
  ).join("");
}
