import assert from "node:assert/strict";
import { queryParameters } from "@/core/query_parameters.ts";

const CASES: readonly (readonly [sql: string, names: readonly string[]])[] = [
  ["SELECT 1", []],
  ["SELECT :a, :b_2, :a", ["a", "b_2"]],
  ["SELECT ':no', ':it''s :no', :yes", ["yes"]],
  ['SELECT ":no", ":a "" :no", :yes', ["yes"]],
  ["SELECT `:no`, [:no], :yes", ["yes"]],
  ["SELECT 1 -- :no\n, :yes", ["yes"]],
  ["SELECT /* :no ' */ :yes", ["yes"]],
  ["SELECT a::text, :yes::int", ["yes"]],
  ["SELECT $$ :no $$, $x$ :no $$ $x$, :yes", ["yes"]],
  ["SELECT ':no, :no", []],
  ["SELECT /* :no", []],
  ["SELECT '12:30', :a", ["a"]],
  ["SELECT :1, : a", []],
];

for (const [sql, names] of CASES) {
  Deno.test(`the parameters of ${JSON.stringify(sql)} are ${names.join(", ") || "none"}`, () => {
    assert.deepEqual(queryParameters(sql), names);
  });
}

Deno.test("SQL that goes on opening things is read in linear time", () => {
  for (const part of ["/*", "'", "$$", "[", "--", "$a$ "]) {
    assert.deepEqual(queryParameters(part.repeat(500_001)), []);
  }
});
