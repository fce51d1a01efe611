/**
 * The paths of one table in an OpenAPI document: its list, its records, and the relations of each record,
 * with the operations that the caller may use.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import type { Json, JsonObject, Operation } from "@/core/model.ts";
import { columnSegment, type Relation, type Table } from "@/core/schema/table.ts";
import { parametersFor, responses } from "./components.ts";
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

type Path = readonly [string, Json];

const LIST_PARAMETERS = parametersFor(["list"]);
const RECORD_PARAMETERS = parametersFor(["record", "path"], "IfNoneMatch");
const FILTERED_PARAMETERS = parametersFor(["list", "path"]);
const CREATE_PARAMETERS = parametersFor(["body"], "Prefer");
const RELATION_CREATE_PARAMETERS = parametersFor(["path", "body"], "Prefer");
const UPDATE_PARAMETERS = parametersFor(["path", "body"], "IfMatch");
const DELETE_PARAMETERS = parametersFor(["path"], "IfMatch");

const [WITH_LIMIT, NOT_MODIFIED] = [responses(302), responses(304)];
const READ_ERRORS = responses(400, 402, 403, 404, 429, 500, 501, 503, 504);
const CREATE_ERRORS = responses(400, 402, 403, 404, 408, 409, 413, 415, 429, 500, 503, 504);
const UPDATED = responses(204, 400, 402, 403, 404, 408, 412, 413, 415, 422, 429, 500, 503, 504);
const DELETED = responses(204, 400, 402, 403, 404, 409, 412, 429, 500, 503, 504);

type Title = readonly [operationId: string, summary: string];

/** Every path below the table with at least one permitted operation. */
export function tablePaths(described: DescribedTable, place: TablePlace): readonly Path[] {
  const { table, name } = described;
  const list: Path = [`${place.path}/${table.segment}.json`, {
    ...readList(described, place, [`${name}.list`, `Read records of ${table.name}`], LIST_PARAMETERS),
    ...create(described, place, [`${name}.create`, `Create records of ${table.name}`]),
  }];
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
  const names = { enum: columns.map(({ name }) => name) };
  const values = "A value, a range such as `1..10`, or text with the wildcard `*`. `<null>`: no value.";
  const title: Title = [`${name}.filter`, `Read the records of ${table.name} that a filter matches`];
  return [[`${place.path}/${table.segment}/{column}/{value}.json`, {
    parameters: [
      pathParameter("column", "The column to filter by.", { schema: names }),
      pathParameter("value", values, { schema: { type: "string" } }),
    ],
    ...readList(described, place, title, FILTERED_PARAMETERS),
  }]];
}

/** GET of each relation of one record, and POST if it leads to many records. */
function relationPaths({ table, name }: DescribedTable, key: Key, place: TablePlace): readonly Path[] {
  const parts = new NameParts();
  const behind: TablePlace = {
    ...place,
    security: (target, kind) => ({ ...place.security(table.name), ...place.security(target, kind) }),
  };
  return [...table.toOne, ...table.toMany].flatMap((relation): readonly Path[] => {
    const target = place.described.get(relation.table.name);
    if (!target) return [];
    const id = `${name}.${parts.claim(relation.name)}`;
    const object = `${relation.name} of one record of ${table.name}`;
    const operations = relation.many
      ? {
        ...readList(target, behind, [`${id}.list`, `Read ${object}`], FILTERED_PARAMETERS),
        ...create(target, behind, [`${id}.create`, `Create ${object}`], relation),
      }
      : readRecord(target, behind, [`${id}.get`, `Read ${object}`]);
    return [[`${key.path}/${relation.segment}.json`, { parameters: key.parameters, ...operations }]];
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
  const segments = keys.map(({ column, name }) =>
    `/${columnSegment(column.name, table, service.links)}/{${name}}`
  );
  return {
    path: `${path}/${table.segment}${segments.join("")}`,
    parameters: keys.map(({ column, name }) => keyParameter(column, name)),
  };
}

/** For clients that encode values without `*`, `.` and `_`, as most do. */
const OPERATORS =
  ". `*`, `..`, `__`, `_dot` and `<null>` in it are operators, and every record that matches is " +
  "read, changed or deleted: percent-encode their characters, or give other markers (`wildcard`, " +
  "`placeholder`, `nullStr`).";

function keyParameter(column: Column, name: string): Json {
  const comment = column.comment === undefined ? "" : `: ${column.comment}`;
  const { members, isUuid } = column.bounds ?? {};
  const schema = {
    ...valueSchema(column.type),
    ...(column.type === "integer" ? { format: "int64" } : {}),
    ...(isUuid ? { format: "uuid" } : {}),
    ...(members ? { enum: members } : {}),
  };
  const operators = ["text", "any"].includes(column.type) && !members && !isUuid ? OPERATORS : "";
  return pathParameter(name, `The value of ${column.name}${comment}${operators}`, {
    schema,
    example: exampleJson(column),
  });
}

function pathParameter(name: string, description: string, members: JsonObject): Json {
  return { name, in: "path", required: true, description, ...members };
}

/** GET, PUT and DELETE of one record. */
function recordItem(described: DescribedTable, place: TablePlace): JsonObject {
  const { table, name } = described;
  return {
    ...readRecord(described, place, [`${name}.get`, `Read one record of ${table.name}`]),
    ...operation("update", described, place, [`${name}.update`, `Change one record of ${table.name}`], {
      parameters: UPDATE_PARAMETERS,
      requestBody: changeBody(described, place),
      responses: UPDATED,
    }),
    ...operation("delete", described, place, [`${name}.delete`, `Delete one record of ${table.name}`], {
      parameters: DELETE_PARAMETERS,
      responses: DELETED,
    }),
  };
}

function readList(
  described: DescribedTable,
  place: TablePlace,
  title: Title,
  parameters: readonly Json[],
): JsonObject {
  const responses = {
    "200": listAnswer(described, place),
    ...(place.hasLimit ? WITH_LIMIT : {}),
    ...READ_ERRORS,
  };
  return operation("read", described, place, title, { parameters, responses });
}

function readRecord(described: DescribedTable, place: TablePlace, title: Title): JsonObject {
  return operation("read", described, place, title, {
    parameters: RECORD_PARAMETERS,
    responses: { "200": recordAnswer(described), ...NOT_MODIFIED, ...READ_ERRORS },
  });
}

function create(described: DescribedTable, place: TablePlace, title: Title, via?: Relation): JsonObject {
  return operation("create", described, place, title, {
    parameters: via ? RELATION_CREATE_PARAMETERS : CREATE_PARAMETERS,
    requestBody: createBody(described, place, via),
    responses: { "201": createdAnswer(described, place), ...CREATE_ERRORS },
  });
}

const METHODS = { read: "get", create: "post", update: "put", delete: "delete" } as const satisfies Readonly<
  Record<Operation, string>
>;

/** An operation under its method; empty if the caller may not use it. */
function operation(
  kind: Operation,
  { table }: DescribedTable,
  place: TablePlace,
  [operationId, summary]: Title,
  members: JsonObject,
): JsonObject {
  if (!place.may(table.name, kind)) return {};
  const security = place.security(table.name, kind);
  return { [METHODS[kind]]: { tags: [place.tag], operationId, summary, ...members, ...security } };
}
