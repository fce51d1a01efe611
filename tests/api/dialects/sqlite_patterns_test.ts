/** @module Filters whose patterns take long. */

import assert from "node:assert/strict";
import { startService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

Deno.test("attack: a long pattern for a long text of a small table ends with the time of a statement, and holds up nobody", async () => {
  await using service = await startService({
    sqlite: {
      Texts: `CREATE TABLE Page (Id INTEGER PRIMARY KEY, Text TEXT);
        INSERT INTO Page VALUES (1, replace(hex(zeroblob(100000)), '0', 'a'))`,
    },
    files: {
      "config/databases.cfg":
        "Texts: {db_type: sqlite, db_name: ../state/texts.db, pool: {statement_timeout: 1}}\n",
      "config/users.cfg": "public: {databases: {Texts: {}}}\n",
    },
  });
  const find = (pattern: string) => statusOf(service.fetch(`/db/Texts/Page/Text/*${pattern}*.json`));
  assert.equal(await find("aaab"), 200);
  assert.equal(await find(`${"a".repeat(30_000)}b`), 504);
});
