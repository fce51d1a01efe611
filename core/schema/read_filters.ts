/**
 * Reads the filters of a path: from their text to conditions, whose values are bound later. Pure.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import { badRequest, quote } from "@/core/errors.ts";
import type { Value } from "@/core/model.ts";
import { type Grammar, type Operand, readValue } from "@/core/request/path_grammar.ts";
import {
  isTooFine,
  parseValue,
  readLexical,
  requireOrdered,
  requireTextual,
} from "@/core/request/read_value.ts";
import type { SqlTraits } from "@/plugins/contract.ts";
import { columnAt, type Table } from "./table.ts";

/** One condition of a filter; `slot` numbers count through {@link FilterReader.values}. */
export type Condition =
  | { readonly kind: "null" }
  | { readonly kind: "in"; readonly slots: readonly number[] }
  /** Cells that answers show like the values of the filter; `exact`: the filter is one value. */
  | { readonly kind: "cells"; readonly slots: readonly number[]; readonly exact: boolean }
  | { readonly kind: "range"; readonly from?: number; readonly to?: number }
  /** `folded`: compares with the text in small letters. Only searches have it. */
  | { readonly kind: "like"; readonly slot: number; readonly folded?: true };

/** The conditions are joined by OR; `negated` negates the whole. */
export interface Filter {
  readonly column: number;
  readonly negated: boolean;
  readonly conditions: readonly Condition[];
  /** Filters on other columns, each of which suffices. Only searches have them. */
  readonly or?: readonly Filter[];
}

/** Limits that keep statements within the limits of every engine. */
const MAX_VALUES = 1000;
const MAX_PATTERNS = 100;

/** The escape character of LIKE patterns; `core/sql/path_sql.ts` names it in SQL. */
export const LIKE_ESCAPE = "!";

type Pattern = Extract<Operand, { kind: "range" | "like" }>;

/** Reads the filters of one path in their order. */
export class FilterReader {
  /** Values in the order of their slots, in the form that the driver binds for comparing. */
  readonly values: unknown[] = [];
  /** The same values before the dialect has converted them. */
  readonly plain: Value[] = [];
  readonly #grammar: Grammar;
  readonly #traits: SqlTraits;
  #patterns = 0;
  #count = 0;

  constructor({ grammar, traits }: { readonly grammar: Grammar; readonly traits: SqlTraits }) {
    this.#grammar = grammar;
    this.#traits = traits;
  }

  /** Reads the filter of a column. Throws 400 for values of the wrong type, and for too many of them. */
  read(
    raw: string,
    table: Table,
    { column, negated }: Pick<Filter, "column" | "negated">,
  ): Filter {
    const isKey = table.primaryKey.includes(column);
    const conditions = this.#conditions(readValue(raw, this.#grammar), columnAt(table, column), isKey);
    return { column, negated, conditions };
  }

  /**
   * Plain values become one IN; the others stand beside it. Slots are numbered in this order instead of the
   * order of the operands: paths with the same key share one statement, so equal keys must mean equal slots.
   */
  #conditions(operands: readonly Operand[], column: Column, isKey: boolean): readonly Condition[] {
    const texts: string[] = [];
    const patterns: Pattern[] = [];
    let hasNull = false;
    for (const operand of operands) {
      if (operand.kind === "equal") texts.push(operand.text);
      else if (operand.kind === "null") hasNull = true;
      else patterns.push(operand);
    }
    const conditions = (isKey && column.loose) || column.type === "any"
      ? this.#loose(texts, column, { exact: operands.length === 1, isKey })
      : this.#equal(texts, column);
    if (hasNull) conditions.push({ kind: "null" });
    for (const pattern of patterns) conditions.push(this.#pattern(pattern, column));
    return conditions;
  }

