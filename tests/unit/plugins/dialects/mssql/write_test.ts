/** @module A write of one statement is sent without a transaction around it. */

import assert from "node:assert/strict";
import type { Accepted, Database, SingleWrite, StatementText } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { until } from "@/tests/support/until.ts";
import { definitionOn, dialect, loginOf } from "./fixture.ts";
import { type Peer, type Script, SILENCE, startPeer } from "./peer.ts";
import { changed, columns, done, error, result, row } from "./tokens.ts";

const KEYED = "declare @keys table (n int primary key, k0 int); insert into [t] ([insert]) output 0, " +
  "inserted.[id] into @keys (n, k0) values (@1); select k0 as [id] from @keys as made order by made.n";

function writing(sql: string, accepted: Accepted = {}): SingleWrite {
  const statement: StatementText = { sql, columns: [{ type: "integer", declaredType: "int" }] };
  return { statement, parameters: sql.includes("@1") ? [7] : [], ...accepted };
}

/** The requests that the work makes on a database with one connection. */
async function requestsOf(
  script: Script,
  work: (database: Database, peer: Peer) => Promise<void>,
): Promise<readonly string[]> {
  await using peer = await startPeer(script);
  const definition = definitionOn(peer.url, "shop");
  const pool = { ...definition.pool, max: 1 };
  await using database = await dialect().connect({ ...definition, pool }, loginOf(peer.url), {
    signal: NEVER,
  });
  const before = peer.requests.length;
  await work(database, peer);
  return peer.requests.slice(before);
}

const LONE = [
  KEYED,
  "insert into [t] ([n]) values (1)",
  "insert into [t] default values; select 1",
  "update [t] set [delete] = 'insert' where [id] = 1",
  "delete from [t] where [id] = 1",
];

for (const sql of LONE) {
  Deno.test(`mssql: one request writes and commits: ${sql.slice(0, 40)}`, async () => {
    const requests = await requestsOf(() => undefined, async (database) => {
      const outcome = await database.write?.(writing(sql), { signal: NEVER });
      assert.deepEqual(outcome?.rows.map(([first]) => first), [1]);
    });
    assert.deepEqual(requests, ["sp_executesql"]);
  });
}

Deno.test("mssql: no signal is made for a quick insert and a quick read", async () => {
  let made = 0;
  const options = {
    get signal(): AbortSignal {
      made++;
      return NEVER;
    },
  };
  const text: StatementText = { sql: "select 1", columns: [{ type: "integer", declaredType: "int" }] };
  await requestsOf(() => undefined, async (database) => {
    const run = { prepared: database.prepare(text), parameters: [] };
    // On a busy machine the first ones are not quick.
    await until(async () => {
      made = 0;
      await database.write?.(writing(KEYED), options);
      await database.read([run], options);
      return made === 0;
    });
  });
});

const OTHERS: readonly (readonly [what: string, write: SingleWrite])[] = [
  ["several inserts", writing("insert into [t] ([n]) values (1); insert into [t] ([n]) values (2)")],
  ["a key that is given", writing("set identity_insert [t] on; insert into [t] ([id]) values (1); set …")],
  ["an insert that must change a row", writing(KEYED, { least: 1 })],
  ["an insert of one row at most", writing(KEYED, { most: 1 })],
  ["an update that must change a row", writing("update [t] set [n] = 1", { least: 1 })],
  ["a statement that reads", writing("select 1")],
  ["a saved query", { ...writing(KEYED), statement: { ...writing(KEYED).statement, verb: "INSERT" } }],
];

for (const [what, write] of OTHERS) {
  Deno.test(`mssql: ${what} needs a transaction`, async () => {
    const requests = await requestsOf(() => undefined, (database) => {
      assert.equal(database.write?.(write, { signal: NEVER }), undefined);
      return Promise.resolve();
    });
    assert.deepEqual(requests, []);
  });
}

/** The catalog behind its fingerprint: a table with a trigger on INSERT, and one without. */
const CATALOG = [
  [["dbo"]],
  [[1, "dbo", 'a "b"', "table", "", 0, 0, 1], [2, "dbo", "plain", "table", "", 0, 0, 0]],
  [["dbo"]],
  [1, 2].map((table) => [table, 1, "n", "int", 4, 10, 0, 1, 0, 0, 0, 0, "", 0]),
];

Deno.test("mssql: a trigger that reports an error takes the record back: its insert needs a transaction", async () => {
  let answers: readonly (readonly (readonly (number | string)[])[])[] = [];
  const script: Script = (request) => {
    const [next, ...others] = answers;
    if (request !== "sp_executesql" || !next) return undefined;
    answers = others;
    return [result(next), done("proc")];
  };
  await requestsOf(script, async (database) => {
    answers = [[[1, "fingerprint"]], ...CATALOG, [["no keys"]], [["no foreign keys"]]];
    await database.catalog();
    const user = database.as?.({ dbuser: "anna", dbpass: "secret" });
    const alone = [
      'insert into "dbo"."a ""b""" ("n") values (1)',
      `declare @keys table (n int primary key, k0 int); insert into "dbo"."a ""b""" ("n") output 0, …`,
      'insert into "dbo"."plain" ("n") values (1)',
      'update "dbo"."a ""b""" set "n" = 1',
    ].map((sql) => user?.write?.(writing(sql), { signal: NEVER })?.then(() => sql));
    assert.deepEqual((await Promise.all(alone)).map((sql) => sql !== undefined), [false, false, true, true]);
    await user?.[Symbol.asyncDispose]();
  });
});

Deno.test("mssql: the rows that a trigger selects are not those of the insert", async () => {
  const script: Script = (request) =>
    request === "sp_executesql"
      ? [
        ...[columns("name"), row([98]), row([99]), done("in-proc", 0x11)],
        ...[changed(1), columns("id"), row([7]), done("in-proc", 0x11), done("proc")],
      ]
      : undefined;
  await requestsOf(script, async (database) => {
    const outcome = await database.write?.(writing(KEYED), { signal: NEVER });
    assert.deepEqual(outcome?.rows, [[7]]);
  });
});

Deno.test("mssql: a refused insert tells why, and its connection is used again", async () => {
  let isRefused = false;
  const script: Script = (request) =>
    request === "sp_executesql" && isRefused ? [error(2627, "Duplicate key"), done("proc", 2)] : undefined;
  const requests = await requestsOf(script, async (database) => {
    isRefused = true;
    await assert.rejects(
      database.write?.(writing(KEYED), { signal: NEVER }) ?? Promise.resolve(),
      (failure) => database.classify(failure) === "integrity",
    );
    isRefused = false;
    const outcome = await database.write?.(writing(KEYED), { signal: NEVER });
    assert.equal(outcome?.rows.length, 1);
  });
  assert.deepEqual(requests, ["sp_executesql", "sp_executesql"]);
});

Deno.test("mssql: an insert whose client has left is cancelled", async () => {
  let isSilent = false;
  const script: Script = (request) => isSilent && request === "sp_executesql" ? SILENCE : undefined;
  const requests = await requestsOf(script, async (database, peer) => {
    isSilent = true;
    const leaving = new AbortController();
    const sent = peer.requests.length + 1;
    const work = database.write?.(writing(KEYED), { signal: leaving.signal });
    while (peer.requests.length < sent) await new Promise((resolve) => setTimeout(resolve, 1));
    leaving.abort(new Error("left"));
    await assert.rejects(work ?? Promise.resolve(), { message: "left" });
  });
  assert.deepEqual(requests, ["sp_executesql", "attention"]);
});
