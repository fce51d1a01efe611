/**
 * Streams of SQL Server whose server or reader takes too long, on a scripted server. The rows of a stream
 * come at once or never. In both cases the connection must be free afterwards.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Database, PoolSettings, Row } from "@/plugins/contract.ts";
import { definitionOn, dialect, loginOf } from "@/tests/unit/plugins/dialects/mssql/fixture.ts";
import { type Peer, type Script, SILENCE, startPeer } from "@/tests/unit/plugins/dialects/mssql/peer.ts";
import { columns, done, error, returnStatus, row } from "@/tests/unit/plugins/dialects/mssql/tokens.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const ROWS = [1, 2, 3, 4, 5].map((n) => row([n]));
const RESULT = [columns("n"), ...ROWS, done("in-proc", 1), returnStatus(0), done("proc")];
/** Rows that a server has begun to send when something goes wrong. */
const BROKEN = [columns("n"), ...ROWS, error(8134, "Divide by zero error."), done("proc", 2)];

/** One connection. */
const POOL: PoolSettings = { max: 1, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };
const HASTY: PoolSettings = { ...POOL, statementTimeout: 0.5 };

interface Served extends AsyncDisposable {
  readonly peer: Peer;
  readonly database: Database;
  /** A stream by twos. */
  stream(signal?: AbortSignal): AsyncIterator<readonly Row[]>;
}

/**
 * Serves a database whose second statement is answered as `answer` says; the
 * others are those about the server.
 */
async function serve(answer: ReturnType<Script>, pool = POOL): Promise<Served> {
  let statements = 0;
  const peer = await startPeer((request) => {
    return request === "sp_executesql" && ++statements === 2 ? answer : undefined;
  });
  const database = await dialect().connect(definitionOn(peer.url, "shop", { pool }), loginOf(peer.url), {
    signal: NEVER,
  });
  const prepared = database.prepare({
    sql: "select n from t",
    columns: [{ type: "integer", declaredType: "int" }],
  });
  return {
    peer,
    database,
    stream: (signal = new AbortController().signal) =>
      database.stream({ prepared, parameters: [] }, { signal, fetchSize: 2 })[Symbol.asyncIterator](),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}

async function failureOf({ database }: Served, work: Promise<unknown>): Promise<unknown> {
  return database.classify(await work.then(() => undefined, (reason: unknown) => reason));
}

/** The one connection answers again, and it is the one that the stream had. */
async function requireFree({ database, peer }: Served): Promise<void> {
  assert.equal(await database.check(), "ok");
  assert.equal(peer.logins, 1);
}

Deno.test("mssql: a stream is one statement, whose rows come in chunks of the fetch size", async () => {
  await using served = await serve(RESULT);
  const before = served.peer.requests.length;
  const chunks = await Array.fromAsync({ [Symbol.asyncIterator]: () => served.stream() });
  assert.deepEqual(chunks, [[[1], [2]], [[3], [4]], [[5]]]);
  assert.deepEqual(served.peer.requests.slice(before), ["sp_executesql"]);
  await requireFree(served);
});

Deno.test("mssql: a stream whose first rows take too long is a timeout", async () => {
  await using served = await serve(SILENCE, HASTY);
  assert.equal(await failureOf(served, served.stream().next()), "timeout");
  assert.equal(served.peer.requests.at(-1), "attention");
  await requireFree(served);
});

Deno.test("mssql: a stream that fails after its first rows ends with the failure", async () => {
  await using served = await serve(BROKEN);
  const reading = Array.fromAsync({ [Symbol.asyncIterator]: () => served.stream() });
  assert.equal(await failureOf(served, reading), "invalid");
  await requireFree(served);
});

Deno.test("mssql: a reader that takes nothing for too long loses its stream, not the others their connection", async () => {
  await using served = await serve(RESULT, HASTY);
  const stream = served.stream();
  assert.deepEqual((await stream.next()).value, [[1], [2]]);
  // The pool has one connection, which is free once the stream has lost it.
  await requireFree(served);
  assert.equal(await failureOf(served, stream.next()), "timeout");
});

Deno.test("mssql: a reader that leaves while it rests frees the connection", async () => {
  await using served = await serve(RESULT, { ...POOL, statementTimeout: 0 });
  const controller = new AbortController();
  const stream = served.stream(controller.signal);
  await stream.next();
  controller.abort(new Error("The client has gone"));
  await requireFree(served);
  await assert.rejects(async () => await stream.next(), /The client has gone/);
});

Deno.test("mssql: a stream that is not read to its end frees the connection", async () => {
  await using served = await serve(RESULT);
  const stream = served.stream();
  await stream.next();
  await stream.return?.();
  await requireFree(served);
});

Deno.test("mssql: a database that is disconnected ends the streams whose readers rest", async () => {
  await using served = await serve(RESULT);
  const stream = served.stream();
  await stream.next();
  await served.database[Symbol.asyncDispose]();
  assert.equal(await failureOf(served, stream.next()), "unavailable");
});
