import assert from "node:assert/strict";
import type { Format, Section, Value, WriteOptions } from "@/plugins/contract.ts";
import xml from "@/formats/xml/mod.ts";
import { DATABASES } from "@/tests/conformance/documents.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { HOSTILE_ROWS, HOSTILE_SHAPE, NESTED, NESTED_ROWS } from "@/tests/conformance/nested_shapes.ts";
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
import { parseXml } from "./shown_xml.ts";
import { sectionOf } from "@/tests/support/section_of.ts";
import {
  assertValidXml,
  assertXml,
  assertXmllint,
  readElements,
  XMLLINT_MISSING,
} from "@/tests/support/well_formed_xml.ts";

testFormat("xml", () => xml, {
  section: { root_tag: "Rowhouse" },
  wellFormed: assertXml,
  validate: assertValidXml,
  parse: parseXml,
  skip: XMLLINT_MISSING
    ? Object.fromEntries(
      ["that its answers fit", "of hostile names", "of documents"].map((what) => {
        return [`gives schemas ${what}`, "xmllint is not installed"];
      }),
    )
    : {},
});

const ROOT = '<Rowhouse xmlns="urn:rowhouse" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const START = `<?xml version="1.0" encoding="UTF-8"?>\n${ROOT}>\n`;
const END = "</Rowhouse>\n";

const customers = shape([column("Id", "integer"), column("Name")], {
  toOne: [relation("Employee", { many: false })],
  toMany: [relation("Invoice")],
  locate: (row) => row[0] === null ? null : `/db/Shop/Customer/Id/${row[0]}`,
});

function format(section: Section = {}): Format {
  return xml.setup({ ...sectionOf(xml), ...section }, HOST);
}

async function textOf(value: Value): Promise<string> {
  const text = await write(format(), {
    shape: shape([column("x")], { form: "value", name: "t" }),
    rows: [[value]],
  });
  return text.slice(`${START}<t><x>`.length, -`</x></t>\n${END}`.length);
}

async function nameOf(name: string, changes: Partial<WriteOptions> = {}): Promise<string> {
  const answer = {
    shape: shape([column(name)], { form: "value", name: "t" }),
    rows: [["v"]],
    options: changes,
  };
  return (await write(format(), answer)).match(/<t><([^>]*)>v</)?.[1] ?? "";
}

Deno.test("xml writes a record per line with its references, to-one first and to-many last", async () => {
  assert.equal(
    await write(format(), { shape: customers, rows: [[1, "Ann"], [2, null]] }),
    START +
      '<Customer href="/db/Shop/Customer/Id/1.json"><Employee href="/db/Shop/Customer/Id/1/Employee.json"/>' +
      '<Id>1</Id><Name>Ann</Name><Invoice href="/db/Shop/Customer/Id/1/Invoice.json"/></Customer>\n' +
      '<Customer href="/db/Shop/Customer/Id/2.json"><Employee href="/db/Shop/Customer/Id/2/Employee.json"/>' +
      '<Id>2</Id><Name xsi:nil="true"/><Invoice href="/db/Shop/Customer/Id/2/Invoice.json"/></Customer>\n' +
      END,
  );
});

Deno.test("xml keeps the relations of a record without a key, and has nowhere to point them", async () => {
  assert.equal(
    await write(format(), { shape: customers, rows: [[null, "Ann"]], options: { nilVisible: false } }),
    `${START}<Customer><Employee/><Name>Ann</Name><Invoice/></Customer>\n${END}`,
  );
});

for (
  const [origin, section, changes] of [
    ["configuration", { href: false, nil_visible: false }, {}],
    ["request", {}, { href: false, nilVisible: false }],
  ] as const
) {
  Deno.test(`xml leaves out references and NULLs when the ${origin} says so`, async () => {
    assert.equal(
      await write(format(section), { shape: customers, rows: [[1, null]], options: changes }),
      `${START}<Customer><Id>1</Id></Customer>\n${END}`,
    );
  });
}

Deno.test("the request's parameters win over xml's configuration", async () => {
  const text = await write(format({ href: false, nil_visible: false }), {
    shape: shape([column("Id")], { locate: () => "/x" }),
    rows: [[null]],
    options: { href: true, nilVisible: true },
  });
  assert.equal(text, `${START}<Customer href="/x.json"><Id xsi:nil="true"/></Customer>\n${END}`);
});

Deno.test("xml writes expanded relations as records inside the relation's element", async () => {
  assert.equal(
    await write(format(), { shape: NESTED, rows: NESTED_ROWS.slice(0, 2), options: { href: false } }),
    START +
      "<Customer><Employee><Employee><Name>Bo</Name></Employee></Employee><Id>1</Id><Name>Ann</Name><Invoice>" +
      "<Invoice><Id>10</Id><Total>1.50</Total><InvoiceLine>" +
      "<InvoiceLine><Track>Song</Track><Price>0.99</Price></InvoiceLine>" +
      '<InvoiceLine><Track>Tune</Track><Price xsi:nil="true"/></InvoiceLine></InvoiceLine></Invoice>' +
      '<Invoice><Id>11</Id><Total xsi:nil="true"/><InvoiceLine></InvoiceLine></Invoice></Invoice></Customer>\n' +
      '<Customer><Employee></Employee><Id>2</Id><Name xsi:nil="true"/><Invoice></Invoice></Customer>\n' +
      END,
  );
});

