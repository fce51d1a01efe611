/**
 * Schemas of a table's records, as components of an OpenAPI document: reading, writing, and an example; and
 * the bodies of the table's operations.
 *
 * @module
 */

import { isJsonObject } from "@/core/base/plugin_answers.ts";
import type { Column } from "@/core/catalog.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Json, JsonObject, Operation, Row, ValueType } from "@/core/model.ts";
import type { Relation, Table } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";
import { type ShapePlace, tableShape } from "@/core/tables/answer_shape.ts";
import type { Shape, ShapeColumn } from "@/plugins/contract.ts";
import { headers, jsonContent, listHeaders, reference, textContent } from "./components.ts";

/** A table that the caller may use, and the schemas of its records. */
export interface DescribedTable {
  readonly table: Table;
  /** The name of its components, and the prefix of its operations' names: `Demo.Port`. */
  readonly name: string;
  /** The answer of GET for one record. */
  readonly record: JsonObject;
  /** The writable columns, none of them required. */
  readonly values: JsonObject;
  /** Columns that a new record must have. */
  readonly required: readonly string[];
  /** A single record is answered as a list with one item. */
  readonly singleIsList: boolean;
}

/** The common facts about the tables of one database. */
export interface TablePlace {
  readonly service: Pick<Service, "formats" | "links" | "countHeader">;
  /** The path of the database below the server's URL: `/db/Demo`. */
  readonly path: string;
  readonly tag: string;
  /** Lists without `limit` redirect to one with a limit. */
  readonly hasLimit: boolean;
  readonly described: ReadonlyMap<string, DescribedTable>;
  may(table: string, operation: Operation): boolean;
  /**
   * The security requirement of an operation if it differs from the document's; without
   * a table: of seeing the database.
   */
  security(table?: string, operation?: Operation): { readonly security?: Json };
}

/** The schema of a shape from the JSON format, for embedding. Throws 501 without one. */
function embeddedSchema(shape: Shape, { formats }: Pick<Service, "formats">): JsonObject {
  const options = { contentType: "application/json", charset: "utf-8", cardinality: "unbounded" } as const;
  const chunk = formats.get("json")?.format.schema?.(shape, options);
  if (chunk === undefined || chunk instanceof Promise) {
    throw new ServiceError("not-implemented", "Cannot describe the API: the JSON format gives no schemas");
  }
  const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
  const { $schema: _dialect, ...schema } = JSON.parse(text) as JsonObject;
  return schema;
}

/** Derived from the schema of the JSON format. Throws 501 if that format is not enabled. */
export function describeTable(
  table: Table,
  name: string,
  { service, place }: { readonly service: Pick<Service, "formats" | "settings">; readonly place: ShapePlace },
): DescribedTable {
  const shape = tableShape(table, "record", place);
  const answer = embeddedSchema(shape, service);
  const singleIsList = answer["type"] === "array";
  const record = singleIsList ? objectOf(answer["items"]) : answer;
  const properties = objectOf(record["properties"]);
  const writable = shape.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name);
  const example = exampleRecord(shape, table, { properties, refid: service.settings.refid_prefix });
  return {
    table,
    name,
    // An answer has every column; the required members of a body differ.
    record: { ...record, required: shape.columns.map(({ name }) => name), examples: [example] },
    values: {
      title: `${shape.name}: columns to write`,
      type: "object",
      properties: pick(properties, writable),
      examples: [pick(example, writable)],
    },
    required: shape.columns.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    singleIsList,
  };
}

/** Members in the order of `names`; a column may have any name, even `__proto__`. */
function pick(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  }));
}

function objectOf(json: Json | undefined): JsonObject {
  return isJsonObject(json) ? json : {};
}

/** The answer to reading a list. */
export function listAnswer({ name }: DescribedTable, { service }: TablePlace): Json {
  return {
    description: "The records.",
    headers: listHeaders(service.countHeader),
    content: jsonContent({ type: "array", items: reference("schemas", name) }),
  };
}

/** The answer to reading a single record. */
export function recordAnswer({ name, singleIsList }: DescribedTable): Json {
  const record = reference("schemas", name);
  const schema = singleIsList ? { type: "array", items: record, minItems: 1, maxItems: 1 } : record;
  return { description: "The record.", headers: headers("ETag"), content: jsonContent(schema) };
}

