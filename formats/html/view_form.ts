/**
 * Forms on pages of blocks.
 *
 * @module
 */

import type { Page, PageButton, PageField, PageForm, PageMatrix, PageOption } from "@/plugins/contract.ts";
import { showMessage, showNarrow } from "./page.ts";
import { attributes, escapeHtml, escapeLabel, readable } from "./text.ts";

/** `id` is unique on the page; ids of its fields begin with it. */
export function showPageForm(
  form: PageForm,
  id: string,
  { csrfToken }: Pick<Page, "csrfToken">,
  before = "",
): string {
  const { action, method = "post", hidden, fields, problem, buttons, cancel, hasFile, isRow } = form;
  const token = csrfToken === undefined || method === "get" ? {} : { csrf_token: csrfToken };
  const kept = Object.entries({ ...hidden, ...token }).flatMap(([name, value]) =>
    [value].flat().map((each) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(String(each))}"/>\n`
    )
  );
  const refused = fields.findIndex(isRefused);
  const result = `${id}-result`;
  const shown = fields.map((field, index) =>
    field.kind === "field"
      ? showField(field, { id: `${id}-${index}`, action, ...(index === refused ? { result } : {}) })
      : showMatrix(field, `${id}-${index}`)
  );
  const way = cancel === undefined ? "" : `<a href="${escapeHtml(cancel)}">Cancel</a>`;
  const hasDraft = buttons.some(({ isDraft }) => isDraft);
  const about = attributes({
    ...{ method, "accept-charset": "utf-8", action },
    // Such a form shows what the page shows; the Back button would fill it with a later choice.
    autocomplete: isRow && "off",
    enctype: hasFile && "multipart/form-data",
    "data-guard": method === "post",
  });
  const message = problem ?? refusal(fields.filter(isRefused));
  const alert = message === undefined ? "" : showMessage({ tone: "problem", text: message });
  const place = (text: string) => `<div id="${result}">${text}</div>\n`;
  return (refused < 0 && alert !== "" ? place(alert) : alert) +
    `<form${about}>\n${kept.join("")}${showDefault(form)}` +
    (fields.some((field) => field.kind === "field" && field.isRequired) ? LEGEND : "") +
    `<div class="fields${isRow ? " beside" : ""}">\n${shown.join("")}</div>\n` +
    (hasDraft && alert === "" ? place("") : "") + before +
    `<div class="buttons">${
      buttons.map((button, index) => showButton(button, index, `${action}#${result}`)).join("")
    }${way}</div>\n</form>\n`;
}

function isRefused(field: PageField | PageMatrix): field is PageField {
  return field.kind === "field" && field.problem !== undefined;
}

/** The fields that have a complaint: the first one may be far below. */
function refusal(fields: readonly PageField[]): string | undefined {
  if (fields.length === 0) return undefined;
  const labels = fields.slice(0, MOST_NAMED).map(({ label }) => label).join(", ");
  const others = fields.length > MOST_NAMED ? `, and ${fields.length - MOST_NAMED} more` : "";
  const count = fields.length === 1 ? "1 field needs" : `${fields.length} fields need`;
  return `${count} attention: ${labels}${others}.`;
}

/** Fields in a message. */
const MOST_NAMED = 5;

const LEGEND = '<p class="hint legend"><span class="required">*</span> needs a value</p>\n';

/** Enter presses the first button of a form, which without this one is the search of a field. */
function showDefault({ fields }: PageForm): string {
  const hasSearch = fields.some((field) => field.kind === "field" && field.search);
  return hasSearch ? '<button type="submit" hidden="hidden">Send</button>\n' : "";
}

/** `result`: where the page that comes back has the answer to a draft, or what is wrong with the form. */
function showButton(
  { label, name, value = "", tone, isDraft }: PageButton,
  index: number,
  result: string,
): string {
  const about = attributes({
    class: tone === "problem" ? "problem" : index === 0 && tone === undefined && "main",
    ...(name === undefined ? {} : { name, value }),
    ...(isDraft ? { formnovalidate: true, formaction: result } : {}),
  });
  return `<button type="submit"${about}>${escapeHtml(label)}</button>`;
}

/** Where a field stands: its id, and that of the answer of the form if the field is the first refused one. */
interface FieldPlace {
  readonly id: string;
  /** The address of the form. */
  readonly action: string;
  readonly result?: string;
}

function showField(field: PageField, place: FieldPlace): string {
  const { id, action, result } = place;
  const { label, input, isRequired, hint, problem, nothing, search, onlyIf } = field;
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(problem === undefined ? [] : [`${id}-problem`]),
  ].join(" ");
  const only = showOnlyIf(onlyIf) + (result === undefined ? "" : ` id="${result}"`);
  const mark = isRequired ? ' <span class="required" aria-hidden="true">*</span>' : "";
  const below = hint === undefined ? "" : `<p class="hint" id="${id}-hint">${escapeHtml(hint)}</p>\n`;
  const complaint = problem === undefined
    ? ""
    : `<p class="complaint" id="${id}-problem">${escapeHtml(sentence(problem))}</p>\n`;
  if (input === "switch") {
    return `<div class="field"${only}><label class="switch">${showInput(field, place, described)}${
      escapeHtml(label)
    }</label>\n${below}${complaint}</div>\n`;
  }
  if (input === "radio") {
    return `<fieldset class="field"${only}><legend>${escapeHtml(label)}${mark}</legend>\n${below}` +
      `${showRadios(field, id)}${complaint}</fieldset>\n`;
  }
  const beside = (nothing === undefined ? "" : showNothing(nothing, label, id)) +
    (search === undefined
      ? ""
      : `<button type="submit" formnovalidate="formnovalidate" name="${escapeHtml(search.name)}" ` +
        `value="${escapeHtml(search.value)}" formaction="${escapeHtml(`${action}#${id}`)}" aria-label="${
          escapeLabel(`${label}: ${search.label}`)
        }">` +
        `${escapeHtml(search.label)}</button>`);
  return `<div class="field"${only}><label for="${id}">${escapeHtml(label)}${mark}</label>\n${below}` +
    `<div class="inputs">${showInput(field, place, described)}${beside}</div>\n${complaint}</div>\n`;
}

