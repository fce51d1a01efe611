/**
 * The operations on lists, records and relations of a table in an OpenAPI document: those that the caller may do.
 *
 * @module
 */

import type { Json, Operation } from "@/core/model.ts";
import { IF_MATCH, IF_NONE_MATCH, parametersFor, PREFER } from "./components.ts";
import { DONE, errorResponses, NOT_MODIFIED, SIMPLER_URL, WITH_LIMIT } from "./responses.ts";
import {
  changeBody,
  createBody,
  createdAnswer,
  type DescribedTable,
  type JsonObject,
  listAnswer,
  recordAnswer,
  type TablePlace,
} from "./schemas.ts";
import type { Relation, Table } from "@/core/schema/schema.ts";

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

/** GET and POST of the whole table. */
export function listItem(described: DescribedTable, place: TablePlace): JsonObject {
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
export function filterItem(described: DescribedTable, place: TablePlace): JsonObject {
  const { table, name } = described;
  return operation("read", described, place, {
    operationId: `${name}.filter`,
    summary: `Read the records of ${table.name} that a filter matches`,
    parameters: RELATION_PARAMETERS,
    responses: { ...listResponses(described, place), "303": SIMPLER_URL },
  });
}

/** GET, PUT and DELETE of one record. */
export function recordItem(described: DescribedTable, place: TablePlace): JsonObject {
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
export interface DescribedRelation {
  readonly relation: Relation;
  readonly origin: Table;
  readonly target: DescribedTable;
  /** The beginning of its operations' names: `Demo.Port.Vessel`. */
  readonly name: string;
}

/** GET of a relation of one record, and POST where it leads to many. */
export function relationItem(
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

/** An operation under its method; nothing where the caller may not do it. */
function operation(
  kind: Operation,
  { table }: DescribedTable,
  place: TablePlace,
  members: JsonObject,
): Readonly<Record<string, Json>> {
  if (!place.may(table.name, kind)) return {};
  return { [METHODS[kind]]: { tags: [place.tag], ...members, ...place.security(table.name, kind) } };
}
