/** @module Queries that GET does not run: the pages, files and charts of their results. */

import assert from "node:assert/strict";
import Sqlite from "better-sqlite3";
import { type Answer, Browser, browserOf, hiddenFields, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";

const QUERIES = `
raise:
  {database: Runs, sqlstr: "UPDATE Counter SET N = N + 1 RETURNING N, Name", http_methods: {POST: true}, execute: [anna]}
items:
  {database: Runs, read_only: true, sqlstr: "SELECT Id, Kind, Note FROM Item WHERE Id > :least", parameters: {least: integer}, http_methods: {POST: true}, execute: [public]}
kinds:
  {database: Runs, read_only: true, sqlstr: "SELECT Id, Kind FROM Item WHERE Kind = :kind OR :kind IS NULL", http_methods: {POST: true}, execute: [public]}
touch:
  {database: Runs, sqlstr: "UPDATE Item SET Note = Note RETURNING Id", http_methods: {POST: true}, execute: [anna]}
add:
  {database: Runs, sqlstr: "INSERT INTO Item (Kind) VALUES ('added')", http_methods: {POST: true}, execute: [anna]}
clear:
  {database: Runs, sqlstr: "DELETE FROM Item WHERE Id < :below", parameters: {below: integer}, http_methods: {PUT: true}, execute: [anna]}
`;
const USERS = `public: {databases: {Runs: {access: {"*": [read]}}}}
anna: {password: ${PASSWORD}, databases: {Runs: {}}}
admin: {password: x}
`;
const home = homeOf({ users: USERS });
const service = sharedService({
  ...home,
  files: { ...home.files, "config/querydefs.cfg": QUERIES },
  sqlite: {
    Runs: `CREATE TABLE Counter (N INTEGER, Name TEXT); INSERT INTO Counter VALUES (0, '=1+1');
      CREATE TABLE Item (Id INTEGER PRIMARY KEY, Kind TEXT, Note TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      INSERT INTO Item SELECT i, 'kind ' || (i % 3), NULL FROM n;`,
  },
});

const anna = (): Promise<Browser> => browserOf(service(), "anna", PASSWORD);

/** The number of runs of the query `raise` so far. */
function runs(): number {
  const database = new Sqlite(`${service().home}/state/runs.db`, { readonly: true });
  const count = Number(database.prepare("SELECT N FROM Counter").pluck().get());
  database.close();
  return count;
}

/** The numbers in the first column of a table. */
function idsOf({ text }: Answer): readonly number[] {
  return [...text.matchAll(/<tr><td class="number">(\d+)<\/td>/g)].map(([, id]) => Number(id));
}

Deno.test("each press of the button runs a query once, and gives its rows as a page, as a file or as a chart", async () => {
  const browser = await anna();
  const form = await browser.get("/query/raise.html");
  assert.match(form.text, /This query may change data\./);
  const offered = [...form.text.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g)].map(([, value = ""]) =>
    value
  );
  assert.deepEqual(offered.toSorted(), ["", "chart", "csv", "json", "spreadsheet csv", "txt", "xml"]);
  const sent = hiddenFields(form.text);
  const before = runs();
  const answers = new Map<string, Answer>();
  for (const as of offered) {
    const answer = await browser.post("/ui/query/raise", { ...sent, "ui.as": as });
    assert.equal(answer.status, 200, answer.text);
    answers.set(as, answer);
  }
  assert.equal(runs(), before + offered.length);
  const run = (as: string) => before + 1 + offered.indexOf(as);
  const [page, chart, csv] = ["", "chart", "csv"].map((as) => answers.get(as));
  assert.match(page?.text ?? "", /role="status">The query has been run\./);
  assert.match(page?.text ?? "", new RegExp(`<td class="number">${run("")}</td><td>=1\\+1</td>`));
  assert.match(page?.text ?? "", /<p>1&#8211;1 of 1<\/p>/);
  assert.doesNotMatch(page?.text ?? "", /<a class="sort"|For programs|\.csv"/);
  assert.match(
    chart?.text ?? "",
    /role="status">The query has been run\..*may change data\..*>Run and draw<.*<figure>/s,
  );
  assert.equal(csv?.text, `N,Name\r\n${run("csv")},=1+1\r\n`);
  assert.equal(answers.get("spreadsheet csv")?.text, `N,Name\r\n${run("spreadsheet csv")},'=1+1\r\n`);
  assert.deepEqual(JSON.parse(answers.get("json")?.text ?? ""), [{ N: run("json"), Name: "=1+1" }]);
  assert.equal(csv?.headers.get("content-disposition"), "attachment; filename*=UTF-8''raise.csv");
  assert.equal(csv?.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(csv?.headers.get("cache-control"), "no-store");
  assert.match(page?.headers.get("content-security-policy") ?? "", /default-src 'none'/);
});

Deno.test("the form of a result has its values, and runs the query again for a file or a chart", async () => {
  const browser = new Browser(service());
  const form = await browser.get("/query/items.html");
  assert.doesNotMatch(form.text, /may change data/);
  const page = await browser.post("/ui/query/items", { ...hiddenFields(form.text), "s.least": "2498" });
  assert.deepEqual(idsOf(page), [2499, 2500]);
  assert.match(page.text, /<td class="number">2500<\/td><td>kind 1<\/td><td><span class="null">NULL</);
  assert.match(page.text, /<summary>.*Run again or export<.* name="s\.least"[^>]* value="2498"/s);
  const again = { ...hiddenFields(page.text), "s.least": "2498" };
  const plain = await browser.post("/ui/query/items", again, {});
  assert.deepEqual(
    idsOf(plain),
    [2499, 2500],
    "browsers that do not say where a form comes from have its token",
  );
  const file = await browser.post("/ui/query/items", { ...again, "ui.as": "csv" });
  const program = await service().fetch("/query/items.csv", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ least: 2498 }),
  });
  assert.equal(file.text, await program.text());
  const chart = await browser.post("/ui/query/items", {
    ...again,
    "s.least": "0",
    "ui.as": "chart",
    "ui.chart": "bar",
    "ui.x": "Kind",
  });
  assert.match(chart.text, /<figcaption>Number of records by Kind, 3 groups; /);
  assert.match(chart.text, /name="s\.least" value="0".* name="ui\.as" value="chart"/s);
  const unfit = await browser.post("/ui/query/items", {
    ...again,
    "ui.as": "chart",
    "ui.chart": "bar",
    "ui.x": "Id",
    "ui.y": "Kind",
  });
  assert.equal(unfit.status, 400);
  assert.match(
    unfit.text,
    /The query has been run\..*Cannot compute with column &quot;Kind&quot;.*Run and draw/s,
  );
});

