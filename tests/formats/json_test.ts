import assert from "node:assert/strict";
import type { Format, Row, Section, Shape, Value, ValueType } from "@/plugins/contract.ts";
import json from "@/formats/json/mod.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import {
  chunkText,
  column,
  HOST,
  options,
  page,
  relation,
  shape,
  write,
} from "@/tests/conformance/shapes.ts";

testFormat("json", () => json, { wellFormed: (text) => void JSON.parse(text) });
testFormat("json", () => json, {
  section: { indent: 0, href: false, single_as_array: true },
  wellFormed: (text) => void JSON.parse(text),
});

function format(section: Section = {}): Format {
  return json.setup(section, HOST);
}

const located = shape([column("Id", "integer"), column("Name")], {
  toOne: [relation("Employee", { many: false })],
  toMany: [relation("Invoice"), relation("Route_To", { segment: "Route%5FTo" })],
  locate: ([id]) => id === null ? null : `/db/Shop/Customer/Id/${id}`,
});

Deno.test("a record has its reference, to-one relations, columns, then to-many relations", async () => {
  const text = await write(format(), { shape: located, rows: [[1, "Ann"]] });
  const record = {
    __href: "/db/Shop/Customer/Id/1.json",
    Employee: { __href: "/db/Shop/Customer/Id/1/Employee.json" },
    Id: 1,
    Name: "Ann",
    Invoice: { __href: "/db/Shop/Customer/Id/1/Invoice.json" },
    Route_To: { __href: "/db/Shop/Customer/Id/1/Route%5FTo.json" },
  };
  assert.equal(text, JSON.stringify([record], null, 4));
});

Deno.test("a record without key has null for every reference", async () => {
  const [record] = JSON.parse(await write(format(), { shape: located, rows: [[null, "Ann"]] }));
  assert.deepEqual(record, {
    __href: null,
    Employee: { __href: null },
    Id: null,
    Name: "Ann",
    Invoice: { __href: null },
    Route_To: { __href: null },
  });
});

Deno.test("without references a record has its columns only", async () => {
  const rows = [[1, "Ann"]];
  const plain = JSON.stringify([{ Id: 1, Name: "Ann" }], null, 4);
  assert.equal(await write(format(), { shape: located, rows, options: { href: false } }), plain);
  assert.equal(await write(format({ href: false }), { shape: located, rows }), plain);
  const { locate: _, ...listed } = located;
  assert.equal(await write(format(), { shape: { ...listed, toOne: [], toMany: [] }, rows }), plain);
});

Deno.test("the request's wish for references goes before the setting", async () => {
  const answer = { shape: located, rows: [[1, "Ann"]], options: { href: true } };
  assert.equal((await write(format({ href: false }), answer)).includes("__href"), true);
});

const INNER = shape([column("No", "integer")], {
  name: "Invoice",
  locate: ([no]) => `/db/Shop/Invoice/No/${no}`,
});

/** The same record with its relations expanded. */
function nested(form: Shape["form"]): Shape {
  return shape([column("Id", "integer")], {
    form,
    toOne: [
      relation("Employee", { many: false, expanded: { cell: 1, shape: { ...INNER, form: "record" } } }),
    ],
    toMany: [relation("Invoice", { expanded: { cell: 2, shape: INNER } })],
    locate: ([id]) => `/db/Shop/Customer/Id/${id}`,
  });
}

const NESTED_ROWS: readonly Row[] = [[1, [[7]], [[8], [9]]], [2, [], []]];

const invoice = (No: number) => ({ __href: `/db/Shop/Invoice/No/${No}.json`, No });
const NESTED_RECORDS = [
  { __href: "/db/Shop/Customer/Id/1.json", Employee: invoice(7), Id: 1, Invoice: [invoice(8), invoice(9)] },
  { __href: "/db/Shop/Customer/Id/2.json", Employee: null, Id: 2, Invoice: [] },
];

for (const indent of [0, 1, 4, 10]) {
  Deno.test(`records inside records are laid out as JSON.stringify does with ${indent}`, async () => {
    const section = { indent };
    const list = await write(format(section), { shape: nested("records"), rows: NESTED_ROWS });
    assert.equal(list, JSON.stringify(NESTED_RECORDS, null, indent));
    const one = await write(format(section), { shape: nested("record"), rows: NESTED_ROWS.slice(0, 1) });
    assert.equal(one, JSON.stringify(NESTED_RECORDS[0], null, indent));
  });
}

