/**
 * Conveniences of pages. Every page works without this script.
 *
 * @module
 */

import { fetchPage, make } from "./dom.ts";
import { fillKeys, guardForms, linkSwitches, showDependent, suggestValues } from "./fields.ts";
import { typeFilter } from "./filter.ts";

/** Details that open like a menu close when the focus or the mouse goes elsewhere, and on Escape. */
function closeMenus(): void {
  const open =
    () => [...document.querySelectorAll<HTMLDetailsElement>("details.drop[open], details.panel[open]")];
  const closeOthers = (target: EventTarget | null) => {
    for (const menu of open()) if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  };
  // Not a click: it is outside, too, where somebody has selected text from a field to beyond the menu.
  document.addEventListener("mousedown", (event) => closeOthers(event.target));
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
    // The editor of SQL is in a shadow root.
    const [target] = event.composedPath();
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
    const ariaLabel = `Copy ${place.dataset.label ?? "the text"}`;
    const button = make("button", { type: "button", textContent: "Copy", ariaLabel });
    // Screen readers announce an output, but not the text of a button that has a label.
    const told = make("output", { className: "hidden" });
    button.addEventListener("click", async () => {
      const text = place.querySelector("pre");
      if (!text) return;
      // Pages that came without TLS from another machine have no clipboard, but may copy what is selected.
      if (navigator.clipboard) await navigator.clipboard.writeText(text.textContent ?? "");
      else {
        getSelection()?.selectAllChildren(text);
        document.execCommand("copy");
      }
      button.textContent = told.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
        told.textContent = "";
      }, 2000);
    });
    place.append(button, told);
  }
}

/** Boxes that narrow the rows or items of the element that they control. */
function narrowLists(): void {
  for (const box of document.querySelectorAll<HTMLElement>("[data-narrow]")) {
    const list = document.getElementById(box.dataset.narrow ?? "");
    const input = box.querySelector("input");
    if (!list || !input) continue;
    box.hidden = false;
    const told = make("output", { className: "hint" });
    box.append(told);
    input.addEventListener("input", (event) => {
      // Narrowing is no change of the form that the box may stand in, and Enter does not send it.
      event.stopPropagation();
      const wanted = input.value.trim().toLowerCase();
      const items = [...list.querySelectorAll<HTMLElement>("tbody > tr, :scope > li")];
      for (const item of items) item.hidden = !(item.textContent ?? "").toLowerCase().includes(wanted);
      told.textContent = items.every(({ hidden }) => hidden) ? "Nothing fits" : "";
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") event.preventDefault();
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

/** More columns than these are chosen from none sooner than from all. */
const MANY = 10;

/** A list without columns is refused. A button turns many of them off, or on where some are off. */
function chooseColumns(): void {
  for (const picker of document.querySelectorAll(".picker")) {
    const boxes = [...picker.querySelectorAll("input")];
    const update = () =>
      boxes[0]?.setCustomValidity(boxes.some(({ checked }) => checked) ? "" : "Choose at least one column.");
    picker.addEventListener("change", update);
    if (boxes.length <= MANY) continue;
    const textContent = boxes.every(({ checked }) => checked) ? "None" : "All";
    const button = make("button", { type: "button", textContent });
    button.addEventListener("click", () => {
      const isOn = button.textContent === "All";
      for (const box of boxes) box.checked = isOn;
      button.textContent = isOn ? "None" : "All";
      update();
    });
    picker.nextElementSibling?.append(button);
  }
}

/** The popover of a column's menu stands below its button, also where no style sheet can say so. */
function placePopovers(): void {
  for (const popover of document.querySelectorAll<HTMLElement>("[popover]")) {
    popover.addEventListener("beforetoggle", () => {
      const button = document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(popover.id)}"]`);
      if (button) placeBelow(popover, button);
    });
  }
}

/** As far as the window has room for a whole menu: what is fixed does not scroll. */
function placeBelow({ style }: HTMLElement, button: HTMLElement): void {
  const { bottom, left } = button.getBoundingClientRect();
  style.positionArea = "none";
  style.top = `max(0px, min(${bottom}px, 100vh - 16rem))`;
  style.left = `${Math.max(8, Math.min(left, innerWidth - 240))}px`;
}

/** The menu that a link asks the service for stands below the link instead of on another page. */
function openMenus(): void {
  document.addEventListener("click", async (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = event;
    const opener = target instanceof Element ? target.closest<HTMLAnchorElement>("a[data-menu]") : null;
    if (!opener || ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    const page = await fetchPage(opener.href).catch(() => undefined);
    const items = [...page?.querySelectorAll("#menu > li:has(a)") ?? []].slice(0, -1);
    const [first] = items;
    if (!first) {
      location.href = opener.href;
      return;
    }
    const popover = make("div", { className: "popover", popover: "auto" });
    const list = make("ul");
    list.append(...items);
    popover.append(list);
    document.body.append(popover);
    popover.addEventListener("toggle", () => {
      if (!popover.matches(":popover-open")) popover.remove();
    });
    placeBelow(popover, opener);
    popover.showPopover();
    first.querySelector("a")?.focus();
  });
}

/** The column that a list is sorted by is in sight, unless the address leads to another one. */
function showSorted(): void {
  const column = document.querySelector<HTMLElement>("th[aria-sort]");
  const list = column?.closest(".scroll");
  if (!column || !list || location.hash !== "") return;
  list.scrollLeft = column.offsetLeft + column.offsetWidth - list.clientWidth;
}

/** Who comes back to a page finds the window where it was; the script does the same for a list in it. */
function keepPlace(): void {
  const list = document.querySelector(".scroll.tall");
  if (!list) return;
  const name = `place ${location.href}`;
  const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const known = sessionStorage.getItem(name);
  if (visit?.type !== "navigate" && known) list.scrollTo(JSON.parse(known));
  addEventListener("pagehide", () => {
    sessionStorage.setItem(name, JSON.stringify({ left: list.scrollLeft, top: list.scrollTop }));
  });
}

/**
 * A page that shows what is happening loads itself again, unless a field or the keyboard has the focus,
 * a menu is open or the page is not visible.
 */
function refreshPage(): void {
  const seconds = Number(document.querySelector<HTMLElement>("#main")?.dataset["refresh"]);
  if (!(seconds > 0)) return;
  setInterval(() => {
    const isBusy =
      document.querySelector(":is(input, select, textarea):focus, :focus-visible, .drop[open]") ||
      getSelection()?.isCollapsed === false;
    if (!document.hidden && !isBusy) location.reload();
  }, seconds * 1000);
}

/** The message of a form is about this visit: a reload, or the address sent to others, does not repeat it. */
function forgetDone(): void {
  const { href } = location;
  const plain = href.replace(/([?&])ui\.done=[^&#]*(?:&|(?=#|$))/, "$1").replace(/[?&](?=#|$)/, "");
  if (plain !== href) history.replaceState(history.state, "", plain);
}

forgetDone();
closeMenus();
focusSearch();
copyTexts();
narrowLists();
showDependent();
typeFilter();
linkSwitches();
excludeSame();
suggestValues();
fillKeys();
chooseColumns();
guardForms();
placePopovers();
openMenus();
showSorted();
refreshPage();
// The last step: it throws where the browser refuses its storage.
keepPlace();
