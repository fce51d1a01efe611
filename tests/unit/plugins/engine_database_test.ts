import assert from "node:assert/strict";
import type { Database, Row, StreamOptions } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { failureOf, reasonOf } from "@/tests/support/reason_of.ts";
import { until } from "@/tests/support/until.ts";
import { connectTiny, type TinyConnection, words } from "./tiny_engine.ts";

const GONE = new Error("The client has gone");

function read(database: Database, sql: string, signal = NEVER, verb?: string) {
  return Promise.resolve(
    database.read([{ prepared: database.prepare(words(sql, verb)), parameters: [] }], { signal }),
  );
}

function stream(database: Database, sql: string, options: Partial<StreamOptions> = {}) {
  const run = { prepared: database.prepare(words(sql)), parameters: [] };
  return database.stream(run, { signal: NEVER, fetchSize: 2, ...options });
}

for (const size of [1, 2, 3, 5, 7]) {
  Deno.test(`the kit makes chunks of the fetch size from portions of ${size}`, async () => {
    await using place = await connectTiny();
    const chunks: (readonly Row[])[] = await Array.fromAsync(stream(place.database, `count 5 by ${size}`));
    assert.deepEqual(chunks, [[[1], [2]], [[3], [4]], [[5]]]);
    assert.deepEqual(place.database.usage?.(), { open: 1, idle: 1, waiting: 0 });
  });
}

Deno.test("the kit asks a cursor for the next portion only when its reader does", async () => {
  let portions = 0;
  await using place = await connectTiny({
    *cursor() {
      for (; portions < 100; portions++) yield [[portions], [portions]];
    },
  });
  const chunks = stream(place.database, "count")[Symbol.asyncIterator]();
  await chunks.next();
  await chunks.next();
  assert.equal(portions, 1);
  await chunks.return?.();
});

Deno.test("a stream whose reader leaves ends the cursor and its connection", async () => {
  await using place = await connectTiny();
  for await (const _ of stream(place.database, "count 5 by 2")) break;
  await until(() => place.asked.includes("1 stop") && place.asked.includes("1 stream ends"));
});

Deno.test("a stream whose reader rests too long is cut off, and its connection is free", async () => {
  await using place = await connectTiny({}, { statementTimeout: 0.05 });
  const chunks = stream(place.database, "count 5 by 1")[Symbol.asyncIterator]();
  await chunks.next();
  await until(() => place.asked.includes("1 stop"));
  assert.equal(await failureOf(place, chunks.next()), "timeout");
});

Deno.test("a stream that is aborted between chunks, or after the last one, ends with the reason", async () => {
  for (const taken of [1, 3]) {
    await using place = await connectTiny();
    const controller = new AbortController();
    const chunks = stream(place.database, "count 5 by 1", { signal: controller.signal })
      [Symbol.asyncIterator]();
    for (let count = 0; count < taken; count++) await chunks.next();
    controller.abort(GONE);
    assert.equal(await reasonOf(chunks.next()), GONE);
  }
});

Deno.test("a statement that is late is interrupted until it ends, then its connection is closed", async () => {
  let interruptions = 0;
  await using place = await connectTiny({
    interrupt(connection: TinyConnection) {
      // An engine may lose the first ones.
      if (++interruptions === 3) connection.end?.(new Error("interrupted"));
    },
  }, { statementTimeout: 0.05 });
  assert.equal(await failureOf(place, read(place.database, "hang")), "timeout");
  await until(() => place.asked.includes("1 stop"));
  assert.equal(interruptions, 3);
  assert.deepEqual(await read(place.database, "count 1"), [[[1]]]);
});

Deno.test("a statement whose caller leaves ends with the reason, without interrupt by the end of its connection", async () => {
  await using place = await connectTiny();
  const controller = new AbortController();
  const reason = reasonOf(read(place.database, "hang", controller.signal));
  controller.abort(GONE);
  assert.equal(await reason, GONE);
  assert.deepEqual(place.asked, ["1 open", "1 hang", "1 stop"]);
});

