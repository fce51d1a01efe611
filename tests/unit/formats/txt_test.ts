import assert from "node:assert/strict";
import type { Format, Section } from "@/plugins/contract.ts";
import txt from "@/formats/txt/mod.ts";
import { textCell } from "@/formats/txt/table.ts";
import { DATABASES } from "@/tests/conformance/documents.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { chunkText, column, options, page, shape, write } from "@/tests/conformance/shapes.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

testFormat("txt", () => txt, {
  wellFormed(text: string) {
    assert.doesNotMatch(text.replaceAll("\n", ""), /\p{Cc}|\p{Surrogate}/u, "no control characters");
    assert.ok(text === "" || text.endsWith("\n"));
  },
});

const people = shape([column("Id", "integer"), column("Name"), column("Score", "decimal")]);

function format(section: Section = {}): Format {
  return txt.setup(sectionOf(txt, section));
}

function lines(...all: string[]): string {
  return all.map((line) => `${line}\n`).join("");
}

Deno.test("txt aligns columns, numbers to the right", async () => {
  assert.equal(
    await write(format(), { shape: people, rows: [[1, "Ann", "10.50"], [1000, "Bartholomew", "2.00"]] }),
    lines(
      "  Id  Name         Score",
      "----  -----------  -----",
      "   1  Ann          10.50",
      "1000  Bartholomew   2.00",
    ),
  );
});

Deno.test("txt leaves NULL blank unless it is to be shown", async () => {
  const rows = [[1, null, null]];
  const blank = lines("Id  Name  Score", "--  ----  -----", " 1");
  const shown = lines("Id  Name     Score", "--  ------  ------", " 1  <null>  <null>");
  assert.equal(await write(format(), { shape: people, rows }), blank);
  assert.equal(
    await write(format({ nil_visible: true }), { shape: people, rows, options: { nilVisible: false } }),
    blank,
  );
  for (const [section, changes] of [[{ nil_visible: true }, {}], [{}, { nilVisible: true }]] as const) {
    assert.equal(
      (await write(format(section), { shape: people, rows, options: changes })).split("\n")[2],
      shown.split("\n")[2],
    );
  }
});

Deno.test("txt keeps every record on one line and every value harmless", async () => {
  const text = "a\nb\tc\rd\0e\x1b[31m\u2028\u202e\ud800";
  assert.equal(
    await write(format(), { shape: shape([column("x")], { form: "value" }), rows: [[text]] }),
    lines("x", "-".repeat(45), "a\\nb\\tc\\rd\\u0000e\\u001b[31m\\u2028\\u202e\\ud800"),
  );
});

Deno.test("txt counts characters as they are seen", async () => {
  assert.equal(
    await write(format(), {
      shape: shape([column("a"), column("b")]),
      rows: [["表示", "x"], ["e\u0301", "y"], ["😀", "z"]],
    }),
    lines("a     b", "----  -", "表示  x", "e\u0301     y", "😀    z"),
  );
});

Deno.test("txt counts no further than the widest column, because counting takes long", () => {
  assert.equal(textCell("ä".repeat(5000), "text", "").width, 200);
  assert.equal(textCell("表".repeat(5000), "text", "").width, 200);
});

Deno.test("txt writes header and dashes for no rows, and for a record or value the same as for a list", async () => {
  const empty = lines("Id  Name  Score", "--  ----  -----");
  assert.equal(await write(format(), { shape: people, rows: [] }), empty);
  assert.equal(
    await write(format(), { shape: { ...people, form: "record" }, rows: [[1, "Ann", 2]] }),
    empty + " 1  Ann       2\n",
  );
});

Deno.test("txt leans values of untyped columns as they are", async () => {
  assert.equal(
    await write(format(), { shape: shape([column("x", "any")]), rows: [["left"], [12], [2n], [true]] }),
    lines("x", "----", "left", "  12", "   2", "true"),
  );
});