/** A complaint for programs follows the name of a member: here it is a sentence. */
function sentence(problem: string): string {
  return readable(problem).replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

function showOnlyIf(onlyIf: PageField["onlyIf"], unless?: PageMatrix["unless"]): string {
  const rule = (name: string, each: PageField["onlyIf"]) =>
    each === undefined ? "" : ` data-${name}="${escapeHtml([each.field, ...each.values].join("\n"))}"`;
  return rule("only-if", onlyIf) + rule("unless", unless);
}

const TYPES: Readonly<Partial<Record<PageField["input"], string>>> = {
  email: "email",
  password: "password",
  date: "date",
  file: "file",
};

/** Characters of a line whose direction browsers would look for with each key, for seconds. */
const HUGE = 100_000;

function showInput(field: PageField, { id, result }: FieldPlace, described: string): string {
  const { name, input, value = "", isRequired, isReadOnly, problem, autocomplete, offered, sql } = field;
  const about = attributes({
    ...{ id, name },
    required: isRequired && input !== "switch",
    readonly: isReadOnly,
    autofocus: result !== undefined,
    "aria-describedby": described !== "" && described,
    "aria-invalid": problem !== undefined && "true",
    autocomplete,
  });
  // A field of one line would lose line breaks.
  switch (input === "text" && /[\r\n]/.test(value) ? "long text" : input) {
    case "select":
      return `<select${about}>${showOptions(field.options ?? [], value)}</select>`;
    case "long text":
    case "sql": {
      const own = attributes({
        ...(input === "sql" ? { class: "sql", spellcheck: "false" } : {}),
        dir: value.split("\n").some(({ length }) => length > HUGE) && "ltr",
        "data-sql": sql && JSON.stringify(sql),
        rows: input === "sql" ? "12" : "4",
      });
      // The first line break behind the tag belongs to the tag.
      return `<textarea${about}${own}>\n${escapeHtml(value)}</textarea>`;
    }
    case "switch": {
      const own = attributes({ value: field.sends ?? "true", checked: value === "true" });
      return `<input type="checkbox"${about}${own}/>`;
    }
    default: {
      const type = TYPES[input] ?? "text";
      const list = offered && `${id}-offered`;
      const own = attributes({
        inputmode: input === "number" && "decimal",
        value: value !== "" && type !== "file" && value,
        list,
      });
      return `<input type="${type}"${about}${own}/>${list ? showOffered(offered, list) : ""}`;
    }
  }
}

const SELECTED = ' selected="selected"';

function showOptions(options: readonly PageOption[], chosen?: string): string {
  return options.map(({ value, label }) =>
    `<option value="${escapeHtml(value)}"${value === chosen ? SELECTED : ""}>${escapeLabel(label)}</option>`
  ).join("");
}

/** The values that a field of text offers. The script makes a choice of them. */
export function showOffered(offered: readonly PageOption[], id: string): string {
  return `<datalist id="${id}">${showOptions(offered)}</datalist>`;
}

function showRadios({ name, options = [], value: chosen = "" }: PageField, id: string): string {
  return options.map(({ value, label }, index) => {
    const about = attributes({ id: `${id}-${index}`, name, value, checked: value === chosen });
    return `<label class="switch"><input type="radio"${about}/>${escapeHtml(label)}</label>\n`;
  }).join("");
}

function showNothing(
  { name, label, isOn }: NonNullable<PageField["nothing"]>,
  field: string,
  id: string,
): string {
  return `<label class="switch"><input type="checkbox" id="${id}-nothing" data-nothing="${id}" ` +
    `name="${escapeHtml(name)}" value="true" aria-label="${escapeLabel(`${field}: ${label}`)}"${
      isOn ? ' checked="checked"' : ""
    }/>${escapeHtml(label)}</label>`;
}

function showMatrix({ caption, columns, rows, narrow, onlyIf, unless }: PageMatrix, id: string): string {
  const head = columns.map(({ label }) => `<th scope="col">${escapeHtml(label)}</th>`).join("");
  const body = rows.map(({ name, label, note, on, only }) => {
    const cells = columns.map((column) =>
      only?.includes(column.value) === false
        ? "<td></td>"
        : `<td><input type="checkbox" name="${escapeHtml(name)}" value="${
          escapeHtml(column.value)
        }" aria-label="${escapeLabel(`${label}: ${column.label}`)}"${
          on.includes(column.value) ? ' checked="checked"' : ""
        }/></td>`
    );
    const below = note === undefined ? "" : `<span class="hint"> ${escapeHtml(note)}</span>`;
    return `<tr><th scope="row">${escapeHtml(label)}${below}</th>${cells.join("")}</tr>\n`;
  });
  return `<div class="field"${showOnlyIf(onlyIf, unless)}>` +
    showNarrow(narrow === "" ? undefined : narrow, id) +
    `<section class="scroll" aria-labelledby="${id}-caption" tabindex="0">\n` +
    `<table class="matrix" id="${id}">\n<caption id="${id}-caption">${escapeHtml(caption)}</caption>\n` +
    `<thead><tr><td></td>${head}</tr></thead>\n<tbody>\n${
      body.join("")
    }</tbody>\n</table>\n</section></div>\n`;
}
