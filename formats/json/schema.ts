/**
 * JSON Schema (draft 2020-12) of the writer's answers for a shape.
 *
 * @module
 */

import type {
  JsonObject,
  SchemaOptions,
  Shape,
  ShapeColumn,
  ShapeRelation,
  ValueType,
} from "@/plugins/contract.ts";
import { type Members, type Tree, treeOf } from "./text.ts";
import { isWrapped, type JsonOptions } from "./writer.ts";

type JsonSchemaOptions = JsonOptions & Pick<SchemaOptions, "cardinality">;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The schema of the whole answer, in any form. */
export function describe(shape: Shape, options: JsonSchemaOptions): Tree {
  return treeOf([
    ["$schema", DIALECT],
    ["title", shape.name],
    ["description", shape.comment],
    ...answerMembers(shape, options),
  ]);
}

/** A document comes with its schema; this adds the dialect and the largest length of a list. */
export function describeDocument(schema: JsonObject, most: SchemaOptions["cardinality"]): JsonObject {
  const maxItems = schema["type"] === "array" && most !== "unbounded" ? { maxItems: most } : {};
  return { $schema: DIALECT, ...schema, ...maxItems };
}

function answerMembers(shape: Shape, options: JsonSchemaOptions): Members {
  const { form } = shape;
  const { cardinality } = options;
  if (form === "columns") return turnedMembers(shape, cardinality);
  const members = form === "values" || form === "value"
    ? [...scalarSchema(shape)]
    : recordMembers(shape, options);
  if (form === "records" || form === "values") return listMembers(treeOf(members), 0, cardinality);
  return isWrapped(shape, options) ? listMembers(treeOf(members), 1, 1) : members;
}

function listMembers(items: Tree, least: number, most: SchemaOptions["cardinality"]): Members {
  const maxItems = most === "unbounded" ? undefined : most;
  return [["type", "array"], ["items", items], ["minItems", least], ["maxItems", maxItems]];
}

function scalarSchema({ columns: [column] }: Shape): ReadonlyMap<string, Tree> {
  return column ? columnSchema(column) : treeOf([]);
}

/** A transposed list: each column is the list of its values. */
function turnedMembers({ columns }: Shape, most: SchemaOptions["cardinality"]): Members {
  const properties = treeOf(columns.map((column) => {
    return [column.name, treeOf(listMembers(columnSchema(column), 0, most))];
  }));
  return [["type", "object"], ["required", [...properties.keys()]], ["properties", properties]];
}

function recordMembers(shape: Shape, options: JsonSchemaOptions): Members {
  return [
    ["type", "object"],
    ["required", shape.columns.filter((column) => column.isRequired).map((column) => column.name)],
    ["properties", treeOf(propertiesOf(shape, options))],
  ];
}

/** Properties in the order of the writer. */
function propertiesOf(shape: Shape, options: JsonSchemaOptions): Members {
  const hasReferences = options.href && shape.locate !== undefined;
  const relations = (list: readonly ShapeRelation[]): Members =>
    list.map((relation) => [relation.name, relationSchema(relation, options)]);
  return [
    [options.refidPrefix, hasReferences ? REFERENCE : undefined],
    ...relations(shape.toOne),
    ...shape.columns.map((column) => [column.name, columnSchema(column)] as const),
    ...relations(shape.toMany),
  ];
}

/** A schema of a resource's path, null for a record without key. Bodies may have it; it is ignored there. */
const REFERENCE = treeOf([["type", ["string", "null"]], ["format", "uri-reference"], ["readOnly", true]]);

/** Undefined if the writer leaves the relation out. */
function relationSchema({ expanded }: ShapeRelation, options: JsonSchemaOptions): Tree | undefined {
  if (expanded) return expandedSchema(expanded.shape, options);
  if (!options.href) return undefined;
  const properties = treeOf([[options.refidPrefix, REFERENCE]]);
  return treeOf([["type", "object"], ["properties", properties], ["readOnly", true]]);
}

function expandedSchema(shape: Shape, options: JsonSchemaOptions): Tree {
  const record = treeOf([
    ["title", shape.name],
    ["description", shape.comment],
    ...recordMembers(shape, options),
  ]);
  if (shape.form !== "record") return treeOf([["type", "array"], ["items", record], ["readOnly", true]]);
  return treeOf([...record, ["type", ["object", "null"]], ["readOnly", true]]);
}

/** Times without a zone are not a `date-time` of JSON Schema. */
const TIME_OF_DAY = "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?";
const DATE_TIME = `\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T${TIME_OF_DAY}`;

const MEMBERS: { readonly [Type in ValueType]: (column: ShapeColumn) => Members } = {
  integer: (column) => [
    typeMember("integer", column),
    ["minimum", column.bounds?.range?.[0]],
    ["maximum", column.bounds?.range?.[1]],
  ],
  decimal: (column) =>
    column.irregular === undefined ? [typeMember("number", column)] : [["anyOf", [
      treeOf([typeMember("number", column)]),
      treeOf([["type", "string"], patternOf(column.irregular)]),
    ]]],
  float: (column) => [["anyOf", [treeOf([typeMember("number", column)]), NO_NUMBER]]],
  boolean: (column) => [typeMember("boolean", column)],
  text: textMembers,
  date: (column) => [typeMember("string", column), formatted(column, "date")],
  datetime: (column) => [typeMember("string", column), temporal(column, "date-time", DATE_TIME)],
  time: (column) => [typeMember("string", column), temporal(column, "time", TIME_OF_DAY)],
  binary: (column) => [typeMember("string", column), ["contentEncoding", "base64"]],
  json: () => [],
  any: () => [],
};

/** Numbers that JSON cannot represent are strings. */
const NO_NUMBER = treeOf([["type", "string"], ["enum", ["NaN", "Infinity", "-Infinity"]]]);

/** The schema of one value of a column. */
function columnSchema(column: ShapeColumn): ReadonlyMap<string, Tree> {
  return treeOf([
    ...MEMBERS[column.type](column),
    ["description", column.comment],
    ["readOnly", column.isGenerated || undefined],
  ]);
}

function textMembers(column: ShapeColumn): Members {
  const { maxLength, nullable, bounds: { members, isUuid } = {} } = column;
  return [
    typeMember("string", column),
    ["maxLength", maxLength],
    ["format", isUuid ? "uuid" : undefined],
    ["enum", members && (nullable ? [...members, null] : members)],
  ];
}

/** The formats of JSON Schema require a zone. */
function temporal(column: ShapeColumn, format: string, pattern: string): Members[number] {
  if (column.zone !== undefined) return formatted(column, format);
  const { irregular } = column;
  return irregular === undefined ? ["pattern", `^${pattern}$`] : patternOf(`${pattern}|${irregular}`);
}

function formatted({ irregular }: ShapeColumn, format: string): Members[number] {
  if (irregular === undefined) return ["format", format];
  return ["anyOf", [treeOf([["format", format]]), treeOf([patternOf(irregular)])]];
}

function patternOf(alternatives: string): Members[number] {
  return ["pattern", `^(${alternatives})$`];
}

function typeMember(type: string, { nullable }: ShapeColumn): Members[number] {
  return ["type", nullable ? [type, "null"] : type];
}
