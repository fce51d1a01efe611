import assert from "node:assert/strict";
import type { NamedQuestion } from "@/core/summaries/question.ts";
import type { Summary } from "@/plugins/contract.ts";
import { TEST_DIALECTS, type TestDialect, testOn } from "@/tests/support/databases/mod.ts";
import { Place } from "./place.ts";

const ODD = `a"b\`c]d'e; -- $1 ?`;
const SCRIPT = `
CREATE TABLE Sale (
  Id INTEGER NOT NULL PRIMARY KEY,
  Country VARCHAR(40),
  Total DECIMAL(12,2),
  Weight REAL,
  Pieces INTEGER,
  Large BIGINT,
  OnDay DATE,
  At DATETIME,
  Clock TIME,
  Paid BOOLEAN,
  Data BLOB
);
INSERT INTO Sale VALUES
  (1, 'Brazil', 0.10, 1.5, 3, 9223372036854775807, '1969-12-31', '1969-12-31 23:59:59', '10:00:00', 1, x'00'),
  (2, 'Brazil', 0.20, -2.25, 7, 9223372036854775807, '1970-01-01', '1970-01-01 00:00:00', '09:30:00', 0, x'01'),
  (3, 'Canada', 12.34, 1e300, 12, -9223372036854775807, '2009-01-31', '2009-01-31 12:00:00', NULL, 1, NULL),
  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (5, 'Norway', -7.50, 0.25, 45, 5, '2009-02-28', '2009-02-28 00:00:00.5', '23:59:59', 1, x'00'),
  (6, 'Brazil', 100.00, 3.5, 99, 0, '2010-12-31', '2010-12-31 23:00:00', '00:00:00', 0, x'');
CREATE TABLE Ledger (
  Id INTEGER NOT NULL PRIMARY KEY,
  Account VARCHAR(10),
  Amount DECIMAL(12,2)
);
INSERT INTO Ledger VALUES
  (1, 'bank', 1000.10), (2, 'bank', 0.20), (3, 'bank', -1000.30), (4, 'till', 4128.16), (5, 'till', -4123.57);
CREATE TABLE Empty (
  Id INTEGER NOT NULL PRIMARY KEY,
  Amount DECIMAL(12,2),
  OnDay DATE
);
`;

/** A table whose column has the quote of most engines, which the definitions of the tests cannot say. */
function oddTable(dialect: TestDialect): string {
  const [open, close] = dialect === "mysql" ? ["`", "`"] : dialect === "mssql" ? ["[", "]"] : ['"', '"'];
  const name = open + ODD.replaceAll(close, close + close) + close;
  return `CREATE TABLE ${open}Odd${close} (${name} INTEGER);\nINSERT INTO ${open}Odd${close} VALUES (1), (2), (2);\n`;
}

type Case = readonly [
  path: string,
  asked: NamedQuestion,
  check: (summary: Summary) => unknown,
  expected: unknown,
];

const column = ({ column }: Summary) => column;
const groups = ({ groups }: Summary) =>
  groups?.items.map(({ key, to, count, total }) => {
    return [...(to === undefined ? [key] : [key, to]), count, ...(total === undefined ? [] : [total])];
  });
const by = ({ groups }: Summary) => groups?.by;
const points = ({ points }: Summary) => points?.items.map(([x, y]) => [String(x), String(y)]);

/** Each is there once, so they are in the order of their size. */
const AMOUNTS = ["-4123.57", "-1000.3", "0.2", "1000.1", "4128.16"];

