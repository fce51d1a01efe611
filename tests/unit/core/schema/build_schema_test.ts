import assert from "node:assert/strict";
import { matchesPattern, resolveNames } from "@/core/schema/definition_names.ts";
import { narrowSchema } from "@/core/schema/build_schema.ts";
import type { Schema } from "@/core/schema/table.ts";
import { plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { schemaOf, table } from "@/tests/unit/core/tables.ts";

const TABLES = [
  table("Person", "Id:integer Name Secret", { key: ["Id"], unique: [["Name"], ["Secret", "Name"]] }),
  table("Letter", "Id:integer Sender Words", { key: ["Id"], references: [["Sender", "Person", "Id"]] }),
  table("secret_plan", "Id Person", { key: ["Id"], references: [["Person", "Person", "Id"]] }),
  table("View", "Id Owner"),
];

function shape(schema: Schema, name: string) {
  const found = schema.tables.exact(name);
  return found && {
    columns: found.columnNames.names,
    key: found.primaryKey,
    unique: found.uniqueKeys,
    toOne: found.toOne.map((relation) => relation.name),
    toMany: found.toMany.map((relation) => relation.name),
  };
}

Deno.test("tables have columns, keys and relations by position, in the order of names", () => {
  const schema = schemaOf(TABLES);
  assert.deepEqual(schema.tables.names, ["Letter", "Person", "View", "secret_plan"]);
  assert.deepEqual(shape(schema, "Person"), {
    columns: ["Id", "Name", "Secret"],
    key: [0],
    unique: [[1], [2, 1]],
    toOne: [],
    toMany: ["Letter", "secret_plan"],
  });
  const [relation] = schema.tables.exact("Letter")?.toOne ?? [];
  assert.deepEqual([relation?.local, relation?.foreign, relation?.many, relation?.segment], [
    [1],
    [0],
    false,
    "Person",
  ]);
  assert.equal(relation?.table, schema.tables.exact("Person"));
});

Deno.test("excluded tables and columns are not there, nor what needs them", () => {
  const schema = schemaOf(TABLES, {
    excludedTables: ["secret_*", "Vie"],
    excludedColumns: new Map([["Person", ["Secret"]], ["Letter", ["Sender"]]]),
  });
  assert.deepEqual(schema.tables.names, ["Letter", "Person", "View"]);
  assert.deepEqual(shape(schema, "Person"), {
    columns: ["Id", "Name"],
    key: [0],
    unique: [[1]],
    toOne: [],
    toMany: [],
  });
  assert.deepEqual(shape(schema, "Letter")?.toOne, []);
});

Deno.test("a table whose key column is excluded has no key", () => {
  const schema = schemaOf(TABLES, { excludedColumns: new Map([["Person", ["Id"]]]) });
  assert.deepEqual(shape(schema, "Person")?.key, []);
  assert.deepEqual(shape(schema, "Letter")?.toOne, []);
});

Deno.test("patterns of excluded tables mean * only", () => {
  const tables = ["a.b", "axb", "a", "ab*"].map((name) => table(name, "Id"));
  assert.deepEqual(schemaOf(tables, { excludedTables: ["a.b"] }).tables.names, ["a", "ab*", "axb"]);
  assert.deepEqual(schemaOf(tables, { excludedTables: ["a*b"] }).tables.names, ["a", "ab*"]);
  assert.deepEqual(schemaOf(tables, { excludedTables: ["*"] }).tables.names, []);
});

Deno.test("an alternate key is for tables that declare none", () => {
  const alternateKey = new Map([["View", ["Id"]], ["Person", ["Name"]]]);
  const schema = schemaOf(TABLES, { alternateKey });
  assert.deepEqual([shape(schema, "View")?.key, shape(schema, "Person")?.key], [[0], [0]]);
});

Deno.test("an alternate key with an unknown column is none", () => {
  assert.deepEqual(
    shape(schemaOf(TABLES, { alternateKey: new Map([["View", ["Id", "Nope"]]]) }), "View")?.key,
    [],
  );
});

Deno.test("configured foreign keys are relations in both directions", () => {
  const foreignKeys = new Map([["View", [{ columns: ["Owner"], table: "Person", references: ["Id"] }]]]);
  const schema = schemaOf(TABLES, { foreignKeys });
  assert.deepEqual(shape(schema, "View")?.toOne, ["Person"]);
  assert.deepEqual(shape(schema, "Person")?.toMany, ["Letter", "View", "secret_plan"]);
});

Deno.test("without automap only configured foreign keys are relations", () => {
  const foreignKeys = new Map([["View", [{ columns: ["Owner"], table: "Person", references: ["Id"] }]]]);
  const schema = schemaOf(TABLES, { foreignKeys }, false);
  assert.deepEqual(shape(schema, "Letter")?.toOne, []);
  assert.deepEqual(shape(schema, "Person")?.toMany, ["View"]);
});

Deno.test("a narrowed schema has no way to what is not readable", () => {
  const whole = schemaOf(TABLES);
  const narrowed = narrowSchema(whole, (name) => name !== "Letter");
  assert.deepEqual(narrowed.tables.names, ["Person", "View", "secret_plan"]);
  assert.deepEqual(shape(narrowed, "Person")?.toMany, ["secret_plan"]);
  assert.equal(narrowed.tables.exact("Person")?.forbidden.find("letter"), "Letter");
  assert.equal(narrowed.tables.exact("secret_plan")?.toOne[0]?.table, narrowed.tables.exact("Person"));
  assert.deepEqual(shape(whole, "Person")?.toMany, ["Letter", "secret_plan"]);
});

Deno.test("narrowing does not rename relations", () => {
  const references = [["A", "Person", "Id"], ["B", "Person", "Id"]] as const;
  const schema = schemaOf([...TABLES, table("Both", "Id A B", { references })]);
  const narrowed = narrowSchema(schema, (name) => name !== "Letter");
  assert.deepEqual(shape(narrowed, "Person")?.toMany, ["Both", "Both_B", "secret_plan"]);
});

Deno.test("names of the definition that the catalog lacks are told", () => {
  const wrong = plainDefinition({
    alternateKey: new Map([["View", ["Id", "Nope"]]]),
    excludedColumns: new Map([["Gone", ["X"]]]),
    excludedTables: ["Gone", "gone_*"],
    foreignKeys: new Map([["View", [{ columns: ["Owner"], table: "Person", references: ["Key"] }]]]),
  });
  const told = resolveNames(TABLES, wrong).complaints.map(({ key, message }) => `${key}: ${message}`);
  assert.deepEqual(told, [
    'excluded_tables.Gone: Cannot find table "Gone"',
    'excluded_columns.Gone: Cannot find table "Gone"',
    'alternate_key.View.Nope: Cannot find column "Nope"',
    'foreign_keys.View.0.references.Key: Cannot find column "Key"',
  ]);
});

/** A table outside of the default schema. */
function inSchema(schema: string, name: string, columns: string) {
  return { ...table(`${schema}.${name}`, columns), identifier: [schema, name] };
}

Deno.test("names of the definition are found as URLs find them: by case, and by plain names of other schemas", () => {
  const tables = [
    table("person", "id:integer name pin", { key: ["id"] }),
    inSchema("sales", "Order", "id owner total"),
    inSchema("sales", "Draft", "id"),
  ];
  const schema = schemaOf(tables, {
    alternateKey: new Map([["order", ["ID"]]]),
    excludedColumns: new Map([["PERSON", ["Pin"]], ["Order", ["TOTAL"]]]),
    excludedTables: ["DRAFT"],
    foreignKeys: new Map([["Order", [{ columns: ["Owner"], table: "Person", references: ["Id"] }]]]),
  });
  assert.deepEqual(schema.tables.names, ["person", "sales.Order"]);
  assert.deepEqual(shape(schema, "person")?.columns, ["id", "name"]);
  assert.deepEqual(shape(schema, "sales.Order"), {
    columns: ["id", "owner"],
    key: [0],
    unique: [],
    toOne: ["person"],
    toMany: [],
  });
  assert.deepEqual(schemaOf(tables, { excludedTables: ["*draft", "PERS*"] }).tables.names, ["sales.Order"]);
});

Deno.test("an ambiguous name hides everything that it may mean, and gives no key", () => {
  const tables = [
    table("Pay", "id Total total"),
    table("pay", "id"),
    inSchema("hr", "Order", "id total"),
    inSchema("sales", "Order", "id total"),
  ];
  const changes = {
    alternateKey: new Map([["PAY", ["id"]], ["Order", ["id"]]]),
    excludedColumns: new Map([["Order", ["total"]], ["Pay", ["TOTAL"]]]),
  };
  const schema = schemaOf(tables, changes);
  const columns = schema.tables.names.map((name) => shape(schema, name)?.columns);
  assert.deepEqual(columns, [["id"], ["id"], ["id"], ["id"]]);
  assert.ok(schema.tables.names.every((name) => shape(schema, name)?.key.length === 0));
  assert.deepEqual(schemaOf(tables, { excludedTables: ["PAY", "order"] }).tables.names, []);
  assert.deepEqual(schemaOf(tables, { excludedTables: ["Pay"] }).tables.names, [
    "hr.Order",
    "pay",
    "sales.Order",
  ]);
  assert.equal(resolveNames(tables, plainDefinition(changes)).complaints.length, 4);
});

const PATTERNS: readonly (readonly [pattern: string, matching: string, others: string])[] = [
  ["", "", "a"],
  ["a", "a A", "ab ba"],
  ["*", "a ab", ""],
  ["a*", "a ab A_b", "ba"],
  ["*a", "a ba bA", "ab"],
  ["a*a", "aa aba", "a ab ba"],
  ["a*b*c", "abc axbxc abbcc", "ac acb abx"],
  ["*b*", "b abc", "a"],
  ["*ab*ab*", "abab xabyabz", "aba ab abxa"],
  ["a.c", "a.c", "abc"],
  ["*".repeat(1000) + "%", "a% %", "a amenity"],
  ["*a".repeat(500) + "*b", "", `a ${"a".repeat(128)}`],
];

for (const [pattern, matching, others] of PATTERNS) {
  Deno.test(`the pattern ${pattern.slice(0, 20)} matches ${matching}, and its time is bounded`, () => {
    for (const name of matching.split(" ").filter((each) => each !== "" || pattern === "")) {
      assert.equal(matchesPattern(name, pattern), true, name);
    }
    for (const name of others.split(" ").filter((each) => each !== "")) {
      assert.equal(matchesPattern(name, pattern), false, name);
    }
  });
}
