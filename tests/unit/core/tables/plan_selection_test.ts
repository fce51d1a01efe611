import assert from "node:assert/strict";
import { NameIndex } from "@/core/base/name_index.ts";
import { sortKeys } from "@/core/request/parameter_values.ts";
import { sortPositions } from "@/core/tables/plan_selection.ts";

const columns = new NameIndex([["a", 0], ["b", 1]] as const);
const owner = "the result";

Deno.test("rows are sorted once by a column that is named twice, which SQL Server refuses", () => {
  const sorted = sortPositions({ sort: sortKeys("a,-b,-A", "sort") }, { columns, owner });
  assert.deepEqual(sorted.map(({ position, descending }) => [position, descending]), [[0, false], [1, true]]);
});

Deno.test("distinct rows of tables and of queries are refused in the same words", () => {
  const asked = { sort: sortKeys("b", "sort"), distinct: true };
  assert.equal(sortPositions(asked, { columns, owner, listed: [1] }).length, 1);
  assert.throws(() => sortPositions(asked, { columns, owner, listed: [0] }), {
    message: 'Cannot sort distinct rows by "b": it is not one of the listed columns',
  });
});
