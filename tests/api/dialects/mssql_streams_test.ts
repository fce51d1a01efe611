/**
 * Streams of SQL Server: the requests to the server, and the answers.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Row } from "@/plugins/contract.ts";
import { textOf } from "@/tests/support/text_of.ts";
import { SERVER } from "@/tests/unit/plugins/dialects/mssql/fixture.ts";
import { openNumbers, ROWS } from "./mssql_numbers.ts";
import { servePlace, testOnServer } from "./mssql_service.ts";
import { everyType, typeCases } from "@/tests/support/type_cases/mssql.ts";

/** One connection. */
const ONE = { max: 1, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

testOnServer(SERVER, "a stream is one statement, and its connection is free at its end", async (server) => {
  await using opened = await openNumbers(server, { pool: ONE });
  const chunks = await Array.fromAsync({ [Symbol.asyncIterator]: () => opened.stream() });
  assert.deepEqual(chunks.map(({ length }) => length), [...Array.from({ length: 23 }, () => 5), 2]);
  const expected = Array.from({ length: ROWS - 3 }, (_, at) => [at + 4, `word ${at + 4}`]);
  assert.deepEqual(chunks.flat(), expected);
  assert.equal(await opened.database.check(), "ok");
  assert.deepEqual(opened.asked(), ["sp_executesql", "sp_executesql"]);
  assert.equal(opened.relay.requests.filter((request) => request === "login").length, 1);
});

testOnServer(
  SERVER,
  "a stream that is aborted while its reader rests gives its connection back",
  async (server) => {
    await using opened = await openNumbers(server, { pool: ONE });
    const controller = new AbortController();
    const stream = opened.stream(controller.signal);
    await stream.next();
    controller.abort(new Error("The client has gone"));
    // There is one connection.
    assert.equal(await opened.database.check(), "ok");
    await assert.rejects(async () => await stream.next(), /The client has gone/);
    assert.equal(opened.relay.requests.filter((request) => request === "login").length, 1);
  },
);

testOnServer(
  SERVER,
  "a stream whose connection is lost while its reader rests is unavailable",
  async (server) => {
    await using opened = await openNumbers(server);
    const stream = opened.stream();
    await stream.next();
    await opened.place.killConnections();
    const reason = await stream.next().then(() => undefined, (reason: unknown) => reason);
    assert.equal(opened.database.classify(reason), "unavailable");
    assert.equal(await opened.database.check(), "ok");
  },
);

testOnServer(SERVER, "a stream sees the data of one moment", async (server) => {
  await using opened = await openNumbers(server);
  const stream = opened.stream();
  const first = await stream.next();
  await opened.place.client.run(
    "update number set word = 'later' where n = 119",
    "delete from number where n = 120",
    "insert into number values (121, 'later')",
  );
  const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => stream });
  const words = [first.value, ...rest].flat().map((row) => row?.[1]);
  assert.deepEqual(words.slice(-2), ["word 119", "word 120"]);
});

/** Statements that are not a single SELECT, and their results. */
const OTHERS: readonly (readonly [sql: string, rows: readonly Row[]])[] = [
  ["declare @x int = 5; select @x as n", [[5]]],
  ["select n from number where n < 3 order by n option (maxrecursion 5)", [[1], [2]]],
  ["set nocount on; select top 1 n from number order by n", [[1]]],
  ["exec numbers", [[1], [2]]],
];

testOnServer(SERVER, "statements that are no single SELECT can be streamed", async (server) => {
  await using opened = await openNumbers(server);
  await opened.place.client.run("create procedure numbers as select n from number where n < 3 order by n");
  for (const [sql, expected] of OTHERS) {
    const verb = sql.split(" ")[0]?.toUpperCase() ?? "";
    const prepared = opened.database.prepare({
      sql,
      verb,
      columns: [{ type: "integer", declaredType: "int" }],
    });
    for (let round = 0; round < 2; round++) {
      const { signal } = new AbortController();
      const stream = opened.database.stream({ prepared, parameters: [] }, { signal, fetchSize: 1 });
      assert.deepEqual((await Array.fromAsync(stream)).flat(), expected, sql);
    }
  }
});

const PATHS = ["every.json", "every.csv", "every.xml", "every/a_int,a_nvarchar.json"];

testOnServer(SERVER, "values of every type are the same in a stream", async (server) => {
  await using served = await servePlace(server, everyType(typeCases(6)));
  const get = (path: string) => textOf(served.service.fetch(`/db/Sql/${path}`));
  for (const path of PATHS) {
    const text = await get(`${path}?href=False`);
    assert.equal(await get(`${path}?href=False&stream`), text, path);
  }
});
