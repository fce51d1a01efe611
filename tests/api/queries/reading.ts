/** @module Answers of saved queries. */

import assert from "node:assert/strict";
import { complaintsAbout, type OpenApi } from "@/tests/api/openapi/document.ts";
import { CLERK } from "./fixture.ts";
import type { Queries } from "./client.ts";

const READS: readonly [string, unknown][] = [
  ["/query/by-kind/kind/fruit.json", [{ id: 1, name: "pear", price: 0.5 }, {
    id: 2,
    name: "plum",
    price: 0.25,
  }]],
  ["/query/by-kind/KIND/fruit/name.json", ["pear", "plum"]],
  ["/query/by-kind/kind/fruit/name/", ["pear", "plum"]],
  ["/query/by-kind/kind/fruit/price,name.json", [{ price: 0.5, name: "pear" }, {
    price: 0.25,
    name: "plum",
  }]],
  ["/query/by-kind/kind/none.json", []],
  ["/query/between/most/1.75/least/0.5/name.json", ["leek", "pear"]],
  ["/query/by-kind/kind/vegetable/name.json?limit=1", ["kale"]],
  ["/query/by-kind/kind/vegetable/name.json?limit=1&offset=1", ["leek"]],
  ["/query/by-kind/kind/vegetable/name.json?limit=0", []],
  ["/query/by-kind/kind/fruit/name.json?sort=-name", ["plum", "pear"]],
  ["/query/all/kind.json?distinct&sort=kind", [null, "fruit", "vegetable"]],
  ["/query/all/kind_2.json?distinct&sort=-kind_2&limit=1", ["vegetable"]],
  // Without another order distinct rows have that of the listed columns: their pages are stable.
  ["/query/all/kind.json?distinct", [null, "fruit", "vegetable"]],
  ["/query/all/kind.json?distinct&limit=1&offset=1", ["fruit"]],
  ["/query/first/name.json?distinct", ["pear", "plum"]],
  ["/query/all/n__a/?sort=n/a&limit=2", [1, 2]],
  ["/query/all.json?limit=1&sort=n/a", [{ "kind": "fruit", "kind_2": "fruit", "n/a": 1 }]],
  ["/query/all/n__a.json?sort=n/a&limit=2", [1, 2]],
  ["/query/tree/last/3.json", [{ i: 1 }, { i: 2 }, { i: 3 }]],
  ["/query/tree/last/3/i.json?sort=-i&limit=2", [3, 2]],
  ["/query/tree/last/3.json?transpose", { i: [1, 2, 3] }],
  ["/query/tree/last/3.json?stream", [{ i: 1 }, { i: 2 }, { i: 3 }]],
  ["/query/echo/x/a*,b..c/X/1.json", [{ x: "a*,b..c", upper: "1" }]],
  ["/query/echo/x/AC__DC/X/a_dotb.json", [{ x: "AC/DC", upper: "a.b" }]],
  ["/query/echo/x/%3Cnull%3E/X//x.json", [null]],
  ["/query/echo/x/a%5F%5Fb/X/y/x.json", ["a__b"]],
  ["/query/echo/x/1';DROP TABLE item;--/X/1/x.json", ["1';DROP TABLE item;--"]],
  ["/query/marks/नाम/1.json", [{ x: "1" }]],
  // The order of the query's own ORDER BY stays, in pages and in column lists.
  ["/query/numbers/last/4/i.json", [4, 3, 2, 1]],
  ["/query/numbers/last/4/i.json?limit=2&offset=1", [3, 2]],
  ["/query/numbers/last/4.json?limit=1&offset=3", [{ i: 1 }]],
  ["/query/numbers/last/4/i.json?stream", [4, 3, 2, 1]],
  ["/query/first/name.json", ["plum", "pear"]],
  ["/query/first/name.json?limit=1&offset=1", ["pear"]],
  ["/query/first/name.json?sort=name", ["pear", "plum"]],
  ["/query/both/name.json", ["vegetable", "plum", "pear"]],
  ["/query/both/name.json?limit=1&offset=1", ["plum"]],
  ["/query/both/id.json?sort=id&count", [1, 2, 13]],
  ["/query/both/id.json?distinct&limit=2", [1, 2]],
  ["/query/pairs/a%5F2.json", [1, 2, 1]],
  ["/query/pairs.json?sort=-a&limit=1", [{ a: 13, a_2: 1 }]],
  ["/query/by-kind/kind/fruit/name,price.json?transpose", { name: ["pear", "plum"], price: [0.5, 0.25] }],
];