const CASES: readonly Case[] = [
  ["Sale", { x: "Country" }, column, {
    name: "Country",
    type: "text",
    rows: 6,
    nulls: 1,
    distinct: 3,
    smallest: "Brazil",
    largest: "Norway",
    frequent: [{ value: "Brazil", count: 3 }, { value: "Canada", count: 1 }, { value: "Norway", count: 1 }],
  }],
  ["Sale", { x: "Total" }, ({ column: { frequent: _, ...facts } }) => facts, {
    name: "Total",
    type: "decimal",
    rows: 6,
    nulls: 1,
    distinct: 5,
    smallest: "-7.5",
    largest: "100",
    sum: "105.14",
    mean: "21.028",
  }],
  ["Ledger", { x: "Amount" }, ({ column: { sum, mean } }) => [sum, mean], ["4.59", "0.918"]],
  ["Ledger", { x: "Amount", by: "value" }, groups, AMOUNTS.map((amount) => [amount, 1])],
  ["Ledger", { x: "Amount" }, ({ column: { frequent } }) => frequent.map(({ value }) => value), AMOUNTS],
  ["Ledger", { x: "Account", y: "Amount" }, groups, [["bank", 3, "0"], ["till", 2, "4.59"]]],
  ["Sale", { x: "Weight" }, ({ column: { smallest, largest, sum } }) => [smallest, largest, sum], [
    -2.25,
    1e300,
    "1e+300",
  ]],
  ["Sale/Id/..2", { x: "Large" }, ({ column: { largest, distinct } }) => [largest, distinct], [
    9223372036854775807n,
    1,
  ]],
  ["Sale/~Id/2", { x: "Large" }, ({ column: { sum } }) => sum, "5"],
  ["Sale", { x: "Clock" }, ({ column: { smallest, largest } }) => [smallest, largest], [
    "00:00:00",
    "23:59:59",
  ]],
  ["Sale", { x: "Paid" }, ({ column: { distinct, frequent } }) => [distinct, frequent], [
    2,
    [{ value: true, count: 3 }, { value: false, count: 2 }],
  ]],
  ["Sale", { x: "At" }, ({ column: { smallest, largest } }) => [smallest, largest], [
    "1969-12-31T23:59:59",
    "2010-12-31T23:00:00",
  ]],
  ["Odd", { x: ODD, y: ODD, by: "value" }, groups, [[2, 2, "4"], [1, 1, "1"]]],
  ["Sale", { x: "OnDay", by: "year" }, groups, [["1969", 1], ["1970", 1], ["2009", 2], ["2010", 1]]],
  ["Sale", { x: "OnDay", by: "month", y: "Total" }, groups, [
    ["1969-12", 1, "0.1"],
    ["1970-01", 1, "0.2"],
    ["2009-01", 1, "12.34"],
    ["2009-02", 1, "-7.5"],
    ["2010-12", 1, "100"],
  ]],
  ["Sale", { x: "At", by: "day" }, groups, [
    ["1969-12-31", 1],
    ["1970-01-01", 1],
    ["2009-01-31", 1],
    ["2009-02-28", 1],
    ["2010-12-31", 1],
  ]],
  ["Sale", { x: "OnDay" }, by, "year"],
  ["Sale/OnDay/2009-01-01..2010-12-31", { x: "OnDay" }, by, "month"],
  ["Sale/Country/Canada,Norway", { x: "OnDay" }, by, "day"],
  [
    "Sale",
    { x: "Pieces", by: "range" },
    groups,
    rangesOf([[0, 1], [5, 1], [10, 1], [45, 1], [95, 1]], 5, 20),
  ],
  ["Sale", { x: "Pieces", y: "Total", total: "greatest" }, (summary) => groups(summary)?.at(-1), [
    "95",
    "100",
    1,
    "100",
  ]],
  ["Sale/Pieces/3..7", { x: "Pieces" }, groups, [["3", "4", 1], ["4", "5", 0], ["5", "6", 0], ["6", "7", 0], [
    "7",
    "8",
    1,
  ]]],
  [
    "Sale/Total/..0.2",
    { x: "Total", by: "range" },
    (summary) => [groups(summary)?.at(0), groups(summary)?.at(-1)],
    [
      ["-7.5", "-7", 1],
      ["0", "0.5", 2],
    ],
  ],
  ["Sale/Country/Norway", { x: "Total" }, groups, [["-8", "-7", 1]]],
  ["Sale", { x: "Country", y: "Total" }, groups, [["Brazil", 3, "100.3"], ["Canada", 1, "12.34"], [
    "Norway",
    1,
    "-7.5",
  ]]],
  ["Sale", { x: "Country", y: "Pieces", total: "mean" }, groups, [
    ["Brazil", 3, "36.3333333333333"],
    ["Canada", 1, "12"],
    ["Norway", 1, "45"],
  ]],
  ["Sale", { x: "Country", y: "Total", total: "least" }, groups, [["Brazil", 3, "0.1"], [
    "Canada",
    1,
    "12.34",
  ], ["Norway", 1, "-7.5"]]],
  ["Sale", { x: "Pieces", y: "Total", isScatter: true }, points, [
    ["3", "0.1"],
    ["7", "0.2"],
    ["12", "12.34"],
    ["45", "-7.5"],
    ["99", "100"],
  ]],
  ["Sale/Country?distinct", { x: "Country" }, ({ column: { rows, frequent } }) => [rows, frequent.length], [
    4,
    3,
  ]],
  ["Empty", { x: "Amount" }, column, {
    name: "Amount",
    type: "decimal",
    rows: 0,
    nulls: 0,
    distinct: 0,
    frequent: [],
  }],
  ["Empty", { x: "OnDay", y: "Amount" }, groups, []],
  ["Sale/Country/<null>", { x: "Pieces" }, groups, []],
];

/** Twenty ranges of one width, with the rows of some of them by their least number. */
function rangesOf(filled: readonly (readonly [number, number])[], width: number, count: number): unknown {
  const counts = new Map(filled);
  return Array.from({ length: count }, (_, index) => {
    const least = index * width;
    return [String(least), String(least + width), counts.get(least) ?? 0];
  });
}

for (const dialect of TEST_DIALECTS) {
  testOn(dialect, "summaries", async (test) => {
    await using place = await Place.open({
      dialect,
      label: "engines",
      script: SCRIPT,
      more: oddTable(dialect),
    });
    for (const [path, asked, check, expected] of CASES) {
      await test.step(`${path} ${JSON.stringify(asked)}`, async () => {
        assert.deepEqual(check(await place.ask(path, asked)), expected);
      });
    }
    await test.step("columns of bytes are counted only", async () => {
      const asked = { column: 10 };
      assert.deepEqual((await place.askPlainly("Sale", asked)).column, {
        name: "Data",
        type: "binary",
        rows: 6,
        nulls: 2,
        frequent: [],
      });
    });
  });
}
