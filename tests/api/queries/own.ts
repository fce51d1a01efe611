/** @module Features of single engines: functions, procedures, their own kinds of values. */

import assert from "node:assert/strict";
import type { TestDialect } from "@/tests/support/databases/mod.ts";
import type { Queries } from "./client.ts";

type Answers = readonly (readonly [path: string, answer: unknown])[];

const FRUIT = [{ name: "pear", price: 0.5 }, { name: "plum", price: 0.25 }];

const ANSWERS: { readonly [Dialect in TestDialect]: Answers } = {
  sqlite: [
    ["/query/kinds/i/5/d/1.5/b/true/t/2024-01-01T00:00:00.json", [
      { i: "integer", d: "real", b: "integer", t: "text" },
    ]],
    ["/query/short/id.json?sort=-id&limit=1", [2]],
    ["/query/words/False.json?sort=-TRUE", [5, 2]],
    ["/query/words.json?distinct&count&limit=1", [{ TRUE: 1, False: 2, "false 1": 3 }]],
  ],
  postgresql: [
    [`/query/long/${"a".repeat(63)}_2.json?sort=-${"a".repeat(63)}`, [4, 2]],
    ["/query/kinds/i/5/d/1.5/b/true/t/2024-01-01T00:00:00.json", [
      { i: "integer", d: "numeric", b: "boolean", t: "timestamp without time zone" },
    ]],
    ["/query/kinds/i/5000000000/d/%3Cnull%3E/b/true/t/2024-01-01/i.json", ["bigint"]],
    ["/query/kinds/i/5/d/NaN/b/true/t/-infinity/d,t.json", [
      { d: "numeric", t: "timestamp without time zone" },
    ]],
    ["/query/casts/lo/2/key/a.json", [{ slice: "{2}", member: "1", text: ":no':no" }]],
    ["/query/function/kind/fruit.json", FRUIT],
    ["/query/function/kind/fruit/name.json?sort=-name&limit=1", ["plum"]],
    ["/query/brackets/x.json?limit=1&offset=1", [1]],
    // Points and documents have no order, and may be in rows that have one.
    ["/query/shapes/n.json?sort=side&limit=3", [2, 4, 1]],
    ["/query/looks/items.json", [6]],
    ["/query/show.json", [{ server_encoding: "UTF8" }]],
    ["/query/moment.json", [{ at: "2024-03-10T02:30:00" }]],
    ["/query/moment.json?tz=Z", [{ at: "2024-03-10T02:30:00Z" }]],
  ],
  mssql: [
    ["/query/function/kind/fruit.json", FRUIT],
    ["/query/function/kind/fruit/name.json?sort=-name&limit=1", ["plum"]],
    ["/query/function/kind/fruit/price.json?distinct&sort=price", [0.25, 0.5]],
    ["/query/procedure/kind/fruit.json", [{ name: "pear", cost: 0.5 }, { name: "plum", cost: 0.25 }]],
    ["/query/procedure/kind/fruit/cost.json", [0.5, 0.25]],
    ["/query/procedure/kind/fruit.json?stream", [{ name: "pear", cost: 0.5 }, { name: "plum", cost: 0.25 }]],
  ],
  mysql: [
    ["/query/function/kind/fruit.json", [{ name: "pear", cost: 0.5 }, { name: "plum", cost: 0.25 }]],
    ["/query/function/kind/fruit/cost.json", [0.5, 0.25]],
    ["/query/brackets/x.json?limit=1&offset=1", [1]],
    // MariaDB drops an order inside WITH that has no page.
    ["/query/top/top.json?limit=9", [5, 4, 3, 2, 1]],
    ["/query/show.json", [{ Variable_name: "character_set_connection", Value: "utf8mb4" }]],
  ],
};

const OTHERS: Answers = [
  ["/query/optional/k/%3Cnull%3E/name.json", ["pear", "plum"]],
  ["/query/optional/k/vegetable.json", []],
];

function testEver({ test, send }: Queries): void {
  test("a result that never ends is refused when it is too long, not kept in memory until time is up", async () => {
    const { status, text } = await send("POST", "/query/ever.json");
    assert.deepEqual([status, /more than 50000 rows/.test(text)], [400, true], text);
    const most = await send("POST", "/query/ever-most.json", { most: "9223372036854775807" });
    assert.deepEqual([most.status, /more than 50000 rows/.test(most.text)], [400, true], most.text);
    const few = await send("POST", "/query/ever-most/i.json", { most: 3 });
    assert.deepEqual(JSON.parse(few.text), [1, 2, 3]);
  });
}

/** Queries whose SQL or answers are the engine's own. */
export function testEngine(queries: Queries): void {
  const { dialect, test, get } = queries;
  for (const [path, expected] of [...ANSWERS[dialect], ...(dialect === "sqlite" ? [] : OTHERS)]) {
    test(`GET ${path} gives ${JSON.stringify(expected)}`, async () => {
      const { status, text } = await get(path);
      assert.equal(status, 200, text);
      assert.deepEqual(JSON.parse(text), expected);
    });
  }
  if (dialect === "sqlite" || dialect === "postgresql") testEver(queries);
  if (dialect === "sqlite") testSqlite(queries);
  else testServers(queries);
}

