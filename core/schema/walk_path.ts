/**
 * Walks a path through a schema: finds the tables, filters and columns that it names. The walk's `key` depends on its
 * shape only (names and operators, never values), so that compiled statements are found by it. Pure.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import { type Filter, FilterReader } from "./read_filters.ts";
import type { Operation, Value } from "@/core/model.ts";
import { nearest } from "@/core/base/nearest.ts";
import { type Grammar, type Name, readName, splitList } from "@/core/request/path_grammar.ts";
import type { NameIndex } from "@/core/base/name_index.ts";
import type { Relation, Schema, Table } from "./table.ts";
import type { SqlTraits } from "@/plugins/contract.ts";

/** One table of the path, the relation that led to it, and the filters on it. */
export interface Step {
  readonly table: Table;
  /** The relation from the step before. */
  readonly via?: Relation;
  readonly filters: readonly Filter[];
  /** True when the path up to here selects at most one record. */
  readonly single: boolean;
}

/** A path resolved against the schema: from the first table, over relations, to the requested records and columns. */
export interface Walk {
  readonly steps: readonly [Step, ...Step[]];
  /** The last step; the answer has records of its table. */
  readonly last: Step;
  /** The listed columns; absent: all. */
  readonly columns?: readonly number[];
  /** Values in the order of their slots, in the form that the driver binds for comparing. */
  readonly values: readonly unknown[];
  /** The same values before the dialect has converted them. */
  readonly plain: readonly Value[];
  /** Equal for paths of one shape. */
  readonly key: string;
}

/** The context of a walk. `isForbidden` is true for tables that exist but that the caller has no rights on. */
export interface WalkContext {
  readonly database: string;
  readonly schema: Schema;
  readonly isForbidden: (table: string) => boolean;
  /** The operation that `isForbidden` was asked for. */
  readonly operation?: Operation;
  readonly grammar: Grammar;
  readonly traits: SqlTraits;
}

/** Keeps statements within the limits of every engine. */
const MAX_RELATIONS = 16;

interface MutableStep {
  readonly table: Table;
  readonly via?: Relation;
  readonly filters: Filter[];
  readonly wasSingle: boolean;
}

/**
 * Walks the segments after the database's: a table, then filters and relations, then a column list. Throws 404 with the
 * nearest names for an unknown name, 403 for a table that the caller may not read, 400 for values of the wrong type.
 */
export function walkPath(segments: readonly string[], context: WalkContext): Walk {
  return new Walker(context).walk(segments);
}

/** The state of one walk. */
class Walker {
  readonly #context: WalkContext;
  readonly #steps: MutableStep[] = [];
  readonly #filters: FilterReader;
  #key = "";

  constructor(context: WalkContext) {
    this.#context = context;
    this.#filters = new FilterReader(context);
  }

  walk(segments: readonly string[]): Walk {
    this.#enter(this.#findTable(segments[0] ?? ""));
    const columns = this.#follow(segments.slice(1));
    const steps = this.#steps.map(finishStep);
    const [start] = steps;
    const last = steps.at(-1);
    if (!start || !last) throw new Error("A path has at least its table");
    return {
      steps: [start, ...steps.slice(1)],
      last,
      ...(columns ? { columns } : {}),
      values: this.#filters.values,
      plain: this.#filters.plain,
      key: columns ? `${this.#key}|${columns.join()}` : this.#key,
    };
  }