Deno.test("txt writes a transposed list as aligned lines that start with the column's name", async () => {
  const transposed = shape([column("Id", "integer"), column("Name"), column("Price", "decimal")], {
    form: "columns",
  });
  const rows = [["Id", 1, 20], ["Name", "Ann", null], ["Price", "1.50", "10.25"]];
  assert.equal(
    await write(format(), { shape: transposed, rows }),
    lines("Id        1     20", "Name   Ann", "Price  1.50  10.25"),
  );
});

Deno.test("a txt stream takes its widths from the first 50 rows and holds no more back", async () => {
  const writer = format().writer(shape([column("x"), column("y")]), options(format(), { stream: true }));
  const body = writer(page());
  assert.equal(await body.begin(), "");
  for (let index = 1; index < 50; index++) assert.equal(await body.row(["abc", index], index === 1), "");
  const settled = chunkText(await body.row(["abc", 50], false)).split("\n");
  assert.deepEqual(settled.slice(0, 3), ["x    y", "---  --", "abc   1"]);
  assert.equal(settled.length, 53);
  assert.equal(await body.row(["longer than before", 51], false), "longer than before  51\n");
  assert.equal(await body.end(), "");
});

Deno.test("txt takes its widths from the first 5,000 rows and keeps no further ones in memory", async () => {
  const writer = format().writer(shape([column("x"), column("y")]), options(format()));
  const body = writer(page());
  for (let index = 1; index < 5000; index++) assert.equal(await body.row(["a", index], index === 1), "");
  assert.equal(chunkText(await body.row(["abc", 5000], false)).split("\n").at(-2), "abc  5000");
  assert.equal(await body.row(["longer than before", 5001], false), "longer than before  5001\n");
  assert.equal(await body.end(), "");
});

Deno.test("txt keeps few rows in memory where they are large", async () => {
  const body = format().writer(shape([column("x")]), options(format()))(page());
  const text = "x".repeat(3_000_000);
  assert.equal(await body.row([text], true), "");
  assert.equal(await body.row([text], false), "");
  assert.equal(chunkText(await body.row([text], false)).length, 3 * (text.length + 1) + 203);
  assert.equal(await body.row(["y"], false), "y\n");
});

Deno.test("one very long value in txt does not pad the other lines to its length", async () => {
  const rows = [["x".repeat(5000), 1], ["y", 2]];
  const text = await write(format(), { shape: shape([column("x"), column("y", "integer")]), rows });
  assert.deepEqual(text.split("\n").map((line) => line.length), [203, 203, 5003, 203, 0]);
});

Deno.test("txt writes documents as tables", () => {
  assert.equal(
    chunkText(format().document(DATABASES, options(format()), page())),
    lines(
      "db_id  type    description  status",
      "-----  ------  -----------  ------------",
      "Shop   sqlite               Connected",
      "a<b    sqlite  R&D          Disconnected",
    ),
  );
});

Deno.test("txt leans the numbers of a document to the right except among texts", () => {
  const rows = [["limit", 29, 7], ["description", "the price list of the shop", null]];
  const table = { name: "settings", tree: {}, columns: ["member", "value", "count"], rows };
  assert.equal(
    chunkText(format().document(table, options(format()), page())),
    lines(
      "member       value                       count",
      "-----------  --------------------------  -----",
      "limit        29                              7",
      "description  the price list of the shop",
    ),
  );
});

Deno.test("txt writes a problem as a table of one line", () => {
  const problem = { httpCode: 404, description: "Cannot find it" };
  assert.equal(
    chunkText(format().problem(problem, options(format()), page())),
    lines("http_code  description", "---------  --------------", "      404  Cannot find it"),
  );
  assert.equal(
    chunkText(format().problem({ ...problem, urlTemplate: "/query/q.{ext}" }, options(format()), page())),
    lines(
      "http_code  description     url_template",
      "---------  --------------  --------------",
      "      404  Cannot find it  /query/q.{ext}",
    ),
  );
});

Deno.test("txt is chosen by extension only", () => {
  assert.deepEqual(format().contentTypes, ["text/plain"]);
  assert.deepEqual(format().accepts, []);
});
