/** @module A query of all columns of a table, while these change. */

import assert from "node:assert/strict";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { parse } from "yaml";
import { TEST_DIALECTS, type TestDialect, testOn } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

const QUERY = `
all: {database: Shop, sqlstr: SELECT * FROM item, http_methods: {GET: true, POST: true}, execute: [public]}
`;

const made = () =>
  "CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, price INTEGER, kind VARCHAR(9));\n" +
  "INSERT INTO item VALUES (1, 5, 'fruit');\n";

/** Runs a statement beside the service. */
async function alter(dialect: TestDialect, { home }: TestService, sql: string): Promise<void> {
  if (dialect === "sqlite") {
    const database = new Sqlite(join(home, "state", "test.db"));
    database.exec(sql);
    database.close();
    return;
  }
  const { Shop } = parse(await Deno.readTextFile(join(home, "config", "databases.cfg")));
  await (await useServer(dialect)).exec(`${sql};`, Shop.db_name);
}

const RETYPED: { readonly [Dialect in TestDialect]?: string } = {
  postgresql: "ALTER TABLE item ALTER kind TYPE text",
  mysql: "ALTER TABLE item MODIFY kind TEXT",
  mssql: "ALTER TABLE item ALTER COLUMN kind VARCHAR(20)",
};

for (const dialect of TEST_DIALECTS) {
  testOn(dialect, "a page of a query, and its run, go on after its table has changed", async () => {
    const files = { "config/querydefs.cfg": QUERY };
    await using service = await serveOn(dialect, { id: "Shop", made, files }, startService);
    const ask = async (suffix: string, method = "GET"): Promise<string> => {
      const response = await service.fetch(`/query/all${suffix}`, { method });
      const text = await response.text();
      assert.ok(response.status === 200 || response.status === 503, `${response.status} ${text}`);
      return text.replaceAll(/\s/g, "");
    };
    for (const method of ["GET", "POST"]) await ask(method === "GET" ? ".json?limit=9" : ".json", method);
    const retyped = RETYPED[dialect];
    if (retyped !== undefined) await alter(dialect, service, retyped);
    assert.equal(await ask("/kind.json", "POST"), '["fruit"]');
    await alter(dialect, service, "ALTER TABLE item DROP COLUMN price");
    await until(async () => await ask(".json?limit=9") === '[{"id":1,"kind":"fruit"}]');
  });

  testOn(
    dialect,
    "no value of a query has another column's name after its table has changed",
    async () => {
      const files = { "config/querydefs.cfg": QUERY };
      await using service = await serveOn(dialect, { id: "Shop", made, files }, startService);
      const read = async (suffix: string): Promise<string | undefined> => {
        const response = await service.fetch(`/query/all.json${suffix}`);
        const answer = await response.json();
        // Then it is tried again, as the answer says.
        return response.status === 503 ? undefined : JSON.stringify(answer[0]);
      };
      const expect = (suffix: string, wanted: string) =>
        until(async () => {
          const found = await read(suffix);
          if (found !== undefined) assert.equal(found, wanted);
          return found !== undefined;
        });
      assert.equal(await read(""), '{"id":1,"price":5,"kind":"fruit"}');
      await alter(dialect, service, "ALTER TABLE item DROP COLUMN price");
      await expect("", '{"id":1,"kind":"fruit"}');
      await alter(dialect, service, "ALTER TABLE item ADD note VARCHAR(9)");
      await expect("?stream", '{"id":1,"kind":"fruit","note":null}');
    },
  );
}
