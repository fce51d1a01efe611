import assert from "node:assert/strict";
import type { SchemaOptions, Section, Shape, ShapeColumn } from "@/plugins/contract.ts";
import json from "@/formats/json/mod.ts";
import { schemaOptions } from "@/tests/conformance/format_schemas.ts";
import { chunkText, column, HOST, relation, shape, write } from "@/tests/conformance/shapes.ts";
import { assertFits } from "@/tests/support/json_schema_judge.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

function schemaText(table: Shape, changes: Partial<SchemaOptions> = {}, section: Section = {}): string {
  const format = json.setup(sectionOf(json, section), HOST);
  return chunkText(format.schema(table, schemaOptions({ format }, changes)));
}

function schemaOf(table: Shape, changes: Partial<SchemaOptions> = {}, section: Section = {}): unknown {
  return JSON.parse(schemaText(table, changes, section));
}

function valueSchema(changes: Partial<ShapeColumn>): unknown {
  const { $schema: _, title: __, ...rest } = JSON.parse(
    schemaText(shape([{ ...column("x"), ...changes }], { form: "value" })),
  );
  return rest;
}

const $schema = "https://json-schema.org/draft/2020-12/schema";
const key: ShapeColumn = { ...column("Id", "integer"), nullable: false, isKey: true };
const name: ShapeColumn = { ...column("Name"), nullable: false, isRequired: true, maxLength: 40 };
const locate = () => "/db/Shop/Customer/Id/1";
const reference = { type: ["string", "null"], format: "uri-reference", readOnly: true };
const ID = { type: "integer" };
const NAME = { type: "string", maxLength: 40 };
const RECORD = { type: "object", required: ["Name"], properties: { Id: ID, Name: NAME } };

Deno.test("json's schema of a record names what it must have", () => {
  assert.deepEqual(schemaOf(shape([key, name], { form: "record" })), {
    $schema,
    title: "Customer",
    ...RECORD,
  });
});

Deno.test("json's schema of a list is an array, as long as the request allows", () => {
  const list = { $schema, title: "Customer", type: "array", items: RECORD, minItems: 0 };
  assert.deepEqual(schemaOf(shape([key, name])), list);
  assert.deepEqual(schemaOf(shape([key, name]), { cardinality: 7 }), { ...list, maxItems: 7 });
});

Deno.test("json's schema of a record is an array of one where the configuration asks for arrays", () => {
  const list = { $schema, title: "Customer", type: "array", items: RECORD, minItems: 1, maxItems: 1 };
  const settings = { href: false, single_as_array: true };
  assert.deepEqual(schemaOf(shape([key, name], { form: "record", locate }), {}, settings), list);
});

Deno.test("json's schema of scalars has no properties", () => {
  const title = "Customer";
  assert.deepEqual(schemaOf(shape([key], { form: "value" })), { $schema, title, ...ID });
  assert.deepEqual(schemaOf(shape([key], { form: "values" }), { cardinality: 2 }), {
    $schema,
    title,
    type: "array",
    items: ID,
    minItems: 0,
    maxItems: 2,
  });
});

Deno.test("json's schema of a transposed list has a list per column", () => {
  assert.deepEqual(schemaOf(shape([key, name], { form: "columns" }), { cardinality: 2 }), {
    $schema,
    title: "Customer",
    type: "object",
    required: ["Id", "Name"],
    properties: {
      Id: { type: "array", items: ID, minItems: 0, maxItems: 2 },
      Name: { type: "array", items: NAME, minItems: 0, maxItems: 2 },
    },
  });
});

Deno.test("json's schema of a document is the one that it comes with, and says how long a list may be", () => {
  const list = { name: "x", schema: { title: "x", type: "array", items: {}, minItems: 0 }, columns: [] };
  const map = { name: "x", schema: { title: "x", type: "object", additionalProperties: {} }, columns: [] };
  const format = json.setup(sectionOf(json), HOST);
  const schema = (shape: typeof list | typeof map, cardinality: number | "unbounded") => {
    return JSON.parse(
      chunkText(format.documentSchema?.(shape, schemaOptions({ format }, { cardinality })) ?? ""),
    );
  };
  assert.deepEqual(schema(list, "unbounded"), { $schema, ...list.schema });
  assert.deepEqual(schema(list, 3), { $schema, ...list.schema, maxItems: 3 });
  assert.deepEqual(schema(map, 3), { $schema, ...map.schema });
});

const located = shape([key], {
  form: "record",
  toOne: [relation("Employee", { many: false })],
  toMany: [relation("Invoice", { expanded: { cell: 1, shape: shape([key], { name: "Invoice", locate }) } })],
  locate,
});

Deno.test("json's schema has references and relations where the writer has them, read-only", () => {
  const expected = {
    __href: reference,
    Employee: { type: "object", properties: { __href: reference }, readOnly: true },
    Id: ID,
    Invoice: {
      type: "array",
      items: { title: "Invoice", type: "object", required: [], properties: { __href: reference, Id: ID } },
      readOnly: true,
    },
  };
  const { properties } = JSON.parse(schemaText(located));
  assert.deepEqual(properties, expected);
  assert.deepEqual(Object.keys(properties), Object.keys(expected));
});

for (
  const [origin, changes, section] of [["request", { href: false }, {}], ["configuration", {}, {
    href: false,
  }]] as const
) {
  Deno.test(`json's schema has no references when the ${origin} says so`, () => {
    const { properties } = JSON.parse(schemaText(located, changes, section));
    assert.deepEqual(Object.keys(properties), ["Id", "Invoice"]);
    assert.deepEqual(Object.keys(properties.Invoice.items.properties), ["Id"]);
  });
}