  /**
   * Compares also with the cells that look like the values; values that the type refuses are compared with
   * these cells only, and refused without any. Keys are found as answers show them, others in any spelling.
   */
  #loose(
    texts: readonly string[],
    column: Column,
    { exact, isKey }: { readonly exact: boolean; readonly isKey: boolean },
  ): Condition[] {
    const { cells, special } = this.#traits;
    const odd = new Map(texts.map((text) => {
      const spellings = isKey ? [text] : [...new Set([text, boundOf(text, column)])];
      return [text, spellings.flatMap((each) => cells?.(each, column) ?? [])];
    }));
    const isProper = (text: string) => readLexical(text, column, special) !== undefined;
    const equal = this.#equal(texts.filter((text) => isProper(text) || odd.get(text)?.length === 0), column);
    const slots = [...odd].flatMap(([text, cells]) => {
      if (!isProper(text)) this.#admit();
      return cells.map((cell) => this.#place(text, cell));
    });
    return slots.length === 0 ? equal : [...equal, { kind: "cells", slots, exact }];
  }

  #equal(texts: readonly string[], column: Column): Condition[] {
    if (texts.length === 0) return [];
    return [{ kind: "in", slots: texts.map((text) => this.#bind(text, column)) }];
  }

  #pattern(operand: Pattern, column: Column): Condition {
    if (++this.#patterns > MAX_PATTERNS) {
      throw badRequest(`Cannot use more than ${MAX_PATTERNS} ranges and wildcards in one path`);
    }
    if (operand.kind === "like") {
      requireTextual(column);
      const pattern = operand.literals.map(escapeLike).join("%");
      return { kind: "like", slot: this.#push(pattern, pattern) };
    }
    requireOrdered(column);
    const { from, to } = operand;
    return {
      kind: "range",
      ...(from === undefined ? {} : { from: this.#bind(boundOf(from, column), column) }),
      ...(to === undefined ? {} : { to: this.#bind(boundOf(to, column), column) }),
    };
  }

  /** Parses a value and binds it; returns the number of its slot. */
  #bind(text: string, column: Column): number {
    const { special, parameter, secondDecimals } = this.#traits;
    const value = parseValue(text, column, special);
    if (isTooFine(value, column.type, secondDecimals)) {
      const [name, found] = [quote(column.name), quote(text)];
      throw badRequest(
        `Cannot compare column ${name} with ${found}: it holds at most ${secondDecimals} decimals of a second`,
      );
    }
    return this.#push(value, parameter ? parameter(value, column) : value);
  }

  #push(plain: Value, bound: unknown): number {
    this.#admit();
    return this.#place(plain, bound);
  }

  #admit(): void {
    if (++this.#count <= MAX_VALUES) return;
    throw badRequest(`Cannot use more than ${MAX_VALUES} values in one path`);
  }

  #place(plain: Value, bound: unknown): number {
    if (typeof plain === "string" && plain.includes("\0")) {
      throw badRequest("Cannot filter by text that has the character U+0000");
    }
    this.plain.push(plain);
    return this.values.push(bound) - 1;
  }
}

/** Whether the filter's column has a value in all rows that the filter lets through. */
export function excludesNull({ negated, conditions, or }: Filter): boolean {
  return !or && (negated || !conditions.some(({ kind }) => kind === "null"));
}

/** The key of a filter's shape, equal whatever the values. */
export function filterKey({ column, negated, conditions, or = [] }: Filter): string {
  let key = `/${negated ? "~" : ""}${column}`;
  for (const condition of conditions) key += describe(condition);
  for (const other of or) key += `|${filterKey(other)}`;
  return key;
}

function describe(condition: Condition): string {
  switch (condition.kind) {
    case "in":
      return `=${condition.slots.length}`;
    case "cells":
      return `c${condition.slots.length}${condition.exact ? "" : "+"}`;
    case "null":
      return "n";
    case "like":
      return condition.folded ? "*f" : "*";
    case "range":
      return condition.from === undefined ? "<" : condition.to === undefined ? ">" : "-";
  }
}

/** In a column without a type `1.50` may be a text, but as a bound it is a number. */
function boundOf(text: string, { type }: Column): string {
  return type === "any" && FRACTION.test(text) ? String(Number(text)) : text;
}

const FRACTION = /^-?(?:\d*\.\d+|\d+(?=e))(?:e[+-]?\d+)?$/i;

function escapeLike(text: string): string {
  return text.replace(/[!%_[]/g, (character) => LIKE_ESCAPE + character);
}
