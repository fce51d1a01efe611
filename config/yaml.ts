/**
 * The only module that uses the YAML library: the core schema of YAML 1.2, one document, no duplicate keys.
 *
 * @module
 */

import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { splitEntries, type YamlEntries, type YamlEntry } from "./yaml_entries.ts";

/** A YAML file for editing: comments, order and spelling of unchanged parts stay. */
export type YamlDocument = Document;

/** A position in a document: its keys, which need not be texts. */
export type YamlPath = readonly unknown[];

/** The data of a text, and the mistakes in it. They quote nothing of it, because that may be a secret. */
interface ParsedYaml {
  readonly value: unknown;
  readonly faults: readonly string[];
  /** Only of a long text that was read entry by entry. */
  readonly split?: YamlEntries;
}

/** Length from which a text is cached: parsing it takes a hundredth of a second. */
const LONG = 32_768;
/** Number of cached long texts: each configuration file before and after a change. */
const KEPT = 6;
const kept = new Map<string, ParsedYaml>();

/** The data in a YAML text (null for an empty one), or all mistakes in it. The data must not be changed. */
export function parseYaml(text: string): ParsedYaml {
  if (text.length < LONG) return readYaml(text);
  const found = kept.get(text) ?? readEach(text) ?? readYaml(text);
  kept.delete(text);
  kept.set(text, found);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return found;
}

/** Number of parsed entries that are kept beside those of the last file. */
const MOST_ENTRIES = 30_000;
/** Parsed entries by their text: after a change all but one are the same, and have the same object. */
let parsedEntries = new Map<string, unknown>();

/**
 * Parses each entry by itself; undefined if that is impossible, or if one has a
 * mistake, whose line is then searched.
 */
function readEach(text: string): ParsedYaml | undefined {
  const split = splitEntries(text);
  if (!split) return undefined;
  const value: [string, unknown][] = [];
  const present = new Map<string, unknown>();
  for (const { id, body } of split.entries) {
    const entry = parsedEntries.has(body) ? parsedEntries.get(body) : readEntry(id, body);
    if (entry === undefined) return undefined;
    present.set(body, entry);
    value.push([id, entry]);
  }
  parsedEntries = parsedEntries.size + present.size > MOST_ENTRIES
    ? present
    : new Map([...parsedEntries, ...present]);
  return { value: Object.fromEntries(value), faults: [], split };
}

function readEntry(id: string, body: string): unknown {
  const { value, faults } = readYaml(body);
  if (faults.length > 0 || typeof value !== "object" || value === null) return undefined;
  return Object.keys(value).join() === id ? Object.values(value)[0] : undefined;
}

function readYaml(text: string): ParsedYaml {
  const { document, faults } = parse(text);
  if (faults.length > 0) return { value: null, faults };
  try {
    // Configurations have few aliases; many are an attempt to exhaust memory.
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (!isCircular(value)) return { value, faults };
    return { value: null, faults: ["An alias refers to a block that contains it"] };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const fault = "A text that begins with * is not in quotes, an alias has no anchor, or there are too many";
    return { value: null, faults: [fault] };
  }
}

/** A text after its change, or the mistakes in the text. */
interface EditedYaml {
  readonly text: string;
  readonly faults: readonly string[];
}

/**
 * A change that concerns only these entries gets documents that have nothing else, and is called once for
 * each of them: the library would spell all other entries its own way.
 */
export function editYaml(
  text: string,
  change: (document: YamlDocument) => void,
  only?: string | readonly string[],
): EditedYaml {
  if (only === undefined) return editAll(text, change);
  const parsed = parseYaml(text);
  const split = parsed.faults.length > 0 ? undefined : parsed.split ?? splitEntries(text);
  return split ? editEntries(split, new Set([only].flat()), change) : editAll(text, change);
}

