/**
 * Random paths over the grammar: filters of every form, walks over relations in
 * both directions, lists of columns.
 *
 * @module
 */

import fc from "@/tests/support/random.ts";
import type { ColumnFacts, TableFacts } from "./facts.ts";
import { isTextual, presentIn, spelling } from "./values.ts";

/** A path to records of a table. */
export interface Path {
  /** Raw segments from the table on. */
  readonly segments: readonly string[];
  /** Where it leads. */
  readonly table: TableFacts;
}

type Tables = ReadonlyMap<string, TableFacts>;

/** Characters that are operators, or part of a sequence, unless they are encoded. */
const OPERATORS = /[*~._!'()]/g;

/** The text as references print it: it means itself. */
export function encodePlain(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(OPERATORS, percent);
}

/** Writes the text as people do: operators and sequences keep their meaning. */
function encodeLoose(text: string): string {
  return encodeURIComponent(text.replaceAll("/", "__")).replaceAll("%2C", ",");
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Paths from any table. */
export function paths(tables: Tables, steps: number): fc.Arbitrary<Path> {
  return fc.constantFrom(...tables.values()).chain((table) =>
    walk({ segments: [encodePlain(table.name)], table }, steps, tables)
  );
}

/** Paths to a record that is there. */
export function recordPaths(tables: Tables): fc.Arbitrary<Path> {
  const found = [...tables.values()].flatMap((table) => {
    const records = keyOf(table);
    return records ? [{ table, records }] : [];
  });
  return fc.constantFrom(...found).chain(({ table, records }) =>
    records.map((segments) => ({ segments: [encodePlain(table.name), ...segments], table }))
  );
}

function walk(path: Path, left: number, tables: Tables): fc.Arbitrary<Path> {
  const end = fc.constant(path);
  if (left === 0) return end;
  const go = ({ segments, table = path.table }: Partial<Path>) =>
    walk({ segments: [...path.segments, ...(segments ?? [])], table }, left - 1, tables);
  const records = keyOf(path.table);
  const relations = path.table.relations.flatMap(({ name, table }) => {
    const target = tables.get(table);
    return target ? [{ segments: [encodePlain(name)], table: target }] : [];
  });
  return fc.oneof(
    { weight: 3, arbitrary: end },
    { weight: 5, arbitrary: filter(path.table).chain((segments) => go({ segments })) },
    ...(records ? [{ weight: 2, arbitrary: records.chain((segments) => go({ segments })) }] : []),
    ...(relations.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...relations).chain(go) }] : []),
  );
}

/** Filters with the whole key of an existing record; undefined without one. */
function keyOf({ primaryKey, columns, rows }: TableFacts): fc.Arbitrary<readonly string[]> | undefined {
  if (rows.length === 0 || primaryKey.length === 0) return undefined;
  return fc.nat(rows.length - 1).map((row) =>
    primaryKey.flatMap((name) => {
      const value = columns.find((column) => column.name === name)?.values[row];
      return [encodePlain(name), encodePlain(String(value))];
    })
  );
}

function filter(table: TableFacts): fc.Arbitrary<readonly string[]> {
  return fc.constantFrom(...table.columns).chain((column) =>
    fc.tuple(fc.constantFrom("", "", "", "~"), value(column, table)).map(([not, text]) => {
      return [`${not}${encodePlain(column.name)}`, text];
    })
  );
}

/** A filter's value: an element or a list of them. */
function value(column: ColumnFacts, table: TableFacts): fc.Arbitrary<string> {
  const one = element(column, table);
  return fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 4 }).map((list) => list.join(",")) },
  );
}

function element(column: ColumnFacts, table: TableFacts): fc.Arbitrary<string> {
  const text = spelling(column);
  const plain = text.map(encodePlain);
  const end = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: fc.constant("") });
  return fc.oneof(
    { weight: 5, arbitrary: plain },
    { weight: 1, arbitrary: text.map(encodeLoose) },
    { weight: 3, arbitrary: fc.tuple(end, end).map(([from, to]) => `${from}..${to}`) },
    { weight: 1, arbitrary: fc.constantFrom("<null>", "%3Cnull%3E") },
    ...(hasWildcards(column, table) ? [{ weight: 4, arbitrary: pattern(column) }] : []),
  );
}

/**
 * No wildcards where letters differ in case only, and small letters in all others: SQLite's LIKE takes ASCII
 * letters for the same in either case, as docs/api.md says in its table of differences.
 */
function hasWildcards(column: ColumnFacts, table: TableFacts): boolean {
  return table.name !== "Cased" && isTextual(column);
}

/** Pieces of texts with wildcards between them. */
function pattern(column: ColumnFacts): fc.Arbitrary<string> {
  const texts = fc.constantFrom(
    ...presentIn(column).filter((text) => text !== ""),
    "a",
    "%",
    "_",
    "\\",
    "!",
    "[",
    "😀",
  );
  const piece = fc.tuple(texts, fc.nat(3), fc.nat(3)).map(([text, from, length]) => {
    const part = [...text].slice(from, from + length).join("").toLowerCase();
    return encodePlain(column.isTrimmed ? part.trimEnd() : part);
  });
  return fc.array(piece, { minLength: 1, maxLength: 3 }).chain((pieces) =>
    fc.constantFrom("*", "**").chain((star) =>
      fc.constantFrom(
        pieces.join(star) + star,
        star + pieces.join(star),
        star + pieces.join(star) + star,
        `${pieces.join(star)}`,
      )
    )
  );
}
