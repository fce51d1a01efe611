import assert from "node:assert/strict";
import type { Row } from "@/plugins/contract.ts";
import { definitionOn, dialect, loginOf } from "./fixture.ts";
import { startPeer } from "./peer.ts";
import { changed, columns, done, returnStatus, row } from "./tokens.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const ROWS = [columns("n"), row([7]), row([8]), row([9]), done("in-proc", 1), returnStatus(0), done("proc")];

/** Reads and streams a procedure on a server that answers calls with these tokens. */
async function call(answer: readonly Uint8Array[]): Promise<
  { readonly read: Promise<readonly Row[][]>; readonly streamed: Promise<readonly (readonly Row[])[]> }
> {
  let isAsked = false;
  const peer = await startPeer((request) => {
    // The first statement is about the server itself.
    if (request === "sp_executesql") return isAsked ? answer : (isAsked = true, undefined);
    return undefined;
  });
  const database = await dialect().connect(definitionOn(peer.url, "shop"), loginOf(peer.url), {
    signal: NEVER,
  });
  const prepared = database.prepare({
    sql: "EXEC of_kind",
    verb: "EXEC",
    columns: [{ type: "integer", declaredType: "int" }],
  });
  const { signal } = new AbortController();
  const run = { prepared, parameters: [] };
  const read = Promise.resolve(database.read([run], { signal }));
  const streamed = read.catch(() => {}).then(() =>
    Array.fromAsync(database.stream(run, { signal, fetchSize: 2 }))
  );
  await Promise.allSettled([read, streamed]);
  await database[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
  return { read, streamed };
}

Deno.test("mssql: the rows of a procedure can be read and streamed", async () => {
  const { read, streamed } = await call(ROWS);
  assert.deepEqual(await read, [[[7], [8], [9]]]);
  assert.deepEqual(await streamed, [[[7], [8]], [[9]]]);
});

Deno.test("mssql: a procedure that has changed rows while it was read is refused, not undone in silence", async () => {
  const { read, streamed } = await call([changed(3), ...ROWS]);
  await assert.rejects(read, { failure: "read-only" });
  await assert.rejects(streamed, { failure: "read-only" });
});
