/**
 * Walks a path through a schema: finds the tables, filters and columns that it names. The walk's
 * `key` depends on its shape only (names and operators, never values), so that compiled
 * statements are found by it. Pure.
 *
 * @module
 */

import type { NameIndex } from "@/core/base/name_index.ts";
import { unknownName } from "@/core/base/nearest.ts";
import { badRequest, notFound, quote, ServiceError } from "@/core/errors.ts";
import type { Operation, Value } from "@/core/model.ts";
import { type Grammar, type Name, readName, splitList } from "@/core/request/path_grammar.ts";
import type { SqlTraits } from "@/plugins/contract.ts";
import { type Filter, filterKey, FilterReader } from "./read_filters.ts";
import type { Relation, Schema, Table } from "./table.ts";

/** One table of the path, the relation that led to it, and the filters on it. */
export interface Step {
  readonly table: Table;
  /** The relation from the step before. */
  readonly via?: Relation;
  readonly filters: readonly Filter[];
  /** True when the path up to here selects at most one record. */
  readonly single: boolean;
}

/**
 * A path resolved against the schema: from the first table, over relations, to
 * the requested records and columns.
 */
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

/**
 * The context of a walk. `isForbidden` is true for tables that exist but that the caller has no rights on.
 */
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

/** A step whose filters are still read. */
interface OpenStep extends Pick<Step, "table" | "via"> {
  readonly filters: Filter[];
  readonly wasSingle: boolean;
}

/** Exact names count before names in another case. */
const SPELLINGS = ["exact", "folded"] as const;

/**
 * Walks the segments after the database's: a table, then filters and relations, then a column list.
 * Throws 404 with the nearest names for an unknown name, 403 for a table that the caller may not read,
 * 400 for values of the wrong type.
 */
export function walkPath(segments: readonly string[], context: WalkContext): Walk {
  return new Walker(segments[0] ?? "", context).walk(segments.slice(1));
}

class Walker {
  readonly #context: WalkContext;
  readonly #steps: OpenStep[];
  readonly #filters: FilterReader;
  #current: OpenStep;
  #key: string;

  constructor(first: string, context: WalkContext) {
    this.#context = context;
    this.#filters = new FilterReader(context);
    const table = this.#findTable(first);
    this.#current = { table, filters: [], wasSingle: false };
    this.#steps = [this.#current];
    this.#key = table.segment;
  }

  walk(segments: readonly string[]): Walk {
    const columns = this.#follow(segments);
    const last = finishStep(this.#current);
    const [start = last, ...more] = this.#steps.map((step) =>
      step === this.#current ? last : finishStep(step)
    );
    return {
      steps: [start, ...more],
      last,
      ...(columns ? { columns } : {}),
      values: this.#filters.values,
      plain: this.#filters.plain,
      key: columns ? `${this.#key}|${columns.join()}` : this.#key,
    };
  }

