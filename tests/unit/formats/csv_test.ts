import assert from "node:assert/strict";
import type { Format, Row, Section, Value } from "@/plugins/contract.ts";
import csv from "@/formats/csv/mod.ts";
import { DATABASES } from "@/tests/conformance/documents.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { HOSTILE_NAMES, HOSTILE_TEXTS } from "@/tests/conformance/hostile.ts";
import { chunkText, column, options, page, relation, shape, write } from "@/tests/conformance/shapes.ts";
import { parse } from "@/tests/support/packages/csv_parse.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

/**
 * A strict reader: every line has the same number of fields, quotes stand only
 * around fields, lines end with CRLF.
 */
function parseStrictly(text: string): string[][] {
  return parse(text, { record_delimiter: "\r\n", relax_quotes: false, relax_column_count: false });
}

testFormat("csv", () => csv, {
  wellFormed(text: string) {
    parseStrictly(text);
  },
  parse(text: string, { form, columns }) {
    const lines = parseStrictly(text).map((line) => line.map((field) => field === "<null>" ? null : field));
    if (form === "columns") {
      return lines.map(([name, ...values]) => ({ cells: new Map([[String(name), values]]) }));
    }
    const names = lines[0] ?? [];
    assert.deepEqual(names, columns.map(({ name }) => name));
    return lines.slice(1).map((line) => ({
      cells: new Map(line.map((field, at) => [String(names[at]), field])),
    }));
  },
});

const people = shape([column("Id", "integer"), column("Name")]);

function format(section: Section = {}): Format {
  return csv.setup(sectionOf(csv, section));
}

Deno.test("csv leaves the header out when configuration or request says so", async () => {
  const rows = [[1, "Ann"]];
  assert.equal(await write(format({ headers_by_default: false }), { shape: people, rows }), "1,Ann\r\n");
  assert.equal(await write(format(), { shape: people, rows, options: { headers: false } }), "1,Ann\r\n");
  assert.equal(
    await write(format({ headers_by_default: false }), { shape: people, rows, options: { headers: true } }),
    "Id,Name\r\n1,Ann\r\n",
  );
});

Deno.test("csv shows no references and no relations", async () => {
  const located = shape(people.columns, {
    toOne: [relation("Employee", { many: false })],
    toMany: [relation("Invoice", { expanded: { cell: 2, shape: people } })],
    locate: () => "/x",
  });
  assert.equal(
    await write(format(), { shape: located, rows: [[1, "Ann", [[2, "Bo"]]]] }),
    "Id,Name\r\n1,Ann\r\n",
  );
});

const FIELDS: readonly [Value, string][] = [
  ["plain", "plain"],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["a\nb", '"a\nb"'],
  ["a\rb", '"a\rb"'],
  [" a", '" a"'],
  ["a ", '"a "'],
  ["a\t", '"a\t"'],
  ["\ufeffbom", '"\ufeffbom"'],
  ["=1+1", "=1+1"],
  ["<null>", "<null>"],
  ["", ""],
  [null, ""],
  [9223372036854775807n, "9223372036854775807"],
  ["12345678901234567890.10", "12345678901234567890.10"],
  [-1.5, "-1.5"],
  [NaN, "NaN"],
  [-Infinity, "-Infinity"],
  [false, "false"],
  [Uint8Array.of(0, 255, 128), "AP+A"],
];

for (const [value, expected] of FIELDS) {
  const shown = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  Deno.test(`csv writes the value ${shown} as ${JSON.stringify(expected)}`, async () => {
    const answer = { shape: people, rows: [[1, value]], options: { headers: false } };
    assert.equal(await write(format(), answer), `1,${expected}\r\n`);
  });
}

const MARKED: readonly [sentence: string, marker: string, row: Row, line: string][] = [
  [
    "the marker for NULL and quotes the text that reads like it",
    "<null>",
    [null, "<null>"],
    '<null>,"<null>"',
  ],
  ["an empty string as an empty field beside a marker", "<null>", ["", null], ",<null>"],
  ["the empty string in quotes when the marker is empty", "", ["", null], '"",'],
  ["a number in quotes when it reads like the marker", "0", [0, null], '"0",0'],
  ["a marker that needs quotes in quotes", "a,b", [1, null], '1,"a,b"'],
];

for (const [sentence, nullMarker, row, line] of MARKED) {
  Deno.test(`csv with csvNullStr writes ${sentence}`, async () => {
    const answer = { shape: people, rows: [row], options: { headers: false, csvNullStr: true, nullMarker } };
    assert.equal(await write(format(), answer), `${line}\r\n`);
  });
}

Deno.test("csv has no blank line for a record of one empty field", async () => {
  const one = shape([column("Name")], { form: "values" });
  assert.equal(
    await write(format(), { shape: one, rows: [["a"], [null], [""]] }),
    'Name\r\na\r\n""\r\n""\r\n',
  );
});

Deno.test("an independent reader gets from csv what was written", async () => {
  // The reader works on UTF-8, which has no lone surrogates.
  const [names, texts] = [HOSTILE_NAMES, HOSTILE_TEXTS].map((all) => all.map((text) => text.toWellFormed()));
  assert.ok(names && texts);
  const table = { shape: shape(names.map((name) => column(name))), rows: [names, names.toReversed()] };
  assert.deepEqual(parseStrictly(await write(format(), table)), [names, ...table.rows]);
  const values = { shape: shape([column("x")], { form: "values" }), rows: texts.map((text) => [text]) };
  assert.deepEqual(parseStrictly(await write(format(), values)), [["x"], ...values.rows]);
});

Deno.test("csv writes the template of a query's path behind a problem", () => {
  const problem = {
    httpCode: 404,
    description: 'Cannot find "x"',
    urlTemplate: "/query/q/year/{year}.{ext}",
  };
  assert.equal(
    chunkText(format().problem(problem, options(format()), page())),
    'http_code,description,url_template\r\n404,"Cannot find ""x""",/query/q/year/{year}.{ext}\r\n',
  );
});

Deno.test("csv is text/csv and is not nested", () => {
  assert.deepEqual(format().contentTypes, ["text/csv"]);
  assert.equal(format().nested ?? false, false);
});

Deno.test("csv writes semicolons and a byte-order mark where the request asks for them", async () => {
  const rows = [[1, "a;b"], [2, "a,b"]];
  const asked = { parameters: { delimiter: ";", bom: true } };
  const lines = '\ufeffId;Name\r\n1;"a;b"\r\n2;"a,b"\r\n';
  assert.equal(await write(format(), { shape: people, rows, options: asked }), lines);
  assert.equal(
    await write(format(), { shape: people, rows, options: { ...asked, charset: "iso-8859-1" } }),
    lines.slice(1),
    "a charset without the character",
  );
  assert.match(
    chunkText(format().document(DATABASES, options(format(), asked), page())),
    /^\ufeff[a-z_]+;/,
  );
});
