import assert from "node:assert/strict";
import { chartModel } from "@/core/summaries/chart_model.ts";
import {
  type AskedChart,
  type ChartColumn,
  chartColumns,
  chartQuestion,
  proposeChart,
} from "@/core/summaries/propose_chart.ts";
import { readQuestion } from "@/core/summaries/question.ts";
import { summarizeRows } from "@/core/summaries/summarize_rows.ts";
import { chartSvg } from "@/formats/html/charts/chart.ts";
import type { ChartModel, Row, Summary, ValueType } from "@/plugins/contract.ts";
import { allTables } from "@/core/schema/table.ts";
import { endOf } from "../steps.ts";
import { schemaOf, table } from "../tables.ts";

function columns(text: string): readonly ChartColumn[] {
  return text.split(" ").map((each) => {
    const [name = "", type = "text"] = each.replace("!", "").split(":");
    return { name, type: type as ValueType, isIdentity: each.endsWith("!") };
  });
}

const PROPOSALS: readonly (readonly [text: string, asked: AskedChart, proposed: unknown])[] = [
  ["Id:integer! Sold:date Total:decimal Country", {}, { kind: "line", x: "Sold", y: "Total", total: "sum" }],
  ["Id:integer! At:datetime Country", {}, { kind: "line", x: "At" }],
  ["Id:integer! Name! Country Total:decimal", {}, { kind: "bar", x: "Country" }],
  ["Id:integer! Name! A:integer B:float", {}, { kind: "scatter", x: "A", y: "B", total: "sum" }],
  ["Id:integer! Name! A:integer", {}, { kind: "histogram", x: "A" }],
  ["Id:integer! Name!", {}, { kind: "bar", x: "Name", by: "value" }],
  ["Ship:integer! Port:integer!", {}, { kind: "bar", x: "Ship", by: "value" }],
  ["Sold:date Total:decimal Country", { x: "Country" }, { kind: "bar", x: "Country" }],
  ["Sold:date Total:decimal Country", { x: "Total" }, { kind: "histogram", x: "Total" }],
  ["Id:integer! Kind:integer!", { x: "Kind" }, { kind: "bar", x: "Kind", by: "value" }],
  ["Kind:integer!", { kind: "bar", x: "Kind", by: "range" }, { kind: "bar", x: "Kind", by: "range" }],
  ["A:integer B:integer", { x: "A", y: "B" }, { kind: "scatter", x: "A", y: "B", total: "sum" }],
  ["Sold:date Country", { x: "Sold", by: "year" }, { kind: "line", x: "Sold", by: "year" }],
  ["Sold:date Total:decimal", { kind: "bar", x: "Sold", y: "Total", total: "mean" }, {
    kind: "bar",
    x: "Sold",
    y: "Total",
    total: "mean",
  }],
  ["Sold:date Total:decimal", { kind: "pie" }, { kind: "line", x: "Sold", y: "Total", total: "sum" }],
];

for (const [text, asked, proposed] of PROPOSALS) {
  Deno.test(`the chart proposed for ${text} ${JSON.stringify(asked)}`, () => {
    assert.deepEqual(proposeChart(columns(text), asked), proposed);
  });
}

Deno.test("no chart is proposed for columns that cannot be compared", () => {
  assert.throws(() => proposeChart(columns("Data:binary Doc:json"), {}), { status: 400 });
});

Deno.test("keys, foreign keys, unique columns and labels are no amounts", () => {
  const [letter] = allTables(schemaOf([
    table(
      "Letter",
      "Id:integer Sender:integer Title Number:integer Pages:integer Kind PlaceId:integer Paid:integer",
      {
        key: ["Id"],
        unique: [["Number"]],
        references: [["Sender", "Person", "Id"]],
      },
    ),
    table("Person", "Id:integer Name", { key: ["Id"] }),
  ]));
  const free = letter && chartColumns(letter).filter(({ isIdentity }) => !isIdentity).map(({ name }) => name);
  assert.deepEqual(free, ["Pages", "Kind", "Paid"]);
});

const SALES = columns("Country Sold:date Total:decimal Pieces:integer");
const ROWS: readonly Row[] = [
  ["Brazil", "2009-01-05", "1.5", 1],
  ["Brazil", "2009-03-05", "2.5", 2],
  ["Canada", "2010-01-05", "10", 12],
  [null, null, null, 5],
  ["", "1969-12-31", null, 5],
];

function summary(asked: AskedChart, rows: readonly Row[] = ROWS): readonly [ChartModel | undefined, Summary] {
  const choice = proposeChart(SALES, asked);
  const answer = endOf(summarizeRows(rows, SALES, readQuestion(chartQuestion(choice), SALES)));
  return [chartModel(choice, answer, new Map()), answer];
}

const MODELS: readonly (readonly [asked: AskedChart, kind: string, sentence: string, items: number])[] = [
  [
    { kind: "bar", x: "Country" },
    "bar",
    "Number of records by Country, 3 groups; highest is Brazil with 2. 1 record without Country left out.",
    3,
  ],
  [
    { kind: "bar", x: "Country", y: "Total" },
    "bar",
    "Sum of Total by Country, the first 2 of 3 groups; highest is Canada with 10. 1 record without Country left out.",
    2,
  ],
  [
    { x: "Sold", by: "month" },
    "line",
    "Number of records by month of Sold, from 1969-12 to 2010-01; highest is 1969-12 with 1. 1 record without Sold left out.",
    482,
  ],
  [
    { kind: "histogram", x: "Pieces" },
    "histogram",
    "Number of records by range of Pieces, from 1 to 13; highest is 5 to 6 with 2.",
    12,
  ],
  [{ kind: "scatter", x: "Pieces", y: "Total" }, "scatter", "Total against Pieces of 3 records.", 3],
  [
    { kind: "line", x: "Country" },
    "bar",
    "Number of records by Country, 3 groups; highest is Brazil with 2. 1 record without Country left out.",
    3,
  ],
];

