/** @module A record of SQLite that is sent back with its key, which SQLite would check as a new one. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { sharedService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const service = sharedService({
  sqlite: { Odd: "CREATE TABLE node (id INTEGER PRIMARY KEY, up INTEGER REFERENCES node (id), name TEXT)" },
  prepare(home) {
    const handle = new Handle(join(home, "state", "odd.db"));
    handle.pragma("foreign_keys = OFF");
    handle.exec("INSERT INTO node VALUES (1, 99, 'a')").close();
  },
});

const put = async (body: unknown) => {
  const init = { method: "PUT", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return await statusOf(service().fetch("/db/Odd/node/id/1.json", init));
};

Deno.test("a record that refers to a missing one is changed, also with its key, but not moved", async () => {
  const record = await (await service().fetch("/db/Odd/node/id/1.json")).json();
  assert.equal(await put({ ...record, name: "b" }), 204);
  assert.equal(await (await service().fetch("/db/Odd/node/id/1/name.json")).json(), "b");
  assert.equal(await put({ ...record, id: 2 }), 422);
});
