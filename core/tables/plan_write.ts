/**
 * Plans POST, PUT and DELETE of table data. The body is read later, once its table is known to be writable.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { FailedPlan, ReachedDatabase } from "@/core/database/explain_failure.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import { chooseBodyFormat } from "@/core/request/body_format.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import type { BodyFormat } from "@/core/request/read_records.ts";
import type { Filter } from "@/core/schema/read_filters.ts";
import {
  columnAt,
  columnsAt,
  isWritable,
  type Relation,
  type Schema,
  type Table,
} from "@/core/schema/table.ts";
import { forbiddenTable, type Step, type Walk, walkPath } from "@/core/schema/walk_path.ts";
import { allowedMethods, OPERATIONS_OF, refuseMethod } from "./allowed_methods.ts";
import type { ShapePlace } from "./answer_shape.ts";
import { type DataRequest, shapePlaceOf } from "./compile_read.ts";
import { conditionElsewhere, parseTags, unreadableCondition } from "./etag.ts";
import { type CreatedRead, planCreated } from "./plan_created.ts";
import { walkInput } from "./plan_read.ts";

interface Writing extends ReachedDatabase {
  readonly walk: Walk;
  readonly table: Table;
  /** The tables that the caller may read: errors name no others. */
  readonly visible: Schema;
  readonly values: readonly unknown[];
  /** See {@link FailedPlan.record}. */
  readonly record?: FailedPlan["record"];
  readonly place: ShapePlace;
}

/** New records; columns whose value comes from the path may be absent from the body. */
export interface InsertPlan extends Writing {
  readonly kind: "insert";
  readonly body: BodyFormat;
  /** The record before the last relation gives the foreign key. */
  readonly parent?: {
    readonly steps: readonly Step[];
    readonly relation: Relation;
    /** Slots of the key as the path writes it, by foreign column: `/Code/abc` may lead to the key `ABC`. */
    readonly written: ReadonlyMap<number, number>;
  };
  /** Slots of the walk's values by column, for equality filters on the last table. */
  readonly filtered: ReadonlyMap<number, number>;
  /** How the new records are read for the answer. Absent: the answer has their paths. */
  readonly shown?: CreatedRead;
}

/** Deletes all records of the walk. */
export interface DeletePlan extends Writing {
  readonly kind: "delete";
  /** The tags of `If-Match`; absent: any record matches. */
  readonly match?: readonly string[];
  /** The tags of `If-None-Match`; absent: none is excluded. */
  readonly noneMatch?: readonly string[];
}

/** New values for all records of the walk. */
export interface UpdatePlan extends Omit<DeletePlan, "kind"> {
  readonly kind: "update";
  readonly body: BodyFormat;
}

/** A permitted change of table data; the body has not been read. */
export type WritePlan = InsertPlan | UpdatePlan | DeletePlan;

/**
 * Throws 400 for a path or header, 403 without the right, 405 for a column list, 415 for the body's format.
 */
export function planWrite(input: DataRequest): WritePlan {
  const { request, headers, service, managed, connection, mapping, view: { database, may } } = input;
  const { method, parameters } = request;
  const operation = OPERATIONS_OF.get(method)?.at(-1);
  const walk = walkPath(input.segments, walkInput(input));
  if (!operation || walk.columns) throw refuseMethod(method, allowedMethods(may, walk));
  requireUseful(request, "write");
  const { table } = walk.last;
  if (!may(table.name, operation)) throw forbiddenTable(table.name, operation);
  if (!isWritable(table, operation)) throw refuseMethod(method, allowedMethods(may, walk));
  const { schema: visible } = connection.views.find(mapping);
  const writing = {
    managed,
    connection,
    database,
    walk,
    values: walk.values,
    table,
    visible,
    place: shapePlaceOf(input),
  };
  if (operation === "create") {
    const body = chooseBodyFormat(headers, request.extension, service);
    const shown = planCreated(input, table);
    return { kind: "insert", ...writing, body, ...suppliedBy(walk), ...defined({ shown }) };
  }
  requireFilter(walk, parameters.all ?? false, method);
  const match = tagsOf(headers, "If-Match", walk);
  const noneMatch = tagsOf(headers, "If-None-Match", walk);
  const change = { ...writing, ...defined({ match, noneMatch }) };
  if (operation === "delete") return { kind: "delete", ...change };
  return { kind: "update", ...change, body: chooseBodyFormat(headers, request.extension, service) };
}

