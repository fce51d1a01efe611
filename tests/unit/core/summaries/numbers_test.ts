import assert from "node:assert/strict";
import { meanText, readDecimal, sumText, writeDecimal } from "@/core/summaries/decimals.ts";
import { groupingFor, niceEdges } from "@/core/summaries/ranges.ts";
import { MOST_ROWS, summarizeRows } from "@/core/summaries/summarize_rows.ts";
import fc from "@/tests/support/random.ts";
import { endOf } from "../steps.ts";

Deno.test("decimals keep every digit", () => {
  const cases = [["1.50", "1.5"], ["-0.0", "0"], [".5", "0.5"], ["1e3", "1000"], ["-1.2e-3", "-0.0012"], [
    "12345678901234567890.12",
    "12345678901234567890.12",
  ]];
  for (const [text = "", written] of cases) {
    const decimal = readDecimal(text);
    assert.equal(decimal && writeDecimal(decimal), written, text);
  }
  for (const text of ["", ".", "abc", "Infinity", "NaN", "1,5", "0x10"]) {
    assert.equal(readDecimal(text), undefined, text);
  }
});

Deno.test("means have 15 digits, or two decimals more than the sum", () => {
  assert.equal(meanText("10", 3, false), "3.33333333333333");
  assert.equal(meanText("-10", 4, false), "-2.5");
  assert.equal(meanText("-20", 3, false), "-6.66666666666667");
  assert.equal(meanText("0.3", 3, true), "0.1");
  assert.equal(sumText(0.1 + 0.2, true), "0.3");
  assert.equal(sumText("NaN", true), "NaN");
});

Deno.test("ranges have round edges, one width, and hold every number between the ends", () => {
  assert.deepEqual(niceEdges(0, 10, true), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
  assert.deepEqual(niceEdges("0.99", "0.99", false), ["0", "1"]);
  assert.deepEqual(niceEdges(-3, -3, true), ["-3", "-2"]);
  assert.deepEqual(
    niceEdges("0.1", "0.3", false)?.slice(0, 3),
    ["0.1", "0.12", "0.14"],
  );
  assert.equal(niceEdges(0, Infinity, false), undefined);
  assert.equal(niceEdges("text", "texts", false), undefined);
  assert.equal(niceEdges(null, null, true), undefined);
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (one, other) => {
        const [least, greatest] = one < other ? [one, other] : [other, one];
        const edges = (niceEdges(least, greatest, false) ?? []).map(Number);
        return edges.length >= 2 && edges.length <= 21 && (edges[0] ?? NaN) <= least &&
          (edges.at(-1) ?? NaN) >= greatest;
      },
    ),
  );
});

Deno.test("dates are grouped by the period that fits their span", () => {
  const cases = [["2009-01-01", "2009-02-01", "day"], ["2009-01-01", "2010-01-01T00:00:00", "month"], [
    "1950-01-01",
    "2020-01-01",
    "year",
  ], ["-infinity", "infinity", "year"]] as const;
  for (const [from, to, by] of cases) assert.equal(groupingFor("date", from, to), by);
});

Deno.test("rows in memory: types come from the values, and only so many rows are summed up", () => {
  const columns = [{ name: "x", type: "any" as const }, { name: "y", type: "any" as const }];
  const rows = [[1, 2], [2.5, 3n], [null, 4], [10n ** 20n, null]] as const;
  const { column, groups } = endOf(summarizeRows(rows, columns, {
    column: 0,
    by: "value",
    total: { column: 1, total: "sum" },
  }));
  assert.deepEqual([column.type, column.nulls, column.distinct], ["float", 1, 3]);
  assert.deepEqual(groups?.items.map(({ total }) => total), ["2", "3", null]);
  assert.equal(
    endOf(summarizeRows([["2009-01-01"], [null]], columns.slice(0, 1), { column: 0 })).column.type,
    "date",
  );
  assert.throws(
    () => endOf(summarizeRows([["a"]], columns.slice(0, 1), { column: 0, by: "range" })),
    /type text/,
  );
  const many = Array.from({ length: MOST_ROWS + 1 }, (_, index) => [index]);
  const cut = endOf(summarizeRows(many, columns.slice(0, 1), { column: 0, by: "auto" }));
  assert.deepEqual([cut.column.rows, cut.column.isCut, cut.groups?.items.length], [MOST_ROWS, true, 20]);
});

Deno.test("of more than 1,000 groups in memory those with the largest totals are kept", () => {
  const columns = [{ name: "x", type: "integer" as const }, { name: "y", type: "integer" as const }];
  const rows = Array.from({ length: 3000 }, (_, index) => [index >> 1, index]);
  for (const [total, largest] of [["sum", "5997"], ["mean", "2998.5"], ["least", "2998"]] as const) {
    const { groups } = endOf(
      summarizeRows(rows, columns, { column: 0, by: "value", total: { column: 1, total } }),
    );
    assert.equal(groups?.items.find(({ key }) => key === 1499)?.total, largest);
  }
});

Deno.test("a hundred thousand rows in memory are summed up in many steps, between which other requests run", () => {
  const columns = [{ name: "x", type: "text" as const }, { name: "y", type: "decimal" as const }];
  const rows = Array.from({ length: MOST_ROWS }, (_, index) => [`value ${index}`, `${index}.5`]);
  const total = { column: 1, total: "sum" as const };
  for (const question of [{ column: 0, by: "value" as const, total }, { column: 1, by: "auto" as const }]) {
    const steps = summarizeRows(rows, columns, question);
    let count = 0;
    while (!steps.next().done) count++;
    assert.ok(count > 100, `${count} steps`);
  }
});
