import assert from "node:assert/strict";
import { type GroupFilter, groupFilter, valueFilter } from "@/core/summaries/group_filter.ts";
import { TEST_DIALECTS, testOn } from "@/tests/support/databases/mod.ts";
import { printValue } from "@/core/request/print_path.ts";
import { LINKS } from "../tables.ts";
import { Place } from "./place.ts";

const SCRIPT = `
CREATE TABLE Sale (
  Id INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(40),
  Pieces INTEGER,
  Total DECIMAL(12,2),
  Paid BOOLEAN,
  OnDay DATE,
  At DATETIME
);
INSERT INTO Sale VALUES
  (1, '', 3, 0.10, 1, '1968-02-29', '1968-02-29 23:59:59'),
  (2, '<null>', 7, 0.20, 0, '1970-01-01', '1970-01-01 00:00:00'),
  (3, 'a/b,*.json', 12, 12.34, 1, '2009-01-31', '2009-01-31 12:00:00'),
  (4, NULL, NULL, NULL, NULL, NULL, NULL),
  (5, 'Ärger', 45, -7.50, 1, '2009-12-31', '2009-12-31 23:59:59.999'),
  (6, 'a/b,*.json', 99, 0.10, 0, '2010-01-01', '2010-01-01 00:00:00'),
  (7, NULL, NULL, NULL, NULL, NULL, '2009-12-31 23:59:59.999999');
`;

const ASKED = [
  ["Name", "value"],
  ["Pieces", "range"],
  ["Total", "value"],
  ["Paid", "value"],
  ["OnDay", "year"],
  ["OnDay", "month"],
  ["At", "month"],
  ["At", "day"],
  ["At", "value"],
] as const;

const DECIMALS = { sqlite: 9, postgresql: 6, mysql: 6, mssql: 7 } as const;

function segmentOf({ is, value, to }: GroupFilter): string {
  if (is === "null") return "%3Cnull%3E";
  return is === "is" ? printValue(value, LINKS) : `${printValue(value, LINKS)}..${printValue(to, LINKS)}`;
}

Deno.test("the filter of a period finds dates and moments in a column without a type", async () => {
  const script = `CREATE TABLE Note (Id INTEGER NOT NULL PRIMARY KEY, Day);
    INSERT INTO Note VALUES (1, '2009-01-01'), (2, '2009-01-31 23:59:59'), (3, '2009-02-01'), (4, '2008-12-31');`;
  await using place = await Place.open({ dialect: "sqlite", label: "periods", script });
  const { groups, column } = await place.ask("Note", { x: "Day", by: "month" });
  assert.deepEqual(groups?.items.map(({ count }) => count), [1, 2, 1]);
  for (const group of groups.items) {
    const filter = groupFilter(group, "month", column.type, DECIMALS.sqlite);
    assert.ok(filter);
    const found = await place.ask(`Note/Day/${segmentOf(filter)}`, { x: "Day" });
    assert.equal(found.column.rows, group.count, JSON.stringify(filter));
  }
});

for (const dialect of TEST_DIALECTS) {
  testOn(dialect, "the filter of each group finds as many rows as it counts", async () => {
    await using place = await Place.open({ dialect, label: "links", script: SCRIPT });
    for (const [x, by] of ASKED) {
      const { groups, column } = await place.ask("Sale", { x, by });
      assert.ok(groups && groups.items.length > 0);
      for (const group of groups.items) {
        const filter = groupFilter(group, groups.by, column.type, DECIMALS[dialect]);
        assert.ok(filter);
        const found = await place.ask(`Sale/${x}/${segmentOf(filter)}`, { x });
        assert.equal(found.column.rows, group.count, `${x} ${JSON.stringify(filter)}`);
      }
      const none = valueFilter(null);
      assert.equal(
        (await place.ask(`Sale/${x}/${none && segmentOf(none)}`, { x })).column.rows,
        column.nulls,
      );
    }
    const { groups } = await place.ask("Sale", { x: "Total", by: "range" });
    assert.equal(groups?.items[0] && groupFilter(groups.items[0], "range", "decimal", 6), undefined);
  });
}
