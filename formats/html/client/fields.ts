/**
 * Conveniences of forms. Every form works without this script.
 *
 * @module
 */

import { fetchPage, make } from "./dom.ts";

/** Fields that belong to certain choices of another field are shown only with them, or only without. */
export function showDependent(): void {
  const dependent = [...document.querySelectorAll<HTMLElement>("[data-only-if]")];
  const isMet = (part: HTMLElement, rule: string | undefined, otherwise: boolean) => {
    const [name = "", ...values] = (rule ?? "").split("\n");
    const field = part.closest("form")?.elements.namedItem(name) ?? null;
    const fields = field instanceof RadioNodeList ? [...field] : field === null ? [] : [field];
    const chosen = fields.flatMap(valueOf);
    return field === null ? otherwise : values.some((value) => chosen.includes(value));
  };
  const update = () => {
    for (const part of dependent) {
      const { onlyIf, unless } = part.dataset;
      part.hidden = !isMet(part, onlyIf, true) || isMet(part, unless, false);
    }
  };
  update();
  document.addEventListener("change", update);
  // Browsers restore the choices of a form that one comes back to after scripts have run.
  addEventListener("pageshow", update);
}

/** The values that a field would send: none of a switch that is off. */
function valueOf(field: Node | Element): readonly string[] {
  if (field instanceof HTMLSelectElement) return [field.value];
  if (!(field instanceof HTMLInputElement)) return [];
  const isSwitch = field.type === "checkbox" || field.type === "radio";
  return isSwitch && !field.checked ? [] : [field.value];
}

/**
 * A field with a value is not NULL: typing switches the switch off, and switching it on empties the field.
 */
export function linkSwitches(): void {
  for (const box of document.querySelectorAll<HTMLInputElement>("input[data-nothing]")) {
    const field = document.getElementById(box.dataset.nothing ?? "");
    if (
      !(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ||
        field instanceof HTMLSelectElement)
    ) {
      continue;
    }
    const isRequired = field.required;
    const update = () => field.required = isRequired && !box.checked;
    field.addEventListener("input", () => {
      box.checked = false;
      update();
    });
    box.addEventListener("input", () => {
      if (box.checked) field.value = "";
      update();
    });
    update();
    // Browsers restore the switches of a form that one comes back to after scripts have run.
    addEventListener("pageshow", update);
  }
}

/** Milliseconds without a key before the service is asked. */
const PAUSE = 250;

/**
 * A field whose values are too many to list offers those that fit what is typed:
 * the answers of its search button.
 */
export function suggestValues(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[name="ui.search"]')) {
    const field = button.parentElement?.querySelector("input");
    const { form } = button;
    if (!field?.list || !form) continue;
    const { name, list } = field;
    const label = make("output", { className: "hint" });
    button.parentElement?.after(label);
    const chosen = () => [...list.options].find(({ value }) => value === field.value);
    // A key alone does not tell which record has been chosen.
    const tell = () => {
      label.textContent = chosen()?.textContent ?? "";
    };
    const offer = async () => {
      const typed = field.value;
      const body = new FormData(form);
      // A search needs no files, which may be larger than the service takes.
      for (const [name, value] of [...body]) if (value instanceof File) body.delete(name);
      body.set("ui.search", button.value);
      const found = await fetchPage(form.action, { method: "POST", body });
      // The answer to an earlier text may come later.
      if (field.value !== typed) return;
      const known = chosen();
      list.replaceChildren(
        ...found.querySelectorAll(`[name="${CSS.escape(name)}"] > option[value]:not([value=""])`),
      );
      // A search for a key of several columns does not find it.
      if (known && !chosen()) list.append(known);
      tell();
    };
    // Other fields of the form may empty this one.
    form.addEventListener("input", tell);
    let timer: ReturnType<typeof setTimeout> | undefined;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(offer, PAUSE);
    });
  }
}

/**
 * A record that is chosen for several columns fills their fields; typing into one of these takes the choice
 * back, because it would count.
 */
export function fillKeys(): void {
  for (const first of document.querySelectorAll<HTMLInputElement>('input[name^="ui.key."]')) {
    const { form, name, previousElementSibling } = first;
    if (!form || previousElementSibling?.getAttribute("name") === name) continue;
    const fieldOf = (name: string) => form.elements.namedItem(name);
    const chooser = fieldOf(`r.${name.slice("ui.key.".length)}`) as
      | HTMLInputElement
      | HTMLSelectElement
      | null;
    if (!chooser) continue;
    const keys = document.querySelectorAll<HTMLInputElement>(`[name="${CSS.escape(name)}"]`);
    const columns = [...keys].map(({ value }) => fieldOf(`c.${value}`) as HTMLInputElement);
    let isFilling = false;
    chooser.addEventListener("input", () => {
      const values = chooser.value.split(",");
      const offers = (chooser instanceof HTMLSelectElement ? chooser : chooser.list)?.options ?? [];
      if (chooser.value === "" || ![...offers].some(({ value }) => value === chooser.value)) return;
      isFilling = true;
      for (const [index, column] of columns.entries()) {
        column.value = decodeURIComponent(values[index] ?? "");
        column.dispatchEvent(new Event("input", { bubbles: true }));
      }
      isFilling = false;
    });
    for (const column of columns) {
      column.addEventListener("input", () => {
        if (!isFilling) chooser.value = "";
      });
    }
  }
}

/** Milliseconds in which a form is not sent again: its answer is on the way. */
const ONCE = 10_000;
/** {@link ONCE} for a form whose answer is a file: its page stays. */
const ONCE_FOR_FILE = 1000;

/** Leaving a form with changes asks first, and a second click does not send it again. */
export function guardForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-guard]")) {
    const as = form.elements.namedItem("ui.as");
    const isBack = form.action === location.href.replace(/[?#].*/, "") &&
      form.querySelector(".field") !== null;
    // Nothing of a form that has come back is stored; that of a query has nothing to store.
    let isChanged = isBack && as === null;
    form.addEventListener("input", () => isChanged = as === null);
    let sentAt = -ONCE;
    form.addEventListener("submit", (event) => {
      isChanged = false;
      const isFile = as instanceof HTMLSelectElement && as.value !== "";
      if (event.timeStamp - sentAt < (isFile ? ONCE_FOR_FILE : ONCE)) event.preventDefault();
      else sentAt = event.timeStamp;
    });
    // The Back button may show the page as it was left.
    addEventListener("pageshow", () => sentAt = -ONCE);
    addEventListener("beforeunload", (event) => {
      if (isChanged) event.preventDefault();
    });
  }
}
