/**
 * The editor of SQL: it completes names, and the database checks the text while the author pauses. It stands
 * in a shadow root, where it needs no inline style. Without this script the text area stays.
 *
 * @module
 */

import {
  autocompletion,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  Compartment,
  completionKeymap,
  defaultKeymap,
  type Diagnostic,
  drawSelection,
  EditorView,
  type Extension,
  HighlightStyle,
  history,
  historyKeymap,
  keymap,
  lineNumbers,
  linter,
  MariaSQL,
  MSSQL,
  placeholder,
  PostgreSQL,
  setDiagnostics,
  sql,
  SQLite,
  StandardSQL,
  syntaxHighlighting,
  tags,
} from "./codemirror.ts";
import { make } from "./dom.ts";

/** `data-sql` of the text area. */
interface Surroundings {
  readonly database: string;
  readonly names: Readonly<Record<string, { type: string; tables: Record<string, string[]> }>>;
  readonly place?: number;
}

/** The answer to a check, or an error. */
interface Result {
  readonly valid?: boolean;
  readonly error?: string | null;
  readonly position?: number | null;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly columns?: readonly { readonly name: string }[] | null;
  readonly warning?: string | null;
  readonly description?: string;
}

const DIALECTS = { sqlite: SQLite, postgresql: PostgreSQL, mysql: MariaSQL, mssql: MSSQL } as const;

/** The fields whose choice decides whether a statement that changes data can be run. */
const METHODS = "o.http_methods";

/** Milliseconds without a key before the database is asked. */
const PAUSE = 700;

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: [tags.lineComment, tags.blockComment], color: "var(--quiet)", fontStyle: "italic" },
]);

const LOOK = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "inherit" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { caretColor: "var(--ink)", fontFamily: "ui-monospace, monospace", minHeight: "14rem" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--soft)", color: "var(--quiet)", border: "none" },
  ".cm-gutter": { minHeight: "14rem" },
  ".cm-placeholder": { color: "var(--quiet)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--wash)",
  },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
});

/** What every editor has. */
const BASICS: readonly Extension[] = [
  lineNumbers(),
  history(),
  drawSelection(),
  bracketMatching(),
  closeBrackets(),
  // Their icons are characters that few fonts have.
  autocompletion({ icons: false }),
  syntaxHighlighting(COLOURS),
  LOOK,
  EditorView.lineWrapping,
  placeholder("SELECT … WHERE year = :year"),
  // Tab moves the focus to the next control, so the keyboard can leave the editor.
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
];

/** Puts an editor in front of a text area, which keeps the text for the form. */
function edit(area: HTMLTextAreaElement): void {
  const { form } = area;
  const around: Surroundings = JSON.parse(area.dataset.sql ?? "null");
  if (!form || !around) return;
  const host = make("div", { className: "editor" });
  const shadow = host.attachShadow({ mode: "open" });
  const told = make("p", { className: "hint", role: "status" });
  const refusal = new Refusal(area, { host, told });
  const language = new Compartment();
  const view = new EditorView({
    doc: area.value,
    root: shadow,
    parent: shadow,
    extensions: [
      ...BASICS,
      EditorView.contentAttributes.of(() => refusal.attributes),
      language.of(languageOf(around, form)),
      linter(({ state }) => ask(form, state.doc.toString(), told), { delay: PAUSE }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (!docChanged) return;
        refusal.end(view.contentDOM);
        area.value = state.doc.toString();
        area.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    ],
  });
  form.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement && target.name === around.database) {
      view.dispatch({ effects: language.reconfigure(languageOf(around, form)) });
    }
    if (target instanceof HTMLInputElement && target.name === METHODS) void checkAgain(view, form, told);
  });
  area.hidden = true;
  // The browser cannot point to a field that is hidden; the service complains about an empty one.
  area.required = false;
  area.after(host, told);
  refusal.show();
  const label = document.querySelector<HTMLLabelElement>(`label[for="${CSS.escape(area.id)}"]`);
  label?.addEventListener("click", () => view.focus());
  if (around.place !== undefined) {
    view.dispatch(
      setDiagnostics(view.state, [mark(view.state.doc.toString(), around.place, "The mistake is here")]),
    );
  }
}

/** Checks the text that the editor has now. */
async function checkAgain(view: EditorView, form: HTMLFormElement, told: HTMLElement): Promise<void> {
  const { doc } = view.state;
  const found = await ask(form, doc.toString(), told);
  if (view.state.doc === doc) view.dispatch(setDiagnostics(view.state, found));
}

/**
 * The complaint of the service about the text. It ends with the first change, as the check tells what is
 * wrong with the new text. Ids are not found through a shadow root, so the root has a copy of the texts.
 */
class Refusal {
  readonly #parts: { readonly host: HTMLElement; readonly told: HTMLElement };
  readonly #isRequired: boolean;
  readonly #hint: string;
  #complaint: HTMLElement | undefined;
  readonly #copy = make("p", { id: "described", hidden: true });

