import assert from "node:assert/strict";
import type { Document, Page, Value } from "@/plugins/contract.ts";
import html from "@/formats/html/mod.ts";
import { DATABASES, TABLES } from "@/tests/conformance/documents.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { NESTED, NESTED_ROWS } from "@/tests/conformance/nested_shapes.ts";
import {
  type Answer,
  chunkText,
  column,
  HOST,
  options,
  page,
  relation,
  shape,
  write,
} from "@/tests/conformance/shapes.ts";
import { assertXml } from "./well_formed_xml.ts";

// The pages are well-formed XML as well, which is stricter than any reader of HTML.
testFormat("html", () => html, {
  wellFormed(text) {
    assert.ok(text.startsWith("<!DOCTYPE html>\n"));
    assertXml(text);
  },
});

const format = html.setup({}, HOST);
const people = shape([column("Id", "integer"), column("Name")], { name: "Customer" });
const located = shape(people.columns, {
  toOne: [relation("Employee", { many: false })],
  toMany: [relation("Invoice")],
  locate: (row) => row[0] === null ? null : `/db/Shop/Customer/Id/${row[0]}`,
});

/** The text between the caption and the end of the table. */
async function tableOf(answer: Answer): Promise<string> {
  const text = await write(format, answer);
  return text.slice(text.indexOf("</caption>\n") + 11, text.lastIndexOf("</table>"));
}

/** The text after the table. */
async function footOf(changes: Partial<Page>, count: number): Promise<string> {
  const rows = Array.from({ length: count }, (_, index) => [index, "x"]);
  const text = await write(format, { shape: people, rows, page: { formats: [], ...changes } });
  return text.slice(text.indexOf("</div>\n") + 7, text.indexOf("</main>"));
}

