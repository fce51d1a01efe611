/**
 * Plans POST, PUT and DELETE of table data: what will be written where. The body is read later, when its table is known
 * to be writable.
 *
 * @module
 */

import { type BodyFormat, chooseBodyFormat } from "./body.ts";
import type { Connection } from "./connection.ts";
import type { ManagedDatabase } from "./databases.ts";
import { quote, ServiceError } from "./errors.ts";
import { parseTags } from "./etag.ts";
import { allowedMethods, refuseMethod } from "./methods.ts";
import type { Operation } from "./model.ts";
import { requireWritable } from "./parameters.ts";
import { mayAccess } from "./permissions.ts";
import { placeOf, type ReadInput, walkInput } from "./plan_read.ts";
import { isWritable, type Relation, type Schema, type Table } from "./schema.ts";
import type { ShapePlace } from "./shapes.ts";
import { forbiddenTable, type Step, type Walk, walkPath } from "./walk.ts";
import type { Database } from "@/plugins/contract.ts";

interface Writing {
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  /** The database under the caller's login. */
  readonly database: Database;
  readonly walk: Walk;
  readonly table: Table;
  /** What the caller may read: the only names that an error may tell. */
  readonly visible: Schema;
}

/** New records; columns that the path gives need not be in the body. */
export interface InsertPlan extends Writing {
  readonly kind: "insert";
  readonly body: BodyFormat;
  readonly place: ShapePlace;
  /** The record before the last relation gives the foreign key. */
  readonly parent?: { readonly steps: readonly Step[]; readonly relation: Relation };
  /** Slots of the walk's values by column: equality filters on the last table. */
  readonly filtered: ReadonlyMap<number, number>;
}

export interface UpdatePlan extends Writing {
  readonly kind: "update";
  readonly body: BodyFormat;
  /** The hashes of `If-Match`; absent: whatever is there is changed. */
  readonly match?: readonly string[];
}

export interface DeletePlan extends Writing {
  readonly kind: "delete";
  readonly match?: readonly string[];
}

export type WritePlan = InsertPlan | UpdatePlan | DeletePlan;

/** What planning a write needs beside what reading needs. */
export interface WriteInput extends ReadInput {
  readonly headers: Headers;
}

const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ["POST", "create"],
  ["PUT", "update"],
  ["DELETE", "delete"],
]);

/** Throws 400 for what cannot be written so, 403 without the right, 405 for a column list, 415 for the body's format. */
export function planWrite(input: WriteInput): WritePlan {
  const { request, headers, service, managed, connection, mapping, view: { database } } = input;
  const { method, parameters } = request;
  const operation = OPERATIONS.get(method);
  const walk = walkPath(input.segments, walkInput(input));
  if (!operation || walk.columns) throw refuseMethod(method, allowedMethods(mapping, walk));
  requireWritable(parameters, method);
  const { table } = walk.last;
  if (!mayAccess(mapping, table.name, operation)) throw forbiddenTable(table.name, operation);
  if (!isWritable(table, operation)) throw refuseMethod(method, allowedMethods(mapping, walk));
  const { schema: visible } = managed.view(connection, mapping);
  const writing = { managed, connection, database, walk, table, visible };
  if (operation === "create") {
    const body = chooseBodyFormat(headers, request.extension, service);
    return { kind: "insert", ...writing, body, place: placeOf(input), ...suppliedBy(walk) };
  }
  requireFilter(walk, parameters.all ?? false, method);
  const match = matchOf(headers, walk);
  if (operation === "delete") return { kind: "delete", ...writing, ...match };
  return {
    kind: "update",
    ...writing,
    body: chooseBodyFormat(headers, request.extension, service),
    ...match,
  };
}

/** What a path gives to a new record: the foreign key of its last relation, and equal values of its last filters. */
function suppliedBy(walk: Walk): Pick<InsertPlan, "parent" | "filtered"> {
  const { via, filters, table } = walk.last;
  const filtered = new Map<number, number>();
  for (const filter of filters) {
    const [only, ...others] = filter.conditions;
    if (filter.negated || only?.kind !== "in" || only.slots.length !== 1 || others.length > 0) {
      const name = table.columns[filter.column]?.name ?? "";
      throw new ServiceError(
        "bad-request",
        `Cannot create with the filter on ${
          quote(name)
        }: only a filter with one value can give a new record its value`,
      );
    }
    const slot = only.slots[0] ?? 0;
    const before = filtered.get(filter.column);
    if (before !== undefined && walk.plain[before] !== walk.plain[slot]) {
      throw contradiction(table, filter.column);
    }
    filtered.set(filter.column, slot);
  }
  if (!via) return { filtered };
  if (!via.many) {
    throw new ServiceError(
      "bad-request",
      `Cannot create over the relation ${
        quote(via.name)
      }: it leads to a record that has to be there before; ` +
        `POST to the table ${quote(table.name)}`,
    );
  }
  return { filtered, parent: { steps: walk.steps.slice(0, -1), relation: via } };
}

/** Two places give one column different values. */
export function contradiction(table: Table, column: number): ServiceError {
  const name = table.columns[column]?.name ?? "";
  return new ServiceError(
    "bad-request",
    `The path and the body give ${quote(name)} more than one value: leave all but one out`,
  );
}

/** Without any filter every row of the table would be meant. */
function requireFilter(walk: Walk, all: boolean, method: string): void {
  if (all || walk.steps.some(({ filters }) => filters.length > 0)) return;
  throw new ServiceError(
    "bad-request",
    `Cannot ${method} the whole table ${
      quote(walk.last.table.name)
    }: add a filter, or all=true if every record is meant`,
  );
}

function matchOf(headers: Headers, walk: Walk): { readonly match?: readonly string[] } {
  const written = headers.get("if-match");
  if (written === null) return {};
  if (!walk.last.single) {
    throw new ServiceError(
      "bad-request",
      "Cannot use If-Match here: it is for single records, found by their key",
    );
  }
  return { match: parseTags(written) };
}