Deno.test("a read whose idle connection was lost is repeated on another; the lost one is closed", async () => {
  await using place = await connectTiny();
  const [first] = place.connections;
  assert.ok(first);
  first.isLost = true;
  assert.deepEqual(await read(place.database, "count 1"), [[[1]]]);
  assert.deepEqual(place.asked, ["1 open", "1 count 1", "1 stop", "2 open", "2 count 1"]);
});

Deno.test("several statements of one read are one transaction, of which nothing stays", async () => {
  await using place = await connectTiny();
  const { database } = place;
  const runs = ["count 2", "count 1", "count 1"].map((sql) => ({
    prepared: database.prepare(words(sql)),
    parameters: [],
  }));
  assert.deepEqual(await database.read(runs, { signal: NEVER, mostRows: 2 }), [[[1], [2]], [[1]], []]);
  assert.deepEqual(place.asked.slice(1), ["1 begin read", "1 count 2", "1 count 1", "1 rollback"]);
});

Deno.test("a connection on which a read cannot be rolled back is closed, and the read says its own reason", async () => {
  const transactions = {
    begin: () => {},
    commit: () => {},
    rollback: () => Promise.reject(new Error("There is no transaction")),
  };
  await using place = await connectTiny({ transactions });
  const { database } = place;
  const runs = ["count 1", "fail contention"].map((sql) => ({
    prepared: database.prepare(words(sql)),
    parameters: [],
  }));
  assert.equal(await failureOf(place, Promise.resolve(database.read(runs, { signal: NEVER }))), "contention");
  assert.deepEqual(place.asked.slice(-1), ["1 close"]);
  assert.deepEqual(await read(database, "count 1"), [[[1]]]);
  assert.deepEqual(place.connections.map(({ id }) => id), [1, 2]);
});

Deno.test("the statements of a transaction run in turn; a failure rolls back at once", async () => {
  await using place = await connectTiny();
  const transaction = await place.database.begin({ signal: NEVER });
  const [one, two] = [transaction.run(words("count 1"), []), transaction.run(words("fail integrity"), [])];
  await one;
  const error = await reasonOf(two);
  assert.equal(place.database.classify(error), "integrity");
  assert.equal(place.database.explain(error), "Error: the engine says integrity");
  await assert.rejects(transaction.commit(), TypeError);
  await transaction[Symbol.asyncDispose]();
  assert.deepEqual(place.asked.slice(1), ["1 begin write", "1 count 1", "1 fail integrity", "1 rollback"]);
  assert.deepEqual(place.database.usage?.(), { open: 1, idle: 1, waiting: 0 });
});

Deno.test("a transaction commits once, and does nothing afterwards", async () => {
  await using place = await connectTiny();
  const transaction = await place.database.begin({ signal: NEVER });
  await transaction.commit();
  await assert.rejects(transaction.rollback(), TypeError);
  await transaction[Symbol.asyncDispose]();
  assert.deepEqual(place.asked, ["1 open", "1 begin write", "1 commit"]);
});

Deno.test("a commit that takes too long is a timeout, and its connection is not used again", async () => {
  const transactions = { begin: () => {}, commit: () => new Promise<void>(() => {}), rollback: () => {} };
  await using place = await connectTiny({ transactions }, { statementTimeout: 0.05 });
  const transaction = await place.database.begin({ signal: NEVER });
  assert.equal(await failureOf(place, transaction.commit()), "timeout");
  assert.deepEqual(place.asked, ["1 open", "1 stop"]);
});

Deno.test("an engine without transactions only reads", async () => {
  await using place = await connectTiny({ transactions: undefined } as never);
  const error = await reasonOf(place.database.begin({ signal: NEVER }));
  assert.equal(place.database.classify(error), "read-only");
  assert.deepEqual(await read(place.database, "count 1"), [[[1]]]);
});

Deno.test("after a saved query a connection is reset, or closed if the engine cannot", async () => {
  {
    await using place = await connectTiny();
    await read(place.database, "count 1", NEVER, "SELECT");
    await until(() => place.asked.includes("1 stop"));
  }
  const resets: number[] = [];
  const reset = async ({ id }: TinyConnection) => void await resets.push(id);
  await using place = await connectTiny({ reset });
  await read(place.database, "count 1");
  assert.deepEqual(resets, []);
  await read(place.database, "count 1", NEVER, "SELECT");
  await Array.fromAsync(stream(place.database, "count 1"));
  assert.deepEqual(resets, [1, 1]);
});

