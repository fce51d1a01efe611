/**
 * Which views run functions that people wrote, by their definitions as the server prints them. Pure.
 *
 * A view is taken for one that does until it is clear that it does not: then only its readers' connections are renewed in
 * vain.
 *
 * @module
 */

import { placeOf } from "./catalog_place.ts";
import type { ListedTable, ListedView, Listing } from "./catalog_queries.ts";

type Place = { readonly schema: string; readonly table: string };

/**
 * The places of views that call a function which is no function of the server, that read anything that is not listed or
 * such a view, and those whose definition this login may not see.
 */
export function viewsThatRunCode({ tables, views }: Pick<Listing, "tables" | "views">): ReadonlySet<string> {
  const running = new Set<string>();
  const sources = new Map<string, readonly string[]>();
  for (const view of views) {
    const place = foldedPlaceOf(view);
    const read = sourcesOf(view);
    if (read) sources.set(place, read);
    else running.add(place);
  }
  const plain = new Set(
    tables.filter(isTable).map(({ schema, name }) => foldedPlaceOf({ schema, table: name })),
  );
  const isClear = (place: string) => plain.has(place) || (sources.has(place) && !running.has(place));
  // Each round may find views of those that the round before has found.
  for (let before = -1; before !== running.size;) {
    before = running.size;
    for (const [place, read] of sources) if (!read.every(isClear)) running.add(place);
  }
  return new Set(views.filter((view) => running.has(foldedPlaceOf(view))).map(placeOf));
}

function isTable({ kind }: ListedTable): boolean {
  return kind === "BASE TABLE" || kind === "SYSTEM VERSIONED";
}

/** Names of tables differ in case on some servers, and what is found by a name of another case is the same there. */
function foldedPlaceOf(place: Place): string {
  return placeOf(place).toLowerCase();
}

/** In quotes a backslash may be an escape or none, as its author's session had it: so a definition is read both ways. */
const TOKENS = [
  /`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'|\w+|\S/gs,
  /`(?:[^`]|``)*`|'(?:[^']|'')*'|\w+|\S/gs,
];

/** The places that a view reads from; undefined: it calls a function, or it is not printed in the usual way. */
function sourcesOf({ schema, definition }: ListedView): readonly string[] | undefined {
  if (!definition) return undefined;
  const readings = TOKENS.map((pattern) => sourcesIn(definition.match(pattern) ?? [], schema));
  return readings.every((reading) => reading !== undefined) ? readings.flat() : undefined;
}

function sourcesIn(tokens: readonly string[], schema: string): readonly string[] | undefined {
  const sources: string[] = [];
  for (const [at, token] of tokens.entries()) {
    if (callsFunction(tokens, at) || isUnquoted(tokens, at)) return undefined;
    if (!/^(from|join|straight_join)$/i.test(token) || isPartOfDate(tokens, at)) continue;
    sources.push(...sourceAt(tokens, at + 1, schema));
  }
  return sources;
}

/** Functions of the server have no quotes around their names. */
function callsFunction(tokens: readonly string[], at: number): boolean {
  return isName(tokens[at]) && tokens[at + 1] === "(";
}

/** Whoever created the view had it printed without quotes, so that nothing in it is what it looks like. */
function isUnquoted(tokens: readonly string[], at: number): boolean {
  return tokens[at] === "AS" && !isName(tokens[at + 1]);
}

/** `extract(year from …)`. */
function isPartOfDate(tokens: readonly string[], at: number): boolean {
  return tokens[at - 2] === "(" && tokens[at - 3]?.toLowerCase() === "extract";
}

/** A name, or two with a point between them; none where a query in parentheses follows, which has a FROM of its own. */
function sourceAt(tokens: readonly string[], start: number, schema: string): readonly string[] {
  let at = start;
  while (tokens[at] === "(") at++;
  const name = tokens[at];
  if (!isName(name)) return [];
  const second = tokens[at + 1] === "." ? tokens[at + 2] : undefined;
  const place = isName(second)
    ? { schema: unquoted(name), table: unquoted(second) }
    : { schema, table: unquoted(name) };
  return [foldedPlaceOf(place)];
}

function isName(token: string | undefined): token is string {
  return token !== undefined && token.length > 1 && token.startsWith("`");
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll("``", "`");
}