  constructor(area: HTMLTextAreaElement, parts: { readonly host: HTMLElement; readonly told: HTMLElement }) {
    this.#parts = parts;
    this.#isRequired = area.required;
    this.#hint = document.getElementById(`${area.id}-hint`)?.textContent ?? "";
    this.#complaint = document.getElementById(`${area.id}-problem`) ?? undefined;
  }

  /** Moves the complaint to the editor, where the result of a check is later. */
  show(): void {
    const { host, told } = this.#parts;
    host.shadowRoot?.append(this.#copy);
    this.#describe();
    if (!this.#complaint) return;
    host.classList.add("refused");
    told.before(this.#complaint);
    told.hidden = true;
  }

  /** The editor itself would update its attributes with the next change only. */
  end(content: HTMLElement): void {
    if (!this.#complaint) return;
    content.removeAttribute("aria-invalid");
    this.#complaint.remove();
    this.#complaint = undefined;
    this.#parts.host.classList.remove("refused");
    this.#parts.told.hidden = false;
    this.#describe();
  }

  /** For assistive technologies: those of the text area in front of which the editor stands. */
  get attributes(): Record<string, string> {
    return {
      "aria-label": "SQL",
      "aria-multiline": "true",
      "aria-describedby": this.#copy.id,
      ...(this.#isRequired ? { "aria-required": "true" } : {}),
      ...(this.#complaint ? { "aria-invalid": "true" } : {}),
    };
  }

  #describe(): void {
    this.#copy.textContent = [this.#hint, this.#complaint?.textContent ?? ""].join(" ").trim();
  }
}

/** The words of the chosen database's engine, and the names of its tables and columns. */
function languageOf({ names, database }: Surroundings, form: HTMLFormElement): Extension {
  const field = form.elements.namedItem(database);
  const chosen = field instanceof HTMLSelectElement ? names[field.value] : undefined;
  const dialect = DIALECTS[chosen?.type as keyof typeof DIALECTS] ?? StandardSQL;
  return sql({ dialect, schema: chosen?.tables ?? {}, upperCaseKeywords: true });
}

/** The last check; a new one gives it up, because its result would come too late. */
let check = new AbortController();

/** Sends the form for a check. The last result stays until the next one: what is below must not move. */
async function ask(form: HTMLFormElement, text: string, told: HTMLElement): Promise<Diagnostic[]> {
  check.abort();
  const { signal } = check = new AbortController();
  if (text.trim() === "") {
    told.textContent = "";
    return [];
  }
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
  body.set("s.sqlstr", text);
  body.set("ui.check", "json");
  const result: Result = await fetch(form.action, { method: "POST", body, redirect: "error", signal })
    .then((response) => response.json())
    .catch(() => ({ description: "The service does not answer at the moment." }));
  if (signal.aborted) return [];
  if (result.valid) {
    const columns = result.columns?.map(({ name }) => name) ?? [];
    const parameters = Object.keys(result.parameters ?? {}).map((name) => `:${name}`);
    told.textContent = [
      columns.length === 0 ? "The database accepts it." : `Columns: ${columns.join(", ")}.`,
      ...(parameters.length === 0 ? [] : [`Parameters: ${parameters.join(", ")}.`]),
      ...(result.warning ? [`But ${result.warning}.`] : []),
      ...untyped(form, text),
    ].join(" ");
    return [];
  }
  const message = result.error ?? result.description ?? "The database refuses it.";
  told.textContent = [message, ...untyped(form, text)].join(". ");
  return [mark(text, result.position ?? undefined, message)];
}

/** A parameter, with its name. */
const PARAMETER = /(?<![:\p{L}\p{M}\p{N}_]):([\p{L}_][\p{L}\p{M}\p{N}_]*)/gu;

/** A type that is not known may be the mistake; the form has fields for types once it has been checked. */
function untyped(form: HTMLFormElement, text: string): readonly string[] {
  const names = [...text.matchAll(PARAMETER)].map(([, name]) => name);
  const isMissing = names.some((name) => !form.elements.namedItem(`s.parameters.${name}`));
  return isMissing ? ["“Check the SQL” shows fields for the types of the parameters."] : [];
}

/** Marks the word or character at a place, or the whole text where no place is known. */
function mark(text: string, place: number | undefined, message: string): Diagnostic {
  const { length } = text;
  const from = place === undefined ? 0 : Math.min(place, length);
  const word = /^[\p{L}\p{M}\p{N}_$]+/u.exec(text.slice(from))?.[0].length ?? 1;
  const to = place === undefined ? length : Math.min(from + word, length);
  return { from: from === to ? Math.max(0, from - 1) : from, to, severity: "error", message };
}

// Not before: browsers restore the text of a form that one comes back to after scripts have run.
addEventListener("pageshow", () => {
  for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-sql]")) edit(area);
}, { once: true });
