/** @module The session of a saved query is reset before others get it. */

import assert from "node:assert/strict";
import type { Database, StatementText } from "@/plugins/contract.ts";
import { definitionOn, dialect, loginOf } from "./fixture.ts";
import { startPeer } from "./peer.ts";
import { done, error } from "./tokens.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const { signal } = new AbortController();

const PLAIN: StatementText = { sql: "SELECT n FROM t", columns: [{ type: "integer", declaredType: "int" }] };
const SAVED: StatementText = { ...PLAIN, verb: "SELECT" };

async function read(database: Database, text: StatementText): Promise<void> {
  await database.read([{ prepared: database.prepare(text), parameters: [] }], { signal });
}

async function stream(database: Database, text: StatementText): Promise<void> {
  const run = { prepared: database.prepare(text), parameters: [] };
  await Array.fromAsync(database.stream(run, { signal, fetchSize: 2 }));
}

async function write(database: Database, text: StatementText): Promise<void> {
  await using transaction = await database.begin({ signal });
  await transaction.run(text, []);
  await transaction.commit();
}

/** The kinds of requests that one connection sends until it has answered a second statement. */
async function requestsOf(work: (database: Database) => Promise<void>): Promise<readonly string[]> {
  await using peer = await startPeer(() => undefined);
  const definition = definitionOn(peer.url, "shop");
  const pool = { ...definition.pool, max: 1 };
  await using database = await dialect().connect({ ...definition, pool }, loginOf(peer.url), {
    signal: NEVER,
  });
  const before = peer.requests.length;
  const logins = peer.logins;
  await work(database);
  await read(database, PLAIN);
  assert.ok(peer.logins - logins <= 1, "the connection is used again");
  return peer.requests.slice(before);
}

const WAYS = { read, stream, write };

for (const [name, way] of Object.entries(WAYS)) {
  Deno.test(`mssql: the session of a saved query is reset behind its ${name}`, async () => {
    const requests = await requestsOf((database) => way(database, SAVED));
    assert.deepEqual(requests.slice(-2), ["reset", "sp_executesql"]);
    assert.equal(requests.filter((request) => request === "reset").length, 1);
  });

  Deno.test(`mssql: the session of a table is not reset behind its ${name}`, async () => {
    assert.ok(!(await requestsOf((database) => way(database, PLAIN))).includes("reset"));
  });
}

Deno.test("mssql: a session that cannot be reset is closed", async () => {
  const refusal = [error(50_000, "No"), done("done", 2)];
  await using peer = await startPeer((request) => request === "reset" ? refusal : undefined);
  await using database = await dialect().connect(definitionOn(peer.url, "shop"), loginOf(peer.url), {
    signal: NEVER,
  });
  await read(database, SAVED);
  const logins = peer.logins;
  await read(database, PLAIN);
  assert.equal(peer.logins, logins + 1);
});
