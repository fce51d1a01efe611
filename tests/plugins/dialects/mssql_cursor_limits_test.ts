/**
 * Cursors, and readers, that take too long.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  type Answer,
  CLOSE,
  CLOSED,
  FETCH,
  fetched,
  OPEN,
  OPENED,
  PRESENT,
  ROLLBACK,
  script,
  serve,
} from "./mssql_cursor_service.ts";
import { SILENCE } from "./mssql_peer.ts";
import { row } from "./mssql_tokens.ts";

const FIRST = fetched(row([1], PRESENT), row([2], PRESENT));
const SLOW: Readonly<Record<string, readonly [answers: Record<string, readonly Answer[]>, asked: string[]]>> =
  {
    "to give its first rows": [
      { sp_cursoropen: [OPENED], sp_cursorfetch: [SILENCE], sp_cursorclose: [CLOSED] },
      ["begin", OPEN, FETCH, "attention", CLOSE, ROLLBACK],
    ],
    "to give its next rows": [
      { sp_cursoropen: [OPENED], sp_cursorfetch: [FIRST, SILENCE], sp_cursorclose: [CLOSED] },
      ["begin", OPEN, FETCH, FETCH, "attention", CLOSE, ROLLBACK],
    ],
  };
const HASTY = { max: 1, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 1.5 };

for (const [what, [answers, asked]] of Object.entries(SLOW)) {
  Deno.test(`mssql: a cursor that takes too long ${what} is a timeout, and nothing of it is left`, async () => {
    await using served = await serve(script(answers), { pool: HASTY });
    const reason = await served.read().then(() => undefined, (reason: unknown) => reason);
    assert.equal(served.database.classify(reason), "timeout");
    assert.deepEqual(await served.asked(), asked);
    assert.equal(await served.database.check(), "ok");
    assert.equal(served.peer.logins, 1);
  });
}

Deno.test("mssql: a cursor that is given up while it is opened takes its connection with it", async () => {
  await using served = await serve(script({ sp_cursoropen: [SILENCE] }), { pool: HASTY });
  const reason = await served.read().then(() => undefined, (reason: unknown) => reason);
  assert.equal(served.database.classify(reason), "timeout");
  // Whether there is one by now, and what its number is, has not been heard.
  assert.deepEqual(await served.asked(), ["begin", OPEN, "attention"]);
  assert.equal(served.peer.logins, 2);
});

const TWICE = { sp_cursoropen: [OPENED], sp_cursorfetch: [FIRST, FIRST], sp_cursorclose: [CLOSED] };
/** The connection was closed and given back before it was asked whether the server is there. */
const ENDED = ["begin", OPEN, FETCH, CLOSE, ROLLBACK, "sp_executesql"];

Deno.test("mssql: a reader that takes nothing for too long loses its cursor", async () => {
  await using served = await serve(script(TWICE), { pool: HASTY });
  const stream = served.stream(new AbortController().signal);
  assert.deepEqual((await stream.next()).value, [[1], [2]]);
  // There is one connection.
  assert.equal(await served.database.check(), "ok");
  const reason = await stream.next().then(() => undefined, (reason: unknown) => reason);
  assert.equal(served.database.classify(reason), "timeout");
  assert.deepEqual(await served.asked(), ENDED);
});

Deno.test("mssql: a reader that leaves while it rests leaves no cursor", async () => {
  await using served = await serve(script(TWICE), { pool: { ...HASTY, statementTimeout: 0 } });
  const controller = new AbortController();
  const stream = served.stream(controller.signal);
  assert.deepEqual((await stream.next()).value, [[1], [2]]);
  controller.abort(new Error("The client has gone"));
  assert.equal(await served.database.check(), "ok");
  await assert.rejects(async () => await stream.next(), /The client has gone/);
  assert.deepEqual(await served.asked(), ENDED);
});

Deno.test("mssql: a database that is disconnected ends the cursors whose readers rest", async () => {
  await using served = await serve(script(TWICE));
  const stream = served.stream(new AbortController().signal);
  await stream.next();
  await served.database[Symbol.asyncDispose]();
  const reason = await stream.next().then(() => undefined, (reason: unknown) => reason);
  assert.equal(served.database.classify(reason), "unavailable");
  assert.deepEqual(served.peer.requests.slice(-5), ENDED.slice(0, -1));
});
