/** @module The part of the dialect suite about transactions that stand in each other's way. */

import type { Transaction } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { builder } from "@/tests/conformance/dialect_queries.ts";
import { codesOf, write } from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";

/** Transactions that stand in each other's way. */
export function testContention(register: Register): void {
  register(
    "of two transactions that wait for each other one is told so, the other commits",
    async (opened) => {
      const { database } = opened;
      await using first = await database.begin({ signal: NEVER });
      await using second = await database.begin({ signal: NEVER });
      await rename(opened, first, 1, "first1");
      await rename(opened, second, 2, "second2");
      const outcomes = await Promise.allSettled([
        rename(opened, first, 2, "first2").then(() => first.commit()),
        rename(opened, second, 1, "second1").then(() => second.commit()),
      ]);
      const failures = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) =>
        reason
      );
      assertSame(failures.map((error) => database.classify(error)), ["contention"]);
      const winner = outcomes[0].status === "fulfilled" ? ["first1", "first2"] : ["second1", "second2"];
      await (outcomes[0].status === "fulfilled" ? second : first).rollback();
      assertSame(await codesOf(opened), winner);
    },
  );
}

function rename(opened: OpenedDialect, transaction: Transaction, id: number, code: string): Promise<unknown> {
  return write(transaction, builder(opened).updateTable("owner").set({ code }).where("id", "=", id));
}
