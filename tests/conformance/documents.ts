/**
 * Documents in the form of the core.
 *
 * @module
 */

import type { Document, DocumentColumn, DocumentShape } from "@/plugins/contract.ts";

/** The list of databases in the form of the core. */
export const DATABASES: Document = {
  name: "db",
  tree: [
    { db_id: "Shop", __href: "/db/Shop.json", type: "sqlite", description: "", status: "Connected" },
    { db_id: "a<b", __href: "/db/a%3Cb.json", type: "sqlite", description: "R&D", status: "Disconnected" },
  ],
  columns: ["db_id", "type", "description", "status"],
  rows: [
    ["Shop", "sqlite", "", "Connected"],
    ["a<b", "sqlite", "R&D", "Disconnected"],
  ],
};

/** One database's list of tables in the form of the core. */
export const TABLES: Document = {
  name: "Shop",
  tree: {
    Shop: {
      __href: "/db/Shop.json",
      Customer: { __href: "/db/Shop/Customer.json" },
      "Order line": { __href: "/db/Shop/Order%20line.json" },
    },
  },
  columns: ["table"],
  rows: [["Customer"], ["Order line"]],
};

/**
 * Everything that settings and definitions hold: maps keyed by ids, lists, lists of
 * lists, NULLs, references, names.
 */
const SETTINGS: Document = {
  name: "settings",
  tree: {
    __href: "/settings.json",
    product: 'R&D "1"',
    limit: 29,
    ratio: 0.5,
    "a <b>": true,
    nothing: null,
    "": "empty",
    _x0041_: "encoded",
    __proto__x: [],
    policies: { apikey: { enabled: true, others: [1, "x"] }, "a/b": { enabled: false, __href: "/x" } },
    tags: ["a", "", "b"],
    one: [1],
    unknown: { a: [{ b: null }] },
    places: [{ __href: "/a.json", name: "a" }, { __href: null, name: null }],
    matrix: [[1, 2], [], [3]],
    list: null,
  },
  columns: ["setting", "value"],
  rows: [["product", 'R&D "1"'], ["limit", 29], ["nothing", null]],
};

const REFERENCE = { type: ["string", "null"], format: "uri-reference" };
const LINK = { type: "object", properties: { __href: REFERENCE } };
const TEXT = { type: "string" };
const COUNTS = { type: "array", items: { type: "integer" } };

function columns(...names: readonly string[]): readonly DocumentColumn[] {
  return names.map((name, index) => ({ name, type: "text", nullable: index > 0, isKey: index === 0 }));
}

const DATABASES_SHAPE: DocumentShape = {
  name: "db",
  schema: {
    title: "db",
    type: "array",
    items: {
      type: "object",
      required: ["db_id", "type", "description", "status"],
      properties: { __href: REFERENCE, db_id: TEXT, type: TEXT, description: TEXT, status: TEXT },
    },
    minItems: 0,
  },
  columns: columns(...DATABASES.columns),
};

const TABLES_SHAPE: DocumentShape = {
  name: "Shop",
  schema: {
    title: "Shop",
    type: "object",
    required: ["Shop"],
    properties: {
      Shop: {
        type: "object",
        required: ["__href"],
        properties: { __href: REFERENCE, Customer: LINK, "Order line": LINK, Gone: LINK },
      },
    },
  },
  columns: columns("table"),
};

const SETTINGS_SHAPE: DocumentShape = {
  name: "settings",
  schema: {
    title: "settings",
    type: "object",
    required: ["product", "limit", "ratio", "a <b>", "", "_x0041_", "policies", "tags"],
    properties: {
      __href: REFERENCE,
      product: { ...TEXT, description: "<b> & more" },
      limit: { type: "integer", minimum: 1 },
      ratio: { type: "number" },
      "a <b>": { type: "boolean" },
      nothing: { type: ["string", "null"] },
      "": TEXT,
      _x0041_: TEXT,
      __proto__x: { type: "array", items: TEXT },
      policies: {
        type: "object",
        additionalProperties: {
          type: "object",
          required: ["enabled"],
          properties: { __href: REFERENCE, enabled: { type: "boolean" } },
          additionalProperties: true,
        },
      },
      tags: { type: "array", items: TEXT },
      one: COUNTS,
      unknown: {},
      places: {
        type: "array",
        items: {
          type: "object",
          required: ["name"],
          properties: { __href: REFERENCE, name: { type: ["string", "null"] } },
        },
      },
      matrix: { type: "array", items: COUNTS },
      list: { type: ["array", "null"], items: TEXT },
      missing: TEXT,
    },
  },
  columns: columns("setting", "value"),
};

/** A list of scalars, and a scalar. */
const NAMES: Document = { name: "name", tree: ["a", null, "<b>"], columns: ["name"], rows: [["a"], [null]] };
const WORD: Document = { name: "word", tree: "x", columns: ["word"], rows: [["x"]] };

/** Documents with their shapes. */
export const DESCRIBED: readonly (readonly [DocumentShape, Document])[] = [
  [DATABASES_SHAPE, DATABASES],
  [DATABASES_SHAPE, { ...DATABASES, tree: [], rows: [] }],
  [TABLES_SHAPE, TABLES],
  [SETTINGS_SHAPE, SETTINGS],
  [
    {
      name: "name",
      schema: { type: "array", items: { type: ["string", "null"] } },
      columns: columns("name"),
    },
    NAMES,
  ],
  [{ name: "word", schema: TEXT, columns: columns("word") }, WORD],
];