Deno.test("json's schema of an expanded to-one relation allows that there is none", () => {
  const employee = shape([key], { form: "record", name: "Employee" });
  const table = shape([], {
    toOne: [relation("Employee", { many: false, expanded: { cell: 0, shape: employee } })],
  });
  const { items } = JSON.parse(schemaText(table));
  assert.deepEqual(items.properties.Employee, {
    title: "Employee",
    type: ["object", "null"],
    required: [],
    properties: { Id: ID },
    readOnly: true,
  });
});

const TIME = "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?";

const VALUES: readonly [string, Partial<ShapeColumn>, unknown][] = [
  ["a nullable integer", { type: "integer" }, { type: ["integer", "null"] }],
  ["a decimal", { type: "decimal", nullable: false }, { type: "number" }],
  ["a float that may be no number", { type: "float", nullable: false }, {
    anyOf: [{ type: "number" }, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }],
  }],
  ["a boolean", { type: "boolean" }, { type: ["boolean", "null"] }],
  ["a text", { type: "text", maxLength: 3 }, { type: ["string", "null"], maxLength: 3 }],
  ["a date", { type: "date", nullable: false }, { type: "string", format: "date" }],
  ["a time", { type: "time", nullable: false }, { type: "string", pattern: `^${TIME}$` }],
  ["a time stamp without zone", { type: "datetime", nullable: false }, {
    type: "string",
    pattern: `^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T${TIME}$`,
  }],
  ["bytes", { type: "binary" }, { type: ["string", "null"], contentEncoding: "base64" }],
  ["JSON", { type: "json" }, {}],
  ["anything", { type: "any", comment: "what you like" }, { description: "what you like" }],
  ["a computed column", { isGenerated: true }, { type: ["string", "null"], readOnly: true }],
];

for (const [what, changes, expected] of VALUES) {
  Deno.test(`json's schema of ${what} is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(valueSchema(changes), expected);
  });
}

Deno.test("json's schema keeps the order of columns whatever their names", () => {
  const names = ["b", "2", "__proto__", "1", "constructor"];
  const text = schemaText(shape(names.map((each) => column(each)), { form: "record" }), {}, { indent: 0 });
  const found = [...text.matchAll(/"([^"]+)":\{"type"/g)].map(([, each]) => each);
  assert.deepEqual(found, names);
});

Deno.test("json's schema is laid out like its answers", () => {
  const table = shape([key], { form: "value", name: "t" });
  assert.equal(schemaText(table, {}, { indent: 0 }), `{"$schema":"${$schema}","title":"t","type":"integer"}`);
  assert.equal(
    schemaText(table, {}, { indent: 2 }),
    `{\n  "$schema": "${$schema}",\n  "title": "t",\n  "type": "integer"\n}`,
  );
});

Deno.test("json's schema fits arrays of single records", async () => {
  const section = { single_as_array: true };
  const table: Shape = { ...located, form: "record" };
  const text = await write(json.setup(sectionOf(json, section), HOST), { shape: table, rows: [[1, [[2]]]] });
  assertFits(schemaText(table, {}, section), [text]);
});

const MISFITS: readonly [string, Shape, Partial<SchemaOptions>, unknown][] = [
  ["a record without what it must have", shape([name], { form: "record" }), {}, {}],
  ["a text that is too long", shape([name], { form: "record" }), {}, { Name: "x".repeat(41) }],
  ["a list that is too long", shape([key]), { cardinality: 1 }, [{ Id: 1 }, { Id: 2 }]],
  ["NULL where there is none", shape([key], { form: "value" }), {}, null],
  [
    "a time stamp with a zone",
    shape([column("At", "datetime")], { form: "value" }),
    {},
    "2024-01-01T00:00:00Z",
  ],
  ["a day that does not exist", shape([column("On", "date")], { form: "value" }), {}, "2023-02-29"],
];

for (const [what, table, changes, value] of MISFITS) {
  Deno.test(`json's schema refuses ${what}`, () => {
    assert.throws(
      () => assertFits(schemaText(table, changes), [JSON.stringify(value)]),
      assert.AssertionError,
    );
  });
}

Deno.test("json's schema says what the database says of the table", () => {
  const comment = "People who buy";
  const { description } = schemaOf(shape([key], { comment })) as { description: string };
  assert.equal(description, comment);
  const toMany = [relation("Friend", { expanded: { cell: 1, shape: shape([key], { comment }) } })];
  const { items } = schemaOf(shape([key], { toMany })) as {
    items: { properties: { Friend: { items: { description: string } } } };
  };
  assert.equal(items.properties.Friend.items.description, comment);
});

Deno.test("the schema of a column has the members of its enumeration, its bounds, and says that it is a UUID", () => {
  const text = { type: "text", nullable: false } as const;
  assert.deepEqual(valueSchema({ ...text, bounds: { members: ["sad", "glad"] } }), {
    type: "string",
    enum: ["sad", "glad"],
  });
  assert.deepEqual(valueSchema({ ...text, nullable: true, bounds: { members: ["sad"] } }), {
    type: ["string", "null"],
    enum: ["sad", null],
  });
  assert.deepEqual(valueSchema({ ...text, bounds: { isUuid: true } }), { type: "string", format: "uuid" });
  assert.deepEqual(valueSchema({ type: "integer", nullable: false, bounds: { range: [0, 255] } }), {
    type: "integer",
    minimum: 0,
    maximum: 255,
  });
});