/** Lines of comments at the end of an entry that do not belong to it, such as an example of another one. */
const LEFT_BEHIND = /(?:(?<=\n)#.*(?:\n+|(?![^])))+(?![^])/;

/** New entries stand at the end; a removed one takes its comment along. */
function editEntries(
  { head, entries }: YamlEntries,
  ids: ReadonlySet<string>,
  change: (document: YamlDocument) => void,
): EditedYaml {
  const faults: string[] = [];
  const edit = ({ id, comment, body }: YamlEntry) => {
    let isLeft = true;
    const edited = editAll(comment + body, (document) => {
      change(document);
      isLeft = document.hasIn([id]);
    });
    faults.push(...edited.faults);
    if (!isLeft) return LEFT_BEHIND.exec(body)?.[0] ?? "";
    if (edited.text === comment + body) return edited.text;
    // The library drops empty lines at the end of a file.
    return `${edited.text.slice(0, endOf(edited.text))}\n${body.slice(endOf(body) + 1)}`;
  };
  const old = entries.map((entry) => ids.has(entry.id) ? edit(entry) : entry.comment + entry.body);
  const known = new Set(entries.map(({ id }) => id));
  const added = [...ids].filter((id) => !known.has(id)).map((id) => edit({ id, comment: "", body: "" }));
  const text = head + old.join("");
  const gap = added.join("") === "" || text === "" || text.endsWith("\n") ? "" : "\n";
  // An empty file would look like a copy that has failed.
  return { text: text + gap + added.join("") || "{}\n", faults };
}

/** Where the empty lines at the end begin. A pattern would need the square of all empty lines of the text. */
function endOf(text: string): number {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return end;
}

function editAll(text: string, change: (document: YamlDocument) => void): EditedYaml {
  const { document, faults } = parse(text);
  if (faults.length > 0) return { text, faults };
  // Additions to `{}` get their own lines, so that people can write more below them.
  if (isMap(document.contents) && document.contents.items.length === 0) document.contents.flow = false;
  // In several lines, the library writes a backslash for a line that is one space.
  const print = () => document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity });
  try {
    const before = print();
    change(document);
    const after = print();
    return { text: after === before ? text : after, faults };
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("Unresolved alias")) throw error;
    return { text, faults: ["An alias needs the block that is to be removed"] };
  }
}

/** The keys of the mapping at a path; undefined if there is none, or only an alias. */
export function keysAt(document: YamlDocument, path: YamlPath): readonly unknown[] | undefined {
  const node: unknown = document.getIn(path, true);
  if (!isMap(node)) return undefined;
  return node.items.map(({ key }) => isScalar(key) ? key.value : key);
}

/** The data at a path; undefined if there is none. */
export function valueAt(document: YamlDocument, path: YamlPath): unknown {
  const node: unknown = document.getIn(path, true);
  return isNode(node) ? node.toJS(document, { maxAliasCount: 100 }) : node;
}

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["BAD_ALIAS", "A text that begins with * must stand in quotes"],
  ["BAD_DQ_ESCAPE", "A quoted string has an escape that YAML does not know"],
  ["BAD_INDENT", "A line is indented unlike the ones it belongs to, or a bracket before it is not closed"],
  ["BAD_SCALAR_START", "A value starts with a character that must stand in quotes"],
  [
    "BLOCK_AS_IMPLICIT_KEY",
    "One value is expected here: a text with a colon and a space must stand in quotes",
  ],
  ["BLOCK_IN_FLOW", "Members between brackets need commas between them"],
  ["DUPLICATE_KEY", "The same key stands twice in one mapping"],
  ["MISSING_CHAR", "A character is missing: a closing quote or bracket, a comma, a colon or a space"],
  ["MULTILINE_IMPLICIT_KEY", "A key reaches over several lines; perhaps a colon is missing"],
  ["MULTIPLE_DOCS", "There is more than one document; expected one"],
  ["TAB_AS_INDENT", "A line is indented with a tab; use spaces"],
  ["TAG_RESOLVE_FAILED", "A tag (!name) is not known"],
  ["UNEXPECTED_TOKEN", "Something is one too many here, such as a closing bracket"],
]);

function parse(text: string): { document: ReturnType<typeof parseDocument>; faults: string[] } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    schema: "core",
    prettyErrors: false,
    lineCounter,
    logLevel: "error",
  });
  // The first mistake of a text leads to others behind it.
  const inOrder = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  const faults = inOrder.map(({ code, pos }) => {
    const { line, col } = lineCounter.linePos(pos[0]);
    return `Line ${line}, column ${col}: ${MESSAGES.get(code) ?? "This is no YAML"}`;
  });
  return { document, faults };
}

/** Data from YAML has no other reason to fail as JSON. */
function isCircular(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return false;
  } catch (error) {
    if (error instanceof TypeError) return true;
    throw error;
  }
}
