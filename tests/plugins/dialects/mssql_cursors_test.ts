/**
 * What servers may make of a cursor that is asked for.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  CLOSE,
  CLOSED,
  FETCH,
  fetched,
  fetchedLast,
  MISSING,
  OPEN,
  OPENED,
  PRESENT,
  refused,
  ROLLBACK,
  script,
  serve,
} from "./mssql_cursor_service.ts";
import { columns, done, info, returnStatus, returnValue, row } from "./mssql_tokens.ts";

Deno.test("mssql: rows of a cursor are those that are there, without what the server tells of them", async () => {
  await using served = await serve(script({
    sp_cursoropen: [OPENED],
    sp_cursorfetch: [
      fetched(row([1], PRESENT), row([0], MISSING)),
      fetched(row([0], MISSING)),
      fetched(row([null], PRESENT), row([4], PRESENT)),
      fetched(),
    ],
    sp_cursorclose: [CLOSED],
  }));
  // Fewer rows than were asked for are not the end.
  assert.deepEqual(await served.read(), [[[1]], [[null], [4]]]);
  assert.deepEqual(await served.asked(), ["begin", OPEN, FETCH, FETCH, FETCH, FETCH, CLOSE, ROLLBACK]);
});

const CURSORLESS: Readonly<Record<string, readonly Uint8Array[]>> = {
  "it is refused": refused(16_937, "A server cursor cannot be opened on the given statement or statements."),
  "it is no single SELECT": refused(
    16_938,
    "sp_cursoropen/sp_cursorprepare: The statement parameter can only",
  ),
  "it is not declared": refused(16_945, "The cursor was not declared."),
  "the error says that there is none": refused(16_954, "Executing SQL directly; no cursor."),
  "it makes XML": refused(6819, "The FOR XML clause is not allowed in a CURSOR statement."),
  "it reads a columnstore": refused(35_370, "Cursors are not supported on a table which has a clustered"),
  "it reads tables in memory": refused(12_306, "Cursors are not supported with memory optimized tables."),
  "it makes JSON": refused(13_602, "The FOR JSON clause is not allowed in a CURSOR statement."),
  "the server runs it at once": [
    info(16_954, "Executing SQL directly; no cursor."),
    columns("n"),
    row([1]),
    row([2]),
    done("in-proc", 1),
    returnStatus(0),
    done("proc"),
  ],
  "the cursor is zero": [returnStatus(0), returnValue(0, 0), returnValue(4, 0), done("proc")],
  "the cursor is NULL": [returnStatus(0), returnValue(0, null), returnValue(4, null), done("proc")],
  "there is no cursor": [returnStatus(0), done("proc")],
};

for (const [why, answer] of Object.entries(CURSORLESS)) {
  Deno.test(`mssql: a statement that has no cursor streams its result: ${why}`, async () => {
    await using served = await serve(script({ sp_cursoropen: [answer] }));
    assert.deepEqual(await served.read(), [[[7], [null]]]);
    const asked = await served.asked();
    assert.deepEqual(asked.filter((request) => request !== "attention"), [
      "begin",
      OPEN,
      ROLLBACK,
      "sp_executesql",
    ]);
    assert.deepEqual(await served.read(), [[[7], [null]]]);
    assert.deepEqual(await served.asked(), ["sp_executesql"], "What has no cursor is not tried again");
  });
}

Deno.test("mssql: a cursor that is refused when it is fetched from is closed, and the result streamed", async () => {
  const message =
    "Accessing memory optimized tables using the READ COMMITTED isolation level is supported only";
  await using served = await serve(script({
    sp_cursoropen: [OPENED],
    sp_cursorfetch: [refused(41_368, message)],
    sp_cursorclose: [refused(16_909, "sp_cursorclose: The cursor identifier value provided is not valid.")],
  }));
  assert.deepEqual(await served.read(), [[[7], [null]]]);
  assert.deepEqual(await served.asked(), ["begin", OPEN, FETCH, CLOSE, ROLLBACK, "sp_executesql"]);
  assert.equal(served.peer.logins, 1);
});

Deno.test("mssql: a cursor that the server has closed at its end is asked nothing more", async () => {
  await using served = await serve(script({
    sp_cursoropen: [OPENED],
    sp_cursorfetch: [fetched(row([1], PRESENT), row([2], PRESENT)), fetchedLast(row([3], PRESENT))],
  }));
  assert.deepEqual(await served.read(), [[[1], [2]], [[3]]]);
  assert.deepEqual(await served.asked(), ["begin", OPEN, FETCH, FETCH, ROLLBACK]);
});

Deno.test("mssql: a database whose definition says so has no cursors", async () => {
  await using served = await serve(script({ sp_cursoropen: [OPENED] }), { cursors: false });
  assert.deepEqual(await served.read(), [[[7], [null]]]);
  assert.deepEqual(await served.asked(), ["sp_executesql"]);
});

Deno.test("mssql: a cursor that is lost between two fetches is a failure, and nothing of it is left", async () => {
  await using served = await serve(script({
    sp_cursoropen: [OPENED],
    sp_cursorfetch: [
      fetched(row([1], PRESENT), row([2], PRESENT)),
      refused(16_943, "Could not complete cursor operation because the table schema changed"),
    ],
    sp_cursorclose: [CLOSED],
  }));
  const reason = await served.read().then(() => undefined, (reason: unknown) => reason);
  assert.equal(served.database.classify(reason), "changed");
  assert.deepEqual(await served.asked(), ["begin", OPEN, FETCH, FETCH, CLOSE, ROLLBACK]);
});

Deno.test("mssql: a failing statement is not run again without a cursor", async () => {
  await using served = await serve(script({ sp_cursoropen: [refused(8134, "Divide by zero error.")] }));
  const reason = await served.read().then(() => undefined, (reason: unknown) => reason);
  assert.equal(served.database.classify(reason), "invalid");
  assert.deepEqual(await served.asked(), ["begin", OPEN, ROLLBACK]);
});

Deno.test("mssql: a connection whose cursor cannot be closed is given up", async () => {
  await using served = await serve(script({
    sp_cursoropen: [OPENED],
    sp_cursorfetch: [fetched(row([1], PRESENT)), fetched()],
    sp_cursorclose: [refused(16_910, "The cursor is currently used by another statement.")],
  }));
  assert.equal(served.peer.logins, 1);
  assert.deepEqual(await served.read(), [[[1]]]);
  assert.equal(await served.database.check(), "ok");
  assert.equal(served.peer.logins, 2);
});

Deno.test("mssql: a statement with more parameters than a cursor takes streams its result", async () => {
  await using served = await serve(script({}));
  assert.deepEqual(await served.read(Array.from({ length: 2095 }, (_, at) => at)), [[[7], [null]]]);
  assert.deepEqual(await served.asked(), ["sp_executesql"]);
});
