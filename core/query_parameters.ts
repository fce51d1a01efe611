/**
 * The parameters of a saved query: `:name` in its SQL, outside of strings, quoted names, comments and casts (`::`). Pure.
 *
 * @module
 */

/** What may hold a colon that begins no parameter, and last the parameter itself. */
const TOKENS = new RegExp(
  [
    /'(?:[^']|'')*(?:'|$)/, // text
    /"(?:[^"]|"")*(?:"|$)/, // a quoted name
    /`(?:[^`]|``)*(?:`|$)/, // MySQL's
    /\[[^\]]*(?:\]|$)/, // SQL Server's
    /--[^\r\n]*/,
    /\/\*[^]*?(?:\*\/|$)/,
    /\$([A-Za-z_]*)\$[^]*?(?:\$\1\$|$)/, // PostgreSQL's dollar quotes
    /::/,
    /:(?<name>[A-Za-z_][A-Za-z0-9_]*)/,
  ].map(({ source }) => source).join("|"),
  "g",
);

/** Names in the order in which they first stand in the SQL, each once. */
export function queryParameters(sql: string): readonly string[] {
  const names = [...sql.matchAll(TOKENS)].flatMap(({ groups }) => groups?.["name"] ?? []);
  return [...new Set(names)];
}