Deno.test("xml gives expanded relations and their records their references", async () => {
  const employee = shape([column("Name")], { name: "Employee", locate: (row) => `/e/${row[0]}` });
  const answer = shape([column("Id")], {
    toOne: [relation("Boss", { many: false, expanded: { cell: 1, shape: employee } })],
    locate: () => "/c/1",
  });
  assert.equal(
    await write(format(), { shape: answer, rows: [[1, [["Bo"]]]] }),
    `${START}<Customer href="/c/1.json"><Boss href="/c/1/Boss.json">` +
      `<Employee href="/e/Bo.json"><Name>Bo</Name></Employee></Boss><Id>1</Id></Customer>\n${END}`,
  );
});

Deno.test("xml writes scalars and vectors as records with one child", async () => {
  const [value, values] = [
    shape([column("Id")], { form: "value" }),
    shape([column("Id")], { form: "values" }),
  ];
  assert.equal(
    await write(format(), { shape: value, rows: [[7]] }),
    `${START}<Customer><Id>7</Id></Customer>\n${END}`,
  );
  assert.equal(
    await write(format(), { shape: values, rows: [[7], [null]] }),
    `${START}<Customer><Id>7</Id></Customer>\n<Customer><Id xsi:nil="true"/></Customer>\n${END}`,
  );
});

const TEXTS: readonly [Value, string][] = [
  ["", ""],
  ["a < b > c & d", "a &lt; b &gt; c &amp; d"],
  ["]]>", "]]&gt;"],
  ["a\r\nb\tc", "a&#13;\nb\tc"],
  ["\0a\x0b\x1f\ufffe\uffffb", "ab"],
  ["\ud800a\udc00", "a"],
  ["Größe 😀", "Größe 😀"],
  ['"it\'s"', '"it\'s"'],
  [9223372036854775807n, "9223372036854775807"],
  ["12345678901234567890.10", "12345678901234567890.10"],
  [1.5, "1.5"],
  [Infinity, "INF"],
  [-Infinity, "-INF"],
  [NaN, "NaN"],
  [true, "true"],
  [Uint8Array.of(0, 255, 128), "AP+A"],
];

for (const [value, expected] of TEXTS) {
  const shown = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  Deno.test(`xml writes the value ${shown} as ${JSON.stringify(expected)}`, async () => {
    assert.equal(await textOf(value), expected);
  });
}

const NAMES: readonly [string, string][] = [
  ["Name", "Name"],
  ["first-name.2", "first-name.2"],
  ["Größe", "Größe"],
  ["表", "表"],
  ["a b", "a_x0020_b"],
  ["<x>", "_x003C_x_x003E_"],
  ["1st", "_x0031_st"],
  ["-a", "_x002D_a"],
  ["a:b", "a_x003A_b"],
  ["xml", "_x0078_ml"],
  ["XMLthing", "_x0058_MLthing"],
  ["", "_"],
  ["_", "_x005F_"],
  ["__proto__", "__proto__"],
  ["_x0041_", "_x005F_x0041_"],
  ["_x0041 ", "_x005F_x0041_x0020_"],
  ["_x0041", "_x0041"],
  ["😀", "_xD83D__xDE00_"],
  ["\ud800", "_xD800_"],
  ["\u{f0000}", "_xDB80__xDC00_"],
];

for (const [name, expected] of NAMES) {
  Deno.test(`xml writes the name ${JSON.stringify(name)} as ${expected}`, async () => {
    assert.equal(await nameOf(name), expected);
  });
}

Deno.test("xml's names are ASCII in a charset that may lack letters", async () => {
  assert.equal(await nameOf("Größe", { charset: "iso-8859-1" }), "Gr_x00F6__x00DF_e");
  assert.equal(await nameOf("Größe", { charset: "utf-16le" }), "Größe");
});

