import assert from "node:assert/strict";
import type { BodyValue, ReadInput } from "@/plugins/contract.ts";
import xml from "@/formats/xml/mod.ts";
import { assertResult, readInput, readWhole } from "@/tests/conformance/format_reading.ts";
import { NESTED, NESTED_ROWS } from "@/tests/conformance/nested_shapes.ts";
import { column, HOST, shape, write } from "@/tests/conformance/shapes.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

/** A short root in no namespace keeps the bodies readable. */
const format = xml.setup({ ...sectionOf(xml), root_tag: "r", xmlns: "" }, HOST);

function read(text: string, changes: Partial<ReadInput> = {}) {
  return readWhole(format, text, readInput(shape([], { name: "T" }), changes));
}

const XSI = "http://www.w3.org/2001/XMLSchema-instance";

const BODIES: readonly [string, ...(readonly [string, BodyValue][])[]][] = [
  ["<r/>"],
  ["<r><T/></r>", []],
  ["<r><T><Id>1</Id></T><T/></r>", [["Id", "1"]], []],
  [`<?xml version="1.0" encoding="UTF-16"?>\n<r>\n <T>\n\t<Id>1</Id>\r\n</T> </r>\n`, [[
    "Id",
    "1",
  ]]],
  ["\ufeff<?xml version='1.0'?><!-- a --><?pi b?><r><T><Id>1<!-- c -->2<?pi d?>3</Id></T></r><!-- e -->", [[
    "Id",
    "123",
  ]]],
  ["<r><T href='/x'><Id href='/y'>1</Id></T></r>", [["Id", "1"]]],
  ["<r><T><a></a><b/><c> </c></T></r>", [["a", ""], ["b", ""], ["c", " "]]],
  ["<r><T><a>&amp;lt; &lt;&gt;&quot;&apos;&#65;&#x1F600;</a></T></r>", [["a", "&lt; <>\"'A\u{1f600}"]]],
  ["<r><T><a> \t\r\n&#13;&#10; </a></T></r>", [["a", " \t\n\r\n "]]],
  ["<r><T><a>1<![CDATA[<b>&amp;]] >]]>]]<![CDATA[]]>&gt;</a></T></r>", [["a", "1<b>&amp;]] >]]>"]]],
  ["<r><T><a xsi:nil='true'/><b xsi:nil='1'></b><c xsi:nil='false'/></T></r>", [["a", null], ["b", null], [
    "c",
    "",
  ]]],
  [`<r xmlns:i="${XSI}"><T><a i:nil=" true "/></T></r>`, [["a", null]]],
  ["<r xmlns:xsi='urn:other'><T xml:lang='en'><a xsi:nil='true'/></T></r>", [["a", ""]]],
  ["<r><T><a_x0020_b>1</a_x0020_b><_>2</_><_x005F_/></T></r>", [["a b", "1"], ["", "2"], ["_", ""]]],
  ["<r><T><__proto__>1</__proto__><constructor/></T></r>", [["__proto__", "1"], ["constructor", ""]]],
  ["<r><T><a><b>1</b> <c/>\r\n</a><d><e/></d></T></r>", [
    ["a", { kind: "nested", text: "<b>1</b> <c/>\r\n" }],
    ["d", { kind: "nested", text: "<e/>" }],
  ]],
];

for (const [text, ...records] of BODIES) {
  Deno.test(`xml reads ${JSON.stringify(text)}`, () => {
    const expected = { records: records.map((record) => new Map(record)), isList: records.length !== 1 };
    assert.deepEqual(read(text), expected);
  });
}

Deno.test("xml knows its records by the table's name as it would write it", () => {
  for (
    const [name, element] of [["a b", "a_x0020_b"], ["", "_"], ["xml", "_x0078_ml"], ["\u00e9", "\u00e9"], [
      "\u00e9",
      "_x00E9_",
    ]]
  ) {
    const result = read(`<r><${element}/></r>`, { name: name ?? "" });
    assert.deepEqual(result, { records: [new Map()], isList: false });
  }
});

Deno.test("xml passes on relations with their source", async () => {
  const text = await write(format, {
    shape: NESTED,
    rows: NESTED_ROWS.slice(0, 1),
    options: { href: false },
  });
  const result = readWhole(format, text, readInput(NESTED));
  assert.ok(result && "records" in result);
  assert.deepEqual(result.records[0]?.get("Employee"), {
    kind: "nested",
    text: "<Employee><Name>Bo</Name></Employee>",
  });
  assert.equal(result.records[0]?.get("Name"), "Ann");
});

