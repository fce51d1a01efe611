/**
 * The part of an OpenAPI document about one database for one caller.
 *
 * @module
 */

import type { FoundDatabase } from "@/core/database/find_database.ts";
import { databaseDocument } from "@/core/documents/documents.ts";
import { grantsOf } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, Json, JsonObject, Operation } from "@/core/model.ts";
import { printName } from "@/core/request/print_path.ts";
import { allTables, isWritable, type Schema, type Table } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";
import { reference } from "./components.ts";
import { databasePart, NameParts } from "./names.ts";
import { type DescribedTable, describeTable, newSchema, type TablePlace } from "./schemas.ts";
import type { Security } from "./security.ts";
import { databasePaths } from "./service.ts";
import { tablePaths } from "./tables.ts";

interface DatabaseInput extends FoundDatabase {
  readonly service: Service;
  readonly security: Security;
}

let views = 0;
const countView = () => ++views;

/**
 * A unique number of the view, which callers with equal rights share. Throws 503
 * while the database is disconnected.
 */
export function viewNumber({ managed, mapping }: FoundDatabase): number {
  return managed.connection.views.find(mapping).memo(countView);
}

/** The part of a document about one database. */
export interface DescribedDatabase {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
  readonly tag: Json;
}

/** Describes table by table. Throws 503 while the database is disconnected. */
export function* describeDatabase(input: DatabaseInput): Generator<void, DescribedDatabase, void> {
  const { managed: { definition, connection }, mapping, service } = input;
  const { id } = definition;
  const { schema } = connection.views.find(mapping);
  const creatable = connection.views.find(mapping, "create").schema;
  const name = databasePart(id);
  const tables = yield* describeTables(reachableTables(schema, creatable), { name, definition, service });
  const segment = printName(id, service.links);
  const place = placeOf(input, segment, tables);
  const own = databasePaths(name, { path: place.path, segment, ...place.security() });
  const paths: (readonly [string, Json])[] = Object.entries(own);
  const schemas: (readonly [string, Json])[] = [[name, databaseDocument(id, schema, service).shape.schema]];
  for (const table of tables.values()) {
    paths.push(...tablePaths(table, place));
    schemas.push(...tableSchemas(table, place));
    yield;
  }
  return {
    paths: Object.fromEntries(paths),
    schemas: Object.fromEntries(schemas),
    tag: { name: id, description: definition.description || `The database ${id}.` },
  };
}

function placeOf(
  { managed: { definition, connection }, mapping, service, security }: DatabaseInput,
  segment: string,
  tables: ReadonlyMap<string, DescribedTable>,
): TablePlace {
  const view = connection.views.find(mapping);
  const visitor = security.publicDatabases.get(definition.id);
  const publicMay = visitor && grantsOf(visitor, connection.tablesNamed);
  return {
    service,
    path: `/db/${segment}`,
    tag: definition.id,
    hasLimit: definition.limit !== undefined,
    described: tables,
    may: (name, operation) => {
      const table = tables.get(name)?.table;
      return view.may(name, operation) && (table === undefined || isWritable(table, operation));
    },
    security: (table, operation = "read") => {
      const isOpen = publicMay && (table === undefined || publicMay(table, operation));
      return isOpen ? {} : { security: security.withCredentials };
    },
  };
}

/** Tables that can be read, and those that only allow creating records. */
function reachableTables(readable: Schema, creatable: Schema): readonly Table[] {
  const blind = allTables(creatable).filter(({ name }) => readable.tables.exact(name) === undefined);
  return [...allTables(readable), ...blind];
}

function* describeTables(
  tables: readonly Table[],
  { name, definition, service }: {
    readonly name: string;
    readonly definition: DatabaseDefinition;
    readonly service: Service;
  },
): Generator<void, ReadonlyMap<string, DescribedTable>, void> {
  const parts = new NameParts();
  const place = {
    utcSuffix: service.formats.get("json")?.format.utcSuffix ?? false,
    databasePath: `${service.prefix}/db/${printName(definition.id, service.links)}`,
    links: service.links,
  };
  const described = new Map<string, DescribedTable>();
  for (const table of tables) {
    described.set(table.name, describeTable(table, `${name}.${parts.claim(table.name)}`, { service, place }));
    yield;
  }
  return described;
}

/** Schemas of reading, of writing, and of a new record. */
function tableSchemas(described: DescribedTable, place: TablePlace): readonly (readonly [string, Json])[] {
  const { table, name, values, required } = described;
  const may = (operation: Operation) => place.may(table.name, operation);
  return [
    ...(may("read") ? [[name, withRelated(described, place)] as const] : []),
    ...(may("create") || may("update") ? [[`${name}.values`, values] as const] : []),
    ...(may("create") ? [[`${name}.new`, newSchema(name, required)] as const] : []),
  ];
}

/** A relation is a reference, or with `depth` its records. */
function withRelated({ record, table }: DescribedTable, { described, may }: TablePlace): JsonObject {
  const properties = { ...record["properties"] as JsonObject };
  for (const { name, many, table: { name: target } } of [...table.toOne, ...table.toMany]) {
    const related = may(target, "read") ? described.get(target) : undefined;
    const link = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!related || link === undefined) continue;
    const schema = reference("schemas", related.name);
    const records = many ? [{ type: "array", items: schema }] : [schema, { type: "null" }];
    Object.defineProperty(properties, name, { value: { anyOf: [link, ...records], readOnly: true } });
  }
  return { ...record, properties };
}
