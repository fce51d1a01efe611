/**
 * The filters of a path: their text to conditions, whose values are bound later. Pure.
 *
 * @module
 */

import { ServiceError } from "./errors.ts";
import type { Column, Value } from "./model.ts";
import { type Grammar, type Operand, readValue } from "./path.ts";
import { parseValue, requireOrdered, requireTextual } from "./values.ts";
import type { SqlTraits } from "@/plugins/contract.ts";

/** One condition of a filter; `slot` numbers count through {@link FilterReader.values}. */
export type Condition =
  | { readonly kind: "null" }
  | { readonly kind: "in"; readonly slots: readonly number[] }
  | { readonly kind: "range"; readonly from?: number; readonly to?: number }
  | { readonly kind: "like"; readonly slot: number };

/** Any of the conditions holds for the column; the whole negated if `negated`. */
export interface Filter {
  readonly column: number;
  readonly negated: boolean;
  readonly conditions: readonly Condition[];
}

/** Bounds that keep statements within what every engine takes. */
const MAX_VALUES = 1000;
const MAX_PATTERNS = 100;

/** The escape character of LIKE patterns; `path_sql.ts` names it in SQL. */
export const LIKE_ESCAPE = "!";

interface Conditions {
  readonly conditions: readonly Condition[];
  /** Tells apart their shapes, not their values. */
  readonly key: string;
}

/** Reads the filters of one path in their order. */
export class FilterReader {
  /** Values in the order of their slots, as the driver wants them for comparing. */
  readonly values: unknown[] = [];
  /** The same before the dialect has seen them. */
  readonly plain: Value[] = [];
  readonly #grammar: Grammar;
  readonly #traits: SqlTraits;
  #patterns = 0;

  constructor({ grammar, traits }: { readonly grammar: Grammar; readonly traits: SqlTraits }) {
    this.#grammar = grammar;
    this.#traits = traits;
  }

  /** The filter, and a key that tells apart only shapes. Throws 400 for values of the wrong type, and too many of them. */
  read(
    raw: string,
    { column, negated, description }: {
      readonly column: number;
      readonly negated: boolean;
      readonly description: Column;
    },
  ): { readonly filter: Filter; readonly key: string } {
    const { conditions, key } = this.#conditions(readValue(raw, this.#grammar), description);
    return { filter: { column, negated, conditions }, key: `/${negated ? "~" : ""}${column}${key}` };
  }

  /**
   * Plain values become one IN; the others stand beside it. Slots are numbered in this order, not as the operands are
   * written: paths with the same key share one statement, so equal keys must mean equal slots.
   */
  #conditions(operands: readonly Operand[], column: Column): Conditions {
    const slots = operands.filter((operand) => operand.kind === "equal")
      .map(({ text }) => this.#slot(text, column));
    const others = operands.filter((operand) => operand.kind === "range" || operand.kind === "like")
      .map((operand) => this.#pattern(operand, column));
    const hasNull = operands.some(({ kind }) => kind === "null");
    return {
      key: `=${slots.length}${hasNull ? "n" : ""}${others.map(describe).join("")}`,
      conditions: [
        ...(slots.length > 0 ? [{ kind: "in", slots } as const] : []),
        ...(hasNull ? [{ kind: "null" } as const] : []),
        ...others,
      ],
    };
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
      return { kind: "like", slot: this.#pushPattern(operand.literals.map(escapeLike).join("%")) };
    }
    requireOrdered(column);
    return {
      kind: "range",
      ...(operand.from === undefined ? {} : { from: this.#slot(operand.from, column) }),
      ...(operand.to === undefined ? {} : { to: this.#slot(operand.to, column) }),
    };
  }

  #slot(text: string, column: Column): number {
    const { parameter, special } = this.#traits;
    const value = parseValue(text, column, special);
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
  if (condition.kind === "like") return "*";
  if (condition.kind !== "range") return "";
  return condition.from === undefined ? "<" : condition.to === undefined ? ">" : "-";
}

function escapeLike(text: string): string {
  return text.replace(/[!%_[]/g, (character) => LIKE_ESCAPE + character);
}
