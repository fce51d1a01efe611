import assert from "node:assert/strict";
import type { SchemaOptions, Section, Shape, ShapeColumn } from "@/plugins/contract.ts";
import xml from "@/formats/xml/mod.ts";
import { schemaOptions } from "@/tests/conformance/format_schemas.ts";
import { chunkText, column, HOST, relation, shape, write } from "@/tests/conformance/shapes.ts";
import { assertValidXml, assertXml, XMLLINT_MISSING } from "@/tests/support/well_formed_xml.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

function schemaText(table: Shape, changes: Partial<SchemaOptions> = {}, section: Section = {}): string {
  const format = xml.setup(sectionOf(xml, section), HOST);
  return chunkText(format.schema?.(table, schemaOptions({ format }, changes)) ?? "");
}

const START = '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:rowhouse" elementFormDefault="qualified">\n';

const key: ShapeColumn = { ...column("Id", "integer"), nullable: false };
const located = shape([key, column("Last name")], {
  toOne: [relation("Employee", { many: false })],
  toMany: [relation("Invoice", { expanded: { cell: 2, shape: shape([key], { name: "Invoice" }) } })],
  locate: () => "/db/Shop/Customer/Id/1",
});

Deno.test("xml's schema has a record's elements in the writer's order, below the root", () => {
  assert.equal(
    schemaText(located, { cardinality: 7 }),
    START +
      `  <xs:element name="Rowhouse">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="Customer" minOccurs="0" maxOccurs="7">
          <xs:complexType>
            <xs:sequence>
              <xs:element name="Employee">
                <xs:complexType>
                  <xs:sequence/>
                  <xs:attribute name="href" type="xs:anyURI"/>
                </xs:complexType>
              </xs:element>
              <xs:element name="Id" type="xs:integer"/>
              <xs:element name="Last_x0020_name" type="xs:string" nillable="true"/>
              <xs:element name="Invoice">
                <xs:complexType>
                  <xs:sequence>
                    <xs:element name="Invoice" minOccurs="0" maxOccurs="unbounded">
                      <xs:complexType>
                        <xs:sequence>
                          <xs:element name="Id" type="xs:integer"/>
                        </xs:sequence>
                      </xs:complexType>
                    </xs:element>
                  </xs:sequence>
                  <xs:attribute name="href" type="xs:anyURI"/>
                </xs:complexType>
              </xs:element>
            </xs:sequence>
            <xs:attribute name="href" type="xs:anyURI"/>
          </xs:complexType>
        </xs:element>
      </xs:sequence>
    </xs:complexType>
  </xs:element>
</xs:schema>
`,
  );
});

for (
  const [origin, changes, section] of [
    ["request", { href: false, nilVisible: false }, {}],
    ["configuration", {}, { href: false, nil_visible: false }],
  ] as const
) {
  Deno.test(`xml's schema lacks references and lets NULLs be absent when the ${origin} says so`, () => {
    const text = schemaText(located, changes, section);
    assert.doesNotMatch(text, /href|Employee/);
    assert.match(
      text,
      /<xs:element name="Last_x0020_name" type="xs:string" minOccurs="0" nillable="true"\/>/,
    );
    assert.match(text, /<xs:element name="Id" type="xs:integer"\/>/);
  });
}

Deno.test("xml's schema takes exactly one record of a single one, and any number of a list", () => {
  for (const form of ["record", "value"] as const) {
    assert.match(schemaText(shape([key], { form })), /<xs:element name="Customer">/);
  }
  for (const form of ["records", "values"] as const) {
    assert.match(schemaText(shape([key], { form })), /name="Customer" minOccurs="0" maxOccurs="unbounded">/);
  }
});

Deno.test("xml's schema of a transposed list has an element per column with its values", () => {
  const text = schemaText(shape([key], { form: "columns" }), { cardinality: 3 });
  assert.match(
    text,
    /<xs:element name="Id">\n\s+<xs:complexType>\n\s+<xs:sequence>\n\s+<xs:element name="value"/,
  );
  assert.match(text, /name="value" type="xs:integer" minOccurs="0" maxOccurs="3" nillable="true"\/>/);
});

