/** @module Reads of one turn of the event loop, which share a transaction. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Database } from "@/plugins/contract.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { Writer } from "@/plugins/dialects/sqlite/writer.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { textOf } from "@/tests/conformance/dialect_writes.ts";
import { makePlace } from "./fixture.ts";

const TABLE = "CREATE TABLE t (x)";
const INSERT = textOf("INSERT INTO t VALUES (1)");

/** Counts the rows in this turn. */
function counter(database: Database): () => unknown {
  const run = { prepared: prepareText({ database }, "SELECT count(*) FROM t", ["integer"]), parameters: [] };
  return () => {
    const rows = database.read([run], { signal: NEVER });
    assert.ok(!(rows instanceof Promise), "The statement runs in this thread");
    return rows[0]?.[0]?.[0];
  };
}

Deno.test("reads of one turn see the same data, those of the next one what was written meanwhile", async () => {
  await using place = makePlace(TABLE);
  const count = counter(await place.connect());
  assert.equal(count(), 0);
  place.change("INSERT INTO t VALUES (1)");
  assert.equal(count(), 0);
  await setImmediate();
  assert.equal(count(), 1);
});

/** A writer whose commits come to the service in a turn that has read before them. */
function commitInTurn(commit: () => void): Disposable {
  const { write, begin } = Writer.prototype;
  Writer.prototype.write = () => {
    commit();
    return Promise.resolve({ changes: 1, rows: [] });
  };
  Writer.prototype.begin = function (options) {
    commit();
    options.onCommit(1);
    return begin.call(this, options);
  };
  return { [Symbol.dispose]: () => Object.assign(Writer.prototype, { write, begin }) };
}

Deno.test("who is told of a commit sees it, also if the turn has read before", async () => {
  await using place = makePlace(TABLE);
  const database = await place.connect();
  const count = counter(database);
  using _writer = commitInTurn(() => {
    count();
    place.change("INSERT INTO t VALUES (1)");
  });
  await database.write?.({ statement: INSERT, parameters: [] }, { signal: NEVER });
  assert.equal(count(), 1);
  const begun = database.begin({ signal: NEVER });
  assert.equal(count(), 2);
  await (await begun)[Symbol.asyncDispose]();
});

Deno.test("a database is closed in a turn that has read", async () => {
  await using place = makePlace(TABLE);
  const database = await place.connect();
  counter(database)();
  await database[Symbol.asyncDispose]();
  await setImmediate();
  place.change("DROP TABLE t");
});

Deno.test("a turn that finds damage ends without a failure that no request waits for", async () => {
  await using place = makePlace(
    TABLE,
    `INSERT INTO t
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT hex(zeroblob(20)) FROM n`,
  );
  const count = counter(await place.connect());
  using others = new DisposableStack();
  const writer = others.adopt(new Handle(place.file), (opened) => opened.close());
  writer.exec("INSERT INTO t VALUES (1)");
  assert.equal(count(), 5001);
  await setImmediate();
  Deno.truncateSync(place.file, 20_000);
  writer.exec("CREATE TABLE other (x)");
  assert.throws(count, { code: "SQLITE_CORRUPT" });
  // An error in a turn of the event loop fails the test.
  await setImmediate();
});
