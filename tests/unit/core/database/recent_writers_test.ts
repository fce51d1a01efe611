import assert from "node:assert/strict";
import { RecentWriters } from "@/core/database/recent_writers.ts";
import { until } from "@/tests/support/until.ts";

Deno.test("a caller who has written is known in every worker, and only for this database", async () => {
  using here = new RecentWriters("D", 60);
  using elsewhere = new RecentWriters("D", 60);
  using other = new RecentWriters("E", 60);
  here.note({ turn: "anna" });
  assert.equal(here.has({ turn: "anna" }), true);
  await until(() => elsewhere.has({ turn: "anna" }));
  assert.deepEqual([elsewhere.has({ turn: "ben" }), other.has({ turn: "anna" })], [false, false]);
});

Deno.test("without sticky seconds only the request that has written is known", () => {
  using writers = new RecentWriters("D", 0);
  writers.note({ turn: "anna", requestId: "1" });
  assert.equal(writers.has({ turn: "anna", requestId: "2" }), false);
  assert.equal(writers.has({ turn: "anna", requestId: "1" }), true);
});
