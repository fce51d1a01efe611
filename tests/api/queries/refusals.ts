/** @module Refusals of saved queries and their words. */

import assert from "node:assert/strict";
import type { Queries } from "./client.ts";

const REFUSED: readonly [
  method: string,
  path: string,
  status: number,
  description: RegExp,
  template?: string,
][] = [
  ["GET", "/query/by-kind.json", 400, /parameter "kind" is missing/, "/query/by-kind/kind/{kind}.json"],
  ["GET", "/query/by-kind/kind.json", 400, /parameter "kind" is missing/, "/query/by-kind/kind/{kind}.json"],
  [
    "GET",
    "/query/between/least/1.json",
    400,
    /"most" is missing/,
    "/query/between/least/{least}/most/{most}.json",
  ],
  [
    "GET",
    "/query/between/least/x/most/1.json",
    400,
    /"least" is "x", expected a number/,
    "/query/between/least/{least}/most/{most}.json",
  ],
  [
    "GET",
    "/query/by-kind/knd/a.json",
    400,
    /no parameter "knd": the nearest is "kind"/,
    "/query/by-kind/kind/{kind}.json",
  ],
  [
    "GET",
    "/query/by-kind/kind/a/kind/b.json",
    400,
    /"kind" is given twice/,
    "/query/by-kind/kind/{kind}.json",
  ],
  [
    "DELETE",
    "/query/by-kind/kind/a.json",
    405,
    /Cannot DELETE query "by-kind": use GET, HEAD, POST, OPTIONS/,
    "/query/by-kind/kind/{kind}.json",
  ],
  [
    "GET",
    "/query/by-kind/kind/fruit/colour.json",
    404,
    /neither a parameter nor a column of its result, which has "id", "name", "price"/,
  ],
  [
    "DELETE",
    "/query/drop-kind/kind.json",
    400,
    /parameter "kind" is missing/,
    "/query/drop-kind/kind/{kind}.json",
  ],
  [
    "DELETE",
    "/query/drop-kind/kind/none/name.json",
    404,
    /neither a parameter nor a column of its result, which has none$/,
  ],
  ["GET", "/query/by-knd.json", 404, /Cannot find query "by-knd"; the nearest is "by-kind"/],
  ["GET", "/query/private.json", 403, /may not run query "private"/],
  ["GET", "/query/elsewhere.json", 403, /no login for the database of query "elsewhere"/],
  ["GET", "/query/broken.json", 503, /its database does not take its SQL/],
  ["POST", "/query/commit.json", 503, /its database does not take its SQL/],
  [
    "GET",
    "/query/rename/name/x/id/1.json",
    400,
    /it changes the database, and its definition does not allow that with GET: use PUT$/,
  ],
  [
    "GET",
    "/query/hidden.json",
    400,
    /with GET: choose the method POST at \/querydef \("http_methods"\), or add "read_only: false"$/,
  ],
  ["POST", "/query/sealed.json", 400, /its definition says "read_only: true" instead of "read_only: false"$/],
  ["GET", "/query/fails/one/1.json", 200, /./],
  ["GET", "/query/fails/one/2.json", 400, /The database cannot (take this|run this query with these values)/],
  [
    "GET",
    "/query/by-kind/kind/a.json?depth=1",
    400,
    /Cannot use parameter "depth" here: it belongs to table data/,
  ],
  [
    "GET",
    "/query/by-kind/kind/a.json?sort=nothing",
    400,
    /Cannot sort by "nothing": the result has the columns "id", "name", "price"/,
  ],
  ["GET", "/query/by-kind/kind/a.json?transpose&stream", 400, /transpose together with depth or stream/],
  [
    "GET",
    "/query/by-kind/kind/a.json?cardinality=2",
    400,
    /Cannot use parameter "cardinality" here: it belongs to schema/,
  ],
  ["GET", "/query/by-kind/kind/a.json?limit=x", 400, /Cannot use parameter "limit"/],
  ["GET", "/query/by-kind/kind/a.json?nothing", 400, /Cannot use parameter "nothing"/],
  ["GET", "/query/by-kind/kind/%zz.json", 400, /Cannot decode "%zz"/],
  ["GET", "/query/endless.json", 504, /took too long/],
  [
    "POST",
    "/query/rename/id/1.json",
    405,
    /use PUT, GET, HEAD, OPTIONS/,
    "/query/rename/name/{name}/id/{id}.json",
  ],
];

/** Requests that cannot run a query, and their answers. */
export function testRefusals({ test, send, get, engine, service }: Queries): void {
  for (const [method, path, status, description, template] of REFUSED) {
    test(`${method} ${path} is ${status}`, async () => {
      const answer = await send(method, path);
      assert.equal(answer.status, status, answer.text);
      if (status === 200) return;
      const problem = JSON.parse(answer.text);
      assert.match(problem.description, description);
      if (template) assert.equal(problem.url_template, template);
      const [, id] = /^\/query\/([\w-]+)/.exec(path) ?? [];
      const hasTemplate = problem.url_template?.startsWith(`/query/${id}`) ?? false;
      assert.equal(hasTemplate, status === 400 || status === 405);
      assert.doesNotMatch(answer.text, /secret|nowhere/);
    });
  }

  test("a body that cannot be read is refused with the template of the URL", async () => {
    const { status, text } = await send("POST", "/query/by-kind.json", "{");
    assert.equal(status, 400);
    assert.equal(JSON.parse(text).url_template, "/query/by-kind/kind/{kind}.json");
  });

  test("nobody sees the template of a query that the caller may not run", async () => {
    const { status, text } = await get("/query/private.json?limit=x");
    assert.equal(status, 400);
    assert.equal("url_template" in JSON.parse(text), false);
  });

  for (const name of engine.unusable) {
    test(`the SQL of ${name} is not taken`, async () => {
      const { status, text } = await get(`/query/${name}.json`);
      assert.equal(status, 503);
      assert.match(JSON.parse(text).description, /its database does not take its SQL/);
    });
  }

  test("the log tells authors why the database refused a query, and no values", async () => {
    assert.equal((await get("/query/fails/one/2.json")).status, 400);
    assert.match(await service().log(), /Query \\"fails\\": |Query "fails": /);
    assert.equal((await send("POST", "/query/leaks.json", { x: "{" })).status, 400);
    assert.doesNotMatch(await service().log(), /1234/);
  });

  test("more sets of arguments than are run at once are refused", async () => {
    const sets = Array.from({ length: 1001 }, () => ({ kind: "fruit" }));
    const { status, text } = await send("POST", "/query/by-kind.json", sets);
    assert.deepEqual([status, /not run more than 1000 times/.test(text)], [400, true]);
  });

  test("a number without a declared type keeps its digits or is refused", async () => {
    for (const number of ["3.14159265358979323846", "9223372036854775808", "1e400"]) {
      const { status, text } = await send("POST", "/query/by-kind.json", `{"kind": ${number}}`);
      assert.equal(status, 400, text);
      assert.ok(text.includes(`parameter \\"kind\\": ${number} has more digits than`), text);
    }
  });

  test("sets share the rows that an answer holds", async () => {
    const sets = [{ last: 40_000 }, { last: 1 }];
    const { status, text } = await send("POST", "/query/numbers.json", sets);
    assert.deepEqual([status, /more than 25000 rows of each set/.test(text)], [400, true]);
  });
}
