/** @module Queries are tried before they are saved. */

import assert from "node:assert/strict";
import { AUTHOR, CLERK, NARROW } from "./fixture.ts";
import type { Queries } from "./client.ts";

/** The messages to authors before they save a query. */
export function testAuthors({ test, get, send, ids, engine: { tried } }: Queries): void {
  test("an author tries a query without running it", async () => {
    const check = (members: unknown, apikey = AUTHOR) =>
      send("POST", "/settings/check-query.json", members, { apikey });
    const good = await check({
      database: "Shop",
      sqlstr: "SELECT id, :a AS a FROM item",
      parameters: { a: "integer" },
    });
    assert.deepEqual([good.status, JSON.parse(good.text)], [200, {
      valid: true,
      error: null,
      position: null,
      parameters: { a: "integer" },
      columns: [{ name: "id", type: "integer", declared_type: tried.id }, {
        name: "a",
        type: tried.a[0],
        declared_type: tried.a[1],
      }],
      read_only: tried.readOnly,
      warning: null,
    }]);
    const writing = { database: "Shop", sqlstr: "DELETE FROM item" };
    for (
      const [members, warning] of [
        [
          {},
          /^the statement changes data, which GET may not: choose the method POST instead, or set "read_only: false"/,
        ],
        [{ http_methods: { GET: true, POST: true } }, undefined],
        [{ read_only: false }, undefined],
        [
          { http_methods: { POST: true }, read_only: true },
          /^the statement changes data, which "read_only: true" does not/,
        ],
      ] as const
    ) {
      const { read_only, ...found } = JSON.parse((await check({ ...writing, ...members })).text);
      assert.equal(read_only, false);
      if (warning) assert.match(found.warning, warning);
      else assert.equal(found.warning, null);
    }
    const wrong = await check({ database: "Shop", sqlstr: "SELECT * FROM nowhere" });
    assert.equal(wrong.status, 200);
    assert.match(JSON.parse(wrong.text).error, tried.wrong);
    const refused = await check({ database: "Shop", sqlstr: "ATTACH 'x' AS y" });
    assert.match(JSON.parse(refused.text).error, /a saved query is one of SELECT, WITH/);
    assert.equal((await ids()).length, 6);
  });

  test("a parameter whose type is null has none, in a check and when it is saved", async () => {
    const members = {
      database: "Shop",
      sqlstr: "SELECT name FROM item WHERE id = :id",
      parameters: { id: null },
    };
    const author = { apikey: AUTHOR };
    const { text } = await send("POST", "/settings/check-query.json", members, author);
    assert.equal(JSON.parse(text).valid, true, text);
    const saved = { ...members, query_id: "undeclared", execute: ["public"] };
    assert.equal((await send("POST", "/querydef.json", saved, author)).status, 201);
    assert.match((await get("/query/undeclared/id/1.json")).text, /"pear"/);
  });

  test("a check names parameters as the author does, and tells where the service itself refuses the text", async () => {
    const check = async (sqlstr: string) => {
      const body = { database: "Shop", sqlstr };
      const { text } = await send("POST", "/settings/check-query.json", body, { apikey: AUTHOR });
      return JSON.parse(text);
    };
    const named = await check("SELECT name FROM :table WHERE 1 = 1");
    assert.equal(named.valid, false);
    assert.match(named.error, tried.named);
    assert.equal(named.position, 17);
    const open = await check("SELECT 1\nFROM item WHERE name = 'x");
    assert.match(open.error, /ends inside of a string that begins with "'x"$/);
    assert.equal(open.position, 32);
  });

  test("a check tells where the mistake is in the author's own text", async () => {
    const head = "\n /* é😀 */ SELECT id, :a AS a FROM item\n WHERE id = :number AND ";
    const sqlstr = `${head}nmae = 1; `;
    const { text } = await send("POST", "/settings/check-query.json", { database: "Shop", sqlstr }, {
      apikey: AUTHOR,
    });
    const { valid, position } = JSON.parse(text);
    assert.deepEqual([valid, position], [false, tried.isPlaced ? head.length : null], text);
  });

  test("an author runs a query for a trial: at most 20 rows, and the engine's plan", async () => {
    const run = async (members: object) => {
      const body = { database: "Shop", ...members };
      const { status, text } = await send("POST", "/settings/check-query.json", body, { apikey: AUTHOR });
      return { status, text, body: JSON.parse(text) };
    };
    const sqlstr =
      "SELECT name, kind FROM item WHERE id < 6 AND (kind = :kind OR kind IS NULL) ORDER BY name";
    const found = await run({ sqlstr, arguments: { kind: "fruit" } });
    assert.deepEqual(found.body.rows, [["AC/DC", null], ["pear", "fruit"], ["plum", "fruit"]], found.text);
    if (tried.plan) assert.match(found.body.plan.join("\n"), tried.plan);
    else assert.equal(found.body.plan, null);
    // A plan for NULL would read nothing.
    const named = await run({ sqlstr: "SELECT name FROM item WHERE id = :id", arguments: { id: 1 } });
    if (tried.plan) assert.match(named.body.plan.join("\n"), / item|: item/);
    const many = await run({ sqlstr: "SELECT a.id FROM item a, item b", arguments: {} });
    assert.equal(many.body.rows.length, 20);
    assert.equal((await run({ sqlstr })).body.rows, undefined, "without arguments it is not run");
    for (
      const [members, words] of [
        [{ sqlstr, arguments: {} }, /parameter \\"kind\\" is missing/],
        [{ sqlstr, arguments: [] }, /its arguments are an object/],
        [{ sqlstr, arguments: { kind: [1] } }, /is an object or list/],
        [{ sqlstr, arguments: { kid: "x" } }, /no parameter \\"kid\\"/],
        [{ sqlstr, arguments: { kind: 2 ** 53 } }, /parameter \\"kind\\" has more digits .* as text/],
        [
          { sqlstr: "DELETE FROM item", arguments: {} },
          /for a trial: the statement changes data, which GET may not: /,
        ],
        [
          { sqlstr: "DELETE FROM item", http_methods: { POST: true }, arguments: {} },
          /for a trial: the statement changes data"/,
        ],
      ] as const
    ) {
      const { status, text } = await run(members);
      assert.equal(status, 400, text);
      assert.match(text, words);
    }
    assert.equal((await ids()).length, 6);
    const stored = await send("POST", "/querydef.json", {
      query_id: "argued",
      database: "Shop",
      sqlstr,
      arguments: {},
    }, { apikey: AUTHOR });
    assert.match(stored.text, /\\"arguments\\": there is no such member/);
  });

  test("only who may write queries, with the whole database, tries them", async () => {
    const members = { database: "Shop", sqlstr: "SELECT * FROM secret", arguments: {} };
    for (const [apikey, status] of [[NARROW, 403], [CLERK, 403], [AUTHOR, 200]] as const) {
      const answer = await send("POST", "/settings/check-query.json", members, { apikey });
      assert.equal(answer.status, status, answer.text);
      if (status === 403) assert.doesNotMatch(answer.text, /pin/);
    }
    const elsewhere = await send("POST", "/settings/check-query.json", {
      database: "Other",
      sqlstr: "SELECT 1",
    }, { apikey: AUTHOR });
    assert.equal(elsewhere.status, 403);
  });

  test("a query that its database refuses is not saved", async () => {
    const author = { apikey: AUTHOR };
    const good = { query_id: "tried", database: "Shop", sqlstr: "SELECT 1 AS one", execute: ["public"] };
    for (
      const [members, words] of [
        [{ sqlstr: "SELECT * FROM nowhere" }, /"sqlstr": the database refuses it: .*nowhere/i],
        [{ sqlstr: "SELECT 'x" }, /"sqlstr": the database refuses it: /],
        [
          { sqlstr: "DELETE FROM item" },
          /"http_methods": the statement changes data, .* choose the method POST/,
        ],
        [{ database: "Gone" }, /"database": there is no database "Gone"/],
      ] as const
    ) {
      const { status, text } = await send("POST", "/querydef.json", { ...good, ...members }, author);
      assert.equal(status, 400, text);
      assert.match(JSON.parse(text).description, words);
      assert.equal((await get("/query/tried.json")).status, 404);
    }
    assert.equal((await send("POST", "/querydef.json", good, author)).status, 201);
    const off = { ...good, query_id: "off", sqlstr: "DELETE FROM item", http_methods: {} };
    assert.equal((await send("POST", "/querydef.json", off, author)).status, 201);
    const changed = await send("PUT", "/querydef/tried.json", { sqlstr: "SELECT * FROM nowhere" }, author);
    assert.equal(changed.status, 400, changed.text);
    assert.equal((await get("/query/tried/one.json")).text, "[\n    1\n]");
    assert.equal((await send("PUT", "/querydef/tried.json", { desc: "one" }, author)).status, 204);
  });

  test("a query is saved without a check while its database is disconnected", async () => {
    const author = { apikey: AUTHOR };
    const members = { query_id: "later", database: "Away", sqlstr: "SELECT * FROM nowhere" };
    const made = await send("POST", "/querydef.json", members, author);
    assert.equal(made.status, 201, made.text);
    const changed = await send("PUT", "/querydef/later.json", { sqlstr: "SELECT name FROM item" }, author);
    assert.equal(changed.status, 204, changed.text);
    assert.equal((await get("/query/later.json", author)).status, 503);
  });

  test("the names of hidden tables are not found out by saving queries", async () => {
    const members = { query_id: "guess", database: "Shop" };
    for (const sqlstr of ["SELECT pin FROM secret", "SELECT nothing FROM secret"]) {
      const { status, text } = await send("POST", "/querydef.json", { ...members, sqlstr }, {
        apikey: NARROW,
      });
      assert.equal(status, 403, text);
      assert.doesNotMatch(text, /pin|nothing/);
    }
  });

  test("a query that is changed is another one at once", async () => {
    const put = (sqlstr: string) => send("PUT", "/querydef/mine.json", { sqlstr }, { apikey: AUTHOR });
    const created = await send("POST", "/querydef.json", {
      query_id: "mine",
      database: "Shop",
      sqlstr: "SELECT 1 AS one",
      execute: ["public"],
    }, { apikey: AUTHOR });
    assert.equal(created.status, 201, created.text);
    assert.equal((await get("/query/mine/one.json")).text, "[\n    1\n]");
    assert.equal((await put("SELECT 2 AS two")).status, 204);
    assert.equal((await get("/query/mine/two.json")).text, "[\n    2\n]");
  });
}
