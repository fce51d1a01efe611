/**
 * The fields for the values of a filter fit the column and the comparison. Without this script they take any
 * text.
 *
 * @module
 */

import { fetchPage, make } from "./dom.ts";

/** Comparisons with values of the column's type. */
const EXACT = ["is", "not", "least", "most", "range", "outside"];

/** Comparisons with one value, which a column with few values offers. */
const SINGLE = ["is", "not"];

/** Comparisons with several values. */
const LISTS = ["any", "none"];

const EXAMPLES: Readonly<Record<string, string>> = {
  boolean: "yes or no",
  datetime: "2031-05-27 07:30:00",
  time: "07:30:00",
};

/** A text with such a value could not be taken apart. */
const ODD = /\||^\s|\s$/;

type Offers = readonly (readonly [value: string, label: string])[];

/** Fits the fields to every choice of a column or comparison. */
export function typeFilter(): void {
  const find = <T extends HTMLElement>(id: string) => document.querySelector<T>(`#filter-${id}`);
  const column = find<HTMLSelectElement>("column");
  const comparison = find<HTMLSelectElement>("is");
  const field = find<HTMLInputElement>("value");
  const end = find<HTMLInputElement>("to");
  if (!column || !comparison || !field || !end) return;
  const given = offersIn(document);
  const known = new Map(given.length === 0 ? [] : [[column.value, Promise.resolve(given)]]);
  const update = async (isOther: boolean) => {
    const [{ value, dataset } = column] = column.selectedOptions;
    const [is, before] = [comparison.value, field.value];
    for (const each of [field, end]) fit(each, dataset.type ?? "", is);
    const isOffered = dataset.offers !== undefined && [...SINGLE, ...LISTS].includes(is);
    if (isOffered && !known.has(value)) known.set(value, askFor(value, column.form).catch(() => []));
    const offers = isOffered ? await known.get(value) ?? [] : [];
    if (value !== column.value || is !== comparison.value) return;
    choose(field, offers, is, isOther && field.value === before);
  };
  const panel = column.closest("details");
  const open = () => void (panel?.open && update(false));
  open();
  panel?.addEventListener("toggle", open);
  column.addEventListener("change", () => {
    if (field.value === field.dataset.chosen) field.value = "";
    void update(true);
  });
  comparison.addEventListener("change", () => void update(false));
}

/**
 * A value that another kind of field would lose stays as text. Fields of browsers for moments take no day
 * alone, and lose it.
 */
function fit(field: HTMLInputElement, type: string, is: string): void {
  const isExact = EXACT.includes(is);
  const { value } = field;
  field.type = isExact && type === "date" ? type : "text";
  if (value !== "" && field.value === "") {
    field.type = "text";
    field.value = value;
  }
  field.placeholder = isExact ? EXAMPLES[type] ?? "" : LISTS.includes(is) ? "one | another" : "";
}

function offersIn(page: Document): Offers {
  const options = page.querySelectorAll<HTMLOptionElement>("#filter-offered > option");
  return [...options].map(({ value, textContent }) => [value, textContent ?? ""]);
}

/** The values of a column, from the page that lists with few rows have for it. */
async function askFor(column: string, form: HTMLFormElement | null): Promise<Offers> {
  const url = new URL(form?.action ?? location.href);
  for (const { name, value } of form?.querySelectorAll<HTMLInputElement>('input[type="hidden"]') ?? []) {
    url.searchParams.append(name, value);
  }
  url.searchParams.set("limit", "1");
  url.searchParams.set("ui.offer", column);
  return offersIn(await fetchPage(url));
}

/**
 * Shows what a column offers in place of its text field, which still has the value. A filter by other values
 * keeps the text field, unless these were typed for another column.
 */
function choose(field: HTMLInputElement, offers: Offers, is: string, isOther: boolean): void {
  const hadCursor = field === document.activeElement;
  document.querySelector("#filter-choice")?.remove();
  const values = offers.map(([value]) => value);
  const isList = LISTS.includes(is);
  const typed = field.value === "" ? [] : isList ? field.value.split("|") : [field.value];
  const isKnown = typed.every((value) => values.includes(value));
  field.hidden = offers.length > 0 && (isKnown || isOther) &&
    !(isList && values.some((value) => ODD.test(value)));
  if (!field.hidden) return;
  // None is chosen for a text that was typed for another column.
  const choice = isList ? boxesOf(offers, typed) : selectOf(offers, isKnown ? typed : []);
  choice.id = "filter-choice";
  choice.ariaLabel = "Value";
  const read = () => {
    const checked = [...choice.querySelectorAll<HTMLInputElement>(":checked")];
    field.dataset.chosen = field.value = checked.map(({ value }) => value).join("|");
  };
  choice.addEventListener("change", read);
  read();
  // The cursor is where one goes on, if it was in the field or a link has opened the form.
  const first = choice.querySelector("input") ?? choice;
  first.autofocus = field.autofocus;
  field.after(choice);
  if (hadCursor) first.focus();
}

function selectOf(offers: Offers, typed: readonly string[]): HTMLElement {
  // An empty choice would be a filter by an empty text.
  const select = make("select", { required: true });
  if (typed.length === 0) select.append(new Option("", ""));
  select.append(...offers.map(([value, label]) => new Option(label, value, false, typed.includes(value))));
  return select;
}

function boxesOf(offers: Offers, typed: readonly string[]): HTMLElement {
  const boxes = make("div", { role: "group", className: "picker" });
  for (const [value, label] of offers) {
    const line = make("label");
    line.append(make("input", { type: "checkbox", value, checked: typed.includes(value) }), label);
    boxes.append(line);
  }
  return boxes;
}
