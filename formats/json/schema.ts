/**
 * JSON Schema (draft 2020-12) of the writer's answers for a shape.
 *
 * @module
 */

import type { JsonObject, SchemaOptions, Shape, ShapeRelation } from "@/plugins/contract.ts";
import { columnSchema } from "./schema_types.ts";
import { type Members, type Tree, treeOf } from "./tree.ts";
import type { JsonOptions } from "./writer.ts";

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
  const { cardinality } = options;
  switch (shape.form) {
    case "records":
      return listMembers(treeOf(recordMembers(shape, options)), { least: 0, most: cardinality });
    case "record":
      return options.singleAsArray
        ? listMembers(treeOf(recordMembers(shape, options)), { least: 1, most: 1 })
        : recordMembers(shape, options);
    case "values":
      return listMembers(scalarSchema(shape), { least: 0, most: cardinality });
    case "value":
      return [...scalarSchema(shape)];
    case "columns":
      return turnedMembers(shape, cardinality);
    default:
      return shape.form satisfies never;
  }
}

function listMembers(
  items: Tree,
  { least, most }: { readonly least: number; readonly most: SchemaOptions["cardinality"] },
): Members {
  const maxItems = most === "unbounded" ? undefined : most;
  return [["type", "array"], ["items", items], ["minItems", least], ["maxItems", maxItems]];
}

function scalarSchema({ columns: [column] }: Shape): ReadonlyMap<string, Tree> {
  return column ? columnSchema(column) : treeOf([]);
}

/** A transposed list: each column is the list of its values. */
function turnedMembers({ columns }: Shape, most: SchemaOptions["cardinality"]): Members {
  const properties = treeOf(columns.map((column) => {
    return [column.name, treeOf(listMembers(columnSchema(column), { least: 0, most }))];
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
function relationSchema(
  { expanded, nullableKey }: ShapeRelation,
  options: JsonSchemaOptions,
): Tree | undefined {
  if (expanded) return expandedSchema(expanded.shape, options);
  if (!options.href) return undefined;
  const properties = treeOf([[options.refidPrefix, REFERENCE]]);
  const type = nullableKey ? ["object", "null"] : "object";
  return treeOf([["type", type], ["properties", properties], ["readOnly", true]]);
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
