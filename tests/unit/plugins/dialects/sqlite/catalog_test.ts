import assert from "node:assert/strict";
import type { Catalog, Column, TableDescription } from "@/plugins/contract.ts";
import { affinityOf, maxLengthOf, valueTypeOf } from "@/plugins/dialects/sqlite/column_types.ts";
import { makePlace } from "./fixture.ts";
import { plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

async function catalogOf(...statements: string[]): Promise<Catalog> {
  await using place = makePlace(...statements);
  return await (await place.connect()).catalog();
}

async function tableOf(name: string, ...statements: string[]): Promise<TableDescription> {
  const table = (await catalogOf(...statements)).tables.find((one) => one.name === name);
  assert.ok(table);
  return table;
}

const PLAIN: Omit<Column, "name"> = {
  type: "integer",
  declaredType: "INTEGER",
  nullable: true,
  hasDefault: false,
  generated: false,
  loose: true,
  detail: { bits: 64 },
};

Deno.test("declared types mean what their names say", () => {
  const types: readonly [string, string][] = [
    ["", "any"],
    ["ANY", "any"],
    ["BOOL", "boolean"],
    ["Boolean", "boolean"],
    ["DATETIME", "datetime"],
    ["datetime2(7)", "datetime"],
    ["TIMESTAMP WITH TIME ZONE", "datetime"],
    ["DATE", "date"],
    ["TIME", "time"],
    ["TIME(3)", "time"],
    ["DECIMAL(10,2)", "decimal"],
    ["NUMERIC", "decimal"],
    ["MONEY", "decimal"],
    ["NUMBER(5)", "decimal"],
    ["INT", "integer"],
    ["UNSIGNED BIG INT", "integer"],
    ["TINYINT(1)", "integer"],
    ["NVARCHAR(40)", "text"],
    ["CLOB", "text"],
    ["UUID", "text"],
    ["STRING", "text"],
    ["ENUM('a','b')", "text"],
    ["REAL", "float"],
    ["FLOAT", "float"],
    ["DOUBLE PRECISION", "float"],
    ["BLOB", "binary"],
    ["VARBINARY(16)", "binary"],
    ["POINT", "binary"],
    ["MultiLineString", "binary"],
    ["GEOMETRYCOLLECTION", "binary"],
    ["POINTER", "integer"],
    ["JSON", "json"],
    ["YEAR", "decimal"],
  ];
  assert.deepEqual(types.map(([declared]) => [declared, valueTypeOf(declared)]), types);
});

Deno.test("affinities follow SQLite's rules", () => {
  const affinities: readonly [string, string][] = [
    ["CHARINT", "INTEGER"],
    ["VARCHAR(5)", "TEXT"],
    ["", "BLOB"],
    ["BLOB", "BLOB"],
    ["DOUBLE", "REAL"],
    ["STRING", "NUMERIC"],
    ["DATETIME", "NUMERIC"],
    ["ANY", "NUMERIC"],
  ];
  assert.deepEqual(
    affinities.map(([declaredType]) => [declaredType, affinityOf({ declaredType, loose: true })]),
    affinities,
  );
  assert.equal(affinityOf({ declaredType: "ANY" }), "BLOB", "in a STRICT table");
});

Deno.test("only text has a length", () => {
  assert.equal(maxLengthOf("VARCHAR(12)"), 12);
  assert.equal(maxLengthOf("VARCHAR2( 40 CHAR)"), 40);
  assert.equal(maxLengthOf("TEXT"), undefined);
  assert.equal(maxLengthOf("DECIMAL(10,2)"), undefined);
  assert.equal(maxLengthOf("BLOB(10)"), undefined);
});

Deno.test("an integer primary key fills itself, other keys may be null", async () => {
  const { tables } = await catalogOf(
    "CREATE TABLE rowid_key (id INTEGER PRIMARY KEY)",
    "CREATE TABLE descending (id INTEGER PRIMARY KEY DESC)",
    "CREATE TABLE int_key (id INT PRIMARY KEY)",
    "CREATE TABLE text_key (id TEXT PRIMARY KEY)",
    "CREATE TABLE without_rowid (id INTEGER PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE strict_key (id TEXT PRIMARY KEY NOT NULL) STRICT",
  );
  const facts = tables.map(({ name, columns: [id] }) => [name, id?.nullable, id?.hasDefault]);
  assert.deepEqual(facts, [
    ["descending", true, false],
    ["int_key", true, false],
    ["rowid_key", false, true],
    ["strict_key", false, false],
    ["text_key", true, false],
    ["without_rowid", false, false],
  ]);
});

Deno.test("a composite key is in key order, not in column order", async () => {
  const table = await tableOf("t", "CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY (c, a))");
  assert.deepEqual(table.primaryKey, ["c", "a"]);
});

Deno.test("defaults and generated columns are told", async () => {
  const { columns } = await tableOf(
    "t",
    `CREATE TABLE t (a INTEGER DEFAULT 5, b INTEGER DEFAULT NULL, c INTEGER AS (a + 1),
      d INTEGER GENERATED ALWAYS AS (a * 2) STORED)`,
  );
  assert.deepEqual(columns, [
    { ...PLAIN, name: "a", hasDefault: true },
    { ...PLAIN, name: "b" },
    { ...PLAIN, name: "c", hasDefault: true, generated: true },
    { ...PLAIN, name: "d", hasDefault: true, generated: true },
  ]);
});

Deno.test("unique keys are in order of declaration, without partial ones and expressions", async () => {
  const table = await tableOf(
    "t",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT, c TEXT, UNIQUE (c, b))",
    "CREATE UNIQUE INDEX later ON t (b)",
    "CREATE UNIQUE INDEX part ON t (c) WHERE c > 'm'",
    "CREATE UNIQUE INDEX expression ON t (lower(c))",
    "CREATE INDEX ordinary ON t (c)",
  );
  assert.deepEqual(table.uniqueKeys, [["a"], ["c", "b"], ["b"]]);
});

