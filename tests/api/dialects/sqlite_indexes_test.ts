/** @module Filters that SQLite answers by an index, also in large tables. */

import assert from "node:assert/strict";
import { join } from "node:path";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { startService } from "@/tests/support/service.ts";
import { watchStatements } from "@/tests/support/statement_log.ts";

interface Line {
  readonly detail: string;
}

/**
 * Filters, and how rows are found between the ends of a range. With statistics, a plan is made for the first
 * values: a scan finds the rows of these ends at once, so that only their number speaks for an index.
 */
const FILTERS: readonly (readonly [filter: string, ends: readonly [string, string], plan: string])[] = [
  ["At/1970-12-31T10:00:00", ["1970-01-02", "1970-01-02"], "SEARCH t USING INDEX ByAt "],
  ["At/1970-12-31..1970-12-31T23:59:59", ["1970-01-02", "1970-01-02"], "SEARCH t USING INDEX ByAt "],
  ["At/1970-12-31..1971-12-31", ["1970-01-02", "1971-12-31"], "SCAN t"],
  ["Day/1970-12-31", ["1970-01-02", "1970-01-02"], "SEARCH t USING INDEX ByDay "],
  ["Day/1970-12-31..1971-01-01", ["1970-01-02", "1970-01-02"], "SEARCH t USING INDEX ByDay "],
  ["Day/1970-12-31..1971-12-31", ["1970-01-02", "1971-12-31"], "SCAN t"],
];

Deno.test("a filter by a day, a time or a narrow range of them uses the index of the column, a wide one the order", async () => {
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
  for (const [filter, ends, plan] of FILTERS) {
    const found: string[] = [];
    using _watch = watchStatements((statements) => found.push(...statements));
    const answer = await service.fetch(`/db/Log/Entry/${filter}/Id,Text.csv?limit=10`);
    assert.match(await answer.text(), /^Id,Text\r\n87\d\d,Entry 314\d+\r\n/, filter);
    const [statement = ""] = found;
    const days = statement.match(/\?/g)?.slice(2).map((_, index) => ends[index % 2]) ?? [];
    const [first] = file.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...days, 10, 0) as Line[];
    assert.ok(first && `${first.detail} `.startsWith(plan), `${filter}: ${first?.detail}`);
  }
  file.close();
});
