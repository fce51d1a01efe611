import assert from "node:assert/strict";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { type TransactionPort, WriteTransaction } from "@/plugins/kit/write_transaction.ts";

const STATEMENT = { sql: "x", columns: [] };

/** A port that records its calls. The named calls fail. */
function port(calls: string[], fails: readonly string[] = []): TransactionPort {
  const call = (name: string) => {
    calls.push(name);
    return fails.includes(name) ? Promise.reject(new Error(name)) : Promise.resolve();
  };
  return {
    run: () => call("run").then(() => ({ rows: [], changes: 1 })),
    commit: () => call("commit"),
    rollback: () => call("rollback"),
    release: (isBroken) => void calls.push(isBroken ? "broken" : "released"),
  };
}

const CASES: readonly {
  readonly title: string;
  readonly fails?: readonly string[];
  use(transaction: WriteTransaction): Promise<unknown>;
  readonly calls: readonly string[];
}[] = [
  {
    title: "calls run in their order",
    use: (transaction) => Promise.all([transaction.run(STATEMENT, []), transaction.commit()]),
    calls: ["run", "commit", "released"],
  },
  {
    title: "a failed statement rolls back at once",
    fails: ["run"],
    use: (transaction) => assert.rejects(transaction.run(STATEMENT, []), /^Error: run$/),
    calls: ["run", "rollback", "released"],
  },
  {
    title: "a failed commit rolls back",
    fails: ["commit"],
    use: (transaction) => assert.rejects(transaction.commit(), /^Error: commit$/),
    calls: ["commit", "rollback", "released"],
  },
  {
    title: "a connection that cannot roll back is broken",
    fails: ["rollback"],
    use: (transaction) => transaction.rollback(),
    calls: ["rollback", "broken"],
  },
  {
    title: "a failed transaction can only be rolled back, once",
    fails: ["run"],
    async use(transaction) {
      await assert.rejects(transaction.run(STATEMENT, []));
      await assert.rejects(transaction.run(STATEMENT, []), /can only be rolled back/);
      await assert.rejects(transaction.commit(), /can only be rolled back/);
      await transaction.rollback();
      await assert.rejects(transaction.rollback(), /has ended/);
      await transaction[Symbol.asyncDispose]();
    },
    calls: ["run", "rollback", "released"],
  },
  {
    title: "nothing runs after a commit",
    async use(transaction) {
      await transaction.commit();
      await assert.rejects(transaction.run(STATEMENT, []), /has ended/);
      await transaction[Symbol.asyncDispose]();
    },
    calls: ["commit", "released"],
  },
];

for (const { title, fails, use, calls: expected } of CASES) {
  Deno.test(`transactions: ${title}`, async () => {
    const calls: string[] = [];
    await use(new WriteTransaction(port(calls, fails), { signal: NEVER, seconds: 0 }));
    assert.deepEqual(calls, expected);
  });
}

Deno.test("transactions: an abort rolls back although no call is waiting", async () => {
  const calls: string[] = [];
  const controller = new AbortController();
  const transaction = new WriteTransaction(port(calls), { signal: controller.signal, seconds: 0 });
  await transaction.run(STATEMENT, []);
  controller.abort(new Error("gone"));
  await assert.rejects(transaction.commit(), /^Error: gone$/);
  await transaction.rollback();
  assert.deepEqual(calls, ["run", "rollback", "released"]);
});

Deno.test("transactions: an abort behind a rollback leaves the transaction ended", async () => {
  const calls: string[] = [];
  const controller = new AbortController();
  const transaction = new WriteTransaction(port(calls), { signal: controller.signal, seconds: 0 });
  const rolledBack = transaction.rollback();
  controller.abort(new Error("gone"));
  await rolledBack;
  await transaction[Symbol.asyncDispose]();
  await assert.rejects(transaction.rollback(), /has ended/);
  assert.deepEqual(calls, ["rollback", "released"]);
});

Deno.test("transactions: the time limit counts pauses", async () => {
  const calls: string[] = [];
  const transaction = new WriteTransaction(port(calls), { signal: NEVER, seconds: 0.01 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(calls, ["rollback", "released"]);
  await assert.rejects(transaction.commit(), /The transaction took longer than 0.01 seconds/);
});