  /** Consumes filters and relations; returns the column list if the path ends in one. A trailing slash is ignored. */
  #follow(segments: readonly string[]): readonly number[] | undefined {
    let position = 0;
    while (position < segments.length) {
      const raw = segments[position] ?? "";
      const value = segments[position + 1];
      if (raw === "" && value === undefined) return undefined;
      const found = this.#resolve(raw);
      if (found.kind === "column" && value !== undefined) {
        this.#filter(found.column, found.negated, value);
        position += 2;
      } else if (found.kind === "relation") {
        this.#enter(found.relation.table, found.relation);
        position += 1;
      } else if (value !== undefined) {
        throw this.#listNotLast(raw);
      } else if (found.kind === "column") {
        if (found.negated) throw this.#unknown(readName(raw, this.#context.grammar));
        return [found.column];
      } else {
        return found.columns;
      }
    }
    return undefined;
  }

  #resolve(raw: string): Resolved {
    const { table } = this.#current;
    const { grammar } = this.#context;
    const name = readName(raw, grammar);
    const column = byName(table.columnNames, name, "exact");
    if (column !== undefined) return { kind: "column", column, negated: false };
    const relation = byName(table.relationNames, name, "exact");
    if (relation) return { kind: "relation", relation };
    const foldedColumn = byName(table.columnNames, name, "folded");
    if (foldedColumn !== undefined) return { kind: "column", column: foldedColumn, negated: false };
    const foldedRelation = byName(table.relationNames, name, "folded");
    if (foldedRelation) return { kind: "relation", relation: foldedRelation };
    if (raw.startsWith("~")) return { kind: "column", column: this.#findColumn(raw.slice(1)), negated: true };
    const list = splitList(raw, grammar);
    if (list.length === 1) throw this.#unknown(name);
    return { kind: "list", columns: [...new Set(list.map((each) => this.#findListed(each)))] };
  }

  #findColumn(raw: string): number {
    const { table } = this.#current;
    const name = readName(raw, this.#context.grammar);
    const column = byName(table.columnNames, name, "exact") ?? byName(table.columnNames, name, "folded");
    if (column === undefined) throw this.#unknown(name);
    return column;
  }

  #findListed(raw: string): number {
    const { table: { columnNames, relationNames, name: table } } = this.#current;
    const name = readName(raw, this.#context.grammar);
    const isColumn = byName(columnNames, name, "exact") ?? byName(columnNames, name, "folded");
    const relation = byName(relationNames, name, "exact") ?? byName(relationNames, name, "folded");
    if (isColumn !== undefined || !relation) return this.#findColumn(raw);
    throw new ServiceError(
      "not-found",
      `Cannot list ${quote(name.literal)} of table ${
        quote(table)
      }: it is a relation, which is a path step of its ` +
        "own or comes with depth=1",
    );
  }

  #findTable(raw: string): Table {
    const { schema, grammar, isForbidden, database, operation } = this.#context;
    const name = readName(raw, grammar);
    const table = byName(schema.tables, name, "exact") ?? byName(schema.tables, name, "folded");
    if (table) return table;
    if (isForbidden(name.literal) || isForbidden(name.substituted)) {
      throw forbiddenTable(name.literal, operation);
    }
    throw new ServiceError(
      "not-found",
      `Cannot find table ${quote(name.literal)} in database ${quote(database)}${
        nearestHint(name, schema.tables.names)
      }`,
    );
  }

  #unknown(name: Name): ServiceError {
    const { table } = this.#current;
    const forbidden = table.forbidden.find(name.literal) ?? table.forbidden.find(name.substituted);
    if (forbidden !== undefined) return forbiddenTable(forbidden);
    if (this.#context.isForbidden(name.literal)) return forbiddenTable(name.literal);
    const hint = nearestHint(name, [...table.columnNames.names, ...table.relationNames.names]);
    return new ServiceError(
      "not-found",
      `Cannot find ${quote(name.literal)} in table ${
        quote(table.name)
      }: it is neither a column nor a relation${hint}`,
    );
  }

  #listNotLast(raw: string): ServiceError {
    return new ServiceError(
      "not-found",
      `Cannot go on after the column list ${quote(raw)}: filters and relations stand before it`,
    );
  }

  get #current(): MutableStep {
    const step = this.#steps.at(-1);
    if (!step) throw new Error("The walk has not entered a table");
    return step;
  }

  #enter(table: Table, via?: Relation): void {
    if (this.#steps.length > MAX_RELATIONS) {
      throw new ServiceError("bad-request", `Cannot follow more than ${MAX_RELATIONS} relations in one path`);
    }
    const wasSingle = via !== undefined && !via.many && isSingle(this.#current);
    this.#steps.push({ table, filters: [], wasSingle, ...(via ? { via } : {}) });
    this.#key += via ? `\n${via.segment}` : table.segment;
  }

  #filter(column: number, negated: boolean, raw: string): void {
    const step = this.#current;
    const description = step.table.columns[column];
    if (!description) throw new Error(`Table ${step.table.name} has no column ${column}`);
    const isKey = step.table.primaryKey.includes(column);
    const { filter, key } = this.#filters.read(raw, { column, negated, description, isKey });
    this.#key += key;
    step.filters.push(filter);
  }
}

type Resolved =
  | { readonly kind: "column"; readonly column: number; readonly negated: boolean }
  | { readonly kind: "relation"; readonly relation: Relation }
  | { readonly kind: "list"; readonly columns: readonly number[] };

function finishStep(step: MutableStep): Step {
  const { table, via, filters } = step;
  return { table, filters, single: isSingle(step), ...(via ? { via } : {}) };
}

/**
 * Whether the step selects at most one record: a to-one relation led from a single record, or every key column has an
 * exact value.
 */
function isSingle({ table, filters, wasSingle }: MutableStep): boolean {
  if (wasSingle) return true;
  return table.primaryKey.length > 0 &&
    table.primaryKey.every((column) => filters.some((filter) => filter.column === column && isExact(filter)));
}

function isExact({ negated, conditions }: Filter): boolean {
  if (negated) return false;
  const cells = conditions.find(({ kind }) => kind === "cells");
  if (cells?.kind === "cells") return cells.exact;
  const [only, ...others] = conditions;
  return others.length === 0 && only?.kind === "in" && only.slots.length === 1;
}

function byName<T>(index: NameIndex<T>, name: Name, how: "exact" | "folded"): T | undefined {
  return index[how](name.literal) ?? index[how](name.substituted);
}

function nearestHint(name: Name, names: readonly string[]): string {
  const found = nearest(name.substituted, names);
  return found.length > 0 ? `; the nearest are ${found.map(quote).join(", ")}` : "";
}

/** The refusal of a table that the caller has no rights on; every missing right gives the same text. */
export function forbiddenTable(name: string, operation: Operation = "read"): ServiceError {
  const what = operation === "read" ? "read" : `${operation} records of`;
  return new ServiceError(
    "forbidden",
    `Cannot ${what} table ${quote(name)}: log in, or resend with a valid API key of a user who may`,
  );
}