function testSqlite({ test, get, send, ids }: Queries): void {
  test("EXPLAIN tells how a statement would run, and runs nothing", async () => {
    const { status, text } = await get("/query/plan/id/1/detail.json");
    assert.deepEqual([status, /SEARCH item/.test(text)], [200, true], text);
    const before = await ids();
    const writing = await send("POST", "/query/plan-delete/opcode.json");
    assert.deepEqual([writing.status, /"Clear"/.test(writing.text)], [200, true], writing.text);
    assert.deepEqual(await ids(), before);
  });

  test("a number without a declared type is one however JSON spells it", async () => {
    for (const least of ["3.5", "3.50", "35e-1", "4", "4.0", "0.4E+1"]) {
      const { status, text } = await send("POST", "/query/twice/name.json", `{"least": ${least}}`);
      assert.deepEqual([status, JSON.parse(text)], [200, ["AC/DC"]], least);
    }
  });

  test("a value that does not fit where a query reads it is the caller's mistake, not a conflict", async () => {
    const { status, text } = await get("/query/some/most/%3Cnull%3E.json");
    assert.deepEqual([status, JSON.parse(text).description], [
      400,
      "The database cannot take this: datatype mismatch",
    ]);
  });
}

function testServers({ dialect, test, get, send }: Queries): void {
  test("a procedure changes what it shall", async () => {
    const { status } = await send("POST", "/query/rise.json", { amount: 1 });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse((await get("/query/by-kind/kind/fruit/price.json")).text), [1.5, 1.25]);
    assert.equal((await send("POST", "/query/rise.json", { amount: -1 })).status, 200);
    assert.deepEqual(JSON.parse((await get("/query/by-kind/kind/fruit/price.json")).text), [0.5, 0.25]);
  });

  test("a query that writes ends in time, too", async () => {
    assert.equal((await send("POST", "/query/endless-post.json")).status, 504);
  });

  if (dialect === "postgresql") {
    test("a change inside of WITH is a change, and its rows are the answer", async () => {
      await send("POST", "/query/add.json", [{ name: "salt", kind: "moved" }, {
        name: "oil",
        kind: "moved",
      }]);
      assert.equal((await get("/query/moved/kind/moved.json")).status, 400);
      const { status, text } = await send("POST", "/query/moved/kind/moved.json");
      assert.equal(status, 200, text);
      assert.deepEqual(JSON.parse(text), [{ name: "salt" }, { name: "oil" }]);
    });

    test("a value with a character that the engine lacks is refused by the parameter's name", async () => {
      const { status, text } = await send("POST", "/query/echo.json", { x: "a", X: "b\0" });
      assert.deepEqual([status, JSON.parse(text).description], [
        400,
        'Cannot run query "echo": parameter "X": must not have the character U+0000',
      ]);
    });
  }

  if (dialect === "mssql") return;

  test("how a query is run can be looked at", async () => {
    const { status, text } = await get("/query/plan/id/1.json");
    assert.deepEqual([status, JSON.parse(text).length], [200, 1], text);
  });

  for (const method of ["GET", "POST"]) {
    test(`a session that a ${method} has changed is as it was for the next one`, async () => {
      const before = await get("/query/session.json");
      assert.equal(before.status, 200, before.text);
      const { status, text } = await send(method, "/query/change-session.json");
      assert.equal(status, 200, text);
      assert.equal((await get("/query/session.json")).text, before.text);
    });
  }

  if (dialect === "mysql") {
    test("what RETURNING gives back is the answer, where the server has it", async () => {
      const isMariadb = (await get("/query/version.json")).text.includes("MariaDB");
      const { status, text } = await send("POST", "/query/returning.json", { name: "kiwi", kind: "own" });
      assert.deepEqual([status, JSON.parse(text)], [200, isMariadb ? [{ name: "kiwi", kind: "own" }] : []]);
      assert.equal((await send("DELETE", "/query/drop-kind/kind/own.json")).status, 200);
    });

    test("the results of several sets are one list only if they have the same columns", async () => {
      const ask = (...sets: number[]) => send("POST", "/query/shapes.json", sets.map((k) => ({ k })));
      assert.deepEqual(JSON.parse((await ask(0, 1, 0, 1)).text), [{ a: 1 }, { a: 1 }]);
      for (const sets of [[1, 2], [2, 1]]) {
        const { status, text } = await ask(...sets);
        assert.deepEqual([status, /results have different columns/.test(text)], [400, true], text);
      }
    });

    test("columns that only running tells have no schema", async () => {
      const { status, text } = await get("/query/function/kind/x.json?schema");
      assert.deepEqual([status, /known only when it runs/.test(text)], [400, true]);
    });
  }
}
