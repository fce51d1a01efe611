/** @module Which databases are read by snapshots. */

import assert from "node:assert/strict";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { definitionOn, dialect, loginOf } from "./fixture.ts";
import { startPeer } from "./peer.ts";
import { done, result } from "./tokens.ts";

/** The requests for two statements of one read, on a server that tells these facts of the database. */
async function requestsFor(snapshots: number, inMemory: number): Promise<readonly string[]> {
  const facts = result([[snapshots, "Microsoft SQL Server", inMemory]]);
  await using peer = await startPeer((request) => {
    return request === "sp_executesql" ? [facts, done("proc")] : undefined;
  });
  await using database = await dialect().connect(definitionOn(peer.url, "shop"), loginOf(peer.url), {
    signal: NEVER,
  });
  const before = peer.requests.length;
  const prepared = database.prepare({ sql: "select 1", columns: [{ type: "integer", declaredType: "int" }] });
  await database.read([1, 2].map(() => ({ prepared, parameters: [] })), { signal: NEVER });
  return peer.requests.slice(before);
}

const STATEMENTS = ["sp_executesql", "sp_executesql"];
const SNAPSHOT = ["begin", ...STATEMENTS, "batch if @@trancount > 0 rollback transaction"];

const CASES = [
  ["that allows them", 1, 0, SNAPSHOT],
  ["that does not allow them", 0, 0, STATEMENTS],
  ["with tables in memory, which have none", 1, 2, STATEMENTS],
] as const;

for (const [what, snapshots, inMemory, expected] of CASES) {
  Deno.test(`mssql: snapshots of a database ${what}`, async () => {
    assert.deepEqual(await requestsFor(snapshots, inMemory), expected);
  });
}