const FORMS: readonly (readonly [form: Shape["form"], rows: readonly Row[], expected: unknown])[] = [
  ["records", [], []],
  ["records", [["a"], ["b"]], [{ Name: "a" }, { Name: "b" }]],
  ["record", [["a"]], { Name: "a" }],
  ["values", [], []],
  ["values", [["a"], [null]], ["a", null]],
  ["value", [["a"]], "a"],
  ["value", [[null]], null],
  ["columns", [["Name", "a", "b"]], { Name: ["a", "b"] }],
  ["columns", [["Name"]], { Name: [] }],
];

for (const [form, rows, expected] of FORMS) {
  Deno.test(`${form} with ${rows.length} rows are ${JSON.stringify(expected)}`, async () => {
    const text = await write(format(), { shape: shape([column("Name")], { form }), rows });
    assert.equal(text, JSON.stringify(expected, null, 4));
  });
}

Deno.test("single_as_array gives a record as an array of one, and a scalar as it is", async () => {
  const section = { single_as_array: true };
  const record = { shape: shape([column("Name")], { form: "record" }), rows: [["a"]] };
  assert.equal(await write(format(section), record), JSON.stringify([{ Name: "a" }], null, 4));
  const value = { shape: shape([column("Name")], { form: "value" }), rows: [["a"]] };
  assert.equal(await write(format(section), value), '"a"');
});

const VALUES: readonly (readonly [type: ValueType, value: Value, text: string])[] = [
  ["integer", 9223372036854775807n, "9223372036854775807"],
  ["integer", -9007199254740993n, "-9007199254740993"],
  ["decimal", "12345678901234567890.10", "12345678901234567890.10"],
  ["decimal", "-0.00", "-0.00"],
  ["decimal", "NaN", '"NaN"'],
  ["decimal", "007", '"007"'],
  ["decimal", ".5", '".5"'],
  ["float", 1e300, "1e+300"],
  ["float", NaN, '"NaN"'],
  ["float", -Infinity, '"-Infinity"'],
  ["integer", "abc", '"abc"'],
  ["boolean", true, "true"],
  ["text", "123", '"123"'],
  ["text", "", '""'],
  ["text", 'a"b\\c\n\u0000', '"a\\"b\\\\c\\n\\u0000"'],
  ["text", "\ud800", '"\\ud800"'],
  ["text", "Größe 😀", '"Größe 😀"'],
  ["date", "2009-01-01", '"2009-01-01"'],
  ["datetime", "2009-01-01T00:00:00", '"2009-01-01T00:00:00"'],
  ["binary", Uint8Array.of(0, 255, 62), '"AP8+"'],
  ["binary", new Uint8Array(), '""'],
  ["json", '{"a": 1}', JSON.stringify('{"a": 1}')],
  ["any", 5n, "5"],
  ["any", null, "null"],
];

for (const [type, value, expected] of VALUES) {
  Deno.test(`the ${type} ${expected} keeps every digit and character`, async () => {
    const scalar = shape([column("Value", type)], { form: "value" });
    assert.equal(await write(format(), { shape: scalar, rows: [[value]] }), expected);
  });
}

Deno.test("names are escaped, and __proto__ is a name like any other", async () => {
  const odd = shape([column('say "hi"'), column("__proto__")], { form: "record" });
  const text = await write(format({ indent: 0 }), { shape: odd, rows: [["a", "b"]] });
  assert.equal(text, '{"say \\"hi\\"":"a","__proto__":"b"}');
});

Deno.test("the configured prefix is the key of references", async () => {
  const made = json.setup({ indent: 0 }, { ...HOST, refidPrefix: "@id" });
  const text = await write(made, { shape: shape([column("Id")], { locate: () => "/x" }), rows: [[1]] });
  assert.equal(text, '[{"@id":"/x.json","Id":1}]');
});

Deno.test("a charset that lacks a character gets JSON escapes", () => {
  assert.equal(format().escape?.(0x411), "\\u0411");
  assert.equal(format().escape?.(0x1f600), "\\ud83d\\ude00");
});

Deno.test("a problem has the fields of the specification", () => {
  const text = (urlTemplate?: string) => {
    const problem = {
      httpCode: 400,
      description: "No",
      ...(urlTemplate === undefined ? {} : { urlTemplate }),
    };
    return JSON.parse(chunkText(format().problem(problem, options(format()), page())));
  };
  assert.deepEqual(text(), { http_code: 400, description: "No" });
  assert.deepEqual(text("/query/q"), { http_code: 400, description: "No", url_template: "/query/q" });
});
