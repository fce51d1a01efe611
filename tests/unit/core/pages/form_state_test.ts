/** @module Complaints about values in the words of pages. */

import assert from "node:assert/strict";
import { plainComplaint } from "@/core/pages/form_state.ts";

const SENTENCES: readonly (readonly [sentence: string, plain: string])[] = [
  ["'x' is not a whole number of at most 64 bits", "'x' is not a whole number"],
  ["Expected a whole number of at most 64 bits", "Expected a whole number"],
  [
    "'99999999999999999999' is not a whole number of at most 64 bits",
    "'99999999999999999999' is not a whole number of at most 64 bits",
  ],
  ["'1,5' is not a number", "'1,5' is not a number: write 1.5"],
  ['"1,5": expected a number', '"1,5": expected a number: write 1.5'],
  ["'1,500' is not a number", "'1,500' is not a number as in 1234.5"],
  ["'1.234,50' is not a number", "'1.234,50' is not a number as in 1234.5"],
  ['"1 234.50": expected a number', '"1 234.50": expected a number as in 1234.5'],
  ["'1.234.567' is not a whole number of at most 64 bits", "'1.234.567' is not a whole number as in 1234"],
  ["'much' is not a number", "'much' is not a number"],
  [
    "'x' is not a date and time as in 2009-12-31T23:59:59",
    "'x' is not a date and time as in 2009-12-31 23:59:59",
  ],
];

for (const [sentence, plain] of SENTENCES) {
  Deno.test(`on pages: ${sentence}`, () => assert.equal(plainComplaint(sentence), plain));
}
