import assert from "node:assert/strict";
import { LateResult, LateResults, type Owed } from "@/core/database/late_results.ts";
import { WatchedTransaction } from "@/core/database/watch_transaction.ts";
import type { Outcome, Transaction } from "@/plugins/contract.ts";
import { hostOf, plainDefinition } from "@/tests/support/databases/plain_definition.ts";

const SIGNAL = new AbortController().signal;
const OPTIONS = { signal: SIGNAL, requestId: "r1" };
const READ = { member: "read", options: OPTIONS, statements: 1 } as const;
const INSERT = { sql: "INSERT", columns: [] };
const OUTCOME = { rows: [], changes: 1 };

/**
 * The border with limits of these seconds, and the lines of the log. The test goes on
 * while it waits, as a service does.
 */
function border(seconds: number) {
  const messages: string[] = [];
  const pool = { max: 1, idleTimeout: 1, acquireTimeout: seconds, statementTimeout: seconds };
  const late = new LateResults(plainDefinition({ pool }), { log: hostOf(messages).log, seconds });
  const awake = setInterval(() => {}, 1000);
  const end = () => {
    late.stop();
    clearInterval(awake);
  };
  return { late, messages, [Symbol.dispose]: end };
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}

/** A transaction in which these members are others. */
function transactionOf(late: LateResults, members: Partial<Transaction>): Transaction {
  const inner: Transaction = {
    run: () => Promise.resolve(OUTCOME),
    commit: () => Promise.resolve(),
    rollback: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
    ...members,
  };
  return new WatchedTransaction(inner, {
    options: OPTIONS,
    late,
    began: () => () => {},
    committed: () => {},
  });
}

for (const member of ["read", "write", "begin", "run", "commit"] as const) {
  Deno.test(`${member} that never ends is 504, and the log names the dialect and the request`, async () => {
    using place = border(0.01);
    const { late, messages } = place;
    const wait = late.wait(never(), { ...READ, member });
    await assert.rejects(wait, (error) => error instanceof LateResult && error.status === 504);
    assert.match(
      messages.join(),
      new RegExp(`Test: dialect "sqlite" has not ended ${member}\\(\\) .*\\(r1\\)`),
    );
  });
}

Deno.test("what ends in time is passed on, and so is a failure", async () => {
  using place = border(60);
  const { late, messages } = place;
  const failure = new Error("refused");
  assert.equal(await late.wait(Promise.resolve(7), READ), 7);
  await assert.rejects(late.wait(Promise.reject(failure), READ), failure);
  assert.deepEqual(messages, []);
});

Deno.test("each statement has its time, and a database without a limit has all", async () => {
  using limited = border(0.01);
  using unlimited = border(0);
  const { late } = limited;
  const slow = Promise.withResolvers<number>();
  const waits = [
    late.wait(slow.promise, { ...READ, statements: 1000 }),
    unlimited.late.wait(slow.promise, READ),
  ];
  await assert.rejects(late.wait(never(), READ), LateResult);
  slow.resolve(7);
  assert.deepEqual(await Promise.all(waits), [7, 7]);
});

Deno.test("a result that comes too late is ended", async () => {
  using place = border(0.01);
  const { late } = place;
  const slow = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<string>();
  const end: Owed<string>["end"] = (result) => Promise.resolve(ended.resolve(result));
  await assert.rejects(late.wait(slow.promise, { ...READ, member: "begin", end }), LateResult);
  slow.resolve("a transaction");
  assert.equal(await ended.promise, "a transaction");
});

Deno.test("a transaction that hangs is waited for once", async () => {
  using place = border(0.01);
  const { late, messages } = place;
  const transaction = transactionOf(late, { run: never, [Symbol.asyncDispose]: never });
  await assert.rejects(transaction.run(INSERT, []), LateResult);
  await transaction[Symbol.asyncDispose]();
  assert.equal(messages.length, 1);
});

Deno.test("a saved query that hangs is given up, too", async () => {
  using place = border(0.01);
  const { late } = place;
  const transaction = transactionOf(late, { run: never });
  let failure: unknown;
  transaction.run({ sql: "CALL p()", columns: [], verb: "CALL" }, []).catch((error) => failure = error);
  await assert.rejects(late.wait(never(), READ), LateResult);
  assert.ok(failure instanceof LateResult);
});

Deno.test("an end that hangs hides no failure", async () => {
  using place = border(0.01);
  const { late, messages } = place;
  const failure = new Error("refused");
  const work = async () => {
    await using transaction = transactionOf(late, {
      run: () => Promise.reject(failure),
      [Symbol.asyncDispose]: never,
    });
    await transaction.run(INSERT, []);
  };
  await assert.rejects(work, failure);
  assert.match(messages.join(), /has not ended rollback\(\)/);
});

Deno.test("a statement that waits for those before it has their time as well", async () => {
  using place = border(0.01);
  const { late } = place;
  const slow = Promise.withResolvers<Outcome>();
  let count = 0;
  const run = () => ++count < 1000 ? Promise.resolve(OUTCOME) : slow.promise;
  const transaction = transactionOf(late, { run });
  const runs = Array.from({ length: 1000 }, () => transaction.run(INSERT, []));
  await assert.rejects(late.wait(never(), READ), LateResult);
  slow.resolve(OUTCOME);
  assert.equal((await Promise.all(runs)).length, 1000);
});

Deno.test("a commit that gives no promise is no commit", async () => {
  using place = border(60);
  const { late } = place;
  const commit = (() => {}) as unknown as Transaction["commit"];
  await assert.rejects(
    transactionOf(late, { commit }).commit(),
    /commit\(\) gave something else than a promise/,
  );
});
