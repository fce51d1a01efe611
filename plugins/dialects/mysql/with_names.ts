/**
 * Names that WITH gives to queries. Pure.
 *
 * @module
 */

import { counterpart, isWord, nameOf, type Token } from "./statement_tokens.ts";

/** A name, and whether its own query knows it. */
export interface WithName {
  readonly name: string;
  readonly isRecursive: boolean;
}

/** The name of the query in the parentheses that open here: `WITH name AS (`, `WITH name (columns) AS (`. */
export function withNameAt(tokens: readonly Token[], opening: number): WithName | undefined {
  if (!isWord(tokens, opening - 1, "as")) return undefined;
  const hasColumns = tokens[opening - 2]?.text === ")";
  const at = hasColumns ? (counterpart(tokens, opening - 2) ?? 0) - 1 : opening - 2;
  const token = tokens[at];
  const start = withOf(tokens, at);
  if (!token || token.kind === "other" || start === undefined) return undefined;
  return { name: nameOf(token), isRecursive: isWord(tokens, start + 1, "recursive") };
}

/** Whether the parentheses that open here have the columns of such a name. */
export function isColumnList(tokens: readonly Token[], opening: number): boolean {
  if (tokens[opening - 1]?.kind === "other" || withOf(tokens, opening - 1) === undefined) return false;
  const end = counterpart(tokens, opening);
  return end !== undefined && isWord(tokens, end + 1, "as") && tokens[end + 2]?.text === "(";
}

/** Names that one WITH has at most; more of them are not looked through. */
const MOST_NAMES = 50;

/** The WITH that the name at this place belongs to: right behind it, or behind the queries of the names before. */
function withOf(tokens: readonly Token[], place: number): number | undefined {
  let at: number | undefined = place;
  for (let count = 0; at !== undefined && count < MOST_NAMES; count++) {
    if (isWord(tokens, at - 1, "with")) return at - 1;
    if (isWord(tokens, at - 1, "recursive") && isWord(tokens, at - 2, "with")) return at - 2;
    at = nameBefore(tokens, at);
  }
  return undefined;
}

/** Where the name stands that the query before this place has: `name AS (…),` or `name (columns) AS (…),`. */
function nameBefore(tokens: readonly Token[], at: number): number | undefined {
  if (tokens[at - 1]?.text !== "," || tokens[at - 2]?.text !== ")") return undefined;
  const opening = counterpart(tokens, at - 2);
  if (opening === undefined || !isWord(tokens, opening - 1, "as")) return undefined;
  if (tokens[opening - 2]?.text !== ")") return opening - 2;
  const columns = counterpart(tokens, opening - 2);
  return columns === undefined ? undefined : columns - 1;
}
