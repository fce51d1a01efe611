/** @module Writes on SQLite that depend on rows which the service has read before. */

import assert from "node:assert/strict";
import { Outdated, PendingTransaction } from "@/core/database/pending_transaction.ts";
import type { Database, Row } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { textOf } from "@/tests/conformance/dialect_writes.ts";
import { makePlace, type Place } from "./fixture.ts";

const SET = textOf("UPDATE t SET x = ? WHERE id = 1");
const READ = textOf("SELECT x FROM t WHERE id = 1", ["any"]);
const TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, x COLLATE NOCASE)";

function prepare(place: Place): Promise<Database> {
  place.create(TABLE, "INSERT INTO t VALUES (1, 'before')");
  return place.connect();
}

/** Looks, lets something happen, and writes. */
async function lookThenWrite(
  database: Database,
  between: () => Promise<unknown>,
): Promise<{ seen: readonly Row[]; changes: number }> {
  await using transaction = new PendingTransaction(database, { signal: NEVER }, { mayLook: true });
  const seen = await transaction.look(READ, []);
  await between();
  const { changes } = await transaction.finish(SET, ["mine"], { least: 1 });
  return { seen, changes };
}

const set = (database: Database, value: unknown) =>
  database.write?.({ statement: SET, parameters: [value] }, { signal: NEVER }) ?? Promise.reject(new Error());

for (const value of ["a", 9007199254740993n, 1.5, new Uint8Array([0, 255]), null, Infinity]) {
  Deno.test(`a write is done if the service has seen ${String(value)} and it is still there`, async () => {
    await using place = makePlace();
    const database = await prepare(place);
    await set(database, value);
    const { seen, changes } = await lookThenWrite(database, () => Promise.resolve());
    assert.deepEqual(seen, [[value]]);
    assert.equal(changes, 1);
  });
}

for (const [before, after] of [["a", "A"], ["1", 1], [null, 0], ["a", "b"]] as const) {
  const title = `a write is not done if ${JSON.stringify(before)} has become ${JSON.stringify(after)}`;
  Deno.test(title, async () => {
    await using place = makePlace();
    const database = await prepare(place);
    await set(database, before);
    await assert.rejects(lookThenWrite(database, () => set(database, after)), Outdated);
    const prepared = database.prepare(READ);
    assert.deepEqual(await database.read([{ prepared, parameters: [] }], { signal: NEVER }), [[[after]]]);
  });
}

Deno.test("an outdated write fails alone: those that share its commit are done", async () => {
  await using place = makePlace();
  const database = await prepare(place);
  const look = { statement: READ, parameters: [], rows: [["before"]] };
  const settled = await Promise.all(
    ["first", "second"].map((value) =>
      database.write?.({ statement: SET, parameters: [value], looks: [look] }, { signal: NEVER })
    ),
  );
  assert.deepEqual(settled, [{ rows: [], changes: 1 }, { rows: [], changes: 0, isOutdated: true }]);
});

Deno.test("a look that a transaction would have to know is repeated in it", async () => {
  await using place = makePlace();
  const database = await prepare(place);
  await using transaction = new PendingTransaction(database, { signal: NEVER }, { mayLook: true });
  await transaction.look(READ, []);
  await assert.rejects(transaction.run(SET, ["mine"]), Outdated);
});

Deno.test("looks of several moments do not count as one: work that ends without a write is repeated", async () => {
  await using place = makePlace();
  const database = await prepare(place);
  await using transaction = new PendingTransaction(database, { signal: NEVER }, { mayLook: true });
  assert.deepEqual(await transaction.look(READ, []), [["before"]]);
  await set(database, "after");
  assert.deepEqual(await transaction.look(READ, []), [["after"]]);
  await assert.rejects(transaction.commit(), Outdated);
  await using single = new PendingTransaction(database, { signal: NEVER }, { mayLook: true });
  await single.look(READ, []);
  await single.commit();
});
