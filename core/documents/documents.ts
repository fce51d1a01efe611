/**
 * Answers that are not table data: the lists of databases and tables, and the settings that clients read.
 *
 * @module
 */

import { ask, isJsonObject } from "@/core/base/plugin_answers.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { Document, DocumentColumn, DocumentShape, Json, JsonObject, Value } from "@/core/model.ts";
import { printName } from "@/core/request/print_path.ts";
import { allTables, type Schema } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";
import { linkSchema, objectSchema, REFERENCE, SETTINGS_SCHEMA, TEXT } from "./document_schemas.ts";

/** A document with its shape. */
export interface Described {
  readonly document: Document;
  readonly shape: DocumentShape;
}

/** Creates a document with the names of its shape. */
export function describe(shape: DocumentShape, { tree, rows }: Pick<Document, "tree" | "rows">): Described {
  return {
    document: { name: shape.name, tree, columns: shape.columns.map(({ name }) => name), rows },
    shape,
  };
}

/** A column that always has text. */
export function textColumn(name: string): DocumentColumn {
  return { name, type: "text", nullable: false, isKey: false };
}

/** A column that tells the rows apart. */
export function keyColumn(name: string): DocumentColumn {
  return { ...textColumn(name), isKey: true };
}

/** A column for any value. */
export function anyColumn(name: string): DocumentColumn {
  return { name, type: "any", nullable: true, isKey: false };
}

/** A document that is one object: one row per member in formats for tables, named in the column `key`. */
export function describeMembers(
  name: string,
  schema: JsonObject,
  tree: Readonly<Record<string, Json>>,
  key = "member",
): Described {
  return describe({ name, schema, columns: [keyColumn(key), anyColumn("value")] }, {
    tree,
    rows: Object.entries(tree).map(([member, value]) => [member, cellOf(value)]),
  });
}

/** A document that is one object: one row with a column per member in formats for tables. */
export function recordDocument(name: string, tree: Readonly<Record<string, Json>>): Document {
  return { name, tree, columns: Object.keys(tree), rows: [Object.values(tree).map(cellOf)] };
}

/** A cell holds scalars unchanged and other values as JSON. */
export function cellOf(value: Json): Value {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

const DATABASE_COLUMNS = ["db_id", "type", "description", "status"] as const;

/** `/db`: the databases that the caller has a mapping to. */
export function databasesDocument(caller: Caller, service: Service): Described {
  const { settings: { refid_prefix: refid }, prefix, links } = service;
  const mapped = [...service.databases.values()].filter((managed) => mappingOf(caller.user, managed));
  const tree = mapped.map(({ definition, status }) => ({
    db_id: definition.id,
    [refid]: `${prefix}/db/${printName(definition.id, links)}.json`,
    type: definition.dbType,
    description: definition.description,
    status,
  }));
  const texts = DATABASE_COLUMNS.map((name) => [name, TEXT] as const);
  const items = {
    type: "object",
    required: DATABASE_COLUMNS,
    properties: Object.fromEntries([[refid, REFERENCE], ...texts]),
  };
  const shape = {
    name: "db",
    schema: { title: "db", type: "array", items, minItems: 0 },
    columns: DATABASE_COLUMNS.map((name) => name === "db_id" ? keyColumn(name) : textColumn(name)),
  };
  return describe(shape, {
    tree,
    rows: tree.map((record) => DATABASE_COLUMNS.map((name) => record[name] ?? null)),
  });
}

/** `/db/{db_id}`: the tables that the caller may read. */
export function databaseDocument(id: string, schema: Schema, service: Service): Described {
  const base = `${service.prefix}/db/${printName(id, service.links)}`;
  const refid = service.settings.refid_prefix;
  const tables = allTables(schema);
  const list = {
    type: "object",
    required: [],
    properties: Object.fromEntries([
      [refid, REFERENCE],
      ...tables.map(({ name }) => [name, linkSchema(refid)] as const),
    ]),
  };
  const links = tables.map(({ name, segment }) => [name, { [refid]: `${base}/${segment}.json` }] as const);
  const shape = {
    name: id,
    schema: { title: id, type: "object", required: [id], properties: { [id]: list } },
    columns: [keyColumn("table")],
  };
  return describe(shape, {
    tree: { [id]: Object.fromEntries<Json>([[refid, `${base}.json`], ...links]) },
    rows: tables.map(({ name }) => [name]),
  });
}

/** `/version`: the version of the running service. */
export function versionDocument({ version }: Service): Described {
  const members = objectSchema({ version: { ...TEXT, description: "The version of this service." } });
  const schema = { title: "version", ...members };
  return describe({ name: "version", schema, columns: [textColumn("version")] }, {
    tree: { version },
    rows: [[version]],
  });
}

/**
 * `/settings`: the facts that a browser client needs before and after login; no secret except the
 * token of the caller's own session.
 */
export function settingsDocument(caller: Caller, service: Service, csrfToken?: string): Described {
  const reversed = service.substitutions.toReversed().map(({ sequence, character }) => [character, sequence]);
  return describeMembers("settings", SETTINGS_SCHEMA, {
    product: service.product,
    user: caller.user.login,
    refid_prefix: service.settings.refid_prefix,
    default_limit: service.settings.html_limit,
    reversed_url_substitution: Object.fromEntries(reversed),
    auth_settings: { authentication_policies: publicPolicies(service) },
    ...(csrfToken === undefined ? {} : { csrf_token: csrfToken }),
  }, "setting");
}

/**
 * The public facts of each policy: whether and how clients can send credentials. An enabled method may still
 * be off because the licence lacks it.
 */
function publicPolicies(service: Service): Json {
  const methods = new Map(service.methods.map(({ name, method }) => [name, method]));
  return Object.fromEntries(service.policies.map(({ name, priority, visible }) => {
    const method = methods.get(name);
    const question = () => method?.clientSettings;
    return [name, {
      enabled: method !== undefined,
      priority,
      gui: { visible },
      ...ask(name, "clientSettings", { question, isAnswer: isJsonObject }, service),
    }];
  }));
}
