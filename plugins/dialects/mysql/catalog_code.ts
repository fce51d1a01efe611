/**
 * What runs functions that people wrote: views when they are read, by their definitions as the server prints them, and
 * tables when they are changed. Pure.
 *
 * A view is taken for one that does until it is clear that it does not: then only its readers' connections are renewed in
 * vain.
 *
 * @module
 */

import { placeOf } from "./catalog_place.ts";
import type { ListedTable, ListedView, Listing } from "./catalog_queries.ts";
import { FUNCTIONS, KEYWORDS } from "./server_functions.ts";

/**
 * The places of what is read without running anything that people wrote: tables, and views that call no function but those of
 * the server and read nothing else. A view whose definition this login may not see is none.
 */
export function clearPlaces({ tables, views }: Pick<Listing, "tables" | "views">): ReadonlySet<string> {
  const plain = tables.filter(isTable).map(({ schema, name }) => placeOf({ schema, table: name }));
  const clear = new Set(plain);
  const waiting = new Map<string, readonly string[]>();
  for (const view of views) {
    const sources = sourcesOf(view);
    if (sources) waiting.set(placeOf(view), sources);
  }
  // Each round may find views of those that the round before has found.
  for (let before = -1; before !== clear.size;) {
    before = clear.size;
    for (const [place, sources] of waiting) {
      if (sources.every((source) => clear.has(source))) clear.add(place);
    }
  }
  return clear;
}

/** Whether changes of a table or view run no trigger. What foreign keys do to other tables fires none. */
export function isQuiet(table: ListedTable, { triggers, triggerRights }: Listing): boolean {
  const isSeen = triggerRights.some((right) => {
    return (right.schema ?? table.schema) === table.schema && (right.table ?? table.name) === table.name;
  });
  const hasTrigger = triggers.some((trigger) => {
    return trigger.schema === table.schema && trigger.table === table.name;
  });
  return isTable(table) && isSeen && !hasTrigger;
}

function isTable({ kind }: ListedTable): boolean {
  return kind === "BASE TABLE" || kind === "SYSTEM VERSIONED";
}

/** In quotes a backslash may be an escape or none, as its author's session had it: so a definition is read both ways. */
const TOKENS = [
  /`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'|[\w$\u0080-\u{10ffff}]+|\S/gsu,
  /`(?:[^`]|``)*`|'(?:[^']|'')*'|[\w$\u0080-\u{10ffff}]+|\S/gsu,
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
    const source = sourceAt(tokens, at + 1, schema);
    if (source === undefined) return undefined;
    sources.push(...source);
  }
  return sources;
}

/** Names of people's functions are quoted, unless whoever created the view had it printed without quotes. */
function callsFunction(tokens: readonly string[], at: number): boolean {
  const token = tokens[at]?.toLowerCase() ?? "";
  if (tokens[at + 1] !== "(" || !/^[`\w$\u0080-\u{10ffff}]/u.test(token)) return false;
  return tokens[at - 1] === "." || (!FUNCTIONS.has(token) && !PRINTED.has(token));
}

/** Printed without quotes: then nothing is what it looks like. */
function isUnquoted(tokens: readonly string[], at: number): boolean {
  return tokens[at] === "AS" && !isName(tokens[at + 1]);
}

/** What definitions have before a parenthesis beside functions. */
const PRINTED: ReadonlySet<string> = new Set([...KEYWORDS, "any", "some", "returning"]);

/** `extract(year from …)`. */
function isPartOfDate(tokens: readonly string[], at: number): boolean {
  return tokens[at - 2] === "(" && tokens[at - 3]?.toLowerCase() === "extract";
}

/** What stands in a FROM beside names: a query in parentheses, which has a FROM of its own, and nothing. */
const NO_NAMES: ReadonlySet<string> = new Set(["select", "with", "dual"]);

/** A name, or two with a point between them; undefined where it is none of what is known to stand here. */
function sourceAt(tokens: readonly string[], start: number, schema: string): readonly string[] | undefined {
  let at = start;
  while (tokens[at] === "(") at++;
  const name = tokens[at] ?? "";
  if (NO_NAMES.has(name.toLowerCase())) return [];
  if (!isName(name)) return undefined;
  if (tokens[at + 1] !== ".") return [placeOf({ schema, table: unquoted(name) })];
  const second = tokens[at + 2];
  return isName(second) ? [placeOf({ schema: unquoted(name), table: unquoted(second) })] : undefined;
}

function isName(token: string | undefined): token is string {
  return token !== undefined && token.length > 1 && token.startsWith("`");
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll("``", "`");
}
