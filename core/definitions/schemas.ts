/**
 * JSON Schemas of definitions, as they are sent and as they are shown.
 *
 * @module
 */

import type { DefinitionKind } from "@/config/mod.ts";
import type { Json, JsonObject } from "@/core/model.ts";

/** Characters of an account's texts. */
export const LONGEST_TEXT = 1000;

const TEXT = { type: "string" } as const;
const FILLED = { type: "string", minLength: 1 } as const;
const OPTIONAL = { type: ["string", "null"] } as const;
const FLAG = { type: "boolean" } as const;
const NAMES = { type: "array", items: FILLED } as const;
const PORT = { type: ["integer", "null"], minimum: 1, maximum: 65535 } as const;
const SECONDS = { type: "number", exclusiveMinimum: 0 } as const;
const SHORT = { ...TEXT, maxLength: LONGEST_TEXT } as const;
const SECRET = { type: ["string", "null"], writeOnly: true } as const;
const ID = {
  type: "string",
  maxLength: 128,
  pattern: "^(?![xX][mM][lL])[A-Za-z_][A-Za-z0-9@_~-]*$",
} as const;

const RIGHTS = {
  creator: { ...TEXT, description: "Who may do everything with it." },
  read: { ...NAMES, description: "Users who may see this definition." },
  write: { ...NAMES, description: "Users who may change and delete it." },
} as const;

const USER: JsonObject = {
  user_id: { ...ID, description: "The login." },
  enabled: { ...FLAG, description: "False: nobody can be this user; sessions end at once. Default true." },
  name: SHORT,
  email: SHORT,
  password: { ...SECRET, maxLength: LONGEST_TEXT, description: "A new password; never shown." },
  current_password: {
    ...SECRET,
    description: "The password so far, to change one's own password, e-mail or API key.",
  },
  keep_apikey: {
    type: ["boolean", "null"],
    writeOnly: true,
    description: "True: a new password leaves the API key as it is; else the key ends with the old one.",
  },
  apikey: {
    ...SECRET,
    maxLength: LONGEST_TEXT,
    description: "A new API key, 32 or more random characters; never shown.",
  },
  appid: { ...OPTIONAL, minLength: 1, maxLength: LONGEST_TEXT },
  databases: mapOf({
    type: "object",
    properties: {
      dbuser: TEXT,
      dbpass: SECRET,
      access: mapOf({ type: "array", items: { enum: ["read", "create", "update", "delete"] } }),
    },
    additionalProperties: false,
  }),
  dbdef: words("create", "view", "edit", "delete", "execute"),
  querydef: words("create", "view", "edit", "delete", "execute"),
  userdef: words("create", "view"),
  view: { ...NAMES, description: "Users who may see this account." },
  edit: { ...NAMES, description: "Users who may change it." },
};

const DATABASE: JsonObject = {
  db_id: ID,
  db_type: { ...FILLED, description: "sqlite, postgresql, mysql, mssql or the name of a plugin." },
  desc: TEXT,
  db_name: { ...FILLED, description: "The file for SQLite, the database's name otherwise." },
  db_host: { ...OPTIONAL, minLength: 1 },
  db_port: PORT,
  db_schema: { anyOf: [FILLED, NAMES, { type: "null" }] },
  db_encoding: { ...OPTIONAL, minLength: 1 },
  ssl: { description: "Keys in it are never shown." },
  autoconnect: FLAG,
  autoload_user: {
    type: "object",
    properties: { dbuser: TEXT, dbpass: SECRET },
    additionalProperties: false,
    description: "The login that reads the catalog.",
  },
  alternate_key: mapOf({ ...NAMES, minItems: 1 }),
  foreign_keys: mapOf({
    type: "array",
    items: {
      type: "object",
      required: ["columns", "table", "references"],
      properties: {
        columns: { ...NAMES, minItems: 1 },
        table: FILLED,
        references: { ...NAMES, minItems: 1 },
      },
      additionalProperties: false,
    },
  }),
  excluded_columns: mapOf(NAMES),
  excluded_tables: NAMES,
  limit: { type: ["integer", "null"], minimum: 1 },
  replicas: {
    type: "array",
    items: {
      type: "object",
      required: ["db_host"],
      properties: { db_host: FILLED, db_port: PORT },
      additionalProperties: false,
    },
  },
  prepare: { ...FLAG, description: "Whether statements may be prepared." },
  pool: {
    type: "object",
    properties: {
      max: { type: "integer", minimum: 1 },
      idle_timeout: SECONDS,
      acquire_timeout: SECONDS,
      statement_timeout: SECONDS,
    },
    additionalProperties: false,
  },
  ...RIGHTS,
  execute: { ...NAMES, description: "Users who may connect and disconnect it." },
};

const QUERY: JsonObject = {
  query_id: ID,
  database: FILLED,
  desc: TEXT,
  sqlstr: { ...FILLED, description: "SQL with parameters like :year." },
  parameters: mapOf({ enum: ["text", "integer", "decimal", "boolean", "date", "datetime", null] }),
  http_methods: {
    type: "object",
    properties: { GET: FLAG, POST: FLAG, PUT: FLAG, DELETE: FLAG },
    additionalProperties: false,
  },
  read_only: { type: ["boolean", "null"] },
  ...RIGHTS,
  execute: { ...NAMES, description: "Users who may run it." },
  url_template: { ...TEXT, readOnly: true },
};

/** What a kind's definitions consist of, and which members a new one must have. */
export const DEFINITION_SCHEMAS: {
  readonly [Kind in DefinitionKind]: {
    readonly title: string;
    readonly required: readonly string[];
    readonly properties: JsonObject;
  };
} = {
  userdef: { title: "User", required: ["user_id"], properties: USER },
  dbdef: { title: "Database", required: ["db_id", "db_type", "db_name"], properties: DATABASE },
  querydef: { title: "Query", required: ["query_id", "database", "sqlstr"], properties: QUERY },
};

/** The schema of one definition. */
export function definitionSchema(kind: DefinitionKind): JsonObject {
  return { ...DEFINITION_SCHEMAS[kind], type: "object", additionalProperties: false };
}

/** The schema of the map of all definitions of a kind. */
export function definitionsSchema(kind: DefinitionKind): JsonObject {
  const { title: _, ...schema } = definitionSchema(kind);
  return { title: kind, type: "object", additionalProperties: schema };
}

/** Members that are shown, the id first. */
export function shownMembers(kind: DefinitionKind): readonly string[] {
  return Object.entries(DEFINITION_SCHEMAS[kind].properties).filter(([, schema]) => {
    return !(typeof schema === "object" && schema !== null && "writeOnly" in schema);
  }).map(([name]) => name);
}

function mapOf(items: Json): JsonObject {
  return { type: "object", additionalProperties: items };
}

function words(...known: readonly string[]): JsonObject {
  return { type: "array", items: { enum: known } };
}
