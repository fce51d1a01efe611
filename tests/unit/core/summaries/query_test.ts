import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import { TEST_DIALECTS, testOn } from "@/tests/support/databases/mod.ts";
import { Place } from "./place.ts";

const SCRIPT = `
CREATE TABLE Sale (
  Id INTEGER NOT NULL PRIMARY KEY,
  Country VARCHAR(40),
  Total DECIMAL(12,2),
  OnDay DATE
);
INSERT INTO Sale VALUES
  (1, 'Brazil', 0.10, '1969-12-31'), (2, 'Brazil', 0.20, '2009-01-01'), (3, 'Canada', 5.00, '2009-02-01'),
  (4, 'Norway', NULL, NULL), (5, NULL, 1.00, '2009-02-01');
`;

for (const dialect of TEST_DIALECTS) {
  const quoted = (name: string) => dialect === "mysql" ? `\`${name}\`` : `"${name}"`;
  const [table, country, total, onDay] = ["Sale", "Country", "Total", "OnDay"].map(quoted);
  testOn(dialect, "summaries of saved queries", async () => {
    await using place = await Place.open({
      dialect,
      label: "queries",
      script: SCRIPT,
      queries: {
        sales: `SELECT ${country}, ${total}, ${onDay} FROM ${table} ORDER BY ${country}`,
        "by-country":
          `SELECT ${country} AS c, count(*) AS n, sum(${total}) AS total FROM ${table} WHERE ${total} > :least GROUP BY ${country}`,
        extended: [5, 10, -3, -20].map((each) =>
          `SELECT ${total} * 0 + ${each} AS total FROM ${table} WHERE ${total} > 4`
        ).join(" UNION ALL "),
        change: `DELETE FROM ${table}`,
      },
    });
    const sales = await place.askQuery("sales", { x: "Total" });
    assert.deepEqual([sales.column.rows, sales.column.nulls, sales.column.sum, sales.column.mean], [
      5,
      1,
      "6.3",
      "1.575",
    ]);
    assert.deepEqual(sales.column.frequent.map(({ value }) => value), ["0.1", "0.2", "1", "5"]);
    const extended = await place.askQuery("extended", { x: "total" });
    assert.deepEqual(extended.column.frequent.map(({ value }) => String(value)), ["-20", "-3", "5", "10"]);
    const { groups } = await place.askQuery("sales", { x: "OnDay", by: "month", y: "Total" });
    assert.deepEqual(groups?.items, [
      { key: "1969-12", count: 1, total: "0.1" },
      { key: "2009-01", count: 1, total: "0.2" },
      { key: "2009-02", count: 2, total: "6" },
    ]);
    // SQLite knows no types of computed columns.
    const counted = await place.askQuery("by-country/least/0", { x: "c", y: "n" });
    assert.deepEqual(counted.groups?.items, [
      { key: "Brazil", count: 1, total: "2" },
      { key: "Canada", count: 1, total: "1" },
    ]);
    const ranges = await place.askQuery("by-country/least/0", { x: "total" });
    assert.equal(ranges.groups?.by, "range");
    assert.equal(ranges.groups?.items.reduce((sum, { count }) => sum + count, 0), 3);
    const isRefused = (error: unknown) => error instanceof ServiceError && error.status === 400;
    await assert.rejects(place.askQuery("sales", { x: "Nothing" }), isRefused);
    await assert.rejects(place.askQuery("sales", { x: "Country", by: "range" }), isRefused);
    await assert.rejects(place.askQuery("by-country", { x: "c" }), isRefused);
    await assert.rejects(place.askQuery("change", { x: "c" }), isRefused);
  });
}
