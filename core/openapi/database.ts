/**
 * The part of an OpenAPI document about one database for one caller.
 *
 * @module
 */

import type { Connection } from "@/core/database/connect.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { View } from "@/core/database/caller_view.ts";
import { databaseShape } from "@/core/documents/documents.ts";
import { printName } from "@/core/request/print_path.ts";
import type { DatabaseDefinition, DatabaseMapping, Json } from "@/core/model.ts";
import { databasePart, NameParts } from "./names.ts";
import {
  type DescribedTable,
  describeRecords,
  type JsonObject,
  newSchema,
  type TablePlace,
} from "./schemas.ts";
import type { Security } from "./security.ts";
import { databasePaths } from "./service.ts";
import { tablePaths } from "./tables.ts";
import { type Grants, grantsOf } from "@/core/identity/permissions.ts";
import { isWritable, type Table } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";

/** The part of a document about one database. */
export interface DatabasePart {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
  readonly tag: Json;
}

/** One database with the mapping of a caller. */
export interface DatabaseInput {
  readonly managed: ManagedDatabase;
  readonly mapping: DatabaseMapping;
  readonly service: Service;
  readonly security: Security;
}

let views = 0;

function countView(): number {
  return ++views;
}

/** A unique number of the view, which callers with equal rights share. Throws 503 while the database is disconnected. */
export function viewNumber({ managed, mapping }: Pick<DatabaseInput, "managed" | "mapping">): number {
  return managed.view(managed.connection, mapping).memo(countView);
}

/** Throws 503 while the database is disconnected. */
export function describeDatabase(input: DatabaseInput): DatabasePart {
  const { managed, mapping, service, security } = input;
  const { definition, connection } = managed;
  const view = managed.view(connection, mapping);
  const name = databasePart(definition.id);
  const tables = reachableTables(input, { connection, view });
  const visitor = security.publicDatabases.get(definition.id);
  const place = createPlace(definition, describeTables(tables, { name, definition, service }), {
    may: view.may,
    publicMay: visitor && grantsOf(visitor, connection.tablesNamed),
    service,
    security,
  });
  const segment = printName(definition.id, service.links);
  const described = [...place.described.values()];
  return {
    paths: {
      ...databasePaths(name, { path: place.path, segment, ...place.security() }),
      ...Object.fromEntries(described.flatMap((table) => tablePaths(table, place))),
    },
    schemas: {
      [name]: databaseShape(definition.id, view.schema, service).schema,
      ...Object.fromEntries(described.flatMap((table) => tableSchemas(table, place))),
    },
    tag: { name: place.tag, description: tagText(definition) },
  };
}

/** Tables that can be read, and those that only allow creating records. */
function reachableTables(
  { managed, mapping }: DatabaseInput,
  { connection, view }: { readonly connection: Connection; readonly view: View },
): readonly Table[] {
  const creatable = managed.view(connection, mapping, "create").schema.tables;
  const readable = view.schema.tables;
  const blind = creatable.names.filter((table) => readable.exact(table) === undefined);
  return [
    ...readable.names.flatMap((table) => readable.exact(table) ?? []),
    ...blind.flatMap((table) => creatable.exact(table) ?? []),
  ];
}

function describeTables(
  tables: readonly Table[],
  { name, definition, service }: {
    readonly name: string;
    readonly definition: DatabaseDefinition;
    readonly service: Service;
  },
): ReadonlyMap<string, DescribedTable> {
  const parts = new NameParts();
  const place = {
    utcSuffix: service.settings["json_sdb.utc_suffix"],
    databasePath: `${service.prefix}/db/${printName(definition.id, service.links)}`,
    links: service.links,
  };
  return new Map(tables.map((table) => {
    const schemas = describeRecords(table, service, place);
    return [table.name, { table, name: `${name}.${parts.claim(table.name)}`, schemas }];
  }));
}

function createPlace(
  { id, limit }: DatabaseDefinition,
  described: TablePlace["described"],
  { may, publicMay, service, security }: Pick<DatabaseInput, "service" | "security"> & {
    readonly may: Grants;
    readonly publicMay: Grants | undefined;
  },
): TablePlace {
  return {
    service,
    path: `/db/${printName(id, service.links)}`,
    tag: id,
    hasLimit: limit !== undefined,
    described,
    may: (name, operation) => {
      const table = described.get(name)?.table;
      return may(name, operation) && (table === undefined || isWritable(table, operation));
    },
    security: (table, operation = "read") => {
      const isOpen = publicMay && (table === undefined || publicMay(table, operation));
      return isOpen ? {} : { security: security.withCredentials };
    },
  };
}

/** Schemas of reading, of writing, and of a new record. */
function tableSchemas(
  { table, name, schemas }: DescribedTable,
  place: TablePlace,
): readonly [string, Json][] {
  const { may } = place;
  const isWritten = may(table.name, "create") || may(table.name, "update");
  return [
    ...(may(table.name, "read") ? [[name, withRelated(schemas.record, table, place)] as [string, Json]] : []),
    ...(isWritten ? [[`${name}.values`, schemas.values] as [string, Json]] : []),
    ...(may(table.name, "create")
      ? [[`${name}.new`, newSchema(name, schemas.required)] as [string, Json]]
      : []),
  ];
}

/** A relation is a reference, or with `depth` its records. */
function withRelated(record: JsonObject, table: Table, { described, may }: TablePlace): JsonObject {
  const properties = { ...record["properties"] as JsonObject };
  for (const { name, many, table: { name: target } } of [...table.toOne, ...table.toMany]) {
    const related = may(target, "read") ? described.get(target) : undefined;
    const reference = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!related || reference === undefined) continue;
    const schema = { $ref: `#/components/schemas/${related.name}` };
    const records = many ? [{ type: "array", items: schema }] : [schema, { type: "null" }];
    Object.defineProperty(properties, name, { value: { anyOf: [reference, ...records], readOnly: true } });
  }
  return { ...record, properties };
}

function tagText({ id, description }: DatabaseDefinition): string {
  return description === "" ? `The database ${id}.` : description;
}
