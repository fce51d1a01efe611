/** @module The part of the dialect suite about failures. */

import assert from "node:assert/strict";
import type { Run } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { DialectSuite, OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { ending, ignoring } from "@/tests/conformance/dialect_register.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { assertSame } from "@/tests/conformance/same.ts";
import { reasonOf } from "@/tests/support/reason_of.ts";
import { until } from "@/tests/support/until.ts";

/** Reads that fail, take too long or are given up. */
export function testFailures(register: Register, suite: DialectSuite): void {
  const { endingOne, endless } = ending(register, suite);
  endingOne("a statement that takes too long is a timeout, and the next one works", async (opened) => {
    const error = await reasonOfRead(opened, {
      prepared: prepareText(opened, endless, ["integer"]),
      parameters: [],
    });
    assert.equal(opened.database.classify(error), "timeout");
    const one = { prepared: prepareText(opened, "SELECT 1", ["integer"]), parameters: [] };
    assertSame(await opened.database.read([one], { signal: NEVER }), [[[1]]]);
  }, { statementTimeout: 0.2 });

  endingOne("a read that is aborted ends with the reason", async (opened) => {
    const controller = new AbortController();
    const reason = new Error("The client has gone");
    setTimeout(() => controller.abort(reason), 100);
    const run = { prepared: prepareText(opened, endless, ["integer"]), parameters: [] };
    assert.equal(await reasonOfRead(opened, run, controller.signal), reason);
  });

  endingOne("a long read that was aborted before it began does not begin", async (opened) => {
    const reason = new Error("The client has gone");
    const run = { prepared: prepareText(opened, endless, ["integer"]), parameters: [] };
    assert.equal(await reasonOfRead(opened, run, AbortSignal.abort(reason)), reason);
  });

  register("a table that has gone means that the catalog is out of date", async (opened) => {
    const prepared = prepareText(opened, "SELECT x FROM no_such_table", ["integer"]);
    assert.equal(
      opened.database.classify(await reasonOfRead(opened, { prepared, parameters: [] })),
      "changed",
    );
  });

  testCrashes(register, suite);
  testLongTimes(register, suite);

  register("an error of someone else is not classified", ({ database }) => {
    assert.equal(database.classify(new Error("Something else")), undefined);
    assert.equal(database.classify(undefined), undefined);
    return Promise.resolve();
  });

  register("a database that was left alone is still what it was", async ({ database }) => {
    await database.catalog();
    assert.equal(await database.check(), "ok");
  });

  register("a database that is disconnected reads nothing and may be disconnected again", async (opened) => {
    const run = { prepared: prepareText(opened, "SELECT 1", ["integer"]), parameters: [] };
    await opened.database[Symbol.asyncDispose]();
    assert.equal(opened.database.classify(await reasonOfRead(opened, run)), "unavailable");
    await opened.database[Symbol.asyncDispose]();
  });

  endingOne("what is under way ends when the database is disconnected", async (opened) => {
    const run = { prepared: prepareText(opened, endless, ["integer"]), parameters: [] };
    const failure = reasonOfRead(opened, run);
    await opened.database[Symbol.asyncDispose]();
    assert.equal(opened.database.classify(await failure), "unavailable");
  });
}

async function readOrFailure({ database }: OpenedDialect, run: Run): Promise<unknown> {
  try {
    return await database.read([run], { signal: NEVER });
  } catch (error) {
    return database.classify(error);
  }
}

function reasonOfRead({ database }: OpenedDialect, run: Run, signal = NEVER): Promise<unknown> {
  return reasonOf(Promise.try(() => database.read([run], { signal })));
}

function testCrashes(register: Register, { endless = "", crash }: DialectSuite): void {
  const crashing = ignoring(register, crash ? undefined : "nothing can end without the service");
  crashing("a read whose connection is lost is unavailable, and the next one works", async (opened) => {
    const run = { prepared: prepareText(opened, endless, ["integer"]), parameters: [] };
    let ended = false;
    const failure = reasonOfRead(opened, run).finally(() => ended = true);
    // The statement may not have begun at the first crashes.
    await until(async () => {
      await crash?.(opened);
      return ended;
    });
    assert.equal(opened.database.classify(await failure), "unavailable");
    const one = { prepared: prepareText(opened, "SELECT 1", ["integer"]), parameters: [] };
    assertSame(await opened.database.read([one], { signal: NEVER }), [[[1]]]);
  });

  crashing("connections that were lost while nobody used them are replaced", async (opened) => {
    const one = { prepared: prepareText(opened, "SELECT 1", ["integer"]), parameters: [] };
    assertSame(await opened.database.read([one], { signal: NEVER }), [[[1]]]);
    await crash?.(opened);
    const answers = [];
    // A connection that was just lost may be used once unnoticed; a second read must not use it again.
    for (let round = 0; round < 5; round++) answers.push(await readOrFailure(opened, one));
    assertSame(answers.at(-1), [[[1]]]);
    for (const answer of answers) {
      assert.ok(answer === "unavailable" || Array.isArray(answer), String(answer));
    }
  });
}

/** More seconds than a timer has, and than some servers accept. */
const MONTHS = 10_000_000;

function testLongTimes(register: Register, { readOnly }: DialectSuite): void {
  register(
    "times may be longer than those of timers and of the server",
    async (opened) => {
      const one = { prepared: prepareText(opened, "SELECT 1", ["integer"]), parameters: [] };
      const timers = await timersOf(async () => {
        assertSame(await opened.database.read([one], { signal: NEVER }), [[[1]]]);
        if (!readOnly) await (await opened.database.begin({ signal: NEVER })).rollback();
        await new Promise((resolve) => setTimeout(resolve, 100));
      });
      assert.ok(timers < 30, `${timers} timers: something waits without a pause`);
    },
    { idleTimeout: MONTHS, acquireTimeout: MONTHS, statementTimeout: MONTHS },
  );
}

/** The number of timers that are started during some work. */
async function timersOf(work: () => Promise<void>): Promise<number> {
  const { setTimeout } = globalThis;
  let count = 0;
  globalThis.setTimeout = ((...all: Parameters<typeof setTimeout>) => {
    count++;
    return setTimeout(...all);
  }) as typeof setTimeout;
  try {
    await work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return count;
}
