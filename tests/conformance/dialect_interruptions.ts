/** @module The part of the dialect suite about transactions that are cut short. */

import assert from "node:assert/strict";
import type { Transaction } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { DialectSuite, OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { ending, ignoring } from "@/tests/conformance/dialect_register.ts";
import { codesOf, insertOwner, inTransaction, textOf, write } from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";
import { failureOf } from "@/tests/support/reason_of.ts";

const BEFORE = ["anna", "bert"] as const;
const GONE = new Error("The client has gone");

/** Transactions that end before they are committed must leave no change. */
export function testInterruptions(
  register: Register,
  suite: Pick<DialectSuite, "endless" | "crash">,
): void {
  const { endingOne, endless } = ending(register, suite);
  endingOne("a transaction that is aborted within a statement ends with the reason", async (opened) => {
    const controller = new AbortController();
    const transaction = await beginCarl(opened, controller.signal);
    const run = transaction.run(textOf(endless, ["integer"]), []);
    setTimeout(() => controller.abort(GONE), 100);
    await assert.rejects(run, GONE);
    await transaction.rollback();
    await assertNothingLeft(opened);
  });

  register("a transaction that is aborted between statements ends with the reason", async (opened) => {
    const controller = new AbortController();
    const transaction = await beginCarl(opened, controller.signal);
    controller.abort(GONE);
    await assert.rejects(write(transaction, insertOwner(opened, { code: "dora" })), GONE);
    await assert.rejects(transaction.commit(), GONE);
    await transaction[Symbol.asyncDispose]();
    await assertNothingLeft(opened);
  });

  register("a transaction that is aborted before it begins does not begin", async (opened) => {
    await assert.rejects(opened.database.begin({ signal: AbortSignal.abort(GONE) }), GONE);
    await assertNothingLeft(opened);
  });

  register("a transaction that is aborted while it waits for its turn leaves the queue", async (opened) => {
    const first = await beginCarl(opened, NEVER);
    const controller = new AbortController();
    const second = opened.database.begin({ signal: controller.signal });
    setTimeout(() => controller.abort(GONE), 100);
    await assert.rejects(second, GONE);
    await first.rollback();
    await assertNothingLeft(opened);
  }, { max: 1 });

  endingOne("a statement that takes too long in a transaction is a timeout", async (opened) => {
    const transaction = await beginCarl(opened, NEVER);
    const run = transaction.run(textOf(endless, ["integer"]), []);
    assert.equal(await failureOf(opened, run), "timeout");
    await transaction.rollback();
    await assertNothingLeft(opened);
  }, { statementTimeout: 0.5 });

  register("a transaction that is forgotten does not keep others from writing", async (opened) => {
    const forgotten = await beginCarl(opened, NEVER);
    await assertNothingLeft(opened);
    const run = write(forgotten, insertOwner(opened, { code: "dora" }));
    assert.equal(await failureOf(opened, run), "timeout");
    await forgotten.rollback();
  }, { max: 1, statementTimeout: 0.5 });

  register("a transaction of many quick statements may take no longer than one slow one", async (opened) => {
    const transaction = await beginCarl(opened, NEVER);
    const writing = async () => {
      for (const code of ["dora", "emil", "fred", "gerd"]) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        await write(transaction, insertOwner(opened, { code }));
      }
      await transaction.commit();
    };
    assert.equal(await failureOf(opened, writing()), "timeout");
    assert.equal(await failureOf(opened, transaction.commit()), "timeout");
    await transaction.rollback();
    await assertNothingLeft(opened);
  }, { max: 1, statementTimeout: 0.5 });

  register("a transaction that is open when the database is disconnected ends", async (opened) => {
    const transaction = await beginCarl(opened, NEVER);
    await opened.database[Symbol.asyncDispose]();
    const run = write(transaction, insertOwner(opened, { code: "dora" }));
    assert.equal(await failureOf(opened, run), "unavailable");
    const begin = opened.database.begin({ signal: NEVER });
    assert.equal(await failureOf(opened, begin), "unavailable");
    await transaction[Symbol.asyncDispose]();
  });

  const { crash } = suite;
  const crashing = ignoring(register, crash ? undefined : "nothing can end without the service");

  crashing("a crash between two statements leaves nothing", async (opened) => {
    const transaction = await beginCarl(opened, NEVER);
    await crash?.(opened);
    const run = write(transaction, insertOwner(opened, { code: "dora" }));
    assert.equal(await failureOf(opened, run), "unavailable");
    await transaction.rollback();
    await assertNothingLeft(opened);
  });

  crashing("a crash after the commit takes nothing back", async (opened) => {
    const transaction = await beginCarl(opened, NEVER);
    await transaction.commit();
    await crash?.(opened);
    assertSame(await codesOf(opened), [...BEFORE, "carl"]);
    await inTransaction(opened, (next) => write(next, insertOwner(opened, { code: "dora" })));
    assertSame(await codesOf(opened), [...BEFORE, "carl", "dora"]);
  });
}

/** A transaction that has written something. */
async function beginCarl(opened: OpenedDialect, signal: AbortSignal): Promise<Transaction> {
  const transaction = await opened.database.begin({ signal });
  await write(transaction, insertOwner(opened, { code: "carl" }));
  return transaction;
}

/** The next transaction works as if the one before had never been. */
async function assertNothingLeft(opened: OpenedDialect): Promise<void> {
  assertSame(await codesOf(opened), BEFORE);
  await inTransaction(opened, (transaction) => write(transaction, insertOwner(opened, { code: "later" })));
  assertSame(await codesOf(opened), [...BEFORE, "later"]);
}
