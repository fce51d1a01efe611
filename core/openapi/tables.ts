/**
 * The paths of one table in an OpenAPI document: its list, its records, and the relations of each record.
 *
 * @module
 */

import { printName } from "@/core/request/print_path.ts";
import type { Column, Json, ValueType } from "@/core/model.ts";
import { NameParts } from "./names.ts";
import { filterItem, listItem, recordItem, relationItem } from "./operations.ts";
import { type DescribedTable, exampleJson, type JsonObject, type TablePlace } from "./schemas.ts";
import type { Table } from "@/core/schema/schema.ts";

type Path = readonly [string, Json];

/** Every path that begins with the table and that the caller may do something with. */
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

/** One filter; a column that is the whole key has a path of its own. */
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

/** Types of keys that are more than text in a path. */
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