Deno.test("a value of a query is NULL while its switch is on, in a file, a chart and on further pages, too", async () => {
  const browser = new Browser(service());
  const form = await browser.get("/query/kinds.html");
  assert.match(form.text, /name="n\.kind" value="true" aria-label="kind: NULL"\/>/);
  const sent = { ...hiddenFields(form.text), "s.kind": "kind 9", "n.kind": "true" };
  const page = await browser.post("/ui/query/kinds", sent);
  assert.match(page.text, /name="n\.kind"[^>]* checked="checked"/);
  const [, pager = ""] = page.text.split('<div class="pager">');
  const next = await browser.post("/ui/query/kinds", { ...hiddenFields(pager), "ui.offset": "2000" });
  assert.ok(idsOf(page).length === 1000 && idsOf(next).includes(2500));
  const chart = await browser.post("/ui/query/kinds", { ...sent, "ui.as": "chart", "ui.x": "Kind" });
  assert.match(chart.text, /name="n\.kind" value="true".*Number of records by Kind, 3 groups/s);
});

Deno.test("a query that only reads shows its other rows on further pages", async () => {
  const browser = new Browser(service());
  const form = await browser.get("/query/items.html");
  let page = await browser.post("/ui/query/items", { ...hiddenFields(form.text), "s.least": "0" });
  const seen: number[] = [];
  for (const range of ["1&#8211;1,000", "1,001&#8211;2,000", "2,001&#8211;2,500"]) {
    assert.ok(page.text.includes(`<div class="pager"><p>${range} of 2,500</p>`), range);
    assert.ok(page.text.length < 307_200);
    seen.push(...idsOf(page));
    assert.equal(page.text.includes(">First rows<"), seen.length > 1000);
    const [, pager = ""] = page.text.split('<div class="pager">');
    const [, place] = / name="ui\.offset" value="(\d+)"[^>]*>Next rows</.exec(pager) ?? [];
    assert.equal(place, seen.length < 2500 ? String(seen.length) : undefined);
    page = await browser.post("/ui/query/items", { ...hiddenFields(pager), "ui.offset": place ?? "0" });
  }
  assert.deepEqual(seen, Array.from({ length: 2500 }, (_, index) => index + 1));
});