Deno.test("names and values that XML can hold are read back as they were", async () => {
  const names = HOSTILE_SHAPE.columns.map((each) => each.name).filter((name) => name !== "");
  const answer = {
    shape: shape(names.map((name) => column(name)), { name: "t", form: "record" as const }),
    rows: [names],
  };
  const elements = readElements(await write(format(), answer)).slice(0, names.length);
  const decode = (name: string) =>
    name.replace(/_x([0-9A-F]{4})_/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
  assert.deepEqual(elements.map(([name]) => decode(name)), names);
  const texts = names.map((name) => name.replace(/[\p{Cs}\0]/gu, ""));
  assert.deepEqual(elements.map(([, text]) => text), texts);
});

Deno.test({
  name: "libxml2 accepts xml with hostile names and values, nested or not",
  ignore: XMLLINT_MISSING,
  async fn() {
    await assertXmllint(await write(format(), { shape: HOSTILE_SHAPE, rows: HOSTILE_ROWS }));
    await assertXmllint(await write(format(), { shape: NESTED, rows: NESTED_ROWS }));
    const latin = { shape: HOSTILE_SHAPE, rows: [], options: { charset: "iso-8859-1" } };
    await assertXmllint(await write(format(), latin));
    await assertXmllint(documentText(DATABASES));
  },
});

function documentText(document: typeof DATABASES): string {
  return chunkText(format().document(document, options(format()), page()));
}

const TREES = [
  [
    "repeats a key for the items of its list",
    { a: [1, null, "x"], b: [] },
    '<a>1</a><a xsi:nil="true"/><a>x</a>\n',
  ],
  ["keeps lists in lists apart", { a: [[1, 2], [3]] }, "<a><a>1</a><a>2</a></a><a><a>3</a></a>\n"],
  ["writes booleans and NULLs", { a: true, b: null }, '<a>true</a>\n<b xsi:nil="true"/>\n'],
  ["writes a scalar as one element", "x & y", "<settings>x &amp; y</settings>\n"],
  [
    "takes a key named as the reference for data where it is none",
    { a: { __href: { b: 1 } } },
    "<a><__href><b>1</b></__href></a>\n",
  ],
  ["leaves out a reference that is null", { a: { __href: null, b: 1 } }, "<a><b>1</b></a>\n"],
  ["escapes references", { a: { __href: '/x?a=1&b="2"' } }, '<a href="/x?a=1&amp;b=&quot;2&quot;"/>\n'],
] as const;

for (const [sentence, tree, expected] of TREES) {
  Deno.test(`xml ${sentence}`, () => {
    assert.equal(documentText({ name: "settings", tree, columns: [], rows: [] }), START + expected + END);
  });
}

Deno.test("xml puts the reference of a whole document on the root", () => {
  const tree = { __href: "/settings.json", a: 1 };
  assert.equal(
    documentText({ name: "settings", tree, columns: [], rows: [] }),
    `<?xml version="1.0" encoding="UTF-8"?>\n${ROOT} href="/settings.json">\n<a>1</a>\n${END}`,
  );
});

Deno.test("xml writes the template of a query's path into a problem", () => {
  const problem = { httpCode: 404, description: 'Cannot find "<x>"', urlTemplate: "/query/q/{year}.{ext}" };
  assert.equal(
    chunkText(format().problem(problem, options(format()), page())),
    `${START.trimEnd()}<http_code>404</http_code><description>Cannot find "&lt;x&gt;"</description>` +
      `<url_template>/query/q/{year}.{ext}</url_template>${END}`,
  );
});

Deno.test("xml takes root, namespace and declaration from configuration", async () => {
  const text = await write(format({ root_tag: "My data", xmlns: 'urn:a&b"c' }), {
    shape: shape([]),
    rows: [],
    options: { charset: "iso-8859-15" },
  });
  assert.equal(
    text,
    '<?xml version="1.0" encoding="ISO-8859-15"?>\n<My_x0020_data xmlns="urn:a&amp;b&quot;c" ' +
      'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n</My_x0020_data>\n',
  );
});

Deno.test("xml's root is the product unless configured", async () => {
  const text = await write(xml.setup(sectionOf(xml), { ...HOST, product: "Barn" }), {
    shape: shape([]),
    rows: [],
  });
  assert.match(text, /<Barn .*>\n<\/Barn>\n$/);
});

Deno.test("xml answers text/xml, is asked for as either type, and escapes with references", () => {
  assert.deepEqual(format().contentTypes, ["text/xml", "application/xml"]);
  assert.equal(format().accepts, undefined);
  assert.equal(format().nested, true);
  assert.equal(format().escape?.(0x8868), "&#34920;");
});

Deno.test("xml refers over a foreign key that is NULL; expanded, the relation is nil", async () => {
  const owner = relation("Owner", { many: false, nullableKey: [1] });
  const cars = shape([column("Id", "integer"), column("OwnerId", "integer")], {
    toOne: [owner],
    locate: ([id]) => `/c/${id}`,
  });
  const rows = [[1, 5], [2, null]];
  const text = await write(format(), { shape: cars, rows });
  assert.match(text, /<Owner href="\/c\/1\/Owner.json"\/>/);
  assert.match(text, /<Owner href="\/c\/2\/Owner.json"\/>/);
  const expanded = {
    ...cars,
    toOne: [{ ...owner, expanded: { cell: 2, shape: shape([column("Id", "integer")], { form: "record" }) } }],
  };
  const full = [[1, 5, [[5]]], [2, null, []]];
  assert.match(await write(format(), { shape: expanded, rows: full }), /<Owner xsi:nil="true"\/>/);
  const hidden = await write(format(), { shape: expanded, rows: full, options: { nilVisible: false } });
  assert.equal(hidden.match(/<Owner[ />]/g)?.length, 1);
});
