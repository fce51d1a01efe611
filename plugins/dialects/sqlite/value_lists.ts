/**
 * The values that a check lists: `CHECK (Status IN ('open', 'closed'))`. SQLite has no catalog of checks,
 * only the text of the statement that has made the table. Pure.
 *
 * @module
 */

const QUOTED_NAME = /"(?:[^"]|"")+"|\[[^\]]+\]|`(?:[^`]|``)+`/.source;
const TEXT = /'(?:[^']|'')*'/.source;

/** Comments, and what may look like one. */
const COMMENT = new RegExp(String.raw`(${TEXT}|${QUOTED_NAME})|--[^\n]*|/\*.*?(?:\*/|$)`, "gs");
const LIST = new RegExp(
  String.raw`\bCHECK\s*\(\s*(${QUOTED_NAME}|[\p{L}_][\p{L}\p{N}_$]*)\s*\bIN\s*\(\s*` +
    String.raw`(${TEXT}(?:\s*,\s*${TEXT})*)\s*\)\s*\)`,
  "giu",
);

/**
 * The first list of each column, by its name in small letters, from a `CREATE TABLE`. None if a collation may
 * let other spellings pass.
 */
export function valueLists(sql: string): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, readonly string[]>();
  const plain = sql.replace(COMMENT, (_, kept = " ") => kept);
  if (/\bCOLLATE\b/i.test(plain)) return lists;
  for (const [, name = "", list = ""] of plain.matchAll(LIST)) {
    const texts = [...list.matchAll(new RegExp(TEXT, "g"))].map(([text]) => unquote(text));
    const column = unquote(name).toLowerCase();
    if (!lists.has(column)) lists.set(column, [...new Set(texts)]);
  }
  return lists;
}

function unquote(text: string): string {
  const [mark = ""] = text;
  if (mark === "[") return text.slice(1, -1);
  return /['"`]/.test(mark) ? text.slice(1, -1).replaceAll(mark + mark, mark) : text;
}
