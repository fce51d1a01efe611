/**
 * Reads the filters of a path: from their text to conditions, whose values are bound later. Pure.
 *
 * @module
 */

import { cutValue } from "./cut_value.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import type { Column, Value } from "@/core/model.ts";
import { type Grammar, type Operand, readValue } from "@/core/request/path_grammar.ts";
import { parseValue, readLexical, requireOrdered, requireTextual } from "@/core/request/read_value.ts";
import type { SqlTraits } from "@/plugins/contract.ts";

/** One condition of a filter; `slot` numbers count through {@link FilterReader.values}. */
export type Condition =
  | { readonly kind: "null" }
  /** `never`: the column cannot hold any of the values, so the condition is false for every row. */
  | { readonly kind: "in"; readonly slots: readonly number[]; readonly never: boolean }
  /** Cells that answers show as values which the type refuses; `exact`: the filter is one such value. */
  | { readonly kind: "cells"; readonly slots: readonly number[]; readonly exact: boolean }
  /** `above`: the lower bound is exclusive. */
  | { readonly kind: "range"; readonly from?: number; readonly to?: number; readonly above: boolean }
  | { readonly kind: "like"; readonly slot: number };

/** The conditions are joined by OR; `negated` negates the whole. */
export interface Filter {
  readonly column: number;
  readonly negated: boolean;
  readonly conditions: readonly Condition[];
}

/** Limits that keep statements within the limits of every engine. */
const MAX_VALUES = 1000;
const MAX_PATTERNS = 100;

/** The escape character of LIKE patterns; `conditions.ts` names it in SQL. */
export const LIKE_ESCAPE = "!";

/** A column that is compared, and whether it belongs to its table's key. */
interface Compared {
  readonly column: number;
  readonly negated: boolean;
  readonly description: Column;
  readonly isKey: boolean;
}

/** A value, and the greatest comparable value below it if the engine cannot compare it exactly. */
interface Parsed {
  readonly value: Value;
  readonly cut: string | undefined;
}

interface Conditions {
  readonly conditions: readonly Condition[];
  /** Equal for operands of one shape, whatever their values. */
  readonly key: string;
}

/** Reads the filters of one path in their order. */
export class FilterReader {
  /** Values in the order of their slots, in the form that the driver binds for comparing. */
  readonly values: unknown[] = [];
  /** The same values before the dialect has converted them. */
  readonly plain: Value[] = [];
  readonly #grammar: Grammar;
  readonly #traits: SqlTraits;
  #patterns = 0;

  constructor({ grammar, traits }: { readonly grammar: Grammar; readonly traits: SqlTraits }) {
    this.#grammar = grammar;
    this.#traits = traits;
  }

  /** Returns the filter and a key of its shape. Throws 400 for values of the wrong type, and for too many of them. */
  read(
    raw: string,
    { column, negated, description, isKey }: Compared,
  ): { readonly filter: Filter; readonly key: string } {
    const { conditions, key } = this.#conditions(readValue(raw, this.#grammar), description, isKey);
    return { filter: { column, negated, conditions }, key: `/${negated ? "~" : ""}${column}${key}` };
  }

  /**
   * Plain values become one IN; the others stand beside it. Slots are numbered in this order instead of the order of
   * the operands: paths with the same key share one statement, so equal keys must mean equal slots.
   */
  #conditions(operands: readonly Operand[], column: Column, isKey: boolean): Conditions {
    const texts = operands.filter((operand) => operand.kind === "equal").map(({ text }) => text);
    const equal = isKey && column.loose ? this.#loose(texts, column) : this.#equal(texts, column);
    const others = operands.filter((operand) => operand.kind === "range" || operand.kind === "like")
      .map((operand) => this.#pattern(operand, column));
    const hasNull = operands.some(({ kind }) => kind === "null");
    const conditions = [...equal, ...(hasNull ? [{ kind: "null" } as const] : []), ...others];
    return { key: conditions.map(describe).join(""), conditions };
  }