Deno.test("a connection whose reset fails is closed", async () => {
  await using place = await connectTiny({ reset: () => Promise.reject(new Error("no")) });
  await read(place.database, "count 1", NEVER, "SELECT");
  await until(() => place.asked.includes("1 stop"));
});

Deno.test("a write of one statement is the engine's, unless a number of rows is expected", async () => {
  const written: string[] = [];
  const write = (_: TinyConnection, { sql }: { readonly sql: string }) => {
    written.push(sql);
    return { rows: [], changes: 1 };
  };
  await using place = await connectTiny({ write });
  const one = { statement: words("add"), parameters: [] };
  assert.deepEqual(await place.database.write?.(one, { signal: NEVER }), { rows: [], changes: 1 });
  assert.equal(place.database.write?.({ ...one, most: 1 }, { signal: NEVER }), undefined);
  assert.deepEqual(written, ["add"]);
});

Deno.test("the fingerprint tells a change, an outage and a busy engine", async () => {
  let print: string | Error = "a";
  const fingerprint = () => print instanceof Error ? Promise.reject(print) : print;
  await using place = await connectTiny({
    fingerprint,
    classify: (error) => error === GONE ? "unavailable" : "timeout",
  });
  const { database } = place;
  await database.catalog();
  assert.equal(await database.check(), "ok");
  print = "b";
  assert.equal(await database.check(), "changed");
  print = GONE;
  assert.equal(await database.check(), "gone");
  print = new Error("slow");
  assert.equal(await database.check(), "ok");
});

Deno.test("an engine that opens no connection in time is unavailable; one that comes late is closed", async () => {
  const late = Promise.withResolvers<TinyConnection>();
  const closed: unknown[] = [];
  const signals: AbortSignal[] = [];
  const open = (_: unknown, signal: AbortSignal) => {
    signals.push(signal);
    return late.promise;
  };
  const close = ({ id }: TinyConnection, reason: unknown) => void closed.push([id, reason instanceof Error]);
  await assert.rejects(connectTiny({ open, close }, { acquireTimeout: 0.05 }), { failure: "unavailable" });
  assert.equal(signals[0]?.aborted, true);
  late.resolve({ id: 7, isLost: false });
  await until(() => closed.length > 0);
  assert.deepEqual(closed, [[7, true]]);
});

Deno.test("a statement that is interrupted fails for the reason of its end, not for that of the engine", async () => {
  const interrupt = (connection: TinyConnection) => connection.end?.(new Error("interrupted"));
  const place = await connectTiny({ interrupt });
  const running = reasonOf(read(place.database, "hang"));
  await until(() => place.asked.includes("1 hang"));
  await place[Symbol.asyncDispose]();
  assert.equal(place.database.classify(await running), "unavailable");
});

Deno.test("disconnecting ends what runs, what opens and what waits", async () => {
  const place = await connectTiny({}, { max: 1 });
  const running = reasonOf(read(place.database, "hang"));
  const waiting = reasonOf(read(place.database, "count 1"));
  await place[Symbol.asyncDispose]();
  assert.equal(place.database.classify(await running), "unavailable");
  assert.equal(place.database.classify(await waiting), "unavailable");
  assert.equal(await failureOf(place, read(place.database, "count 1")), "unavailable");
  assert.deepEqual(place.asked, ["1 open", "1 hang", "1 stop"]);
});

Deno.test("a connection that cannot be ended is a line in the log", async () => {
  const place = await connectTiny({ close: () => Promise.reject(new Error("no route")) });
  await place[Symbol.asyncDispose]();
  assert.deepEqual(place.log, ["A connection could not be ended: no route"]);
});

Deno.test("a reset that the end of the database cuts off is no line in the log", async () => {
  const resetting = Promise.withResolvers<void>();
  const place = await connectTiny({
    reset: () => resetting.promise,
    close: (_, reason) => resetting.reject(reason),
  });
  await read(place.database, "count 1", NEVER, "select");
  await place[Symbol.asyncDispose]();
  await assert.rejects(resetting.promise);
  assert.deepEqual(place.log, []);
});
