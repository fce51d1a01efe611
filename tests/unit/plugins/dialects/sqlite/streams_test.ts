import assert from "node:assert/strict";
import type { Database, Row, Run } from "@/plugins/contract.ts";
import { MAX_HANDLES } from "@/plugins/dialects/sqlite/streams.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { makePlace, type Place } from "./fixture.ts";
import { canSeeWorkers, handlesHere } from "./processes.ts";

const ROWS = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT";
const SIGNAL = { signal: NEVER };

/** A scan of `big` belongs into a worker, one of `small` does not. */
function streamPlace(): Place {
  const place = makePlace(
    "CREATE TABLE big (id INTEGER PRIMARY KEY)",
    `INSERT INTO big ${ROWS} 60000) SELECT n FROM c`,
    "CREATE TABLE small (id INTEGER PRIMARY KEY)",
    `INSERT INTO small ${ROWS} 100) SELECT n FROM c`,
  );
  return place;
}

function scan(database: Database, table: string): Run {
  return { prepared: prepareText({ database }, `SELECT id FROM ${table}`, ["integer"]), parameters: [] };
}

/** Streams whose first chunk has been read. */
async function openStreams(
  database: Database,
  { table, count, signal = NEVER }: {
    readonly table: string;
    readonly count: number;
    readonly signal?: AbortSignal;
  },
): Promise<AsyncIterator<readonly Row[]>[]> {
  const run = scan(database, table);
  const streams = Array.from(
    { length: count },
    () => database.stream(run, { signal, fetchSize: 2 })[Symbol.asyncIterator](),
  );
  for (const stream of streams) assert.deepEqual((await stream.next()).value, [[1], [2]]);
  return streams;
}

async function failureOf(database: Database, work: Promise<unknown>): Promise<readonly unknown[]> {
  const error = await work.then(() => assert.fail("It did not fail"), (reason) => reason);
  return [database.classify(error), error.message];
}

/** Each handle has the write-ahead log open; SQLite keeps the file itself for the next handle. */
function logsHere(place: Place): number {
  return handlesHere(`${place.file}-wal`);
}

/** A quarter of the handles is for saved queries. */
const MOST = MAX_HANDLES * 3 / 4;

const BUSY = ["unavailable", "Too many streams are being read"];
const UNREAD = ["timeout", "Nobody has read the stream for 0.2 seconds"];

Deno.test("streams leave two workers for other long reads", async () => {
  await using place = streamPlace();
  // Time enough for four workers to start.
  const database = await place.connect({ max: 4, acquireTimeout: 3 });
  const streams = await openStreams(database, { table: "big", count: 2 });
  assert.deepEqual(await failureOf(database, openStreams(database, { table: "big", count: 1 })), BUSY);
  const reads = [1, 2].map(() => database.read([scan(database, "big")], SIGNAL));
  for (const [rows] of await Promise.all(reads)) assert.equal(rows?.length, 60_000);
  await Promise.all(streams.map((stream) => stream.return?.()));
});

Deno.test("a stream that finds too many others waits for its turn", async () => {
  await using place = streamPlace();
  const database = await place.connect({ max: 3 });
  const [first] = await openStreams(database, { table: "big", count: 1 });
  const second = openStreams(database, { table: "big", count: 1 });
  await first?.return?.();
  for (const stream of await second) await stream.return?.();
});

Deno.test("a stream that is aborted while it waits for its turn leaves the queue", async () => {
  await using place = streamPlace();
  const database = await place.connect({ max: 1 });
  const [first] = await openStreams(database, { table: "big", count: 1 });
  const controller = new AbortController();
  const second = openStreams(database, { table: "big", count: 1, signal: controller.signal });
  const third = openStreams(database, { table: "big", count: 1 });
  controller.abort(new Error("Gone"));
  await assert.rejects(second, { message: "Gone" });
  await first?.return?.();
  for (const stream of await third) await stream.return?.();
});

Deno.test("a stream that is aborted as soon as its statement runs ends with the reason of its caller", async () => {
  await using place = streamPlace();
  const database = await place.connect({ max: 1 });
  const [warm] = await openStreams(database, { table: "big", count: 1 });
  await warm?.return?.();
  const sql = `${ROWS} -1) SELECT max(n) FROM c`;
  const run = { prepared: prepareText({ database }, sql, ["integer"]), parameters: [] };
  const controller = new AbortController();
  const first = database.stream(run, { signal: controller.signal, fetchSize: 2 })[Symbol.asyncIterator]()
    .next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort(new Error("Gone"));
  await assert.rejects(first, { message: "Gone" });
});

Deno.test("streams in the service's own thread have a limited number of handles", async () => {
  await using place = streamPlace();
  const database = await place.connect({ acquireTimeout: 0.2 });
  const streams = await openStreams(database, { table: "small", count: MOST });
  if (canSeeWorkers) assert.equal(logsHere(place), MOST + 1);
  assert.deepEqual(await failureOf(database, openStreams(database, { table: "small", count: 1 })), BUSY);
  await streams.pop()?.return?.();
  streams.push(...await openStreams(database, { table: "small", count: 1 }));
  assert.equal((await database.read([scan(database, "small")], SIGNAL))[0]?.length, 100);
  await Promise.all(streams.map((stream) => stream.return?.()));
  if (canSeeWorkers) assert.equal(logsHere(place), 1);
});

Deno.test("a client that takes nothing loses its worker, and is told when it comes back", async () => {
  await using place = streamPlace();
  const database = await place.connect({ max: 1, statementTimeout: 0.2 });
  const [unread] = await openStreams(database, { table: "big", count: 1 });
  const [next] = await openStreams(database, { table: "big", count: 1 });
  assert.ok(unread && next);
  assert.deepEqual(await failureOf(database, Promise.resolve(unread.next())), UNREAD);
  assert.deepEqual(await unread.next(), { value: undefined, done: true });
  assert.deepEqual((await next.next()).value, [[3], [4]]);
  await next.return?.();
});

Deno.test("clients that take nothing lose their handles, and are told when they come back", async () => {
  await using place = streamPlace();
  const database = await place.connect({ statementTimeout: 0.2 });
  const unread = await openStreams(database, { table: "small", count: MOST });
  const [next] = await openStreams(database, { table: "small", count: 1 });
  assert.ok(next);
  assert.deepEqual((await next.next()).value, [[3], [4]]);
  await next.return?.();
  const [first, ...others] = unread;
  assert.ok(first);
  assert.deepEqual(await failureOf(database, Promise.resolve(first.next())), UNREAD);
  await Promise.all(others.map((stream) => stream.return?.()));
  if (canSeeWorkers) assert.equal(logsHere(place), 1);
});

Deno.test("a client that takes nothing and never comes back leaves nothing behind", async () => {
  await using place = streamPlace();
  const database = await place.connect();
  await openStreams(database, { table: "small", count: 1 });
  await openStreams(database, { table: "big", count: 1 });
  await database[Symbol.asyncDispose]();
  if (canSeeWorkers) assert.equal(logsHere(place), 0);
});