  /**
   * Values that the type refuses are compared with the cells that look like them; without such cells they are refused.
   */
  #loose(texts: readonly string[], column: Column): readonly Condition[] {
    const { cells, special } = this.#traits;
    const odd = new Map<string, readonly unknown[]>();
    for (const text of texts) {
      if (readLexical(text, column, special) !== undefined) continue;
      const found = cells?.(text, column) ?? [];
      if (found.length > 0) odd.set(text, found);
    }
    if (odd.size === 0) return this.#equal(texts, column);
    const equal = this.#equal(texts.filter((text) => !odd.has(text)), column);
    const slots = [...odd].flatMap(([text, cells]) => cells.map((cell) => this.#push(text, cell)));
    return [...equal, { kind: "cells", slots, exact: texts.length === 1 }];
  }

  /**
   * A value that the column cannot hold matches no row: another value of the list takes its slot, so that the length of
   * the list, and with it the key, stays the same.
   */
  #equal(texts: readonly string[], column: Column): readonly Condition[] {
    const given = texts.map((text) => this.#parse(text, column));
    if (given.length === 0) return [];
    const possible = given.find(({ cut }) => cut === undefined);
    const slots = given.map((each) => {
      const { value } = each.cut === undefined ? each : possible ?? each;
      return this.#bind(value, column);
    });
    return [{ kind: "in", slots, never: possible === undefined }];
  }

  #pattern(operand: Extract<Operand, { kind: "range" | "like" }>, column: Column): Condition {
    if (++this.#patterns > MAX_PATTERNS) {
      throw new ServiceError(
        "bad-request",
        `Cannot use more than ${MAX_PATTERNS} ranges and wildcards in one path`,
      );
    }
    if (operand.kind === "like") {
      requireTextual(column);
      requireWhole(operand.literals, column);
      return { kind: "like", slot: this.#pushPattern(operand.literals.map(escapeLike).join("%")) };
    }
    requireOrdered(column);
    return this.#range(operand, column);
  }

  /** Range bounds that the column cannot represent are rounded down; a lower bound then becomes exclusive. */
  #range({ from, to }: Extract<Operand, { kind: "range" }>, column: Column): Condition {
    const [lower, upper] = [from, to].map((text) =>
      text === undefined ? undefined : this.#parse(text, column)
    );
    const bind = ({ value, cut }: Parsed) => this.#bind(cut ?? value, column);
    return {
      kind: "range",
      ...(lower ? { from: bind(lower) } : {}),
      ...(upper ? { to: bind(upper) } : {}),
      above: lower?.cut !== undefined,
    };
  }

  #parse(text: string, column: Column): Parsed {
    const value = parseValue(text, column, this.#traits.special);
    return { value, cut: cutValue(value, column, this.#traits) };
  }

  #bind(value: Value, column: Column): number {
    const { parameter } = this.#traits;
    return this.#push(value, parameter ? parameter(value, column) : value);
  }

  #pushPattern(pattern: string): number {
    return this.#push(pattern, pattern);
  }

  #push(plain: Value, bound: unknown): number {
    if (this.values.length >= MAX_VALUES) {
      throw new ServiceError("bad-request", `Cannot use more than ${MAX_VALUES} values in one path`);
    }
    this.plain.push(plain);
    return this.values.push(bound) - 1;
  }
}

function describe(condition: Condition): string {
  switch (condition.kind) {
    case "in":
      return `=${condition.slots.length}${condition.never ? "!" : ""}`;
    case "cells":
      return `c${condition.slots.length}${condition.exact ? "" : "+"}`;
    case "null":
      return "n";
    case "like":
      return "*";
    case "range":
      return describeRange(condition) + (condition.above ? "+" : "");
  }
}

function describeRange({ from, to }: Extract<Condition, { kind: "range" }>): string {
  return from === undefined ? "<" : to === undefined ? ">" : "-";
}

/** Some engines would end a pattern at U+0000, others have no text with it. */
function requireWhole(literals: readonly string[], { name }: Column): void {
  if (!literals.some((text) => text.includes("\0"))) return;
  throw new ServiceError(
    "bad-request",
    `Cannot use a wildcard on column ${quote(name)} beside the character U+0000`,
  );
}

function escapeLike(text: string): string {
  return text.replace(/[!%_[]/g, (character) => LIKE_ESCAPE + character);
}
