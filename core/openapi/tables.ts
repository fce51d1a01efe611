/**
 * The paths of one table in an OpenAPI document: its list, its records, and the relations of each record, with the
 * operations that the caller may use.
 *
 * @module
 */

import { printName } from "@/core/request/print_path.ts";
import type { Column, Json, JsonObject, Operation } from "@/core/model.ts";
import { NameParts } from "./names.ts";
import {
  changeBody,
  createBody,
  createdAnswer,
  type DescribedTable,
  exampleJson,
  listAnswer,
  recordAnswer,
  type TablePlace,
  valueSchema,
} from "./schemas.ts";
import type { Relation, Table } from "@/core/schema/table.ts";
import { parametersFor, responses } from "./components.ts";

type Path = readonly [string, Json];

const LIST_PARAMETERS = parametersFor(["list"]);
const RECORD_PARAMETERS = parametersFor(["record", "path"], "IfNoneMatch");
const FILTERED_PARAMETERS = parametersFor(["list", "path"]);
const CREATE_PARAMETERS = parametersFor(["body"], "Prefer");
const RELATION_CREATE_PARAMETERS = parametersFor(["path", "body"], "Prefer");
const UPDATE_PARAMETERS = parametersFor(["path", "body"], "IfMatch");
const DELETE_PARAMETERS = parametersFor(["path"], "IfMatch");

const READ_ERRORS = responses(400, 403, 404, 429, 500, 501, 503, 504);
const CREATE_ERRORS = responses(400, 403, 404, 409, 413, 415, 429, 500, 503, 504);
const UPDATED = responses(204, 400, 403, 404, 412, 413, 415, 422, 429, 500, 503, 504);
const DELETED = responses(204, 400, 403, 404, 409, 412, 429, 500, 503, 504);

/** Every path below the table with at least one permitted operation. */
export function tablePaths(described: DescribedTable, place: TablePlace): readonly Path[] {
  const { table } = described;
  const list: Path = [`${place.path}/${table.segment}.json`, listItem(described, place)];
  if (!place.may(table.name, "read")) return [list];
  const filters = filterPaths(described, place);
  if (table.primaryKey.length === 0) return [list, ...filters];
  const key = keyOf(table, place);
  const record: Path = [`${key.path}.json`, { parameters: key.parameters, ...recordItem(described, place) }];
  return [list, record, ...filters, ...relationPaths(described, key, place)];
}

/** One filter; a column that is the whole key has its own path. */
function filterPaths(described: DescribedTable, place: TablePlace): readonly Path[] {
  const { table, name } = described;
  const columns = table.columns.filter((_, position) =>
    table.primaryKey.length !== 1 || table.primaryKey[0] !== position
  );
  if (columns.length === 0) return [];
  const column = pathParameter("column", "The column to filter by.", {
    schema: { enum: columns.map(({ name }) => name) },
  });
  const value = pathParameter(
    "value",
    "A value, a range such as `1..10`, or text with the wildcard `*`. `<null>`: no value.",
    { schema: { type: "string" } },
  );
  const item = {
    parameters: [column, value],
    ...readList(described, place, {
      operationId: `${name}.filter`,
      summary: `Read the records of ${table.name} that a filter matches`,
      isFiltered: true,
    }),
  };
  return [[`${place.path}/${table.segment}/{column}/{value}.json`, item]];
}

function relationPaths({ table, name }: DescribedTable, key: Key, place: TablePlace): readonly Path[] {
  const parts = new NameParts();
  return [...table.toOne, ...table.toMany].flatMap((relation): readonly Path[] => {
    const target = place.described.get(relation.table.name);
    if (!target) return [];
    const described = { relation, origin: table, target, name: `${name}.${parts.claim(relation.name)}` };
    const item = { parameters: key.parameters, ...relationItem(described, place) };
    return [[`${key.path}/${relation.segment}.json`, item]];
  });
}

/** The path of one record without extension, with a parameter for each column of the key. */
interface Key {
  readonly path: string;
  readonly parameters: readonly Json[];
}

function keyOf(table: Table, { path, service }: TablePlace): Key {
  const parts = new NameParts();
  const columns = table.primaryKey.flatMap((position) => table.columns[position] ?? []);
  const keys = columns.map((column) => ({ column, name: parts.claim(column.name) }));
  const segments = keys.map(({ column, name }) => `/${printName(column.name, service.links)}/{${name}}`);
  return {
    path: `${path}/${table.segment}${segments.join("")}`,
    parameters: keys.map(({ column, name }) => keyParameter(column, name)),
  };
}

