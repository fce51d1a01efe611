/** @module The part of the dialect suite about databases that change while the service runs. */

import assert from "node:assert/strict";
import type { Register } from "@/tests/conformance/dialect.ts";
import { beside } from "@/tests/conformance/dialect_register.ts";

/** Each makes another catalog. */
const CHANGES: Readonly<Record<string, string>> = {
  "a table": "CREATE TABLE later (id INTEGER NOT NULL PRIMARY KEY);",
  "a table that is no more": "DROP TABLE many;",
  "a column": "ALTER TABLE pet ADD colour VARCHAR(10);",
  "a column that is no more": "ALTER TABLE pet DROP COLUMN name;",
  "a view": "CREATE VIEW pets AS SELECT name FROM pet;",
  "a view that is no more": "DROP VIEW owner_codes;",
  "a unique key": "CREATE UNIQUE INDEX pet_names ON pet (owner_id, name);",
};

/** When `check` notices that the catalog is another one. */
export function testChanges(register: Register): void {
  for (const [title, script] of Object.entries(CHANGES)) {
    register(`a database that has changed is noticed: ${title}`, async (opened) => {
      const { database } = opened;
      const before = await database.catalog();
      assert.equal(await database.check(), "ok");
      await beside(opened, script);
      assert.equal(await database.check(), "changed");
      assert.notDeepEqual(await database.catalog(), before);
      assert.equal(await database.check(), "ok", "The new catalog is known now");
    });
  }

  register("rows that come and go are no change", async (opened) => {
    const { database } = opened;
    await database.catalog();
    await beside(opened, "INSERT INTO many (n) VALUES (9001);");
    await beside(opened, "DELETE FROM pet;");
    assert.equal(await database.check(), "ok");
  });
}
