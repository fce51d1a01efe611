/**
 * @module `If-Match` on records of a view, whose rows cannot be locked: of several
 * clients none overwrites another.
 */

import assert from "node:assert/strict";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { testOn } from "@/tests/support/databases/mod.ts";

const TABLE = [
  "CREATE TABLE meter (id INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL)",
  "INSERT INTO meter VALUES (1, 0)",
  "CREATE VIEW shown AS SELECT id, n FROM meter",
];
/** SQLite changes a view only in this way. */
const TRIGGER = "CREATE TRIGGER change INSTEAD OF UPDATE ON shown BEGIN " +
  "UPDATE meter SET n = new.n WHERE id = old.id; END";
const PATH = "/db/House/shown/id/1.json";
const CLIENTS = 6;
const ROUNDS = 10;

async function valueOf(service: TestService): Promise<{ readonly n: number; readonly tag: string }> {
  const answer = await service.fetch(PATH);
  return { n: (await answer.json()).n, tag: answer.headers.get("etag") ?? "" };
}

/** Adds one as often as there are rounds; returns the number of acknowledged changes. */
async function count(service: TestService): Promise<number> {
  let done = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { n, tag } = await valueOf(service);
    const headers = { "Content-Type": "application/json", "If-Match": tag };
    const answer = await service.fetch(PATH, { method: "PUT", headers, body: JSON.stringify({ n: n + 1 }) });
    const text = await answer.text();
    assert.ok([204, 412, 503].includes(answer.status), text);
    if (answer.status === 204) done++;
  }
  return done;
}

for (const dialect of ["sqlite", "postgresql", "mysql"] as const) {
  testOn(dialect, "every acknowledged change of a view's record counts", async () => {
    await using service = await serveOn(dialect, {
      id: "House",
      made: () => [...TABLE, ...(dialect === "sqlite" ? [TRIGGER] : []), ""].join(";\n"),
      definition: { alternate_key: { shown: ["id"] } },
    }, startService);
    const done = await Promise.all(Array.from({ length: CLIENTS }, () => count(service)));
    const sum = done.reduce((all, each) => all + each, 0);
    assert.ok(sum >= ROUNDS, `${sum} changes`);
    assert.equal((await valueOf(service)).n, sum);
  });
}
