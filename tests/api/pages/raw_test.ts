/** @module Attacks on `/ui/raw`, which sends the bytes of one value. */

import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const KEY = "0123456789abcdef0123456789abcdef";

const service = sharedService({
  files: {
    "config/databases.cfg": "Endless: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/endless.db', limit: ~}\n",
    "config/users.cfg": `admin: {}\nanna: {apikey: ${KEY}, databases: {Endless: {}}}\n`,
    "config/querydefs.cfg":
      `count: {database: Endless, sqlstr: "UPDATE Counter SET Count = Count + 1 RETURNING 'x'", read_only: false, execute: [anna]}\n`,
  },
  sqlite: {
    Endless: `CREATE TABLE Counter (Id INTEGER PRIMARY KEY, Count INTEGER, Note TEXT);
      INSERT INTO Counter VALUES (1, 0, 'one value!'), (2, 0, 'Bergen00');
      CREATE VIEW Numbers AS
        WITH RECURSIVE numbers(Number) AS (SELECT 1 UNION ALL SELECT Number + 1 FROM numbers)
        SELECT Number FROM numbers;`,
  },
});

const get = (path: string) => service().fetch(path, { headers: { apikey: KEY } });

Deno.test("a value is sent, and a list is not read: it could take all memory", async () => {
  const value = await get("/ui/raw/db/Endless/Counter/Id/1/Note");
  assert.equal(await value.text(), "one value!");
  const base64 = await get("/ui/raw/db/Endless/Counter/Id/2/Note");
  assert.equal(await base64.text(), "Bergen00", "a text that could be base64 is no bytes");
  // It has no end.
  for (const path of ["Numbers", "Numbers/Number", "Counter", "Counter/Id/1", "Counter/Id/1/Count"]) {
    const refused = await get(`/ui/raw/db/Endless/${path}`);
    assert.deepEqual([refused.status, path], [400, path]);
    assert.match(await refused.text(), /not one value/);
  }
});

Deno.test("a query is not run, because its change would not be in the audit log", async () => {
  assert.equal(await statusOf(get("/ui/raw/query/count")), 404);
  const count = await get("/db/Endless/Counter/Id/1/Count.json");
  assert.equal((await count.text()).trim(), "0");
});