for (const [asked, kind, sentence, items] of MODELS) {
  Deno.test(`the chart of ${JSON.stringify(asked)} says what it shows`, async () => {
    const [model] = summary(asked);
    assert.ok(model);
    assert.deepEqual([model.kind, model.sentence, model.items.length], [kind, sentence, items]);
    assert.match(await chartSvg(model), /^<svg /);
  });
}

Deno.test("a line has zeros for periods without records, unless it shows means", () => {
  const items = (asked: AskedChart) => summary({ kind: "line", x: "Sold", ...asked })[0]?.items;
  assert.deepEqual(items({ by: "month" })?.slice(-4), [
    { x: "2009-10", y: 0 },
    { x: "2009-11", y: 0 },
    { x: "2009-12", y: 0 },
    { x: "2010-01", y: 1 },
  ]);
  assert.equal(items({ by: "year" })?.length, 42);
  // Twenty thousand days would be too many.
  assert.equal(items({ by: "day" })?.length, 4);
  assert.deepEqual(items({ by: "year", y: "Total", total: "mean" }), [{ x: "2009", y: 2 }, {
    x: "2010",
    y: 10,
  }]);
});

Deno.test("a line of days of which some are in no calendar has the periods that there are", async () => {
  const days = ["2009-00-00", "2009-05-01", "2009-07-01", "2009-13-01", "9999-12-31"];
  for (const [by, length] of [["month", 5], ["day", 5], ["year", 2]] as const) {
    const [model] = summary({ kind: "line", x: "Sold", by }, days.map((day) => [null, day, null, 1]));
    assert.equal(model?.items.length, length, by);
    assert.match(await chartSvg(model), /^<svg /);
  }
});

Deno.test("equal bars are said to be equal", () => {
  const [model] = summary({ kind: "bar", x: "Country" }, [["a", null, null, 1], ["b", null, null, 1]]);
  assert.equal(model?.sentence, "Number of records by Country, 2 groups with 1 each.");
});

Deno.test("the sentence has the first letters of a long value, and six digits of a small number", () => {
  const [model] = summary({ kind: "bar", x: "Country", y: "Total" }, [
    ["a", null, "0.00000000123456789", 1],
    [`${"x".repeat(99)}\u{1f30d}y`, null, "0.0000034", 1],
  ]);
  const shown = `${"x".repeat(99)}\ufffd…`;
  assert.equal(model?.sentence, `Sum of Total by Country, 2 groups; highest is ${shown} with 0.0000034.`);
});

Deno.test("there is no chart of nothing", () => {
  assert.equal(summary({ kind: "bar", x: "Country" }, [])[0], undefined);
  assert.equal(summary({ kind: "scatter", x: "Pieces", y: "Total" }, [["x", null, null, 1]])[0], undefined);
});

Deno.test("a bar chart has thirty bars at most, those with the largest totals", () => {
  const rows = Array.from({ length: 50 }, (_, index): Row => [`c${index}`, null, String(index), 1]);
  const [model] = summary({ kind: "bar", x: "Country", y: "Total" }, rows);
  assert.deepEqual([model?.items.length, model?.items[0]], [30, { x: "c49", y: 49 }]);
  assert.match(model?.sentence ?? "", /the first 30 of 50 groups; highest is c49 with 49/);
});

const MONTHS: readonly Row[] = [
  ["2024-02", null, "9", 1],
  ["2023-12", null, "2", 1],
  ["2024-01", null, "5", 1],
  ["2024-01", null, "1", 1],
];

Deno.test("bars of months and years that a query has as texts are in their order", () => {
  const keysOf = (asked: AskedChart, rows = MONTHS) => summary(asked, rows)[0]?.items.map(({ x }) => x);
  const months = ["2023-12", "2024-01", "2024-02"];
  assert.deepEqual(keysOf({ kind: "bar", x: "Country", y: "Total" }), months);
  assert.deepEqual(keysOf({ kind: "bar", x: "Country" }), months);
  const years = MONTHS.map(([month, ...others]): Row => [String(month).slice(0, 4), ...others]);
  assert.deepEqual(keysOf({ kind: "bar", x: "Country", y: "Total" }, years), ["2023", "2024"]);
  const others: Row = ["2024-13", null, "99", 1];
  assert.equal(keysOf({ kind: "bar", x: "Country", y: "Total" }, [...MONTHS, others])?.[0], "2024-13");
});

Deno.test("a line of days is in their order", () => {
  const [model] = summary({ kind: "line", x: "Sold", by: "value", y: "Total" }, [
    ...ROWS,
    ...ROWS.slice(2, 3),
  ]);
  assert.deepEqual(model?.items.map(({ x }) => x), ["2009-01-05", "2009-03-05", "2010-01-05"]);
  assert.match(model?.sentence ?? "", / from 2009-01-05 to 2010-01-05; /);
});

Deno.test("months as texts have a line over time", async () => {
  const [model] = summary({ kind: "line", x: "Country", y: "Total" }, MONTHS);
  assert.ok(model);
  assert.deepEqual([model.kind, model.x.scale], ["line", "time"]);
  assert.deepEqual(model.items.map(({ x, y }) => [x, y]), [["2023-12", 2], ["2024-01", 6], ["2024-02", 9]]);
  assert.match(model.sentence, /^Sum of Total by Country, from 2023-12 to 2024-02; /);
  assert.match(await chartSvg(model), /^<svg /);
});
