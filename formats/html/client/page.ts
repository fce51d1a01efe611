/**
 * Conveniences of pages. Every page works without this script.
 *
 * @module
 */

/** Details that open like a menu close when the focus or a click goes elsewhere, and on Escape. */
function closeMenus(): void {
  const open =
    () => [...document.querySelectorAll<HTMLDetailsElement>("details.drop[open], details.panel[open]")];
  const closeOthers = (target: EventTarget | null) => {
    for (const menu of open()) if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  };
  document.addEventListener("click", (event) => closeOthers(event.target));
  document.addEventListener("focusin", (event) => closeOthers(event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}

/** `/` puts the cursor into the search box, as long as no other field has it. */
function focusSearch(): void {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target instanceof HTMLElement && target.closest("input, select, textarea, [contenteditable]")) return;
    const box = document.querySelector<HTMLInputElement>("#find");
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}

/** Buttons that copy the text beside them. */
function copyTexts(): void {
  for (const place of document.querySelectorAll<HTMLElement>(".copy")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${place.dataset.label ?? "the text"}`);
    button.addEventListener("click", async () => {
      const text = place.querySelector("pre");
      if (!text) return;
      // Pages that came without TLS from another machine have no clipboard, but may copy what is selected.
      if (navigator.clipboard) await navigator.clipboard.writeText(text.textContent ?? "");
      else {
        getSelection()?.selectAllChildren(text);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => button.textContent = "Copy", 2000);
    });
    place.append(button);
  }
}

/** Boxes that narrow the rows or items of the element that they control. */
function narrowLists(): void {
  for (const box of document.querySelectorAll<HTMLElement>("[data-narrow]")) {
    const list = document.getElementById(box.dataset.narrow ?? "");
    const input = box.querySelector("input");
    if (!list || !input) continue;
    box.hidden = false;
    input.addEventListener("input", (event) => {
      // Narrowing is no change of the form that the box may stand in, and Enter does not send it.
      event.stopPropagation();
      const wanted = input.value.trim().toLowerCase();
      for (const item of list.querySelectorAll<HTMLElement>("tbody > tr, :scope > li")) {
        item.hidden = !(item.textContent ?? "").toLowerCase().includes(wanted);
      }
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") event.preventDefault();
    });
  }
}

/** Fields that belong to certain choices of another field are shown only with them, or only without. */
function showDependent(): void {
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
}

/** The values that a field would send: none of a switch that is off. */
function valueOf(field: Node | Element): readonly string[] {
  if (field instanceof HTMLSelectElement) return [field.value];
  if (!(field instanceof HTMLInputElement)) return [];
  const isSwitch = field.type === "checkbox" || field.type === "radio";
  return isSwitch && !field.checked ? [] : [field.value];
}

/** Comparisons with one value of the column's type. */
const EXACT = ["is", "not", "least", "most", "range", "outside"];

/** Comparisons with several values. */
const LISTS = ["any", "none"];

const EXAMPLES: Readonly<Record<string, string>> = {
  boolean: "yes or no",
  datetime: "2031-05-27 18:30:00",
  time: "18:30:00",
};

/** The fields for the values of a filter fit the type of its column. */
function typeFilter(): void {
  const column = document.querySelector<HTMLSelectElement>("#filter-column");
  const comparison = document.querySelector<HTMLSelectElement>("#filter-is");
  if (!column || !comparison) return;
  const update = () => {
    const type = column.selectedOptions[0]?.dataset.type ?? "";
    const isExact = EXACT.includes(comparison.value);
    const isList = LISTS.includes(comparison.value);
    for (const field of document.querySelectorAll<HTMLInputElement>("#filter-value, #filter-to")) {
      field.type = isExact && type === "date" ? "date" : "text";
      field.inputMode = isExact && /^(integer|decimal|float)$/.test(type) ? "decimal" : "text";
      field.placeholder = isExact ? EXAMPLES[type] ?? "" : isList ? "one | another" : "";
    }
  };
  update();
  column.addEventListener("change", update);
  comparison.addEventListener("change", update);
}

/**
 * A field with a value is not NULL: typing switches the switch off, and switching it on empties the field.
 */
function linkSwitches(): void {
  for (const box of document.querySelectorAll<HTMLInputElement>("input[data-nothing]")) {
    const field = document.getElementById(box.dataset.nothing ?? "");
    if (
      !(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ||
        field instanceof HTMLSelectElement)
    ) {
      continue;
    }
    field.addEventListener("input", () => box.checked = false);
    box.addEventListener("change", () => {
      if (box.checked) field.value = "";
    });
  }
}

/**
 * In a row of a matrix, "as all others" and rights of its own exclude each other. A right that is added is
 * added to those of all others, which are in the first row.
 */
function excludeSame(): void {
  for (const same of document.querySelectorAll<HTMLInputElement>('.matrix input[value="same"]')) {
    const others = same.closest("tbody")?.rows[0]?.querySelectorAll("input") ?? [];
    const own = [...same.closest("tr")?.querySelectorAll("input") ?? []].filter((each) => each !== same);
    same.addEventListener("change", () => own.forEach((each) => each.checked &&= !same.checked));
    for (const each of own) {
      each.addEventListener("change", () => {
        if (!same.checked) return;
        same.checked = false;
        own.forEach((right, index) => right.checked ||= others[index]?.checked ?? false);
      });
    }
  }
}

/** Milliseconds without a key before the service is asked. */
const PAUSE = 250;

/**
 * A field whose values are too many to list offers those that fit what is typed:
 * the answers of its search button.
 */
function suggestValues(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[name="ui.search"]')) {
    const field = button.parentElement?.querySelector("input");
    const { form } = button;
    if (!field?.list || !form) continue;
    const { name, list } = field;
    let timer: ReturnType<typeof setTimeout> | undefined;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const body = new FormData(form);
        body.set("ui.search", button.value);
        const answer = await fetch(form.action, { method: "POST", body });
        const found = new DOMParser().parseFromString(await answer.text(), "text/html");
        const options = found.querySelectorAll(
          `[name="${CSS.escape(name)}"] > option[value]:not([value=""])`,
        );
        list.replaceChildren(...options);
      }, PAUSE);
    });
  }
}

/** More columns than these are chosen from none sooner than from all. */
const MANY = 10;

/** A button that turns all columns of a list off, or on. */
function chooseAll(): void {
  for (const picker of document.querySelectorAll(".picker")) {
    const boxes = picker.querySelectorAll("input");
    if (boxes.length <= MANY) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "None";
    button.addEventListener("click", () => {
      const isOn = button.textContent === "All";
      for (const box of boxes) box.checked = isOn;
      button.textContent = isOn ? "None" : "All";
    });
    picker.nextElementSibling?.append(button);
  }
}

/** Milliseconds in which a form is not sent again: its answer is on the way. */
const ONCE = 10_000;

/** Leaving a form with changes asks first, and a second click does not send it again. */
function guardForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-guard]")) {
    // Nothing of a form that has come back with a mistake is stored.
    let isChanged = form.querySelector("[aria-invalid]") !== null;
    form.addEventListener("input", () => isChanged = true);
    let sentAt = -ONCE;
    form.addEventListener("submit", (event) => {
      isChanged = false;
      if (event.timeStamp - sentAt < ONCE) event.preventDefault();
      else sentAt = event.timeStamp;
    });
    // The Back button may show the page as it was left.
    addEventListener("pageshow", () => sentAt = -ONCE);
    addEventListener("beforeunload", (event) => {
      if (isChanged) event.preventDefault();
    });
  }
}

/** The popover of a column's menu stands below its button. */
function placePopovers(): void {
  for (const popover of document.querySelectorAll<HTMLElement>("[popover]")) {
    popover.addEventListener("beforetoggle", () => {
      const button = document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(popover.id)}"]`);
      if (!button) return;
      const { bottom, left } = button.getBoundingClientRect();
      popover.style.top = `${bottom}px`;
      popover.style.left = `${Math.max(8, Math.min(left, innerWidth - 240))}px`;
    });
  }
}

/**
 * A page that shows what is happening loads itself again, unless a field has the
 * focus or the page is not visible.
 */
function refreshPage(): void {
  const seconds = Number(document.body.dataset.refresh);
  if (!(seconds > 0)) return;
  setInterval(() => {
    const isBusy = document.activeElement?.matches("input, select, textarea") ||
      getSelection()?.isCollapsed === false;
    if (!document.hidden && !isBusy) location.reload();
  }, seconds * 1000);
}

closeMenus();
focusSearch();
copyTexts();
narrowLists();
showDependent();
typeFilter();
linkSwitches();
excludeSame();
suggestValues();
chooseAll();
guardForms();
placePopovers();
refreshPage();
