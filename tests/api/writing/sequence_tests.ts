/**
 * Every sequence as a test on one engine.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Differences } from "@/tests/support/databases/differences.ts";
import { type TestDialect, testOn, whyNot } from "@/tests/support/databases/mod.ts";
import type { RawAnswer, RawRequest } from "@/tests/support/raw_request.ts";
import { shared } from "@/tests/support/service.ts";
import { type AnyShop, openShop } from "./every_shop.ts";
import { DIFFERENCES } from "./differences/mod.ts";
import { formatSequence, listSequences, parseSequence, playSequence, sequenceFile } from "./sequences.ts";
import { FOLDER } from "./shop_files.ts";

/** Registers the tests. Without the engine's server they are ignored. */
export function testSequences(dialect: TestDialect): void {
  const differences = new Differences(DIFFERENCES[dialect], join(FOLDER, "differences", dialect));
  const open = shared(() => openShop(dialect), whyNot(dialect));
  for (const name of listSequences()) {
    testOn(dialect, `the sequence ${name} goes as written`, async () => {
      const shop = open();
      await shop.reset();
      const text = Deno.readTextFileSync(sequenceFile(name));
      const played = await playSequence(parseSequence(text), shop, await observer(shop));
      const compared = differences.apply(name, text, formatSequence(played));
      assert.equal(compared.actual, compared.expected);
    });
  }
  testOn(
    dialect,
    "every difference from the sequences is met",
    () => assert.deepEqual(differences.unused, []),
  );
}

/** Assertions about every answer; refusals and reads change nothing. */
async function observer(shop: AnyShop): Promise<Parameters<typeof playSequence>[2]> {
  let before = await shop.dump();
  return async ({ status, headers, text }: RawAnswer, { method, target }: RawRequest) => {
    const after = await shop.dump();
    if (status >= 300 || method === "GET") {
      assert.deepEqual(after, before, `${status} ${method} ${target} changed nothing`);
    }
    before = after;
    assert.equal(headers.has("warning"), status >= 400);
    assert.match(headers.get("warning") ?? "", /^[\x20-\x7e]{0,500}$/);
    assert.equal(text === "" || status !== 204, true, "204 has no body");
  };
}