/** Queries that read: rows, columns, formats, pages. */
export function testReading({ test, get, send, engine }: Queries): void {
  for (const [path, expected] of READS) {
    test(`GET ${path} gives ${JSON.stringify(expected)}`, async () => {
      const { status, text } = await get(path);
      assert.deepEqual([status, JSON.parse(text)], [200, expected]);
    });
  }

  test("errors and results have the requested format", async () => {
    const csv = await get("/query/by-kind/kind/fruit.csv?headers=false");
    assert.deepEqual([csv.status, csv.text], [200, `1,pear,${engine.half}\r\n2,plum,${engine.quarter}\r\n`]);
    const xml = await get("/query/tree/last/1.xml");
    assert.match(xml.text, /<tree>\s*<i>1<\/i>\s*<\/tree>/);
    const problem = await get("/query/by-kind.xml");
    assert.match(problem.text, /<url_template>\/query\/by-kind\/kind\/\{kind\}\.xml<\/url_template>/);
  });

  test("the number of all rows is counted after distinct, before the page", async () => {
    const { headers } = await get("/query/all/kind.json?distinct&count&limit=1");
    assert.equal(headers.get("Rowhouse-All-Record-Count"), "3");
    const whole = await get("/query/by-kind/kind/fruit.json?count");
    assert.equal(whole.headers.get("Rowhouse-All-Record-Count"), "2");
  });

  test("pages in an order that leaves rows equal have each row once", async () => {
    for (const path of ["/query/many.json?sort=-side", "/query/many/side,number.json?sort=side&distinct"]) {
      const pages = Array.from({ length: 13 }, (_, page) => get(`${path}&limit=10&offset=${page * 10}`));
      const rows = (await Promise.all(pages)).flatMap(({ text }) => JSON.parse(text));
      assert.deepEqual([rows.length, new Set(rows.map(({ number }) => number)).size], [125, 125], path);
    }
  });

  test("pages for people get a limit, as tables do", async () => {
    const { status, headers } = await get("/query/by-kind/kind/fruit.html");
    assert.deepEqual([status, headers.get("Location")], [302, "/query/by-kind/kind/fruit.html?limit=29"]);
  });

  test("the schema of a query is that of its result", async () => {
    const { text } = await get("/query/by-kind/kind/fruit.json?schema");
    const schema = JSON.parse(text);
    assert.deepEqual([schema.title, schema.description, schema.type], [
      "by-kind",
      "Items of a kind",
      "array",
    ]);
    assert.deepEqual(Object.keys(schema.items.properties), ["id", "name", "price"]);
  });

  test("/query lists what the caller may run", async () => {
    const listed = JSON.parse((await get("/query.json")).text);
    assert.deepEqual(listed["by-kind"], {
      desc: "Items of a kind",
      database: "Shop",
      parameters: { kind: "text" },
      http_methods: { GET: true, POST: true },
      __href: "/query/by-kind.json",
    });
    assert.equal("private" in listed || "elsewhere" in listed, false);
    assert.deepEqual(JSON.parse((await get("/query.json", { apikey: CLERK })).text), {});
  });

  test("whoever lacks a login for the query's database is refused", async () => {
    const { status } = await get("/query/by-kind/kind/fruit.json", { apikey: CLERK });
    assert.equal(status, 403);
  });

  test("the document of the API has the values that a body may have", async () => {
    const document: OpenApi = JSON.parse((await get("/openapi.json")).text);
    const body = document.paths["/query/echo.json"]?.post?.requestBody?.content["application/json"]?.schema;
    assert.ok(body);
    for (const x of [5, 0.5, true, "5", null]) {
      assert.deepEqual(complaintsAbout(document, body, [{ x, X: "1" }]), [], `${x}`);
    }
    assert.equal(complaintsAbout(document, body, { x: 1 }).length > 0, true, "X is missing");
    assert.equal((await send("POST", "/query/echo.json", { x: 5, X: "1" })).status, 200);
  });

  test("OPTIONS tells the methods of a query", async () => {
    const { status, headers } = await send("OPTIONS", "/query/add.json");
    assert.deepEqual([status, headers.get("Allow")], [204, "POST, OPTIONS"]);
  });

  test("HEAD has the headers of GET, and no body", async () => {
    const { status, headers, text } = await send("HEAD", "/query/by-kind/kind/fruit.json?count");
    assert.deepEqual([status, headers.get("Rowhouse-All-Record-Count"), text], [200, "2", ""]);
    assert.equal(headers.get("Content-Type"), "application/json");
    assert.equal((await send("HEAD", "/query/by-kind.json")).status, 400);
  });

  test("the page of queries leads to each of them", async () => {
    const { status, text } = await get("/query.html");
    assert.equal(status, 200);
    assert.match(text, /href="\/query\/by-kind\.html"/);
  });

  test("an answer of many rows is sent as it is read, a turned one is refused", async () => {
    const { status, text } = await get("/query/numbers/last/20000/i.csv?headers=false");
    assert.deepEqual([status, text.split("\r\n").length, text.slice(0, 7)], [200, 20_001, "20000\r\n"]);
    const turned = await get("/query/numbers/last/50001.json?transpose");
    assert.equal(turned.status, 400);
    assert.match(JSON.parse(turned.text).description, /more than 50000 records/);
  });
}
