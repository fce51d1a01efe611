/** @module The part of the dialect suite about servers that go away and come back. */

import assert from "node:assert/strict";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { OpenedDialect, WithServer } from "@/tests/conformance/dialect.ts";
import { codesOf, insertOwner, write } from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";
import { failureOf } from "@/tests/support/reason_of.ts";

type RegisterOutage = (title: string, run: (opened: WithServer & OpenedDialect) => Promise<void>) => void;

/** A server that goes away and comes back. */
export function testOutage(register: RegisterOutage): void {
  register(
    "a server that was killed is gone until it is back, and what is tried is unavailable",
    async (opened) => {
      const { database, server } = opened;
      assert.equal(await database.check(), "ok");
      const transaction = await database.begin({ signal: NEVER });
      await write(transaction, insertOwner(opened, { code: "carl" }));
      await server.kill();
      assert.equal(await database.check(), "gone");
      assert.equal(await failureOf(opened, codesOf(opened)), "unavailable");
      assert.equal(await failureOf(opened, transaction.commit()), "unavailable");
      assert.equal(await failureOf(opened, database.begin({ signal: NEVER })), "unavailable");
      await transaction[Symbol.asyncDispose]();
      await assert.rejects(opened.connect());
      await server.restart();
      await using again = await opened.connect();
      assert.equal(await again.check(), "ok");
      assertSame(await codesOf({ ...opened, database: again }), ["anna", "bert"]);
    },
  );
}
