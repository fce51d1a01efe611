/**
 * @module The part of the dialect suite about writes of one statement, of engines
 * that have {@link Database.write}.
 */

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Compilable } from "kysely";
import type { Outcome } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import {
  codesOf,
  identitiesOf,
  insertion,
  insertOwner,
  textOf,
  write,
} from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";

const GONE = new Error("The client has gone");

/** Such a write is a whole transaction, whether the dialect runs it or leaves it to the core. */
export function testLoneWrites(register: Register): void {
  register("a write of one statement is committed, and returns its key", async (opened) => {
    const query = insertion(opened, "owner", [{ code: "carl" }], ["id"]);
    const outcome = await alone(opened, query);
    if (!outcome) return;
    assert.equal(outcome.changes, 1);
    assert.equal(identitiesOf(outcome).length, 1);
    assertSame(await codesOf(opened), ["anna", "bert", "carl"]);
  });

  register("many writes of one statement are stored, and a failing one fails alone", async (opened) => {
    const codes = Array.from({ length: 40 }, (_, at) => `c${String(at).padStart(2, "0")}`);
    // The first ones decide how long this statement usually takes.
    for (const code of codes.slice(0, 5)) {
      if (!await alone(opened, insertOwner(opened, { code }))) return;
    }
    const settled = await Promise.allSettled(
      [...codes.slice(5), "anna"].map((code) => alone(opened, insertOwner(opened, { code }))),
    );
    const failed = settled.filter((each) => each.status === "rejected");
    assertSame(failed.map(({ reason }) => opened.database.classify(reason)), ["integrity"]);
    assertSame(await codesOf(opened), ["anna", "bert", ...codes]);
  }, { max: 3 });

  register(
    "an insert of several records with a refused one stores none, where the catalog says so",
    async (opened) => {
      const { tables } = await opened.database.catalog();
      if (!tables.some(({ name, joinsInserts }) => name === "owner" && joinsInserts)) return;
      const records = (...codes: readonly string[]) => codes.map((code) => ({ code }));
      const stored = await alone(opened, insertion(opened, "owner", records("carl", "dora", "emil"), ["id"]));
      if (!stored) return;
      assert.equal(stored.changes, 3);
      const [first = 0, ...others] = identitiesOf(stored);
      assertSame(others, [first + 1, first + 2]);
      const refused = alone(opened, insertion(opened, "owner", records("fay", "anna", "gil"), ["id"]));
      await assert.rejects(async () => void await refused);
      assertSame(await codesOf(opened), ["anna", "bert", "carl", "dora", "emil"]);
    },
  );

  register("a connection that has written only reads when it reads", async (opened) => {
    const query = insertOwner(opened, { code: "carl" });
    if (!await alone(opened, query)) return;
    const { sql, parameters } = insertOwner(opened, { code: "dora" }).compile();
    const prepared = opened.database.prepare(textOf(sql));
    await assert.rejects(async () => {
      await opened.database.read([{ prepared, parameters }], { signal: NEVER });
    });
    assertSame(await codesOf(opened), ["anna", "bert", "carl"]);
  }, { max: 1 });

  register(
    "a write whose client leaves while it waits for a lock is not done, and others are",
    async (opened) => {
      const { database } = opened;
      for (const code of ["c1", "c2"]) {
        if (!await alone(opened, insertOwner(opened, { code }))) return;
      }
      await using transaction = await database.begin({ signal: NEVER });
      await write(transaction, insertOwner(opened, { code: "held" }));
      const controller = new AbortController();
      const waiting = alone(opened, insertOwner(opened, { code: "held" }), controller.signal);
      const other = alone(opened, insertOwner(opened, { code: "other" }));
      setTimeout(() => controller.abort(GONE), 200);
      await assert.rejects(waiting, GONE);
      // A server learns of the end by a message of its own.
      await delay(500);
      await transaction.rollback();
      await other;
      assertSame(await codesOf(opened), ["anna", "bert", "c1", "c2", "other"]);
    },
    { max: 3 },
  );
}

/** Undefined where the core begins a transaction. */
async function alone(
  { database }: OpenedDialect,
  query: Compilable,
  signal: AbortSignal = NEVER,
): Promise<Outcome | undefined> {
  const { sql, parameters } = query.compile();
  return await database.write?.({ statement: textOf(sql, ["integer"]), parameters }, { signal });
}
