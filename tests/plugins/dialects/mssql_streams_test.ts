/**
 * Streams of SQL Server: what the server is asked for, and what it answers, from a cursor.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Row } from "@/plugins/contract.ts";
import type { TestService } from "@/tests/service.ts";
import { SERVER } from "./mssql_fixture.ts";
import { calls, NUMBERS, openNumbers, ROWS, UNDO } from "./mssql_numbers.ts";
import { startRelay } from "./mssql_relay.ts";
import { servePlace, testOnServer } from "./mssql_service.ts";
import { everyType, typeCases } from "./mssql_type_cases.ts";

/** One connection. */
const ONE = { max: 1, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

testOnServer(SERVER, "a stream fetches as many rows as are asked for from a cursor", async (server) => {
  await using opened = await openNumbers(server, { pool: ONE });
  const chunks = await Array.fromAsync({ [Symbol.asyncIterator]: () => opened.stream() });
  const expected = Array.from({ length: ROWS - 3 }, (_, at) => [at + 4, `word ${at + 4}`]);
  assert.deepEqual(chunks.flat(), expected);
  // 117 rows by fives, and one more fetch that finds nothing.
  const fetches = Array.from({ length: 25 }, () => "sp_cursorfetch 2 0 5");
  // The connection is free when everything is over.
  assert.equal(await opened.database.check(), "ok");
  const everything = ["begin", "sp_cursoropen 0", ...fetches, "sp_cursorclose", UNDO, "sp_executesql"];
  assert.deepEqual(opened.asked(), everything);
});

testOnServer(SERVER, "a stream without cursors is one statement", async (server) => {
  await using opened = await openNumbers(server, { cursors: false });
  const chunks = await Array.fromAsync({ [Symbol.asyncIterator]: () => opened.stream() });
  assert.deepEqual(chunks.map(({ length }) => length), [...Array.from({ length: 23 }, () => 5), 2]);
  assert.deepEqual(opened.asked(), ["sp_executesql"]);
});

testOnServer(
  SERVER,
  "streams with and without parameters follow each other on one connection",
  async (server) => {
    await using opened = await openNumbers(server, { pool: ONE });
    const words = opened.database.prepare({
      sql: `with q as (select n + 0 as m, word, word as again from number) select distinct word from q
      where m < 3 order by q.word`,
      columns: [{ type: "text", declaredType: "nvarchar(20)" }],
    });
    for (let round = 0; round < 20; round++) {
      const { signal } = new AbortController();
      await Array.fromAsync({ [Symbol.asyncIterator]: () => opened.stream() });
      const stream = opened.database.stream({ prepared: words, parameters: [] }, { signal, fetchSize: 5 });
      assert.deepEqual(await Array.fromAsync(stream), [[["word 1"], ["word 2"]]]);
    }
    assert.equal(opened.relay.requests.filter((request) => request === "login").length, 1);
  },
);

testOnServer(SERVER, "nothing is fetched while a reader rests, and nothing is left of it", async (server) => {
  await using opened = await openNumbers(server);
  const stream = opened.stream();
  await stream.next();
  await opened.database.check();
  const begun = ["begin", "sp_cursoropen 0", "sp_cursorfetch 2 0 5"];
  assert.deepEqual(opened.asked(), [...begun, "sp_executesql"]);
  await stream.return?.();
  assert.deepEqual(opened.asked(), [...begun, "sp_executesql", "sp_cursorclose", UNDO]);
});

testOnServer(
  SERVER,
  "a stream that is aborted while its reader rests gives its connection back",
  async (server) => {
    await using opened = await openNumbers(server, {
      pool: { max: 1, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 },
    });
    const controller = new AbortController();
    const stream = opened.stream(controller.signal);
    await stream.next();
    controller.abort(new Error("The client has gone"));
    // There is one connection.
    assert.equal(await opened.database.check(), "ok");
    await assert.rejects(async () => await stream.next(), /The client has gone/);
    const begun = ["begin", "sp_cursoropen 0", "sp_cursorfetch 2 0 5"];
    assert.deepEqual(opened.asked(), [...begun, "sp_cursorclose", UNDO, "sp_executesql"]);
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

testOnServer(SERVER, "a stream fetches orm_sdb.yield_per rows at a time", async (server) => {
  await using relay = await startRelay(server);
  const definition = { db_host: relay.url.hostname, db_port: Number(relay.url.port) };
  await using served = await servePlace(server, NUMBERS, { definition, settings: "orm_sdb.yield_per = 33" });
  const records = JSON.parse(await textOf(served.service, "number.json?href=False&stream"));
  assert.equal(records.length, ROWS);
  const fetches = calls(relay.requests).filter((call) => call.startsWith("sp_cursorfetch"));
  assert.deepEqual(fetches, Array.from({ length: 5 }, () => "sp_cursorfetch 2 0 33"));
});

/** Statements that SQL Server or Babelfish has no cursor for, and what they give. */
const CURSORLESS: readonly (readonly [sql: string, rows: readonly Row[]])[] = [
  ["declare @x int = 5; select @x as n", [[5]]],
  ["select n from number where n < 3 order by n option (maxrecursion 5)", [[1], [2]]],
  ["set nocount on; select top 1 n from number order by n", [[1]]],
  ["exec numbers", [[1], [2]]],
];

testOnServer(SERVER, "statements that have no cursor are streamed all the same", async (server) => {
  await using opened = await openNumbers(server);
  await opened.place.client.run("create procedure numbers as select n from number where n < 3 order by n");
  for (const [sql, expected] of CURSORLESS) {
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

testOnServer(SERVER, "values of every type are the same from a cursor", async (server) => {
  await using relay = await startRelay(server);
  const definition = { db_host: relay.url.hostname, db_port: Number(relay.url.port) };
  await using served = await servePlace(server, everyType(typeCases(6)), { definition });
  const fetches = () => calls(relay.requests).filter((call) => call.startsWith("sp_cursorfetch")).length;
  for (const [at, path] of PATHS.entries()) {
    const text = await textOf(served.service, `${path}?href=False`);
    assert.equal(await textOf(served.service, `${path}?href=False&stream`), text, path);
    assert.equal(fetches(), 2 * (at + 1), "It was a cursor");
  }
});

async function textOf(service: TestService, path: string): Promise<string> {
  const response = await service.fetch(`/db/Sql/${path}`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}
