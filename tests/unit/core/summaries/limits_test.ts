import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import { valueFilter } from "@/core/summaries/group_filter.ts";
import { whyNoServer } from "@/tests/support/servers/mod.ts";
import { Place } from "./place.ts";

const MANY = `
CREATE TABLE Many (
  Id INTEGER NOT NULL PRIMARY KEY,
  Half INTEGER,
  OnDay DATE
);
INSERT INTO Many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
  SELECT i, i / 2, date('1960-01-01', i || ' days') FROM n;
CREATE VIEW Endless AS
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT i AS Number FROM n;
`;

Deno.test("a summary has at most 1,000 groups, those with the largest totals, and 900 points, and says that there are more", async () => {
  await using place = await Place.open({ dialect: "sqlite", label: "limits", script: MANY });
  for (const [x, by] of [["Half", "value"], ["OnDay", "day"]] as const) {
    const { groups, column } = await place.ask("Many", { x, by });
    assert.deepEqual([groups?.items.length, groups?.isCut, column.frequent.length], [1000, true, 20]);
  }
  const totals = { sum: 5997, mean: 3000, least: 3000, greatest: 3000 };
  for (const [total, largest] of Object.entries(totals)) {
    const { groups } = await place.ask("Many", {
      x: "Half",
      by: "value",
      y: "Id",
      total: total as keyof typeof totals,
    });
    const found = groups?.items.map(({ total }) => Number(total)) ?? [];
    assert.deepEqual([found.length, groups?.isCut, Math.max(...found)], [1000, true, largest]);
  }
  const { points } = await place.ask("Many", { x: "Id", y: "Half", isScatter: true });
  assert.deepEqual([points?.items.length, points?.isCut, points?.items[899]], [900, true, [900, 450]]);
  const auto = await place.ask("Many", { x: "OnDay" });
  assert.deepEqual([auto.groups?.by, auto.groups?.isCut], ["month", false]);
});

const LONG = `
CREATE TABLE Long (
  Id INTEGER NOT NULL PRIMARY KEY,
  Words TEXT,
  Digits DECIMAL TEXT
);
INSERT INTO Long VALUES
  (1, printf('%.*c', 60000000, 'x'), printf('%.*c', 100000, '9')), (2, 'short', '1.5'), (3, 'short', NULL);
`;

Deno.test("of long texts a summary has the beginning, and results of queries that are too large are refused", async () => {
  await using place = await Place.open({
    dialect: "sqlite",
    label: "long",
    script: LONG,
    queries: { long: "SELECT Id, Words FROM Long" },
  });
  const { column } = await place.ask("Long", { x: "Words" });
  assert.deepEqual([column.smallest, column.largest], ["short", "x".repeat(1000)]);
  assert.deepEqual(column.frequent.map(({ value, count }) => [String(value).length, count]), [[5, 2], [
    1000,
    1,
  ]]);
  const [short, long] = column.frequent.map(({ value }) => valueFilter(value));
  assert.deepEqual([short, long], [{ is: "is", value: "short", to: "" }, undefined]);
  assert.equal((await place.ask("Long", { x: "Digits" })).column.rows, 3);
  await assert.rejects(place.askQuery("long", { x: "Words" }), (error) => {
    return error instanceof ServiceError && error.status === 400 && /too large/.test(error.message);
  });
  assert.equal((await place.askQuery("long", { x: "Id" })).column.sum, "6");
});

Deno.test("a summary that takes too long is refused, and its statement is stopped", async () => {
  await using place = await Place.open({ dialect: "sqlite", label: "late", script: MANY });
  await assert.rejects(place.ask("Endless", { x: "Number" }, { milliseconds: 300 }), (error) => {
    return error instanceof ServiceError && error.status === 504 &&
      error.message === "The summary takes too long: narrow the list with filters";
  });
  assert.equal((await place.ask("Many", { x: "Id" })).column.rows, 3000);
});

const SLOW = {
  postgresql: 'CREATE VIEW "Slow" AS SELECT 1 AS "Id" FROM pg_sleep(60);',
  mysql: "CREATE VIEW Slow AS SELECT sleep(60) AS Id;",
} as const;

for (const dialect of ["postgresql", "mysql"] as const) {
  Deno.test({
    name: `a summary that takes too long is given up on ${dialect}`,
    ignore: whyNoServer(dialect) !== undefined,
    async fn() {
      const script =
        "CREATE TABLE Quick (\n  Id INTEGER NOT NULL PRIMARY KEY\n);\nINSERT INTO Quick VALUES (1);\n";
      await using place = await Place.open({ dialect, label: "slow", script, more: SLOW[dialect] });
      await assert.rejects(place.ask("Slow", { x: "Id" }, { milliseconds: 300 }), (error) => {
        return error instanceof ServiceError && error.status === 504 && /narrow the list/.test(error.message);
      });
      assert.equal((await place.ask("Quick", { x: "Id" })).column.sum, "1");
    },
  });

  Deno.test({
    name: `sums and means have every digit of ${dialect}`,
    ignore: whyNoServer(dialect) !== undefined,
    async fn() {
      const script = "CREATE TABLE Huge (\n  Id INTEGER NOT NULL PRIMARY KEY,\n  Amount DECIMAL(38,10)\n);\n";
      const table = dialect === "mysql" ? "Huge" : '"Huge"';
      const more = `INSERT INTO ${table} VALUES (1, 1234567890123456789012345678.0000000001), ` +
        "(2, 0.0000000002), (3, -9999999999999999999999999999.5);\n";
      await using place = await Place.open({ dialect, label: "huge", script, more });
      const { column, groups } = await place.ask("Huge", { x: "Amount" });
      assert.equal(column.sum, "-8765432109876543210987654321.4999999997");
      assert.equal(column.mean, "-2921810703292181070329218107.166666666567");
      assert.equal(column.smallest, "-9999999999999999999999999999.5");
      assert.deepEqual(groups?.items.map(({ key, to, count }) => [key, to, count])[0], [
        "-10000000000000000000000000000",
        "-9000000000000000000000000000",
        1,
      ]);
    },
  });
}