Deno.test("xml reads numbers that are none as XML Schema writes them", async () => {
  const table = shape([column("x", "float")], { form: "values" });
  const text = await write(format, { shape: table, rows: [[Infinity], [-Infinity], [NaN]] });
  const result = readWhole(format, text, readInput(table));
  assert.ok(result && "records" in result);
  assert.deepEqual(result.records.map((record) => record.get("x")), ["INF", "-INF", "NaN"]);
});

Deno.test("xml reads the configured root in its namespace, under any prefix, and no other", () => {
  const configured = xml.setup({ ...sectionOf(xml), root_tag: "a b", xmlns: "urn:x" }, HOST);
  const complaintOf = (text: string) => {
    const result = readWhole(configured, text, readInput(shape([], { name: "T" })));
    assert.ok(result);
    return "complaint" in result ? result.complaint : undefined;
  };
  assert.equal(complaintOf("<a_x0020_b xmlns='urn:x'><T><Id>1</Id></T></a_x0020_b>"), undefined);
  assert.equal(
    complaintOf("<p:a_x0020_b xmlns:p='urn:x'><p:T><p:Id>1</p:Id></p:T></p:a_x0020_b>"),
    undefined,
  );
  assert.equal(
    complaintOf("<r xmlns='urn:x'/>"),
    'line 1, column 19: expected an element "a_x0020_b", not "r"',
  );
  assert.equal(complaintOf("<r/>"), 'line 1, column 5: expected an element "a_x0020_b", not "r"');
  assert.equal(
    complaintOf("<a_x0020_b/>"),
    'line 1, column 13: expected the element "a_x0020_b" in namespace "urn:x", found it without a namespace',
  );
  assert.equal(
    complaintOf("<a_x0020_b xmlns='urn:y'/>"),
    'line 1, column 27: expected the element "a_x0020_b" in namespace "urn:x", found it in namespace "urn:y"',
  );
  for (const inside of ["<T xmlns=''/>", "<T><Id xmlns='urn:y'/></T>"]) {
    assert.match(
      complaintOf(`<a_x0020_b xmlns='urn:x'>${inside}</a_x0020_b>`) ?? "",
      /in namespace "urn:x", found it/,
    );
  }
});

const COMPLAINTS: readonly [string, RegExp][] = [
  ["", /^line 1, column 1: document must contain a root element$/],
  ["Id=1", /text data outside of root node/],
  ["<r>", /^line 1, column 4: unclosed tag: r$/],
  ["<r><T></r>", /unexpected close tag/],
  ["<r/><r/>", /documents may contain only one root/],
  ["<r><U/></r>", /^line 1, column 8: expected an element "T", not "U"$/],
  ["<r><T><a/>\n<a/></T></r>", /^line 2, column 5: the name "a" is there twice$/],
  ["<r><T><a_x0062_/><ab/></T></r>", /the name "ab" is there twice/],
  ["<r><T>x</T></r>", /there is text outside of a column/],
  ["<r><![CDATA[x]]><T/></r>", /there is text outside of a column/],
  ["<r><T><a xsi:nil='true'>1</a></T></r>", /the element "a" is nil and not empty/],
  ["<r><T><a xsi:nil='true'><b/></a></T></r>", /the element "a" is nil and not empty/],
  ["<r><T><a>R&D</a></T></r>", /unclosed tag: a \(an ampersand is written as &amp;\)$/],
  ["<r><T><a>R&D; &lt;</a></T></r>", /undefined entity/],
  ["<r><T><a>&#0;</a></T></r>", /malformed character entity/],
  ["<r><T><a>&#xD800;</a></T></r>", /malformed character entity/],
  ["<r><T><a>\x01</a></T></r>", /disallowed character/],
  ["<r><T><a>]]></a></T></r>", /disallowed in char data/],
  ["<r><T a='1' a='2'/></r>", /duplicate attribute: a/],
  ["<r><T Name='x'/></r>", /the attribute "Name" of "T" is not read: write it as an element$/],
  ["<r><T><a nil='true'/></T></r>", /the attribute "nil" of "a" is not read/],
  ["<r><T a=1/></r>", /unquoted attribute value/],
  ["<r><T a='<'/></r>", /disallowed character/],
  ["<r><T><p:a/></T></r>", /unbound namespace prefix: "p"/],
  ["<?xml version='1.1'?><r><T><a>&#1;</a></T></r>", /malformed character entity/],
  ["<!DOCTYPE r><r/>", /^line 1, column 13: a document type \(DOCTYPE\) is not allowed$/],
  ["<!DOCTYPE r SYSTEM 'file:///etc/passwd'><r/>", /a document type \(DOCTYPE\) is not allowed/],
  [
    "<!DOCTYPE r [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]><r><T><x>&c;</x></T></r>",
    /\(DOCTYPE\) is not allowed/,
  ],
  [`<r>${"<T>".repeat(64)}`, /^line 1, column 196: elements are nested more than 64 deep$/],
  ["<r><T><a>\ud83d</a></T></r>", /^a character is half of a surrogate pair$/],
  ["<r><\u00e9/></r>", /not "\\u00e9"$/],
];

