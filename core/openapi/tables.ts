/**
 * The paths of one table in an OpenAPI document: its list, its records, and the relations of each record, with the
 * operations that the caller may use.
 *
 * @module
 */

import { printName } from "@/core/request/print_path.ts";
import type { Column, Json, Operation, ValueType } from "@/core/model.ts";
import { NameParts } from "./names.ts";
import {
  changeBody,
  createBody,
  createdAnswer,
  type DescribedTable,
  exampleJson,
  type JsonObject,
  listAnswer,
  recordAnswer,
  type TablePlace,
} from "./schemas.ts";
import type { Relation, Table } from "@/core/schema/table.ts";
import { IF_MATCH, IF_NONE_MATCH, parametersFor, PREFER } from "./components.ts";
import { DONE, errorResponses, NOT_MODIFIED, SIMPLER_URL, WITH_LIMIT } from "./responses.ts";

type Path = readonly [string, Json];

const LIST_PARAMETERS = parametersFor("list");
const RECORD_PARAMETERS = [...parametersFor("record", "path"), IF_NONE_MATCH];
const RELATION_PARAMETERS = parametersFor("list", "path");
const CREATE_PARAMETERS = [...parametersFor("body"), PREFER];
const RELATION_CREATE_PARAMETERS = [...parametersFor("path", "body"), PREFER];
const UPDATE_PARAMETERS = [...parametersFor("path", "body"), IF_MATCH];
const DELETE_PARAMETERS = [...parametersFor("path"), IF_MATCH];

const READ_ERRORS = errorResponses(400, 403, 404, 429, 500, 501, 503, 504);
const CREATE_ERRORS = errorResponses(400, 403, 404, 409, 413, 415, 429, 500, 503, 504);
const UPDATE_ERRORS = errorResponses(400, 403, 404, 412, 413, 415, 422, 429, 500, 503, 504);
const DELETE_ERRORS = errorResponses(400, 403, 404, 409, 412, 429, 500, 503, 504);

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
  const { table } = described;
  const columns = table.columns.filter((_, position) =>
    table.primaryKey.length !== 1 || table.primaryKey[0] !== position
  );
  if (columns.length === 0) return [];
  const parameters = [
    {
      name: "column",
      in: "path",
      required: true,
      description: "The column to filter by.",
      schema: { enum: columns.map(({ name }) => name) },
    },
    {
      name: "value",
      in: "path",
      required: true,
      description: "A value, a range such as `1..10`, or text with the wildcard `*`. `<null>`: no value.",
      schema: { type: "string" },
    },
  ];
  const path = `${place.path}/${table.segment}/{column}/{value}.json`;
  return [[path, { parameters, ...filterItem(described, place) }]];
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

/** Types of keys with a schema of their own; others are text. */
const KEY_TYPES: { readonly [Type in ValueType]?: JsonObject } = {
  integer: { type: "integer", format: "int64" },
  decimal: { type: "number" },
  float: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
};

function keyParameter(column: Column, name: string): Json {
  const comment = column.comment === undefined ? "" : `: ${column.comment}`;
  const { members, isUuid } = column.bounds ?? {};
  const schema = {
    ...(KEY_TYPES[column.type] ?? { type: "string" }),
    ...(isUuid ? { format: "uuid" } : {}),
    ...(members ? { enum: members } : {}),
  };
  const description = `The value of ${column.name}${comment}`;
  return { name, in: "path", required: true, description, schema, example: exampleJson(column) };
}

/** GET and POST of the whole table. */
function listItem(described: DescribedTable, place: TablePlace): JsonObject {
  const { table, name } = described;
  return {
    ...operation("read", described, place, {
      operationId: `${name}.list`,
      summary: `Read records of ${table.name}`,
      parameters: LIST_PARAMETERS,
      responses: listResponses(described, place),
    }),
    ...operation("create", described, place, {
      operationId: `${name}.create`,
      summary: `Create records of ${table.name}`,
      parameters: CREATE_PARAMETERS,
      requestBody: createBody(described, place),
      responses: { "201": createdAnswer(described, place), ...CREATE_ERRORS },
    }),
  };
}

/** GET of the records with a value in a column. */
function filterItem(described: DescribedTable, place: TablePlace): JsonObject {
  const { table, name } = described;
  return operation("read", described, place, {
    operationId: `${name}.filter`,
    summary: `Read the records of ${table.name} that a filter matches`,
    parameters: RELATION_PARAMETERS,
    responses: { ...listResponses(described, place), "303": SIMPLER_URL },
  });
}

/** GET, PUT and DELETE of one record. */
function recordItem(described: DescribedTable, place: TablePlace): JsonObject {
  const { table, name } = described;
  return {
    ...operation("read", described, place, {
      operationId: `${name}.get`,
      summary: `Read one record of ${table.name}`,
      parameters: RECORD_PARAMETERS,
      responses: recordResponses(described),
    }),
    ...operation("update", described, place, {
      operationId: `${name}.update`,
      summary: `Change one record of ${table.name}`,
      parameters: UPDATE_PARAMETERS,
      requestBody: changeBody(described, place),
      responses: { "204": DONE, ...UPDATE_ERRORS },
    }),
    ...operation("delete", described, place, {
      operationId: `${name}.delete`,
      summary: `Delete one record of ${table.name}`,
      parameters: DELETE_PARAMETERS,
      responses: { "204": DONE, ...DELETE_ERRORS },
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
  const { many } = relation;
  const common = { ...place.security(origin.name, "read") };
  return {
    ...operation("read", target, place, {
      operationId: `${name}.${many ? "list" : "get"}`,
      summary: `Read ${relation.name} of one record of ${origin.name}`,
      parameters: many ? RELATION_PARAMETERS : RECORD_PARAMETERS,
      responses: many ? { ...listResponses(target, place), "303": SIMPLER_URL } : recordResponses(target),
      ...common,
    }),
    ...(many
      ? operation("create", target, place, {
        operationId: `${name}.create`,
        summary: `Create ${relation.name} of one record of ${origin.name}`,
        parameters: RELATION_CREATE_PARAMETERS,
        requestBody: createBody(target, place, relation),
        responses: { "201": createdAnswer(target, place), ...CREATE_ERRORS },
        ...common,
      })
      : {}),
  };
}

function listResponses(described: DescribedTable, place: TablePlace): JsonObject {
  const limited = place.hasLimit ? { "302": WITH_LIMIT } : {};
  return { "200": listAnswer(described, place), ...limited, ...READ_ERRORS };
}

function recordResponses(described: DescribedTable): JsonObject {
  return { "200": recordAnswer(described), "304": NOT_MODIFIED, ...READ_ERRORS };
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
): Readonly<Record<string, Json>> {
  if (!place.may(table.name, kind)) return {};
  return { [METHODS[kind]]: { tags: [place.tag], ...members, ...place.security(table.name, kind) } };
}
