import assert from "node:assert/strict";
import { SERVER_DIALECTS, useServer } from "@/tests/support/servers/mod.ts";
import { connectTo } from "@/tests/support/databases/connection.ts";
import { kindsOf, linesOf } from "@/tests/support/databases/look.ts";
import { ENGINES, fixtureOf, loadDatabase, testOn } from "@/tests/support/databases/mod.ts";
import { resetScript } from "@/tests/support/databases/script.ts";

const ROWS = ["'first', 1", "'first', 1", "NULL, 2"];

for (const dialect of SERVER_DIALECTS) {
  testOn(dialect, "a database has the rows of its definition, also after it was put back", async () => {
    await using server = await useServer(dialect);
    const [fixture, engine] = [fixtureOf("shop"), ENGINES[dialect]];
    const database = await loadDatabase(server, "shop", "databases_test");
    {
      await using connection = await connectTo(server, database);
      const journal = async () => {
        const [result] = await connection.query(`SELECT * FROM ${engine.quote("Journal")}`);
        return result ? linesOf(result, kindsOf(fixture)).toSorted() : [];
      };
      assert.deepEqual(await journal(), ROWS);
      await connection.run(`DELETE FROM ${engine.quote("Journal")}`);
      assert.deepEqual(await journal(), []);
      await connection.run(resetScript(fixture, engine));
      assert.deepEqual(await journal(), ROWS);
    }
    await server.dropDatabase(database);
  });
}