Deno.test("xml's schema takes root, namespace, names and declaration from configuration and charset", () => {
  const section = { root_tag: "My-data", xmlns: "urn:a" };
  const text = schemaText(shape([column("Gr\u00f6\u00dfe")]), { charset: "iso-8859-1" }, section);
  assert.match(text, /^<\?xml version="1.0" encoding="ISO-8859-1"\?>\n/);
  assert.match(text, / targetNamespace="urn:a" .*\n {2}<xs:element name="My-data">/);
  assert.match(text, /<xs:element name="Gr_x00F6__x00DF_e" /);
});

const facet = (base: string, text: string) =>
  `><xs:simpleType><xs:restriction base="${base}"><xs:${text}/></xs:restriction></xs:simpleType>`;

const TYPES: readonly [Partial<ShapeColumn>, string][] = [
  [{ type: "integer" }, ' type="xs:integer"/>'],
  [{ type: "decimal" }, '><xs:simpleType><xs:union memberTypes="xs:decimal xs:double"/></xs:simpleType>'],
  [{ type: "float" }, ' type="xs:double"/>'],
  [{ type: "boolean" }, ' type="xs:boolean"/>'],
  [{ type: "text" }, ' type="xs:string"/>'],
  [{ type: "text", maxLength: 3 }, facet("xs:string", 'maxLength value="3"')],
  [{ type: "date" }, ' type="xs:date"/>'],
  [{ type: "datetime" }, facet("xs:dateTime", 'pattern value="[^T]+T[0-9:.]+"')],
  [{ type: "time" }, facet("xs:time", 'pattern value="[0-9:.]+"')],
  [{ type: "binary" }, ' type="xs:base64Binary"/>'],
  [{ type: "json" }, ' type="xs:string"/>'],
  [{ type: "any" }, ' type="xs:string"/>'],
  [
    { comment: "a < b" },
    ' type="xs:string"><xs:annotation><xs:documentation>a &lt; b</xs:documentation></xs:annotation>',
  ],
];

for (const [changes, expected] of TYPES) {
  Deno.test(`xml's schema of a column with ${JSON.stringify(changes)} is ${expected}`, () => {
    const table = shape([{ ...column("x"), nullable: false, ...changes }]);
    const text = schemaText(table).replace(/\n\s*/g, "");
    assert.ok(text.includes(`<xs:element name="x"${expected}`), text);
    assertXml(text);
  });
}

const MISFITS: readonly [
  string,
  Shape,
  Partial<SchemaOptions>,
  Shape,
  readonly (string | number | null)[][],
][] = [
  ["a text that is too long", shape([{ ...column("x"), maxLength: 2 }]), {}, shape([column("x")]), [["abc"]]],
  ["NULL where there is none", shape([key]), {}, shape([key]), [[null]]],
  ["a list that is too long", shape([key]), { cardinality: 1 }, shape([key]), [[1], [2]]],
  ["no record where there is one", shape([key], { form: "record" }), {}, shape([key]), []],
  ["another column", shape([key]), {}, shape([column("x")]), [["1"]]],
  ["a time stamp with a zone", shape([column("x", "datetime")]), {}, shape([column("x")]), [[
    "2024-01-01T00:00:00Z",
  ]]],
  ["text as a number", shape([column("x", "decimal")]), {}, shape([column("x")]), [["1,5"]]],
];

for (const [what, described, changes, written, rows] of MISFITS) {
  Deno.test({
    name: `xml's schema refuses ${what}`,
    ignore: XMLLINT_MISSING,
    async fn() {
      const text = await write(xml.setup(sectionOf(xml), HOST), { shape: written, rows });
      await assert.rejects(assertValidXml(schemaText(described, changes), [text]), /validity error/);
    },
  });
}

Deno.test("xml's schema says what the database says of the table", () => {
  const text = schemaText(shape([key], { comment: "more & more" })).replace(/\n\s*/g, "");
  assert.match(
    text,
    /name="Customer"[^>]*><xs:annotation><xs:documentation>more &amp; more<\/xs:documentation><\/xs:annotation><xs:complexType>/,
  );
  assertXml(text);
});
