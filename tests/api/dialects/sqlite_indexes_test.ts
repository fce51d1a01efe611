/** @module Filters that SQLite answers by an index, also in large tables. */

import assert from "node:assert/strict";
import { join } from "node:path";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { startService } from "@/tests/support/service.ts";
import { watchStatements } from "@/tests/support/statement_log.ts";

const FILTERS: readonly (readonly [filter: string, index: string])[] = [
  ["At/1970-12-31T10:00:00", "ByAt"],
  ["At/1970-12-31..1970-12-31T23:59:59", "ByAt"],
  ["Day/1970-12-31", "ByDay"],
  ["Day/1970-12-31..1971-01-01", "ByDay"],
];

Deno.test("a filter by a day, a time or a range of them uses the index of the column", async () => {
  await using service = await startService({
    sqlite: {
      Log: `CREATE TABLE Entry (Id INTEGER PRIMARY KEY, At DATETIME, Day DATE, Text TEXT);
        CREATE INDEX ByAt ON Entry (At);
        CREATE INDEX ByDay ON Entry (Day);
        WITH RECURSIVE Hour (at) AS (SELECT 3600 UNION ALL SELECT at + 3600 FROM Hour LIMIT 10000)
          INSERT INTO Entry (At, Day, Text)
          SELECT datetime(at, 'unixepoch'), date(at, 'unixepoch'), 'Entry ' || at FROM Hour;
        ANALYZE`,
    },
    files: {
      "config/databases.cfg": "Log: {db_type: sqlite, db_name: ../state/log.db}\n",
      "config/users.cfg": "public: {databases: {Log: {}}}\n",
    },
  });
  const file = new Sqlite(join(service.home, "state", "log.db"));
  for (const [filter, index] of FILTERS) {
    const found: string[] = [];
    using _watch = watchStatements((statements) => found.push(...statements));
    const answer = await service.fetch(`/db/Log/Entry/${filter}/Id,Text.csv?limit=10`);
    assert.match(await answer.text(), /^Id,Text\r\n87\d\d,Entry 314\d+\r\n/, filter);
    const [statement = ""] = found;
    // With statistics, a plan is also made for the first values: here for rows that a scan finds at once.
    const days = statement.match(/\?/g)?.slice(2).fill("1970-01-02") ?? [];
    const plan = JSON.stringify(file.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...days, 10, 0));
    assert.match(plan, new RegExp(`SEARCH t USING (COVERING )?INDEX ${index} `), `${filter} ${plan}`);
  }
  file.close();
});