for (const [text, complaint] of COMPLAINTS) {
  Deno.test(`xml refuses ${JSON.stringify(text.slice(0, 80))}`, () => {
    const result = read(text);
    assert.ok(result && "complaint" in result);
    assert.match(result.complaint, complaint);
    assertResult(result);
  });
}

const SIZE = 3_000_000;

function inRecord(text: string): string {
  return `<r><T>${text}</T></r>`;
}

function inColumn(text: string): string {
  return inRecord(`<a>${text}</a>`);
}

const BOMB = Array.from(
  { length: 20 },
  (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`,
);

const HOSTILE: readonly [string, string][] = [
  ["elements without end", "<T>".repeat(SIZE / 3)],
  ["an entity bomb", `<!DOCTYPE r [<!ENTITY a0 "x">${BOMB.join("")}]>${inColumn("&a20;")}`],
  ["a document type without end", `<!DOCTYPE r [${'<!ENTITY a "b">'.repeat(SIZE / 15)}`],
  ["too many records", `<r>${"<T/>".repeat(1_000_001)}</r>`],
  ["many columns", inRecord(Array.from({ length: SIZE / 10 }, (_, index) => `<n${index}/>`).join(""))],
  ["many elements in a column", inColumn("<b/>".repeat(SIZE / 4))],
  ["a long text", inColumn("x".repeat(SIZE))],
  ["many references", inColumn("&amp;".repeat(SIZE / 5))],
  ["many sections", inColumn("<![CDATA[x]]>".repeat(SIZE / 13))],
  ["many comments", inColumn("x<!---->".repeat(SIZE / 8))],
  ["many line ends", inColumn("\r\n".repeat(SIZE / 2))],
  ["many attributes", `<r ${Array.from({ length: SIZE / 15 }, (_, index) => `a${index}="x"`).join(" ")}/>`],
  ["a long name", `<${"a".repeat(SIZE)}`],
  ["a long name of escapes", inRecord(`<${"_x0041_".repeat(SIZE / 7)}/>`)],
  ["a long attribute without end", `<r a="${"x".repeat(SIZE)}`],
  ["a comment without end", `<r><!--${"- ".repeat(SIZE / 2)}`],
  ["an instruction without end", `<r><?x ${"? ".repeat(SIZE / 2)}`],
  ["a section without end", `<r><T><a><![CDATA[${"]]x".repeat(SIZE / 3)}`],
  ["nothing but spaces", " ".repeat(SIZE)],
];

for (const [what, text] of HOSTILE) {
  Deno.test(`xml takes ${what}`, () => {
    const result = read(text);
    assert.ok(result);
    assertResult(result);
  });
}

function counted(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(" ");
}

Deno.test("xml reads as many columns and attributes as any engine has columns, and no more", () => {
  const columns = (count: number) => `<r><T>${counted(count, (index) => `<c${index}/>`)}</T></r>`;
  const attributes = (count: number) =>
    `<r xmlns:x="x"><T ${counted(count, (index) => `x:a${index}=""`)}/></r>`;
  const result = read(columns(32_767));
  assert.ok(result && "records" in result);
  assert.equal(result.records[0]?.size, 32_767);
  assert.deepEqual(read(attributes(32_767)), { records: [new Map()], isList: false });
  assert.deepEqual(read(columns(32_768)), {
    complaint: "line 1, column 316576: a record has more than 32767 columns",
  });
  assert.deepEqual(read(attributes(32_768)), {
    complaint: "line 1, column 382124: an element has more than 32767 attributes",
  });
});

Deno.test("xml reads a body the same wherever a step ends", () => {
  const step = 2 ** 15;
  const body =
    '<T href="1">\r\n<Id>1&#10;&amp;<![CDATA[<]]>\u{1f600}</Id><N><b>x</b> <!-- - --></N></T><T><Id/></T></r>';
  const expected = {
    records: [
      new Map<string, BodyValue>([["Id", "1\n&<\u{1f600}"], ["N", {
        kind: "nested",
        text: "<b>x</b> <!-- - -->",
      }]]),
      new Map([["Id", ""]]),
    ],
    isList: true,
  };
  for (let before = 1; before < body.length; before++) {
    assert.deepEqual(read(`<r>${" ".repeat(step - 3 - before)}${body}`), expected, body.slice(0, before));
  }
});
