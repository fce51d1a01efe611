/**
 * What operations of a table take and give, in an OpenAPI document.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import type { DescribedTable, TablePlace } from "./place.ts";
import { countHeader, ETAG } from "./responses.ts";
import type { Relation } from "@/core/schema/schema.ts";

/** The answer to reading a list. */
export function listAnswer({ name }: DescribedTable, { service }: TablePlace): Json {
  const schema = { type: "array", items: schemaReference(name) };
  return {
    description: "The records.",
    headers: countHeader(service.countHeader),
    content: { "application/json": { schema } },
  };
}

/** The answer to reading a single record. */
export function recordAnswer({ name, schemas }: DescribedTable): Json {
  const record = schemaReference(name);
  const schema = schemas.singleIsList ? { type: "array", items: record, minItems: 1, maxItems: 1 } : record;
  return { description: "The record.", headers: ETAG, content: { "application/json": { schema } } };
}

/** The answer to new records: their paths, or the records where they are preferred and may be read. */
export function createdAnswer({ table, name }: DescribedTable, { may }: TablePlace): Json {
  const record = schemaReference(name);
  const paths = { type: "array", items: { type: "string", format: "uri-reference" } };
  const shown = may(table.name, "read") && table.primaryKey.length > 0
    ? [record, { type: "array", items: record }]
    : [];
  return {
    description:
      "Created. One record: `Location` is its URL. The body has the path of each record, one per line; " +
      "as a list where `Accept` prefers JSON to HTML; with `Prefer: return=representation` the records.",
    headers: { Location: { $ref: "#/components/headers/Location" } },
    content: {
      "text/html": { schema: { type: "string" } },
      "application/json": { schema: { anyOf: [paths, ...shown] } },
    },
  };
}

/** New records; over a relation the path gives them their foreign key. */
export function createBody(
  { table, name, schemas }: DescribedTable,
  place: TablePlace,
  via?: Relation,
): Json {
  const supplied = new Set(via?.foreign.map((position) => table.columns[position]?.name));
  const schema = via
    ? newSchema(name, schemas.required.filter((column) => !supplied.has(column)))
    : schemaReference(`${name}.new`);
  const description = `One record of ${table.name}, or a list of them.`;
  return body(description, { anyOf: [schema, { type: "array", items: schema, minItems: 1 }] }, place);
}

/** Columns to change. */
export function changeBody({ name }: DescribedTable, place: TablePlace): Json {
  return body("The columns to change.", schemaReference(`${name}.values`), place);
}

/** A new record of the table with this name. */
export function newSchema(name: string, required: readonly string[]): Json {
  return { allOf: [schemaReference(`${name}.values`)], required };
}

/** What a body holds is told for JSON; the other formats have the same names and values in their own way. */
function body(description: string, schema: Json, { service }: TablePlace): Json {
  const content = service.formats.readable.map((type) => {
    return [type, type === "application/json" ? { schema } : { schema: { type: "string" } }] as const;
  });
  return { description, required: true, content: Object.fromEntries(content) };
}

function schemaReference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
