import assert from "node:assert/strict";
import type { Document, Page, Value, ValueType } from "@/plugins/contract.ts";
import { STATUS } from "@/core/errors.ts";
import html from "@/formats/html/mod.ts";
import { DATABASES, TABLES } from "@/tests/conformance/documents.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { NESTED, NESTED_ROWS } from "@/tests/conformance/nested_shapes.ts";
import {
  type Answer,
  chunkText,
  column,
  hostOf,
  options,
  page,
  relation,
  shape,
  write,
} from "@/tests/conformance/shapes.ts";
import { assertXml } from "@/tests/support/well_formed_xml.ts";

// The pages are well-formed XML as well, which is stricter than any reader of HTML.
testFormat("html", () => html, {
  wellFormed(text: string) {
    assert.ok(text.startsWith("<!DOCTYPE html>\n"));
    assertXml(text);
  },
});

const format = html.setup({}, hostOf("html"));
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
  const table = text.lastIndexOf("</table>\n</section>\n");
  return text.slice(table + 20, text.indexOf("</main>"));
}

const CRUMBS = [{ label: "Databases", href: "/db.html" }, { label: "a<b", href: "/db/a%3Cb.html" }, {
  label: "Customer",
}];

Deno.test("an html page is complete, in English, and loads only the files of its format", async () => {
  const text = await write(format, {
    shape: people,
    rows: [[1, "Ann"]],
    page: { formats: ["json", "html", "csv"], crumbs: CRUMBS },
  });
  assert.ok(text.startsWith(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>Customer · a&lt;b · Databases · Rowhouse</title>
<link rel="icon" href="/assets/hash/icon.svg" type="image/svg+xml"/>
<link rel="stylesheet" href="/assets/hash/page.css"/>
<script src="/assets/hash/page.js" defer="defer"></script>
</head>
<body>
<a class="skip hidden" href="#main">Skip to the content</a>
`));
  assert.match(
    text,
    /<nav class="crumbs" aria-label="Breadcrumb"><ol><li><a href="\/">Home<\/a><\/li><li><a href="\/db.html">Databases<\/a><\/li><li><a href="\/db\/a%3Cb.html">a&lt;b<\/a><\/li><li><span aria-current="page">Customer<\/span><\/li><\/ol><\/nav>/,
  );
  assert.match(text, /<h1>Customer<\/h1>/);
  assert.match(
    text,
    /<a href="\/db\/Shop\/Customer.json">JSON<\/a>.*<a href="\/db\/Shop\/Customer.csv" download="Customer.csv">CSV<\/a>/,
  );
  assert.doesNotMatch(text, /<style|style="|\son\w+="|(?:src|href)="https?:/);
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
  ["", '<td><span class="empty">empty</span></td>'],
  [" \u00a0\n", '<td><span class="empty">blank</span></td>'],
  [null, '<td><span class="null">NULL</span></td>'],
  ["<b>&\"'", "<td>&lt;b&gt;&amp;&quot;'</td>"],
  ["a\0b\x85c\ud800", "<td>a\ufffdb\ufffdc\ufffd</td>"],
  ["a\nb\tc", "<td>a\nb\tc</td>"],
  ["a\u202eb\u200bc", '<td>a<span class="odd">U+202E</span>b<span class="odd">U+200B</span>c</td>'],
  ["\u{1f469}\u200d\u{1f680}", "<td>\u{1f469}\u200d\u{1f680}</td>"],
  ["\u05d0 <1>", '<td><span dir="auto">\u05d0 &lt;1&gt;</span></td>'],
  [
    "HTTP://a.example/?b=1&c",
    '<td><a href="HTTP://a.example/?b=1&amp;c" rel="noreferrer nofollow">HTTP://a.example/?b=1&amp;c</a></td>',
  ],
  ["a.b@c.example", '<td><a href="mailto:a.b@c.example" rel="noreferrer nofollow">a.b@c.example</a></td>'],
  ["javascript:alert(1)", "<td>javascript:alert(1)</td>"],
  ["javascript://%0Aalert(1)", "<td>javascript://%0Aalert(1)</td>"],
  [9223372036854775807n, '<td class="number">9223372036854775807</td>'],
  [1.5, '<td class="number">1.5</td>'],
  [true, "<td>yes</td>"],
  [Uint8Array.of(1), '<td><span class="binary" title="AQ==">1 byte</span></td>'],
  [new Uint8Array(), '<td><span class="binary" title="">0 bytes</span></td>'],
  [new Uint8Array(49), `<td><span class="binary" title="${"A".repeat(64)}…">49 bytes</span></td>`],
];

for (const [value, expected] of CELLS) {
  const shown = typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  Deno.test(`html shows the value ${shown} as ${expected.slice(0, 80)}`, async () => {
    const text = await tableOf({ shape: shape([column("x")], { form: "values" }), rows: [[value]] });
    assert.equal(
      text,
      `<thead><tr><th scope="col">x</th></tr></thead>\n<tbody>\n<tr>${expected}</tr>\n</tbody>\n`,
    );
  });
}

Deno.test("html writes a time with a space, and another text as in a column of texts", async () => {
  const times = ["2009-01-31T23:59:59.5+01", "0044-03-15T00:00:00 BC"];
  const texts = ["Thu, 1 Jan 2009", "TBC", " ", "2009\u200b", "x".repeat(400)];
  const cellsOf = async (type: ValueType) => {
    const rows = [...times, ...texts].map((text) => [text]);
    const text = await tableOf({ shape: shape([column("at", type)], { form: "values" }), rows });
    return [...text.matchAll(/<td>(.*)<\/td>/g)].map(([, cell]) => cell);
  };
  const cells = await cellsOf("datetime");
  assert.deepEqual(cells.slice(0, 2), times.map((time) => time.replace("T", " ")));
  assert.deepEqual(cells.slice(2), (await cellsOf("text")).slice(2));
});

Deno.test("html quotes the login in a command for a shell", async () => {
  const account = { login: "o'brien", name: "", email: "" };
  const text = await write(format, {
    shape: shape([column("x")], { form: "values" }),
    rows: [],
    page: { formats: ["json"], account },
  });
  assert.match(text, /curl -u (?:'|&#39;)o(?:'|&#39;)\\(?:'|&#39;){2}brien(?:'|&#39;) /);
});

Deno.test("html marks what is hidden in names and headings, too", async () => {
  const text = await write(format, {
    shape: shape([column("x")], { name: "a\u202eb", form: "values" }),
    rows: [],
    page: { formats: [], crumbs: [{ label: "c\u200bd", href: "/" }, { label: "e\u2066f" }] },
  });
  for (const shown of ["a", "c", "e"].map((letter) => `>${letter}<span class="odd">U+`)) {
    assert.ok(text.includes(shown), shown);
  }
  assert.match(text, /<title>aU\+202Eb[^<]* · cU\+200Bd · /);
  const ways = page({ actions: [{ label: "x\u202ey", href: "/" }] });
  const problem = chunkText(format.problem({ httpCode: 404, description: "z" }, options(format), ways));
  assert.match(problem, /<a class="button main" href="\/">x<span class="odd">U\+202E<\/span>y<\/a>/);
});

Deno.test("html shows one value whole, and bytes as a download with a preview of pictures", async () => {
  const one = shape([column("x")], { form: "value" });
  const mainOf = async (value: Value) => {
    const text = await write(format, {
      shape: one,
      rows: [[value]],
      page: { path: "/db/S/T/Id/1/x", prefix: "/p" },
    });
    return text.slice(text.indexOf('<p class="whole">') + 17, text.indexOf("</main>"));
  };
  assert.equal(await mainOf("a".repeat(10_000)), `${"a".repeat(10_000)}</p>\n`);
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  assert.match(
    await mainOf(png),
    /href="\/p\/ui\/raw\/db\/S\/T\/Id\/1\/x" download.*8 bytes.*<img class="preview"/,
  );
  assert.doesNotMatch(await mainOf(new TextEncoder().encode("<svg xmlns=")), /<img/);
});

Deno.test("html shows a transposed list as a line per column", async () => {
  assert.equal(
    await tableOf({ shape: { ...people, form: "columns" }, rows: [["Id", 1, 2], ["Name", "Ann", null]] }),
    '<tbody>\n<tr><th scope="row">Id</th><td class="number">1</td><td class="number">2</td></tr>\n' +
      '<tr><th scope="row">Name</th><td>Ann</td><td><span class="null">NULL</span></td></tr>\n</tbody>\n',
  );
});

const PAGING: readonly [string, Partial<Page>, number, string, string][] = [
  ["links on from a full page", { limit: 2 }, 2, "1&#8211;2", "1 2>offset=2 &#8230;"],
  ["links back from the last page", { limit: 2, offset: 4 }, 1, "5&#8211;5", "1 2<offset=2 3"],
  [
    "does not link beyond a known total",
    { limit: 2, offset: 2, total: 4 },
    2,
    "3&#8211;4 of 4",
    "1<limit=2 2",
  ],
  ["leaves out pages in between", { limit: 2, total: 20 }, 2, "1&#8211;2 of 20", "1 2>offset=2 3 &#8230; 10"],
  [
    "links to the middle of a long gap",
    { limit: 2, offset: 400, total: 2000 },
    2,
    "401&#8211;402 of 2,000",
    "1 &#8230; 100 &#8230; 199 200<offset=398 201 202>offset=402 203 &#8230; 602 &#8230; 1,000",
  ],
  ["has no links without a limit", {}, 3, "1&#8211;3", ""],
  ["has no links with limit 0", { limit: 0, total: 7 }, 0, "No rows", ""],
  [
    "leads from far behind the end to pages that there are",
    { limit: 2, offset: 80, total: 3 },
    0,
    "No rows of 3",
    "1 2 &#8230; 41",
  ],
  [
    "says what lies behind the end",
    { limit: 2, offset: 8, total: 7 },
    0,
    "No rows of 7",
    "1 &#8230; 3 4<offset=6 5",
  ],
];

/** The pages of a foot, each with the link of the pages before and after. */
function pagesOf(foot: string): string {
  const nav = /<nav aria-label="Pages">(.*?)<\/nav>/s.exec(foot)?.[1] ?? "";
  return [...nav.matchAll(/<li>(.*?)<\/li>/g)].map(([, item = ""]) => {
    const label = />([^<]+)</.exec(item)?.[1] ?? "";
    const [, rel, parameter] = /rel="(\w+)".*[?;&](\w+=\d+)"/.exec(item) ?? [];
    return label + (rel === undefined ? "" : `${rel === "prev" ? "<" : ">"}${parameter}`);
  }).join(" ");
}

for (const [sentence, changes, count, words, pages] of PAGING) {
  Deno.test(`html ${sentence}`, async () => {
    const foot = await footOf(changes, count);
    assert.ok(foot.startsWith(`<div class="pager"><p>${words}</p>`), foot);
    assert.equal(pagesOf(foot), pages);
  });
}

Deno.test("html tells that it has not counted all rows", async () => {
  const list = {
    filters: [],
    sort: [],
    columns: [],
    choices: [],
    action: "/x",
    kept: [],
    place: "?ui.in=Port&ui.at=",
    countedUpTo: 1000,
  };
  const foot = await footOf({ limit: 2, total: 1001, list }, 2);
  assert.match(foot, /<p>1&#8211;2 of more than 1,000<\/p>/);
  assert.equal(pagesOf(foot), "1 2>offset=2 &#8230;");
});

Deno.test("html counts the records of a transposed list across", async () => {
  const answer = { shape: { ...people, form: "columns" as const }, rows: [["Id", 1, 2]], page: { limit: 2 } };
  assert.match(await write(format, answer), /<p>1&#8211;2<\/p>.*rel="next"/);
});

Deno.test("html has no paging for a single record", async () => {
  const text = await write(format, {
    shape: { ...located, form: "record" },
    rows: [[1, "Ann"]],
    page: { limit: 1 },
  });
  assert.doesNotMatch(text, /class="pager"/);
});

Deno.test("links of an html page to other formats lead to all rows", async () => {
  const changes: string[] = [];
  const link = (extension: string, parameters: object) => {
    if (extension !== "html") changes.push(`${extension} ${Object.keys(parameters).join(" ")}`);
    return "/x";
  };
  await write(format, { shape: people, rows: [], page: { formats: ["html", "xml"], link } });
  assert.deepEqual(changes, ["xml limit offset"]);
});

Deno.test("html says who is logged in, and nothing for the public", async () => {
  const account = { login: "a<b", name: "Ann", email: "" };
  const signedIn = await write(format, { shape: people, rows: [], page: { account, logout: "/logout" } });
  assert.match(signedIn, /Logged in as <\/span>a&lt;b<.*<p>Ann<\/p><a href="\/logout">Log out<\/a>/);
  assert.doesNotMatch(await write(format, { shape: people, rows: [] }), /Logged in/);
});

Deno.test("html shows the menu with the present section and its groups", async () => {
  const users = { label: "Users", href: "/userdef.html", isCurrent: true };
  const menu = [{ label: "Databases", href: "/db.html", isCurrent: false }, {
    label: "Administration",
    href: "",
    isCurrent: true,
    below: [users],
  }];
  const text = await write(format, { shape: people, rows: [], page: { menu } });
  assert.match(text, /<a href="\/db.html">Databases<\/a>/);
  assert.match(
    text,
    /<summary class="current">Administration.*<a href="\/userdef.html" aria-current="page">Users<\/a>/,
  );
  assert.match(text, /<input id="find" type="search" name="ui.find"/);
});

function mainOf(document: Document): string {
  const text = chunkText(format.document(document, options(format), page({ path: "/db" })));
  const head = text.slice(text.indexOf("</h1>"));
  return head.slice(head.search(/<(?:section class="scroll|ul>|dl>)/), head.indexOf("</main>"));
}

Deno.test("html shows the list of databases as a table with links", () => {
  assert.equal(
    mainOf(DATABASES),
    '<section class="scroll tall" aria-labelledby="caption" tabindex="0">\n<table>\n' +
      '<caption class="hidden" id="caption">db</caption>\n<thead><tr><th scope="col">db_id</th><th scope="col">type</th>' +
      '<th scope="col">description</th><th scope="col">status</th></tr></thead>\n<tbody>\n' +
      '<tr><td><a href="/db/Shop.html">Shop</a></td><td>sqlite</td><td><span class="empty">empty</span></td><td>Connected</td></tr>\n' +
      '<tr><td><a href="/db/a%3Cb.html">a&lt;b</a></td><td>sqlite</td><td>R&amp;D</td><td>Disconnected</td></tr>\n' +
      "</tbody>\n</table>\n</section>\n",
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
      "<dt>list</dt><dd><ul><li>1</li>\n<li>yes</li></ul></dd>\n" +
      '<dt>empty</dt><dd><span class="none">none</span></dd>\n' +
      '<dt><a href="/x.html?a">sub</a></dt><dd><dl><dt>y</dt><dd>z</dd></dl></dd></dl>\n',
  );
});

function problemOf(httpCode: number, urlTemplate?: string): string {
  const problem = { httpCode, description: 'Cannot <read> "x"', ...(urlTemplate ? { urlTemplate } : {}) };
  const text = chunkText(format.problem(problem, options(format), page({ prefix: "/base", path: "//x/y" })));
  return text.slice(text.indexOf("<h1>"), text.indexOf("</main>"));
}

const DESCRIPTION = "</div>\n<p>Cannot &lt;read&gt; &quot;x&quot;</p>\n";
const HOME = '<li><a class="button" href="/base/">Home</a></li></ul>';
const ONLY_HOME = '<ul class="actions"><li><a class="button main" href="/base/">Home</a></li></ul>';

Deno.test("html problems are pages with their kind, their description and a way back", () => {
  const end = (code: number) => `${ONLY_HOME}\n<p class="hint">Error ${code}</p>\n`;
  assert.equal(problemOf(404), `<h1>Not found</h1>${DESCRIPTION}${end(404)}`);
  assert.equal(problemOf(599), `<h1>Error</h1>${DESCRIPTION}${end(599)}`);
  const unnamed = Object.values(STATUS).filter((code) => problemOf(code).startsWith("<h1>Error<"));
  assert.deepEqual(unnamed, []);
  assert.equal(
    problemOf(400, "/query/q/{a}.html"),
    `<h1>Bad request</h1>${DESCRIPTION}<p>Expected URL: <code>/query/q/{a}.html</code></p>\n${end(400)}`,
  );
});

Deno.test("the html page of a 403 leads to the login", () => {
  assert.equal(
    problemOf(403),
    `<h1>Forbidden</h1>${DESCRIPTION}<ul class="actions"><li><a class="button main" href="/base/login">Log in</a></li>${HOME}\n` +
      '<p class="hint">Error 403</p>\n',
  );
});

Deno.test("html problems link to similar names, list all mistakes and name the request", () => {
  const problem = {
    httpCode: 404,
    description: "x",
    errors: ["one <", "two"],
    nearest: [{ label: "a<b", href: "/db/a%3Cb.html" }],
  };
  const text = chunkText(format.problem(problem, options(format), page({ requestId: "r-1" })));
  assert.match(text, /<h2>Did you mean<\/h2>\n<ul><li><a href="\/db\/a%3Cb.html">a&lt;b<\/a><\/li><\/ul>/);
  assert.match(text, /<ul><li>one &lt;<\/li>\n<li>two<\/li><\/ul>/);
  assert.match(text, /Error 404 · request <code>r-1<\/code>/);
});

Deno.test("a problem whose description names similar names lists them once, as links", () => {
  const problem = {
    httpCode: 404,
    description: 'Cannot find table "Vesel" in database "Demo"; the nearest is "Vessel"',
    nearest: [{ label: "Vessel", href: "/db/Demo/Vessel.html" }],
  };
  const text = chunkText(format.problem(problem, options(format), page()));
  assert.match(text, /<p>Cannot find table &quot;Vesel&quot; in database &quot;Demo&quot;<\/p>/);
  assert.equal(text.split("Vessel").length, 3);
});

Deno.test("html is text/html, paged and nested", () => {
  assert.deepEqual([format.contentTypes, format.paged, format.nested], [["text/html"], true, true]);
});

Deno.test("a page says what the database says of the table and its columns", async () => {
  const commented = shape([{ ...column("Id"), comment: 'the "key"' }], { comment: "People who <buy>" });
  const text = await write(format, { shape: commented, rows: [] });
  assert.match(text, /<p class="lead">People who &lt;buy&gt;<\/p>\n<section class="scroll tall"/);
  assert.match(text, /<th scope="col" title="the &quot;key&quot;">Id<\/th>/);
  assertXml(text);
});