Deno.test("a query that may change data is not run again for its other rows", async () => {
  const browser = await anna();
  const sent = hiddenFields((await browser.get("/query/touch.html")).text);
  const page = await browser.post("/ui/query/touch", { ...sent, "ui.offset": "1000" });
  assert.match(
    page.text,
    /<p>1&#8211;1,000 of 2,500: [^<]* the query may change data: only a file has all rows\.</,
  );
  assert.doesNotMatch(page.text, /ui\.offset/);
  const file = await browser.post("/ui/query/touch", { ...sent, "ui.as": "csv" });
  assert.equal(file.text.trim().split("\r\n").length, 2501);
});

Deno.test("the page of a query without rows tells how many it has changed", async () => {
  const browser = await anna();
  const sent = hiddenFields((await browser.get("/query/clear.html")).text);
  const clear = async (below: string) => {
    const { text } = await browser.post("/ui/query/clear", { ...sent, "s.below": below });
    assert.doesNotMatch(text, /<table/);
    return /role="status">([^<]*)</.exec(text)?.[1];
  };
  assert.equal(await clear("0"), "The query has been run: it has changed 0 rows.");
  assert.equal(await clear("2"), "The query has been run: it has changed 1 row.");
});

Deno.test("a change whose result has no chart is not told as a refusal, nor is it one in the audit log", async () => {
  const browser = await anna();
  for (const [query, x] of [["add", ""], ["touch", "None"]] as const) {
    const sent = hiddenFields((await browser.get(`/query/${query}.html`)).text);
    const { status, text } = await browser.post(`/ui/query/${query}`, {
      ...sent,
      "ui.as": "chart",
      "ui.x": x,
    });
    assert.equal(status, 200, text);
    assert.match(
      text,
      /role="status">The query has been run\..*Cannot sum (?:this up|up column)/s,
    );
    const audit = await Deno.readTextFile(`${service().home}/log/audit.log`);
    const { target, outcome } = JSON.parse(audit.trim().split("\n").at(-1) ?? "");
    assert.deepEqual([target, outcome], [`/query/${query}`, "success"]);
  }
});

Deno.test("a form that cannot be run comes back with its choice, and other sites run nothing", async () => {
  const browser = await anna();
  const sent = hiddenFields((await browser.get("/query/items.html")).text);
  const wrong = await browser.post("/ui/query/items", { ...sent, "s.least": "much", "ui.as": "csv" });
  assert.equal(wrong.status, 400);
  assert.match(
    wrong.text,
    /value="much".*>Expected a[^<]*<.*<option value="csv" selected="selected">/s,
  );
  const before = runs();
  for (const as of ["pdf", "html", "xsd", "spreadsheet html"]) {
    const refused = await browser.post("/ui/query/raise", { ...sent, "ui.as": as });
    assert.equal(refused.status, 400, as);
  }
  const foreign = await browser.post("/ui/query/raise", { "ui.as": "csv" }, {
    Origin: "http://elsewhere.example",
  });
  assert.equal(foreign.status, 403);
  assert.equal(runs(), before);
});

Deno.test("a run by a form has one line in the audit log, that of a program's request", async () => {
  const browser = await anna();
  const sent = hiddenFields((await browser.get("/query/raise.html")).text);
  const lines = async () => {
    const text = await Deno.readTextFile(`${service().home}/log/audit.log`);
    return text.trim().split("\n").map((line) => JSON.parse(line)).filter(({ target }) =>
      target === "/query/raise"
    );
  };
  const before = (await lines()).length;
  for (const as of ["", "csv", "chart"]) await browser.post("/ui/query/raise", { ...sent, "ui.as": as });
  const added = (await lines()).slice(before);
  assert.deepEqual(
    added.map(({ action, outcome, user, method, status }) => [action, outcome, user, method, status]),
    Array.from({ length: 3 }, () => ["write", "success", "anna", "POST", 200]),
  );
});
