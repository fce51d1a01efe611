/**
 * Every golden file as a test on one engine.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Differences } from "@/tests/support/databases/differences.ts";
import { type TestDialect, testOn, whyNot } from "@/tests/support/databases/mod.ts";
import { type RawAnswer, sendRaw } from "@/tests/support/raw_request.ts";
import { shared } from "@/tests/support/service.ts";
import { DIFFERENCES } from "./differences/mod.ts";
import { describeAnswer, formatGolden, type Golden, parseGolden } from "./golden.ts";
import { FOLDER, listGoldens, readGolden, startGoldenService } from "./service.ts";

/** Registers the tests. Without the engine's server they are ignored. */
export function testGoldens(dialect: TestDialect): void {
  const service = shared(() => startGoldenService(dialect), whyNot(dialect));
  const differences = new Differences(DIFFERENCES[dialect], join(FOLDER, "differences", dialect));
  for (const name of listGoldens()) {
    testOn(dialect, `the request of ${name} has its answer`, async () => {
      const golden = parseGolden(readGolden(name));
      const answer = await sendRaw(service().port, golden.request);
      const actual = formatGolden({ ...golden, answer: comparable(answer, golden) });
      const compared = differences.apply(name, formatGolden(golden), actual);
      assert.equal(compared.actual, compared.expected);
      assertCommon(answer);
    });
  }
  testOn(
    dialect,
    "every difference from the golden files is met",
    () => assert.deepEqual(differences.unused, []),
  );
}

/** The answer with the headers that the file names; an unexpected `Location` or `Warning` is there, too. */
function comparable(answer: RawAnswer, { answer: expected }: Golden): Required<Golden>["answer"] {
  return describeAnswer(answer, (expected?.headers ?? []).map(([name]) => name));
}

/** Assertions about every answer. */
function assertCommon({ status, headers, text }: RawAnswer): void {
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.has("warning"), status >= 400);
  assert.match(headers.get("warning") ?? "", /^[\x20-\x7e]{0,500}$/);
  if (status < 400 || text === "" || headers.get("content-type") !== "application/json") return;
  const { http_code, description } = JSON.parse(text);
  assert.deepEqual([http_code, description], [status, headers.get("warning")]);
}
