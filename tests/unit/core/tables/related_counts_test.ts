import assert from "node:assert/strict";
import type { KeptExpansion } from "@/core/tables/kept_statement.ts";
import type { Row } from "@/core/model.ts";
import { putRelated } from "@/core/tables/expand_relations.ts";

/** Counts by the foreign key in cell 0, for parents with their key in cell 0, are put into cell 1. */
const COUNTS = [{
  expansion: {
    relation: { name: "Invoice", many: true },
    chain: [{ name: "Invoice" }],
    cell: 1,
    local: [0],
    foreign: [0],
    countedUpTo: 5,
    children: [],
  },
}] as unknown as readonly KeptExpansion[];

Deno.test("a record has the number of its related records, none without any and for a NULL key", () => {
  const rows: Row[] = [["a"], ["b"], [null]];
  putRelated(COUNTS, rows, [[["a", 5n]]]);
  assert.deepEqual(rows, [["a", 5], ["b", 0], [null, 0]]);
});

Deno.test("where counting ended before the last record, no record has a number", () => {
  const rows: Row[] = [["a"], ["b"], ["c"]];
  putRelated(COUNTS, rows, [[["a", 5], ["b", 1]]]);
  assert.deepEqual(rows, [["a", null], ["b", null], ["c", null]]);
});
