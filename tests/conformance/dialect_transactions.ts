/** @module The part of the dialect suite about transactions: all or nothing, under every failure. */

import assert from "node:assert/strict";
import { type Compilable, sql } from "kysely";
import { PendingTransaction } from "@/core/database/pending_transaction.ts";
import type { Accepted, Outcome, Transaction } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { DialectSuite, OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { testInterruptions } from "@/tests/conformance/dialect_interruptions.ts";
import { testLoneWrites } from "@/tests/conformance/dialect_lone_writes.ts";
import { KIND_COLUMNS } from "@/tests/conformance/dialect_kinds.ts";
import { builder, rowsOf } from "@/tests/conformance/dialect_queries.ts";
import {
  codesOf,
  insertion,
  insertOwner,
  inTransaction,
  type Kinds,
  readKindsWhere,
  storedKinds,
  textOf,
  write,
} from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";
import { until } from "@/tests/support/until.ts";

const BEFORE = ["anna", "bert"] as const;
/** SQL Server's limit of rows in one list of values; the service stays below it. */
const MOST_ROWS = 1000;

/** Tests of commit, rollback, and the order of statements. */
export function testTransactions(register: Register, suite: Pick<DialectSuite, "endless" | "crash">): void {
  testEnds(register);
  testOrder(register);
  testUsage(register);
  testSingleWrites(register);
  testVolume(register);
  testInterruptions(register, suite);
  testLoneWrites(register);
}

function testEnds(register: Register): void {
  register("what is written is seen inside at once, by others when it is committed", async (opened) => {
    await using transaction = await opened.database.begin({ signal: NEVER });
    await write(transaction, insertOwner(opened, { code: "carl" }));
    const query = builder(opened).selectFrom("owner").select("code").where("code", "=", "carl");
    assertSame(await write(transaction, query, ["text"]), { rows: [["carl"]], changes: 0 });
    assertSame(await codesOf(opened), BEFORE);
    await transaction.commit();
    assertSame(await codesOf(opened), [...BEFORE, "carl"]);
  });

  register("a rollback leaves nothing", async (opened) => {
    await using transaction = await opened.database.begin({ signal: NEVER });
    await write(transaction, insertOwner(opened, { code: "carl" }));
    await write(transaction, builder(opened).deleteFrom("pet"));
    await transaction.rollback();
    assertSame(await codesOf(opened), BEFORE);
    assert.equal(
      (await rowsOf(opened, builder(opened).selectFrom("pet").select("seq"), ["integer"])).length,
      3,
    );
  });

  register("a transaction that is left without a commit is rolled back", async (opened) => {
    const forget = async () => {
      await using transaction = await opened.database.begin({ signal: NEVER });
      await write(transaction, insertOwner(opened, { code: "carl" }));
    };
    await forget();
    assertSame(await codesOf(opened), BEFORE);
    await inTransaction(opened, (transaction) => write(transaction, insertOwner(opened, { code: "dora" })));
    assertSame(await codesOf(opened), [...BEFORE, "dora"]);
  });

  register("a transaction without statements may be committed", async (opened) => {
    await inTransaction(opened, () => Promise.resolve());
    assertSame(await codesOf(opened), BEFORE);
  });

  for (const end of ["commit", "rollback"] as const) {
    register(`a transaction that has ended does nothing more: ${end}`, async (opened) => {
      await using transaction = await opened.database.begin({ signal: NEVER });
      await transaction[end]();
      await assert.rejects(write(transaction, insertOwner(opened, { code: "carl" })), TypeError);
      await assert.rejects(transaction.commit(), TypeError);
      await assert.rejects(transaction.rollback(), TypeError);
      await transaction[Symbol.asyncDispose]();
      assertSame(await codesOf(opened), BEFORE);
    });
  }

  register("after a statement has failed there is only the rollback", async (opened) => {
    await using transaction = await opened.database.begin({ signal: NEVER });
    await write(transaction, insertOwner(opened, { code: "carl" }));
    await assert.rejects(write(transaction, insertOwner(opened, { code: "anna" })));
    await assert.rejects(write(transaction, insertOwner(opened, { code: "dora" })), TypeError);
    await assert.rejects(transaction.commit(), TypeError);
    await transaction.rollback();
    assertSame(await codesOf(opened), BEFORE);
  });
}

function testOrder(register: Register): void {
  register("statements that do not wait for each other run in turn", async (opened) => {
    await using transaction = await opened.database.begin({ signal: NEVER });
    const insert = write(transaction, insertOwner(opened, { id: 50, code: "carl" }));
    const update = builder(opened).updateTable("owner").set({ code: "dora" }).where("id", "=", 50);
    const outcomes = await Promise.all([insert, write(transaction, update), transaction.commit()]);
    assertSame(outcomes.map((outcome) => outcome?.changes), [1, 1, undefined]);
    assertSame(await codesOf(opened), [...BEFORE, "dora"]);
  });

  register("transactions that begin at the same time all commit", async (opened) => {
    const name = sql`concat(name, '+')`;
    const update = builder(opened).updateTable("pet").set({ name }).where("owner_id", "=", 2);
    const add = () => inTransaction(opened, (transaction: Transaction) => write(transaction, update));
    await Promise.all([add(), add(), add(), add(), add()]);
    const query = builder(opened).selectFrom("pet").select("name").where("owner_id", "=", 2);
    assertSame(await rowsOf(opened, query, ["text"]), [["Tom+++++"]]);
  });

  register("a transaction that does not get its turn in time is unavailable", async (opened) => {
    await using first = await opened.database.begin({ signal: NEVER });
    await write(first, insertOwner(opened, { code: "carl" }));
    const error = await opened.database.begin({ signal: NEVER }).then(() => undefined, (reason) => reason);
    assert.equal(opened.database.classify(error), "unavailable");
    await first.commit();
    await inTransaction(opened, (transaction) => write(transaction, insertOwner(opened, { code: "dora" })));
    assertSame(await codesOf(opened), [...BEFORE, "carl", "dora"]);
  }, { max: 1, acquireTimeout: 0.2 });
}

function testUsage(register: Register): void {
  register("callers that wait for a transaction to end are counted", async ({ database }) => {
    const waiting = () => database.usage?.()?.waiting;
    if (waiting() === undefined) return;
    const first = await database.begin({ signal: NEVER });
    assert.equal(waiting(), 0);
    const others = [1, 2].map(() => database.begin({ signal: NEVER }));
    await until(() => waiting() === 2);
    for (const transaction of [first, ...others]) await (await transaction).rollback();
    assert.equal(waiting(), 0);
  }, { max: 1 });
}

function testSingleWrites(register: Register): void {
  register(
    "a write of one statement is committed with its answer, a refused one leaves nothing",
    async (opened) => {
      const insert = (code: string) => finish(opened, insertOwner(opened, { code }));
      const results = await Promise.allSettled(["carl", "anna", "dora"].map(insert));
      assertSame(
        results.map((result) => {
          return result.status === "fulfilled"
            ? result.value.changes
            : opened.database.classify(result.reason);
        }),
        [1, "integrity", 1],
      );
      assertSame(await codesOf(opened), [...BEFORE, "carl", "dora"]);
    },
  );

  register("a write of one statement is undone if it changes another number of rows", async (opened) => {
    const rename = (least: number, most: number) =>
      finish(opened, builder(opened).updateTable("pet").set({ name: "Ben" }), { least, most });
    const renamed = builder(opened).selectFrom("pet").select("seq").where("name", "=", "Ben");
    for (const [least, most] of [[4, 9], [1, 2]] as const) {
      assert.equal((await rename(least, most)).changes, 3);
      assertSame(await rowsOf(opened, renamed, ["integer"]), []);
    }
    assert.equal((await rename(1, 3)).changes, 3);
    assert.equal((await rowsOf(opened, renamed, ["integer"])).length, 3);
  });
}

/** Runs a statement as the service runs a write of one statement. */
async function finish(opened: OpenedDialect, query: Compilable, accepted: Accepted = {}): Promise<Outcome> {
  const { sql: text, parameters } = query.compile();
  await using transaction = new PendingTransaction(opened.database, { signal: NEVER });
  return await transaction.finish(textOf(text), parameters, accepted);
}

function testVolume(register: Register): void {
  register("many small transactions run one after another", async (opened) => {
    for (let n = 1; n <= 200; n++) {
      const insert = insertion(opened, "many", [{ n: 10_000 + n }]);
      await inTransaction(opened, (transaction) => write(transaction, insert));
    }
    const count = builder(opened).selectFrom("many").select(sql<number>`count(*)`.as("count"));
    assertSame(await rowsOf(opened, count, ["integer"]), [[2700]]);
  });

  register("a bulk of rows fills statements up to the most parameters there may be", async (opened) => {
    const kinds = Array.from({ length: 10_000 }, (_, n) => kindsOf(n));
    const rows = storedKinds(opened, kinds).map((row, at) => ({ id: 100 + at, ...row }));
    const most = Math.floor(opened.database.sql.maxParameters / (KIND_COLUMNS.length + 1));
    const perStatement = Math.min(most, MOST_ROWS);
    await inTransaction(opened, async (transaction) => {
      for (let from = 0; from < rows.length; from += perStatement) {
        await write(transaction, insertion(opened, "kinds", rows.slice(from, from + perStatement)));
      }
    });
    assertSame(await readKindsWhere(opened, ">=", 100), kinds);
  });
}

function kindsOf(n: number): Kinds {
  const bytes = new Uint8Array([n & 255]);
  return [n, `${n}.25`, n + 0.5, n % 2 === 0, `Row ${n}`, "2024-01-01", "2024-01-01T12:00:00", bytes];
}