/**
 * The values that a path gives to a new record: its last relation's foreign key,
 * and equality filters at the end.
 */
function suppliedBy(walk: Walk): Pick<InsertPlan, "parent" | "filtered"> {
  const { via, filters, table } = walk.last;
  const filtered = new Map<number, number>();
  for (const filter of filters) {
    const column = columnAt(table, filter.column);
    const name = quote(column.name);
    if (column.generated) {
      throw badRequest(`Cannot create with the filter on ${name}: the database computes this column`);
    }
    const slot = slotOf(filter);
    if (slot === undefined) {
      throw badRequest(
        `Cannot create with the filter on ${name}: only a filter with one value can give a new record its value`,
      );
    }
    const before = filtered.get(filter.column);
    if (before !== undefined && walk.plain[before] !== walk.plain[slot]) {
      throw contradiction(table, filter.column);
    }
    filtered.set(filter.column, slot);
  }
  if (!via) return { filtered };
  requireCreating(via);
  const steps = walk.steps.slice(0, -1);
  return { filtered, parent: { steps, relation: via, written: writtenKey(steps, via) } };
}

function writtenKey(steps: readonly Step[], { local, foreign }: Relation): ReadonlyMap<number, number> {
  const filters = steps.at(-1)?.filters ?? [];
  return new Map(filters.flatMap((filter): (readonly [number, number])[] => {
    const position = foreign[local.indexOf(filter.column)];
    const slot = slotOf(filter);
    return position === undefined || slot === undefined ? [] : [[position, slot]];
  }));
}

/** Throws 400 for a relation whose foreign key no new record can be given. */
export function requireCreating({ name, many, foreign, table }: Relation): void {
  const why = !many
    ? "it leads to a record that has to be there before"
    : columnsAt(table, foreign).some(({ generated }) => generated)
    ? "the database computes its foreign key"
    : undefined;
  if (why === undefined) return;
  throw badRequest(
    `Cannot create over the relation ${quote(name)}: ${why}; POST to the table ${quote(table.name)}`,
  );
}

/** The slot of a filter that is one value; undefined for other filters. */
function slotOf({ negated, conditions }: Filter): number | undefined {
  const [only, ...others] = conditions;
  const isOne = !negated && only?.kind === "in" && only.slots.length === 1 && !others.some(isAnother);
  return isOne ? only.slots[0] : undefined;
}

/**
 * Whether a condition gives another value than the one value of the filter; cells
 * that look like that value do not.
 */
function isAnother(condition: Filter["conditions"][number]): boolean {
  return condition.kind !== "cells" || !condition.exact;
}

/** 400 for different values of one column. */
export function contradiction(table: Table, column: number): ServiceError {
  const name = quote(columnAt(table, column).name);
  return badRequest(`The path and the body give ${name} more than one value: leave all but one out`);
}

/** Without a filter the request would change every row of the table. */
function requireFilter(walk: Walk, all: boolean, method: string): void {
  if (all || walk.steps.some(({ filters }) => filters.length > 0)) return;
  const table = quote(walk.last.table.name);
  throw badRequest(
    `Cannot ${method} the whole table ${table}: add a filter, or all=true if every record is meant`,
  );
}

function tagsOf(headers: Headers, name: string, { last }: Walk): readonly string[] | undefined {
  const written = headers.get(name);
  if (written === null) return undefined;
  if (!last.single) throw conditionElsewhere(name);
  const tags = parseTags(written);
  if (tags.length === 0) throw unreadableCondition(name);
  return tags;
}