Deno.test("foreign keys are in order of declaration, with the parent's own names", async () => {
  const table = await tableOf(
    "child",
    "CREATE TABLE Parent (Id INTEGER PRIMARY KEY, Code TEXT UNIQUE)",
    "CREATE TABLE pair (x INTEGER, y INTEGER, PRIMARY KEY (y, x))",
    `CREATE TABLE child (id INTEGER PRIMARY KEY, p INTEGER REFERENCES parent, c TEXT REFERENCES PARENT (code),
      x INTEGER, y INTEGER, boss INTEGER REFERENCES child (id), FOREIGN KEY (y, x) REFERENCES pair)`,
  );
  assert.deepEqual(table.foreignKeys, [
    { columns: ["p"], table: "Parent", references: ["Id"] },
    { columns: ["c"], table: "Parent", references: ["Code"] },
    { columns: ["boss"], table: "child", references: ["id"] },
    { columns: ["y", "x"], table: "pair", references: ["y", "x"] },
  ]);
});

Deno.test("a foreign key that leads nowhere is left out with a reason", async () => {
  const { tables, omitted } = await catalogOf(
    "CREATE TABLE parent (a INTEGER, b INTEGER, PRIMARY KEY (a, b))",
    `CREATE TABLE child (id INTEGER PRIMARY KEY, gone INTEGER REFERENCES nowhere, half INTEGER REFERENCES parent,
      wrong INTEGER REFERENCES parent (z))`,
  );
  assert.deepEqual(tables.map(({ name, foreignKeys }) => [name, foreignKeys]), [["child", []], [
    "parent",
    [],
  ]]);
  assert.deepEqual(omitted, [
    'foreign key (gone) of "child": there is no table "nowhere"',
    'foreign key (half) of "child": it does not match the columns of "parent"',
    'foreign key (wrong) of "child": it does not match the columns of "parent"',
  ]);
});

Deno.test("a broken view is left out with a reason and stops nothing", async () => {
  const { tables, omitted } = await catalogOf(
    "CREATE TABLE t (id INTEGER PRIMARY KEY)",
    "CREATE TABLE lost (id INTEGER PRIMARY KEY)",
    "CREATE VIEW broken AS SELECT * FROM lost",
    "CREATE VIEW fine AS SELECT id, count(*) AS many FROM t",
    "DROP TABLE lost",
  );
  assert.deepEqual(tables.map(({ name, kind }) => [name, kind]), [["fine", "view"], ["t", "table"]]);
  assert.deepEqual(omitted, ['view "broken": no such table: main.lost']);
  assert.deepEqual(tables[0]?.columns.map(({ name, type }) => [name, type]), [["id", "integer"], [
    "many",
    "any",
  ]]);
});