/** The answer to new records: their paths, or the records if the client prefers them and may read them. */
export function createdAnswer({ table, name }: DescribedTable, { may }: TablePlace): Json {
  const record = reference("schemas", name);
  const isShown = may(table.name, "read") && table.primaryKey.length > 0;
  return {
    description:
      "Created. One record: `Location` is its URL. The body has the path of each record, one per line; " +
      "with `Prefer: return=representation` the records.",
    headers: headers("Location", ...(isShown ? ["ETag", "Preference-Applied"] as const : [])),
    content: {
      ...textContent("text/html"),
      ...(isShown ? jsonContent({ anyOf: [record, { type: "array", items: record }] }) : {}),
    },
  };
}

/** New records; over a relation, the path supplies the foreign key. */
export function createBody(
  { table, name, required }: DescribedTable,
  place: TablePlace,
  via?: Relation,
): Json {
  const supplied = new Set(via?.foreign.map((position) => table.columns[position]?.name));
  const schema = via
    ? newSchema(name, required.filter((column) => !supplied.has(column)))
    : reference("schemas", `${name}.new`);
  const description = `One record of ${table.name}, or a list of them.`;
  return body(description, { anyOf: [schema, { type: "array", items: schema, minItems: 1 }] }, place);
}

/** Columns to change. */
export function changeBody({ name }: DescribedTable, place: TablePlace): Json {
  return body("The columns to change.", reference("schemas", `${name}.values`), place);
}

/** A new record of the table with this name. */
export function newSchema(name: string, required: readonly string[]): Json {
  return { allOf: [reference("schemas", `${name}.values`)], required };
}

/** Only JSON bodies are described in detail; other formats have the same names and values. */
export function body(
  description: string,
  schema: Json,
  { service }: { readonly service: Pick<Service, "formats"> },
): Json {
  const content = service.formats.readable.map((type) =>
    type === "application/json" ? jsonContent(schema) : textContent(type)
  );
  return { description, required: true, content: Object.assign({}, ...content) };
}

/** Types with a schema of their own; others are text. */
const VALUE_TYPES: { readonly [Type in ValueType]?: JsonObject } = {
  integer: { type: "integer" },
  decimal: { type: "number" },
  float: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
};

/** The schema of a value in a path. */
export function valueSchema(type: ValueType | undefined): JsonObject {
  return (type && VALUE_TYPES[type]) ?? { type: "string" };
}

const EXAMPLES = {
  integer: 1,
  decimal: 9.75,
  float: 1.5,
  boolean: true,
  text: "text",
  date: "2009-12-31",
  datetime: "2009-12-31T23:59:59",
  time: "23:59:59",
  binary: Uint8Array.of(0, 1, 2),
  json: "{}",
  any: "text",
} satisfies Readonly<Record<ValueType, unknown>>;

type Exemplary = Pick<ShapeColumn, "type" | "maxLength" | "bounds"> & {
  readonly zone?: ShapeColumn["zone"] | Column["zone"];
};

function exampleValue({ type, maxLength, zone, bounds: { members, isUuid } = {} }: Exemplary) {
  if (members?.[0] !== undefined) return members[0];
  if (isUuid) return "123e4567-e89b-42d3-a456-426614174000";
  if (zone === "Z" || zone === "offset") return `${EXAMPLES[type]}Z`;
  return type === "text" ? EXAMPLES.text.slice(0, maxLength) : EXAMPLES[type];
}

/** The example in JSON. */
export function exampleJson(column: Exemplary): Json {
  const value = exampleValue(column);
  return value instanceof Uint8Array ? value.toBase64() : value;
}

function exampleRecord(
  { columns, toOne, toMany, locate }: Shape,
  table: Table,
  { properties, refid }: { readonly properties: JsonObject; readonly refid: string },
): JsonObject {
  const row: Row = table.columns.map(exampleValue);
  const path = locate?.(row) ?? null;
  const link = (suffix: string) => path === null ? null : `${path}${suffix}.json`;
  const members = Object.fromEntries<Json>([
    [refid, link("")],
    ...[...toOne, ...toMany].map(({ name, segment }) => [name, { [refid]: link(`/${segment}`) }] as const),
    ...columns.map((column) => [column.name, exampleJson(column)] as const),
  ]);
  return pick(members, Object.keys(properties));
}
