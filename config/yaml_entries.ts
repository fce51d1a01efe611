/**
 * The entries of a YAML file, each as its own text: a change of one entry leaves all others as they are.
 *
 * @module
 */

/** One entry; {@link YamlEntries} joined is the file. */
export interface YamlEntry {
  readonly id: string;
  /** The comment above it. */
  readonly comment: string;
  /** From its key to the next entry or its comment. */
  readonly body: string;
}

/** A file that is a map of entries. */
export interface YamlEntries {
  /** Everything before the first entry. */
  readonly head: string;
  readonly entries: readonly YamlEntry[];
}

/**
 * A line that is neither empty nor indented nor a comment. JavaScript takes further characters for the end of
 * a line, such as U+2028, and YAML does not: behind one, a text could look like an entry.
 */
const START = /(?<![^\n])[^ #\n][^\n]*/g;
/** An id at its beginning, perhaps in quotes; without them YAML takes three words for other values. */
const KEY = /^(?:(?!(?:null|true|false):)|(["']))([a-z_][a-z0-9@_~-]*)\1:(?: |$)/i;
/**
 * Anchors and aliases lead from one entry to another; the meaning of tabs and
 * carriage returns is left to the library.
 */
const ENTANGLED = /(?:^|[\s,[{:])[&*][^\s"']|[\t\r\uFEFF]/m;

/** A line of data above the first entry: all entries of the file are indented. */
const INDENTED = /(?<![^\n]) +[^ #\n]/;

/** Undefined for a file that only the library can split, or that has an id twice. */
export function splitEntries(text: string): YamlEntries | undefined {
  if (ENTANGLED.test(text)) return undefined;
  const starts = new Map<string, { readonly comment: number; readonly key: number }>();
  for (const { 0: line, index } of text.matchAll(START)) {
    const id = KEY.exec(line)?.[2];
    if (id === undefined || starts.has(id)) return undefined;
    starts.set(id, { comment: startOfComment(text, index), key: index });
  }
  const places = [...starts];
  const head = text.slice(0, places[0]?.[1].comment);
  if (INDENTED.test(head)) return undefined;
  const entries = places.map(([id, { comment, key }], at) => {
    return { id, comment: text.slice(comment, key), body: text.slice(key, places[at + 1]?.[1].comment) };
  });
  return { head, entries };
}

/** The lines above an entry that are a comment without a gap. */
function startOfComment(text: string, key: number): number {
  let start = key;
  // Above the second character is only an empty line, and `lastIndexOf` takes -1 for 0.
  while (start > 1) {
    const above = text.lastIndexOf("\n", start - 2) + 1;
    if (text[above] !== "#") break;
    start = above;
  }
  return start;
}