function keyParameter(column: Column, name: string): Json {
  const comment = column.comment === undefined ? "" : `: ${column.comment}`;
  const { members, isUuid } = column.bounds ?? {};
  const schema = {
    ...valueSchema(column.type),
    ...(column.type === "integer" ? { format: "int64" } : {}),
    ...(isUuid ? { format: "uuid" } : {}),
    ...(members ? { enum: members } : {}),
  };
  return pathParameter(name, `The value of ${column.name}${comment}`, {
    schema,
    example: exampleJson(column),
  });
}

function pathParameter(name: string, description: string, members: JsonObject): Json {
  return { name, in: "path", required: true, description, ...members };
}

/** GET and POST of the whole table. */
function listItem(described: DescribedTable, place: TablePlace): JsonObject {
  const { table, name } = described;
  return {
    ...readList(described, place, { operationId: `${name}.list`, summary: `Read records of ${table.name}` }),
    ...create(described, place, {
      operationId: `${name}.create`,
      summary: `Create records of ${table.name}`,
      parameters: CREATE_PARAMETERS,
      requestBody: createBody(described, place),
    }),
  };
}

/** GET, PUT and DELETE of one record. */
function recordItem(described: DescribedTable, place: TablePlace): JsonObject {
  const { table, name } = described;
  return {
    ...readRecord(described, place, {
      operationId: `${name}.get`,
      summary: `Read one record of ${table.name}`,
    }),
    ...operation("update", described, place, {
      operationId: `${name}.update`,
      summary: `Change one record of ${table.name}`,
      parameters: UPDATE_PARAMETERS,
      requestBody: changeBody(described, place),
      responses: UPDATED,
    }),
    ...operation("delete", described, place, {
      operationId: `${name}.delete`,
      summary: `Delete one record of ${table.name}`,
      parameters: DELETE_PARAMETERS,
      responses: DELETED,
    }),
  };
}

/** A relation of one record. */
interface DescribedRelation {
  readonly relation: Relation;
  readonly origin: Table;
  readonly target: DescribedTable;
  /** The prefix of its operations' names: `Demo.Port.Vessel`. */
  readonly name: string;
}

/** GET of a relation of one record, and POST if it leads to many records. */
function relationItem(
  { relation, origin, target, name }: DescribedRelation,
  place: TablePlace,
): JsonObject {
  const security = place.security(origin.name, "read");
  const summary = `Read ${relation.name} of one record of ${origin.name}`;
  if (!relation.many) return readRecord(target, place, { operationId: `${name}.get`, summary, ...security });
  return {
    ...readList(target, place, { operationId: `${name}.list`, summary, isFiltered: true, ...security }),
    ...create(target, place, {
      operationId: `${name}.create`,
      summary: `Create ${relation.name} of one record of ${origin.name}`,
      parameters: RELATION_CREATE_PARAMETERS,
      requestBody: createBody(target, place, relation),
      ...security,
    }),
  };
}

/** The members of an operation that depend on its path. */
type OwnMembers = JsonObject & { readonly operationId: string; readonly summary: string };

function readList(
  described: DescribedTable,
  place: TablePlace,
  { isFiltered = false, ...members }: OwnMembers & { readonly isFiltered?: boolean },
): JsonObject {
  return operation("read", described, place, {
    ...members,
    parameters: isFiltered ? FILTERED_PARAMETERS : LIST_PARAMETERS,
    responses: {
      "200": listAnswer(described, place),
      ...(place.hasLimit ? responses(302) : {}),
      ...(isFiltered ? responses(303) : {}),
      ...READ_ERRORS,
    },
  });
}

function readRecord(described: DescribedTable, place: TablePlace, members: OwnMembers): JsonObject {
  return operation("read", described, place, {
    ...members,
    parameters: RECORD_PARAMETERS,
    responses: { "200": recordAnswer(described), ...responses(304), ...READ_ERRORS },
  });
}

function create(described: DescribedTable, place: TablePlace, members: OwnMembers): JsonObject {
  const answers = { "201": createdAnswer(described, place), ...CREATE_ERRORS };
  return operation("create", described, place, { ...members, responses: answers });
}

const METHODS = { read: "get", create: "post", update: "put", delete: "delete" } as const satisfies Readonly<
  Record<Operation, string>
>;

/** An operation under its method; empty if the caller may not use it. */
function operation(
  kind: Operation,
  { table }: DescribedTable,
  place: TablePlace,
  members: JsonObject,
): JsonObject {
  if (!place.may(table.name, kind)) return {};
  return { [METHODS[kind]]: { tags: [place.tag], ...members, ...place.security(table.name, kind) } };
}