Deno.test("an html page is complete, in English, and loads nothing", async () => {
  const text = await write(format, {
    shape: people,
    rows: [[1, "Ann"]],
    page: { formats: ["json", "html", "csv"] },
  });
  const withoutStyle = text.replace(/<style>[^<]*<\/style>/, "<style/>");
  assert.equal(
    withoutStyle,
    `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>Customer - Rowhouse</title>
<style/>
</head>
<body>
<header>
<nav aria-label="Breadcrumb"><ol><li><a href="/">Rowhouse</a></li><li><a href="/db.html">db</a></li><li><a href="/db/Shop.html">Shop</a></li><li><span aria-current="page">Customer</span></li></ol></nav>
</header>
<main>
<h1>Customer</h1>
<div class="scroll" role="region" aria-labelledby="caption" tabindex="0">
<table>
<caption id="caption">Records of Customer</caption>
<thead><tr><th scope="col" class="number">Id</th><th scope="col">Name</th></tr></thead>
<tbody>
<tr><td class="number">1</td><td>Ann</td></tr>
</tbody>
</table>
</div>
<p>Rows 1 to 1</p>
</main>
<footer>
<nav aria-label="Other formats"><ul><li><a href="/db/Shop/Customer.json">json</a></li><li><a href="/db/Shop/Customer.csv">csv</a></li></ul></nav>
</footer>
</body>
</html>
`,
  );
  assert.match(text, /prefers-color-scheme: dark/);
  assert.doesNotMatch(text, /<script|https?:|url\(|@import/);
});

Deno.test("html links a record, counting from the offset, and its relations", async () => {
  assert.equal(
    await tableOf({ shape: located, rows: [[1, "Ann"], [null, "Bo"]], page: { offset: 20 } }),
    '<thead><tr><th scope="col">#</th><th scope="col">Employee</th><th scope="col" class="number">Id</th>' +
      '<th scope="col">Name</th><th scope="col">Invoice</th></tr></thead>\n<tbody>\n' +
      '<tr><td class="number"><a href="/db/Shop/Customer/Id/1.html">21</a></td>' +
      '<td><a href="/db/Shop/Customer/Id/1/Employee.html">Employee</a></td><td class="number">1</td><td>Ann</td>' +
      '<td><a href="/db/Shop/Customer/Id/1/Invoice.html">Invoice</a></td></tr>\n' +
      '<tr><td class="number">22</td><td></td><td class="number"><span class="null">NULL</span></td><td>Bo</td>' +
      "<td></td></tr>\n</tbody>\n",
  );
});

Deno.test("html shows related records as tables within", async () => {
  const { locate: _, ...bare } = NESTED;
  const text = await tableOf({ shape: bare, rows: NESTED_ROWS.slice(1, 2) });
  assert.match(text, /<td><span class="none">none<\/span><\/td><td class="number">2<\/td>/);
  const nested = await tableOf({ shape: NESTED, rows: NESTED_ROWS.slice(0, 1) });
  assert.match(
    nested,
    /<td><table><thead><tr><th scope="col">#<\/th>.*<a href="\/db\/Shop\/Invoice\/Id\/10.html">1<\/a>/s,
  );
});

const CELLS: readonly [Value, string][] = [
  ["", "<td></td>"],
  [null, '<td><span class="null">NULL</span></td>'],
  ["<b>&\"'", "<td>&lt;b&gt;&amp;&quot;'</td>"],
  ["a\0b\x85c\ud800", "<td>a\ufffdb\ufffdc\ufffd</td>"],
  ["a\nb\tc", "<td>a\nb\tc</td>"],
  [9223372036854775807n, '<td class="number">9223372036854775807</td>'],
  [1.5, '<td class="number">1.5</td>'],
  [true, "<td>true</td>"],
  [Uint8Array.of(1), '<td><span class="binary" title="AQ==">1 byte</span></td>'],
  [new Uint8Array(), '<td><span class="binary" title="">0 bytes</span></td>'],
  [new Uint8Array(49), `<td><span class="binary" title="${"A".repeat(64)}…">49 bytes</span></td>`],
];

for (const [value, expected] of CELLS) {
  const shown = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  Deno.test(`html shows the value ${shown} as ${expected.slice(0, 80)}`, async () => {
    const text = await tableOf({ shape: shape([column("x")], { form: "value" }), rows: [[value]] });
    assert.equal(
      text,
      `<thead><tr><th scope="col">x</th></tr></thead>\n<tbody>\n<tr>${expected}</tr>\n</tbody>\n`,
    );
  });
}

Deno.test("html shows a transposed list as a line per column", async () => {
  assert.equal(
    await tableOf({ shape: { ...people, form: "columns" }, rows: [["Id", 1, 2], ["Name", "Ann", null]] }),
    '<tbody>\n<tr><th scope="row">Id</th><td class="number">1</td><td class="number">2</td></tr>\n' +
      '<tr><th scope="row">Name</th><td>Ann</td><td><span class="null">NULL</span></td></tr>\n</tbody>\n',
  );
});

const previous = (offset: string) =>
  `<li><a rel="prev" href="/db/Shop/Customer.html?limit=2${offset}">Previous</a></li>`;
const next = (offset: number) =>
  `<li><a rel="next" href="/db/Shop/Customer.html?limit=2&amp;offset=${offset}">Next</a></li>`;
const PAGING: readonly [string, Partial<Page>, number, string][] = [
  ["links on from a full page", { limit: 2 }, 2, `<p>Rows 1 to 2</p>\n${nav(next(2))}`],
  [
    "links back from the last page",
    { limit: 2, offset: 4 },
    1,
    `<p>Rows 5 to 5</p>\n${nav(previous("&amp;offset=2"))}`,
  ],
  [
    "links back to the first page without an offset",
    { limit: 2, offset: 1 },
    2,
    `<p>Rows 2 to 3</p>\n${nav(previous("") + next(3))}`,
  ],
  [
    "does not link beyond a known total",
    { limit: 2, offset: 2, total: 4 },
    2,
    `<p>Rows 3 to 4 of 4</p>\n${nav(previous(""))}`,
  ],
  ["has no links without a limit", {}, 3, "<p>Rows 1 to 3</p>\n"],
  ["has no links with limit 0", { limit: 0, total: 7 }, 0, "<p>No rows of 7</p>\n"],
];

function nav(items: string): string {
  return `<nav aria-label="Pages"><ul>${items}</ul></nav>\n`;
}

for (const [sentence, changes, count, expected] of PAGING) {
  Deno.test(`html ${sentence}`, async () => {
    assert.equal(await footOf(changes, count), expected);
  });
}

Deno.test("html counts the records of a transposed list across", async () => {
  const answer = { shape: { ...people, form: "columns" as const }, rows: [["Id", 1, 2]], page: { limit: 2 } };
  assert.match(
    await write(format, answer),
    /<p>Rows 1 to 2<\/p>\n<nav aria-label="Pages"><ul><li><a rel="next"/,
  );
});

Deno.test("html has no paging for a single record", async () => {
  const text = await write(format, {
    shape: { ...located, form: "record" },
    rows: [[1, "Ann"]],
    page: { limit: 1 },
  });
  assert.doesNotMatch(text, /<p>Rows|aria-label="Pages"/);
});

Deno.test("links of an html page to other formats lead to all rows", async () => {
  const changes: string[] = [];
  const link = (extension: string, parameters: object) => {
    changes.push(`${extension} ${Object.keys(parameters).join(" ")}`);
    return "/x";
  };
  await write(format, { shape: people, rows: [], page: { formats: ["html", "xml"], link } });
  assert.deepEqual(changes, ["xml limit offset"]);
});

Deno.test("html decodes the breadcrumb for people, keeps its links encoded, and never leads to another host", async () => {
  const crumbs = async (changes: Partial<Page>) =>
    (await write(format, { shape: people, rows: [], page: changes })).match(/<ol>(.*)<\/ol>/)?.[1];
  assert.equal(
    await crumbs({ path: "/base/db/a%3Cb/%zz?x=1", prefix: "/base" }),
    '<li><a href="/base/">Rowhouse</a></li><li><a href="/base/db.html">db</a></li>' +
      '<li><a href="/base/db/a%3Cb.html">a&lt;b</a></li><li><span aria-current="page">%zz</span></li>',
  );
  assert.equal(
    await crumbs({ path: "//evil.example/x" }),
    '<li><a href="/">Rowhouse</a></li><li><a href="/evil.example.html">evil.example</a></li>' +
      '<li><span aria-current="page">x</span></li>',
  );
});

Deno.test("html says who is signed in, and nothing for the public", async () => {
  assert.match(
    await write(format, { shape: people, rows: [], page: { user: "a<b" } }),
    /Signed in as <strong>a&lt;b</,
  );
  assert.doesNotMatch(await write(format, { shape: people, rows: [] }), /Signed in/);
});

function mainOf(document: Document): string {
  const text = chunkText(format.document(document, options(format), page({ path: "/db" })));
  return text.slice(text.indexOf("</h1>\n") + 6, text.indexOf("</main>"));
}

Deno.test("html shows the list of databases as a table with links", () => {
  assert.equal(
    mainOf(DATABASES),
    '<div class="scroll" role="region" aria-labelledby="caption" tabindex="0">\n<table>\n' +
      '<caption id="caption">db</caption>\n<thead><tr><th scope="col">db_id</th><th scope="col">type</th>' +
      '<th scope="col">description</th><th scope="col">status</th></tr></thead>\n<tbody>\n' +
      '<tr><td><a href="/db/Shop.html">Shop</a></td><td>sqlite</td><td></td><td>Connected</td></tr>\n' +
      '<tr><td><a href="/db/a%3Cb.html">a&lt;b</a></td><td>sqlite</td><td>R&amp;D</td><td>Disconnected</td></tr>\n' +
      "</tbody>\n</table>\n</div>\n",
  );
});

Deno.test("html keeps the header of a list that is empty", () => {
  assert.match(
    mainOf({ ...DATABASES, tree: [], rows: [] }),
    /<th scope="col">db_id<\/th>.*<tbody>\n<\/tbody>/s,
  );
});

Deno.test("html shows references as lists of links to pages", () => {
  assert.equal(
    mainOf(TABLES),
    '<ul><li><a href="/db/Shop.html">Shop</a><ul><li><a href="/db/Shop/Customer.html">Customer</a></li>\n' +
      '<li><a href="/db/Shop/Order%20line.html">Order line</a></li></ul></li></ul>\n',
  );
});

Deno.test("html shows other documents as terms and descriptions", () => {
  const tree = {
    product: "<R>",
    none: null,
    list: [1, true],
    empty: [],
    sub: { __href: "/x.json?a", y: "z" },
  };
  assert.equal(
    mainOf({ name: "settings", tree, columns: [], rows: [] }),
    "<dl><dt>product</dt><dd>&lt;R&gt;</dd>\n" +
      '<dt>none</dt><dd><span class="null">NULL</span></dd>\n' +
      "<dt>list</dt><dd><ul><li>1</li>\n<li>true</li></ul></dd>\n" +
      '<dt>empty</dt><dd><span class="none">none</span></dd>\n' +
      '<dt><a href="/x.html?a">sub</a></dt><dd><dl><dt>y</dt><dd>z</dd></dl></dd></dl>\n',
  );
});

function problemOf(httpCode: number, urlTemplate?: string): string {
  const problem = { httpCode, description: 'Cannot <read> "x"', ...(urlTemplate ? { urlTemplate } : {}) };
  const text = chunkText(format.problem(problem, options(format), page({ prefix: "/base", path: "//x/y" })));
  return text.slice(text.indexOf("<header>"));
}

const PROBLEM_START =
  '<header>\n<nav aria-label="Breadcrumb"><ol><li><a href="/base/">Rowhouse</a></li></ol></nav>\n</header>\n';
const PROBLEM_END = "</main>\n</body>\n</html>\n";
const DESCRIPTION = "<p>Cannot &lt;read&gt; &quot;x&quot;</p>\n";

Deno.test("html problems are pages with status and description", () => {
  assert.equal(
    problemOf(404),
    `${PROBLEM_START}<main>\n<h1>404 Not found</h1>\n${DESCRIPTION}${PROBLEM_END}`,
  );
  assert.equal(problemOf(599), `${PROBLEM_START}<main>\n<h1>599 Error</h1>\n${DESCRIPTION}${PROBLEM_END}`);
  assert.equal(
    problemOf(400, "/query/q/{a}.html"),
    `${PROBLEM_START}<main>\n<h1>400 Bad request</h1>\n${DESCRIPTION}` +
      `<p>Expected URL: <code>/query/q/{a}.html</code></p>\n${PROBLEM_END}`,
  );
});

Deno.test("the html page of a 403 leads to the login", () => {
  assert.equal(
    problemOf(403),
    `${PROBLEM_START}<main>\n<h1>403 Forbidden</h1>\n${DESCRIPTION}<p><a href="/base/login">Log in</a></p>\n${PROBLEM_END}`,
  );
});

Deno.test("html is text/html, paged and nested", () => {
  assert.deepEqual([format.contentTypes, format.paged, format.nested], [["text/html"], true, true]);
});

Deno.test("a page says what the database says of the table and its columns", async () => {
  const commented = shape([{ ...column("Id"), comment: 'the "key"' }], { comment: "People who <buy>" });
  const text = await write(format, { shape: commented, rows: [] });
  assert.match(text, /<h1>Customer<\/h1>\n<p>People who &lt;buy&gt;<\/p>\n<div class="scroll"/);
  assert.match(text, /<th scope="col" title="the &quot;key&quot;">Id<\/th>/);
  assertXml(text);
});
