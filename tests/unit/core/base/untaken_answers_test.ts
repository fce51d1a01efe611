/**
 * @module Answers that connections may not have taken: which of them find room.
 */

import assert from "node:assert/strict";
import { UntakenAnswers } from "@/core/base/untaken_answers.ts";

const ANSWER = 500_000;
/** As many answers as find room. */
const CROWD = 67;

function crowd(answers: UntakenAnswers, now: number): number {
  return Array.from({ length: 1000 }, (_, index) => answers.note(`client:${index}`, ANSWER, now))
    .filter((isRoom) => isRoom).length;
}

Deno.test("connections that do not come back have 32 MiB of answers together", () => {
  assert.equal(crowd(new UntakenAnswers(), 0), CROWD);
});

Deno.test("a connection that comes back has taken its last answer", () => {
  const answers = new UntakenAnswers();
  for (let request = 0; request < 10_000; request++) {
    assert.ok(answers.note(`client:${request % 50}`, ANSWER, 0), `request ${request}`);
  }
});

Deno.test("an answer counts as taken after a minute", () => {
  const answers = new UntakenAnswers();
  assert.equal(crowd(answers, 0), CROWD);
  assert.equal(answers.note("late", ANSWER, 59_999), false);
  assert.equal(answers.note("later", ANSWER, 60_000), true);
});

Deno.test("an answer that found no room takes none", () => {
  const answers = new UntakenAnswers();
  assert.equal(crowd(answers, 0), CROWD);
  assert.equal(answers.note("client:0", ANSWER, 1), true);
  assert.equal(answers.note("client:0", 2 ** 26, 1), false);
  // Its earlier answer was taken.
  assert.equal(answers.note("other", ANSWER, 1), true);
});