Deno.test("a virtual table shows its own columns, its shadows and SQLite's tables do not appear", async () => {
  const { tables } = await catalogOf(
    "CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT)",
    "CREATE VIRTUAL TABLE notes USING fts5 (title, body)",
  );
  assert.deepEqual(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]), [
    ["notes", ["title", "body"]],
    ["numbered", ["id"]],
  ]);
});

Deno.test("names with quotes are read like any other", async () => {
  const table = await tableOf("o\"d'd", `CREATE TABLE "o""d'd" ("a ""b""" INTEGER UNIQUE)`);
  assert.deepEqual(table.columns.map(({ name }) => name), ['a "b"']);
  assert.deepEqual(table.uniqueKeys, [['a "b"']]);
});

Deno.test("the catalog's SQL is logged when that is asked for", async () => {
  await using place = makePlace("CREATE TABLE t (id INTEGER PRIMARY KEY)");
  const login = { dbuser: "", dbpass: "" };
  await using database = await place.dialect(true).connect(plainDefinition(), login, { signal: NEVER });
  await database.catalog();
  assert.ok(
    place.messages.some((message) => message.includes("pragma_table_xinfo(?)") && message.includes('"t"')),
  );
});

Deno.test("a view's column over one without a type may hold any type", async () => {
  const view = await tableOf(
    "v",
    "CREATE TABLE t (untyped, n INT, label TEXT)",
    "CREATE VIEW v AS SELECT untyped, n, label, count(*) AS total FROM t",
  );
  const types = view.columns.map(({ name, type }) => [name, type]);
  assert.deepEqual(types, [["untyped", "any"], ["n", "integer"], ["label", "text"], ["total", "any"]]);
});

Deno.test("a view may be written as far as it has triggers for that, others say nothing about it", async () => {
  const nothing = "BEGIN SELECT 1; END";
  const { tables } = await catalogOf(
    "CREATE TABLE t (a, b)",
    "CREATE VIRTUAL TABLE notes USING fts5 (title)",
    "CREATE VIEW none AS SELECT * FROM t",
    "CREATE VIEW every_one AS SELECT a, b, a FROM t",
    `CREATE TRIGGER e1 INSTEAD OF INSERT ON every_one ${nothing}`,
    `CREATE TRIGGER e2 INSTEAD OF UPDATE ON every_one ${nothing}`,
    `CREATE TRIGGER e3 INSTEAD OF DELETE ON every_one ${nothing}`,
    "CREATE VIEW Some AS SELECT * FROM t",
    `create trigger if not exists main.s1 instead of update of B on sOME when new.a > 1 ${nothing}`,
    `CREATE VIEW "it's ""odd"" [v]" AS SELECT a AS "x ""y""" FROM t`,
    `CREATE TRIGGER [INSTEAD OF INSERT ON] -- INSTEAD OF UPDATE ON none
      INSTEAD /* OF INSERT */ OF/**/DELETE ON "it's ""odd"" [v]" FOR EACH ROW ${nothing}`,
    "CREATE VIEW broken AS SELECT * FROM t",
    "CREATE TRIGGER b1 INSTEAD OF INSERT ON broken BEGIN INSERT INTO nowhere VALUES (1); END",
    "CREATE VIEW leads_on AS SELECT * FROM t",
    "CREATE TRIGGER l1 INSTEAD OF DELETE ON leads_on BEGIN DELETE FROM none; END",
    `CREATE TRIGGER of_a_table AFTER INSERT ON t ${nothing}`,
  );
  assert.deepEqual(tables.map(({ name, writable }) => [name, writable]), [
    ["Some", ["update"]],
    ["broken", ["create"]],
    ["every_one", ["create", "update", "delete"]],
    [`it's "odd" [v]`, ["delete"]],
    ["leads_on", ["delete"]],
    ["none", []],
    ["notes", undefined],
    ["t", undefined],
  ]);
});

Deno.test("the values that a check lists are the members of a text column, and of no other", async () => {
  const table = await tableOf(
    "job",
    `CREATE TABLE job (id INTEGER PRIMARY KEY, State VARCHAR(9) CHECK (state IN ('open', 'done')),
      size INTEGER CHECK (size IN ('1', '2')))`,
    "ALTER TABLE job ADD COLUMN kind TEXT CHECK (kind IN ('a'))",
  );
  assert.deepEqual(table.columns.map(({ name, bounds }) => [name, bounds?.members]), [
    ["id", undefined],
    ["State", ["open", "done"]],
    ["size", undefined],
    ["kind", ["a"]],
  ]);
});
