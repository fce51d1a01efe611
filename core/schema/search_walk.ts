/**
 * The walk to the records that people mean by a few words, such as `Harris Frank`. Pure.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import { type LinkStyle, printValue } from "@/core/request/print_path.ts";
import { isTextual, readLexical } from "@/core/request/read_value.ts";
import type { SqlTraits } from "@/plugins/contract.ts";
import { type Filter, filterKey, FilterReader } from "./read_filters.ts";
import type { Table } from "./table.ts";
import type { Walk } from "./walk_path.ts";

/** The records that are searched. */
interface Search {
  /** Some of the words of a label, or parts of them, in any order. */
  readonly text: string;
  /** The columns in which each word is searched; only the first ones if they are many. */
  readonly columns: readonly number[];
  /** Columns that have to have a value. */
  readonly fixed: readonly { readonly column: number; readonly text: string }[];
}

/** Later words and columns are left out: with four spellings, there are no more patterns than in a path. */
const MOST = 5;

/** The characters between words, as in `Harris, Frank (16)`. No text has U+0000. */
const BETWEEN = /[\s,()\0]+/;

/** Types whose values people type as one word. */
const VALUES: ReadonlySet<Column["type"]> = new Set(["integer", "decimal", "float", "date", "datetime"]);

const DAY = /^[\d-]+$/;

/** Undefined if no column can have one of the words. */
export function searchWalk(
  table: Table,
  { text, columns, fixed }: Search,
  { links, traits }: { readonly links: LinkStyle; readonly traits: SqlTraits },
): Walk | undefined {
  const reader = new FilterReader({ grammar: links.grammar, traits });
  const read = (column: number, raw: string) => reader.read(raw, table, { column, negated: false });
  const filters = fixed.map((each) => read(each.column, printValue(each.text, links)));
  const searched = [...new Set(columns)].slice(0, MOST);
  for (const word of text.split(BETWEEN).filter((each) => each !== "").slice(0, MOST)) {
    const [first, ...or] = searched.flatMap((position): Filter[] => {
      const column = table.columns[position];
      if (!column) return [];
      if (!isTextual(column)) {
        const wanted = askedOf(word, column, { links, traits });
        return wanted === undefined ? [] : [read(position, wanted)];
      }
      const part = (each: string) => read(position, `*${printValue(each, links)}*`);
      // Some engines fold fewer letters than this program: a text may also be as it is typed.
      return [...[word, ...capitalsOf(word)].map(part), folded(part(word.toLowerCase()))];
    });
    if (!first) return undefined;
    filters.push(or.length === 0 ? first : { ...first, or });
  }
  const last = { table, filters, single: false };
  const { values, plain } = reader;
  // No path has such a key: with the same filters it may lead to a single record.
  return { steps: [last], last, values, plain, key: `?${table.segment}${filters.map(filterKey).join("")}` };
}

/** SQLite folds the letters of ASCII only: words with others are also searched in these spellings. */
function capitalsOf(word: string): readonly string[] {
  if (!/\P{ASCII}/u.test(word)) return [];
  const small = word.toLowerCase();
  return [word.toUpperCase(), small.replace(/^./u, (first) => first.toUpperCase())];
}

/** The filter with its patterns compared in small letters. */
function folded({ conditions, ...filter }: Filter): Filter {
  return {
    ...filter,
    conditions: conditions.map((each) => each.kind === "like" ? { ...each, folded: true } : each),
  };
}

/** The filter of a word, as a path has it: a value, or a day; undefined if the column cannot have it. */
function askedOf(
  word: string,
  column: Column,
  { links, traits }: { readonly links: LinkStyle; readonly traits: SqlTraits },
): string | undefined {
  if (!VALUES.has(column.type) || readLexical(word, column, traits.special) === undefined) return undefined;
  const value = printValue(word, links);
  return column.type === "datetime" && DAY.test(word) ? `${value}..${value}T23%3A59%3A59` : value;
}
