/** @module Values that are none of their column's type, as SQLite stores them: nothing leads from them. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService({
  files: {
    "config/databases.cfg": 'Odd: {db_type: sqlite, db_name: "${ROWHOUSE_STATE}/odd.db"}\n',
    "config/users.cfg": "public: {databases: {Odd: {}}}\n",
  },
  prepare: (home) =>
    createDatabase(
      join(home, "state", "odd.db"),
      "CREATE TABLE t (id INTEGER PRIMARY KEY, day DATE); " +
        "INSERT INTO t (day) VALUES (''), ('junk'), ('2020-01-01'), (NULL)",
    ),
});

for (const page of ["ui.chart=bar&ui.x=day", "ui.chart=bar&ui.x=day&ui.by=value", "ui.facet=day"]) {
  Deno.test(`every link of a list with ${page} leads to records`, async () => {
    const answer = await service().fetch(`/db/Odd/t.html?limit=29&${page}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const links = [...text.matchAll(/href="(\/db\/Odd\/t\/[^"]*)"/g)].map(([, link = ""]) => link);
    assert.ok(links.some((link) => link.startsWith("/db/Odd/t/day/2020-01-01.html")), text);
    for (const link of links) {
      const led = await service().fetch(link.replaceAll("&amp;", "&"));
      assert.equal(led.status, 200, link);
      assert.doesNotMatch(await led.text(), /class="complaint"/, link);
    }
    assert.doesNotMatch(text, /ui\.is=/);
  });
}