  /**
   * Consumes filters and relations; returns the column list if the path ends in
   * one. A trailing slash is ignored.
   */
  #follow(segments: readonly string[]): readonly number[] | undefined {
    let position = 0;
    while (position < segments.length) {
      const raw = segments[position] ?? "";
      const value = segments[position + 1];
      if (raw === "" && value === undefined) return undefined;
      const found = this.#resolve(raw);
      if (found.kind === "column" && value !== undefined) {
        this.#filter(found, value);
        position += 2;
      } else if (found.kind === "relation") {
        this.#enter(found.relation);
        position += 1;
      } else if (found.kind === "list") {
        if (segments.slice(position + 1).join("/") !== "") {
          throw notFound(
            `Cannot go on after the column list ${quote(raw)}: filters and relations stand before it`,
          );
        }
        return found.columns;
      } else {
        if (found.negated) throw this.#unknown(readName(raw, this.#context.grammar));
        return [found.column];
      }
    }
    return undefined;
  }

  #resolve(raw: string): Resolved {
    const { columnNames, relationNames } = this.#current.table;
    const { grammar } = this.#context;
    const name = readName(raw, grammar);
    for (const spelling of SPELLINGS) {
      const column = byName(columnNames, name, spelling);
      if (column !== undefined) return { kind: "column", column, negated: false };
      const relation = byName(relationNames, name, spelling);
      if (relation) return { kind: "relation", relation };
    }
    if (raw.startsWith("~")) {
      const column = this.#findColumn(raw.slice(1), "negate", "only filters are negated");
      return { kind: "column", column, negated: true };
    }
    const list = splitList(raw, grammar);
    if (list.length === 1) throw this.#unknown(name, raw === "" ? "" : wayToRecord(this.#current.table));
    const reason = "which is a path step of its own or comes with depth=1";
    const columns = list.map((each) => this.#findColumn(each, "list", reason));
    return { kind: "list", columns: [...new Set(columns)] };
  }

  /** `verb`, `reason`: what cannot be done with a relation here, and why. */
  #findColumn(raw: string, verb: string, reason: string): number {
    const { columnNames, relationNames, name: table } = this.#current.table;
    const name = readName(raw, this.#context.grammar);
    const column = find(columnNames, name);
    if (column !== undefined) return column;
    if (!find(relationNames, name)) throw this.#unknown(name);
    throw notFound(
      `Cannot ${verb} ${quote(name.literal)} of table ${quote(table)}: it is a relation, ${reason}`,
    );
  }

  #findTable(raw: string): Table {
    const { schema, grammar, isForbidden, database, operation } = this.#context;
    const name = readName(raw, grammar);
    const table = find(schema.tables, name);
    if (table) return table;
    if (isForbidden(name.literal) || isForbidden(name.substituted)) {
      throw forbiddenTable(name.literal, operation);
    }
    const message = `Cannot find table ${quote(name.literal)} in database ${quote(database)}`;
    throw unknownName(message, name.substituted, schema.tables.names, { wanted: name.literal });
  }

  #unknown(name: Name, otherwise = ""): ServiceError {
    const { table } = this.#current;
    const forbidden = table.forbidden.find(name.literal) ?? table.forbidden.find(name.substituted);
    if (forbidden !== undefined) return forbiddenTable(forbidden);
    if (this.#context.isForbidden(name.literal)) return forbiddenTable(name.literal);
    const [what, where] = [quote(name.literal), quote(table.name)];
    const message = `Cannot find ${what} in table ${where}: it is neither a column nor a relation`;
    const names = [...table.columnNames.names, ...table.relationNames.names];
    return unknownName(message, name.substituted, names, { wanted: name.literal, otherwise });
  }

  #enter(via: Relation): void {
    if (this.#steps.length > MAX_RELATIONS) {
      throw badRequest(`Cannot follow more than ${MAX_RELATIONS} relations in one path`);
    }
    const wasSingle = !via.many && isSingle(this.#current);
    this.#current = { table: via.table, filters: [], wasSingle, via };
    this.#steps.push(this.#current);
    this.#key += `\n${via.segment}`;
  }

  #filter(found: Pick<Filter, "column" | "negated">, raw: string): void {
    const { table, filters } = this.#current;
    const filter = this.#filters.read(raw, table, found);
    this.#key += filterKey(filter);
    filters.push(filter);
  }
}

type Resolved =
  | { readonly kind: "column"; readonly column: number; readonly negated: boolean }
  | { readonly kind: "relation"; readonly relation: Relation }
  | { readonly kind: "list"; readonly columns: readonly number[] };

function finishStep(step: OpenStep): Step {
  const { table, via, filters } = step;
  return { table, filters, single: isSingle(step), ...(via ? { via } : {}) };
}

/** What somebody who has written a key alone, as in `/Port/1`, has to write. */
function wayToRecord({ primaryKey: [key, ...others], columns }: Table): string {
  const column = others.length > 0 || key === undefined ? undefined : columns[key];
  return column ? `; a record is found by its key ${quote(column.name)}: /{column}/{value}` : "";
}

/**
 * Whether the step selects at most one record: a to-one relation led from a single record, or
 * every key column has an exact value.
 */
function isSingle({ table, filters, wasSingle }: OpenStep): boolean {
  if (wasSingle) return true;
  return table.primaryKey.length > 0 &&
    table.primaryKey.every((column) => filters.some((filter) => filter.column === column && isExact(filter)));
}

/** Whether a filter lets one value through, so that a key with it selects at most one record. */
export function isExact({ negated, conditions, or }: Filter): boolean {
  if (negated || or) return false;
  const cells = conditions.find(({ kind }) => kind === "cells");
  if (cells?.kind === "cells") return cells.exact;
  const [only, ...others] = conditions;
  return others.length === 0 && only?.kind === "in" && only.slots.length === 1;
}

function byName<T>(index: NameIndex<T>, name: Name, spelling: (typeof SPELLINGS)[number]): T | undefined {
  return index[spelling](name.literal) ?? index[spelling](name.substituted);
}

function find<T>(index: NameIndex<T>, name: Name): T | undefined {
  return byName(index, name, "exact") ?? byName(index, name, "folded");
}

/** The refusal of a table that the caller has no rights on; every missing right gives the same text. */
export function forbiddenTable(name: string, operation: Operation = "read"): ServiceError {
  const what = operation === "read" ? "read" : `${operation} records of`;
  return new ServiceError(
    "forbidden",
    `Cannot ${what} table ${quote(name)}: log in, or resend with a valid API key of a user who may`,
  );
}
