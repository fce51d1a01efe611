/**
 * A chart in the words of Vega-Lite. Values have fixed names, and titles are put in after drawing, so no
 * name of a column reaches Vega. Pure.
 *
 * @module
 */

import type { ChartAxis, ChartItem, ChartModel } from "@/plugins/contract.ts";
import { plainText, TITLES } from "./text.ts";

/** A chart of Vega-Lite. */
type Spec = Readonly<Record<string, unknown>>;

const WIDTH = 640;
const HEIGHT = 300;
/** The height of a bar with its label; few bars are thicker, so that the axes have room. */
const STEP = 22;
/** The most pixels of a label. */
const LABEL = 250;
const FEW = { most: 3, step: 44 };
const INK = "currentColor";

/** Colours are those of the text around the chart, in light and in dark. */
const CONFIG = {
  aria: false,
  font: "system-ui, sans-serif",
  axis: {
    labelColor: INK,
    titleColor: INK,
    titleFontWeight: "normal",
    titlePadding: 8,
    labelFontSize: 12,
    titleFontSize: 13,
    labelLimit: LABEL,
    // Otherwise titles are in front of labels of more than 200 pixels.
    maxExtent: LABEL,
    titleLimit: WIDTH,
    domainColor: INK,
    domainOpacity: 0.5,
    ticks: false,
    labelPadding: 6,
    gridColor: INK,
    gridOpacity: 0.15,
  },
  view: { stroke: null },
};

/** Writes a chart as data for Vega-Lite. */
export function chartSpec(model: ChartModel): Spec {
  const { kind, items, x } = model;
  const values = kind === "bar"
    ? uniqueTexts(items)
    : items.map((item) => ({ ...item, x: placed(item.x, x.scale) }));
  return {
    width: WIDTH,
    height: kind === "bar" ? { step: items.length <= FEW.most ? FEW.step : STEP } : HEIGHT,
    background: null,
    padding: 4,
    data: { values },
    config: CONFIG,
    ...KINDS[kind](model),
  };
}

const BAR = { type: "bar", color: INK, fillOpacity: 0.75 };

const KINDS = {
  // Bars lie, so that the texts beside them have room.
  bar: ({ y, items }) => ({
    mark: BAR,
    encoding: {
      y: { field: "x", type: "nominal", sort: null, axis: { title: TITLES.x, domain: false } },
      x: place("y", y, items),
    },
  }),
  line: ({ x, y, items }) => ({
    mark: {
      type: "line",
      color: INK,
      strokeWidth: 2,
      ...(items.length <= 60 ? { point: { color: INK, filled: true, size: 30 } } : {}),
    },
    encoding: { x: place("x", x, items), y: place("y", y, items) },
  }),
  scatter: ({ x, y, items }) => ({
    mark: { type: "point", color: INK, filled: true, size: 30, opacity: 0.55 },
    encoding: { x: place("x", x, items, isOne("x", items)), y: place("y", y, items, isOne("y", items)) },
  }),
  histogram: ({ x, y, items }) => ({
    mark: BAR,
    encoding: {
      x: { ...place("x", x, items, false), bin: { binned: true } },
      x2: { field: "to" },
      y: place("y", y, items),
    },
  }),
} satisfies Readonly<Record<ChartModel["kind"], (model: ChartModel) => Spec>>;

/** Whether all points have one value: an axis of that alone has it as its only label, with six decimals. */
function isOne(field: "x" | "y", items: readonly ChartItem[]): boolean {
  return items.every((item) => item[field] === items[0]?.[field]);
}

/** Bars with the same text would stand in one place. */
function uniqueTexts(items: readonly ChartItem[]): readonly ChartItem[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const text = plainText(String(item.x));
    let x = text;
    for (let count = 2; taken.has(x); count++) x = `${text} (${count})`;
    taken.add(x);
    return { ...item, x };
  });
}

/** A position by a value. `zero`: the axis begins at zero. */
function place(field: "x" | "y", { scale }: ChartAxis, items: readonly ChartItem[], zero = true): Spec {
  const axis = { title: TITLES[field] };
  if (scale === "text") return { field, type: "nominal", sort: null, axis };
  if (scale === "time") {
    return { field, type: "temporal", scale: { type: "utc" }, axis: { ...axis, ...timeTicks(items) } };
  }
  // Half a record would be a strange label.
  const isWhole = items.every((item) => Number.isInteger(item[field]));
  const ticks = { tickCount: 6, ...(isWhole ? { tickMinStep: 1 } : {}) };
  return { field, type: "quantitative", scale: { zero }, axis: { ...axis, ...ticks } };
}

/** Few periods have a label each, which says its year. */
function timeTicks(items: readonly ChartItem[]): Spec {
  const times = [...new Set(items.map(({ x }) => String(x)))];
  const format = PERIOD_FORMATS.get(times[0]?.length ?? 0);
  if (times.length > MOST_LABELS || format === undefined) return { tickCount: 8, labelOverlap: true };
  return { values: times.map((time) => placed(time, "time")), format, labelOverlap: true };
}

const MOST_LABELS = 12;
/** Formats of labels by the number of characters of a period. */
const PERIOD_FORMATS: ReadonlyMap<number, string> = new Map([[4, "%Y"], [7, "%b %Y"], [10, "%-d %b %Y"]]);

/** Times as milliseconds: a text without zone would be read in the zone of the service. */
function placed(value: number | string, scale: ChartAxis["scale"]): number | string {
  if (typeof value === "number") return value;
  if (scale === "number") return Number(value);
  return Date.parse(value.includes("T") && !value.endsWith("Z") ? `${value}Z` : value);
}
