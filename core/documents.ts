/**
 * Answers that are no table data: the lists of databases and tables, and the settings that clients read.
 *
 * @module
 */

import { mappingOf } from "./find_database.ts";
import { printName } from "./links.ts";
import type { Document, Json } from "./model.ts";
import type { Caller } from "./permissions.ts";
import type { Schema } from "./schema.ts";
import type { Service } from "./service.ts";
import type { Shape, ShapeColumn } from "@/plugins/contract.ts";

/** A document with the schema of what it looks like. */
export interface Described {
  readonly document: Document;
  /** Absent: there is no schema of it. */
  readonly schema?: {
    readonly shape: Shape;
    /** The one key around the shape, in formats whose root has no name. */
    readonly wrapper?: string;
  };
}

/** `/`: where to go from here. */
export function rootDocument(_caller: Caller, service: Service): Described {
  const names = ["db", "settings"];
  const link = (name: string) => ({ [service.settings.refid_prefix]: `${service.prefix}/${name}.json` });
  const document = {
    name: "resource",
    tree: Object.fromEntries(names.map((name) => [name, link(name)])),
    columns: ["resource"],
    rows: names.map((name) => [name]),
  };
  return { document };
}

/** `/db`: the databases that the caller has a login for. */
export function databasesDocument(caller: Caller, service: Service): Described {
  const mapped = [...service.databases.values()].filter((managed) => mappingOf(caller.user, managed));
  const records = mapped.map(({ definition, status }) => ({
    db_id: definition.id,
    [service.settings.refid_prefix]: `${service.prefix}/db/${printName(definition.id, service.links)}.json`,
    type: definition.dbType,
    description: definition.description,
    status,
  }));
  const columns = ["db_id", "type", "description", "status"] as const;
  const rows = records.map((record) => columns.map((name) => record[name] ?? null));
  const shape: Shape = {
    form: "records",
    name: "db",
    columns: columns.map((name) => textColumn(name, name === "db_id")),
    toOne: [],
    toMany: [],
    locate: () => null,
  };
  return { document: { name: "db", tree: records, columns, rows }, schema: { shape } };
}

/** `/db/{db_id}`: the tables that the caller may read. */
export function databaseDocument(id: string, schema: Schema, service: Service): Described {
  const base = `${service.prefix}/db/${printName(id, service.links)}`;
  const key = service.settings.refid_prefix;
  const tables = schema.tables.names.flatMap((name) => schema.tables.exact(name) ?? []);
  const links = tables.map((table) => [table.name, { [key]: `${base}/${table.segment}.json` }] as const);
  const document = {
    name: "table",
    tree: { [id]: Object.fromEntries<Json>([[key, `${base}.json`], ...links]) },
    columns: ["table"],
    rows: tables.map((table) => [table.name]),
  };
  const toMany = tables.map(({ name, segment }) => ({ name, segment, many: true }));
  const shape: Shape = { form: "record", name: id, columns: [], toOne: [], toMany, locate: () => null };
  return { document, schema: { shape, wrapper: id } };
}

function textColumn(name: string, isKey: boolean): ShapeColumn {
  const column = { name, type: "text", nullable: false, declaredType: "TEXT" } as const;
  return { ...column, isKey, isRequired: true, isGenerated: false };
}

/** `/settings`: what a browser client needs to know before and after login; no secret. */
export function settingsDocument(caller: Caller, service: Service): Described {
  const reversed = service.substitutions.toReversed().map(({ sequence, character }) => [character, sequence]);
  const settings: Record<string, Json> = {
    product: service.product,
    user: caller.user.login,
    refid_prefix: service.settings.refid_prefix,
    default_limit: service.settings.html_limit,
    reversed_url_substitution: Object.fromEntries(reversed),
    auth_settings: { authentication_policies: publicPolicies(service) },
  };
  const rows = Object.entries(settings).map(([name, value]) => {
    return [name, typeof value === "object" ? JSON.stringify(value) : value] as const;
  });
  return { document: { name: "setting", tree: settings, columns: ["setting", "value"], rows } };
}

/** What a client may know of each policy: whether and how it can send credentials. */
function publicPolicies(service: Service): Json {
  const methods = new Map(service.methods.map(({ name, method }) => [name, method]));
  return Object.fromEntries(service.policies.map(({ name, enabled, priority, visible }) => {
    return [name, { enabled, priority, gui: { visible }, ...methods.get(name)?.clientSettings }];
  }));
}
