import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { chartSvg } from "@/formats/html/charts/chart.ts";
import { chartSpec } from "@/formats/html/charts/chart_spec.ts";
import { diagramSvg } from "@/formats/html/charts/diagram.ts";
import type { ChartItem, ChartKind, ChartModel, DiagramModel } from "@/plugins/contract.ts";
import fc from "@/tests/support/packages/fast_check.ts";
import { assertXml, readElements } from "@/tests/support/well_formed_xml.ts";

/** Texts that would be something else if they were more than text. */
const HOSTILE = [
  "datum.y",
  "datum['y']",
  "parent.x",
  "__proto__",
  "constructor",
  "a.b[c]",
  "{signal: 'now()'}",
  "</title><script>alert(1)</script>",
  '" onload="alert(1)',
  "javascript:alert(1)",
  "\u202egnp.exe",
  "\u0000\u0001\ud800",
  "&lt;b&gt;",
  "\ue000\ue001$&",
  "",
];

const ITEMS: { readonly [Kind in ChartKind]: readonly ChartItem[] } = {
  bar: HOSTILE.map((x, index) => ({ x, y: index + 1 })),
  line: [{ x: "1969-12", y: -1 }, { x: "2009-01", y: 1e300 }, { x: "2009-02-01T12:00:00", y: 0 }],
  scatter: [{ x: 1, y: 2 }, { x: -1e9, y: 0.001 }],
  histogram: [{ x: 0, to: 5, y: 3 }, { x: 5, to: 10, y: 0 }],
};
const SCALES = { bar: "text", line: "time", scatter: "number", histogram: "number" } as const;
const KINDS = ["bar", "line", "scatter", "histogram"] as const;

function model(kind: ChartKind, name: string, items = ITEMS[kind]): ChartModel {
  return {
    kind,
    sentence: `Number of records by ${name}`,
    x: { title: name, scale: SCALES[kind] },
    y: { title: `sum of ${name}`, scale: "number" },
    items,
  };
}

/** What the policy of pages forbids, and what would load something. */
function assertHarmless(svg: string): void {
  assertXml(svg);
  for (const tag of svg.match(/<[^>]+>/g) ?? []) {
    assert.doesNotMatch(tag, /^<(script|style|foreignObject|image|use|animate|set)\b/i);
    assert.doesNotMatch(tag, /\s(style|on\w+|xlink:href|src)\s*=/i);
    assert.doesNotMatch(tag, /url\(/);
  }
}

for (const kind of KINDS) {
  Deno.test(`a ${kind} chart is one picture with a name, in the colour of the text around it`, async () => {
    const svg = await chartSvg(model(kind, "Country"));
    assertHarmless(svg);
    assert.match(
      svg,
      /^<svg xmlns="[^"]+" class="chart" role="img" width="\d+" height="\d+" viewBox="[^"]+"><title>/,
    );
    assert.deepEqual(readElements(svg)[0], ["title", "Number of records by Country"]);
    assert.doesNotMatch(svg.slice(4), /role="(?!img)|aria-/);
    const colours = new Set([...svg.matchAll(/ (?:fill|stroke)="([^"]*)"/g)].map(([, colour]) => colour));
    assert.deepEqual([...colours].toSorted(), ["currentColor", "none"]);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  });

  Deno.test(`hostile names are only text in a ${kind} chart`, async () => {
    const plain = await chartSvg(model(kind, "name"));
    for (const name of HOSTILE) {
      const svg = await chartSvg(model(kind, name));
      assertHarmless(svg);
      const marks = (text: string) => text.slice(text.indexOf("role-mark")).match(/ d="[^"]*"/g);
      assert.deepEqual(marks(svg)?.length, marks(plain)?.length, name);
    }
  });
}

Deno.test("titles and values are written as they are, and what hides or turns text is marked", async () => {
  const svg = await chartSvg(model("bar", "datum['y'] & <b>"));
  const texts = readElements(svg).filter(([name]) => name === "text").map(([, text]) => text);
  for (const shown of ["datum['y'] & <b>", "__proto__", "\ufffdgnp.exe", "&lt;b&gt;"]) {
    assert.ok(texts.includes(shown), shown);
  }
  for (const hidden of ["\u202e", "\u0001", "\ue000"]) assert.ok(!svg.includes(hidden));
});

Deno.test("no name of a column reaches the drawing program, only values of the chart do", () => {
  for (const kind of KINDS) {
    const spec = JSON.stringify(chartSpec(model(kind, "Secret")));
    assert.doesNotMatch(spec, /Secret/);
    const fields = [...spec.matchAll(/"field":"([^"]*)"/g)].map(([, field]) => field);
    assert.deepEqual(fields.filter((field) => !["x", "to", "y"].includes(field ?? "")), []);
  }
});

Deno.test("each bar has a place of its own, also where texts are equal or look like those of others", async () => {
  const items = ["a", "a", "a (2)", "a"].map((x) => ({ x, y: 1 }));
  const texts = textsOf(await chartSvg(model("bar", "Name", items)));
  assert.equal(new Set(texts.filter((text) => text.startsWith("a"))).size, items.length);
});

function textsOf(svg: string): readonly string[] {
  return readElements(svg).filter(([name]) => name === "text").map(([, text]) => text);
}

Deno.test("a text of several lines is one line beside its bar", async () => {
  const svg = await chartSvg(model("bar", "Street", [{ x: "Skansen 1\r\nBergen", y: 1 }]));
  assert.ok(textsOf(svg).includes("Skansen 1 Bergen"));
});

Deno.test("labels of bars are cut where no room is left, and emoji stay whole", async () => {
  const long = "Research and Development: Sea";
  const names = [long, `${long} of the North`, "研究開発部門の材料科学研究", "Launch 👩‍🚀", "A\u200dB"];
  const svg = await chartSvg(model("bar", "Name", names.map((x) => ({ x, y: 1 }))));
  const labels = [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, label = ""]) => label);
  for (const label of [long, ...names.slice(2, 4), "A\ufffdB"]) assert.ok(labels.includes(label), label);
  assert.ok(labels.some((label) => /^Research and Development: S.*…$/.test(label)), labels.join("; "));
});

Deno.test("few periods have a label each with the year, and whole numbers no fractions", async () => {
  const months = ["2008-12", "2009-01", "2009-02"].map((x, index) => ({ x, y: index }));
  assert.deepEqual(textsOf(await chartSvg(model("line", "Sold", months))), [
    ...["Dec 2008", "Jan 2009", "Feb 2009", "Sold"],
    ...["0", "1", "2", "sum of Sold"],
  ]);
  const years = await chartSvg(model("line", "Sold", [{ x: "0099", y: 1 }, { x: "2009", y: 2 }]));
  assert.ok(textsOf(years).includes("2009"));
});

Deno.test("each bar has its own place, also where texts are alike", async () => {
  const long = "x".repeat(70);
  const svg = await chartSvg(
    model("bar", "Name", [`${long}1`, `${long}2`, "", ""].map((x) => ({ x, y: 1 }))),
  );
  const bars = svg.slice(svg.indexOf("role-mark")).match(/ d="M0,[\d.]+h/g) ?? [];
  assert.equal(new Set(bars).size, 4);
});

Deno.test("points of one value have whole numbers beside them", async () => {
  const svg = await chartSvg(model("scatter", "x", [{ x: 7, y: 1 }, { x: 7, y: 1 }]));
  const labels = [...svg.matchAll(/>([\d.]+)<\/text>/g)].map(([, label]) => label);
  assert.ok(labels.includes("0") && labels.includes("1"), labels.join());
  assert.ok(labels.every((label) => Number.isInteger(Number(label)) && !label?.includes(".")), labels.join());
});

Deno.test("a chart without items is an empty picture", async () => {
  for (const kind of KINDS) assertHarmless(await chartSvg(model(kind, "x", [])));
});

Deno.test("a thousand points take 20 KB", async () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ x: index * 1.234, y: Math.sin(index) * 1000 }));
  const svg = await chartSvg(model("scatter", "x", items));
  assert.ok(brotliCompressSync(svg).length < 20_000);
  assert.ok(svg.length < 60_000, `${svg.length} characters`);
  assert.equal(svg.match(/<circle cx="[\d.]+" cy="[\d.]+" r="2\.7"\/>/g)?.length, 1000);
});

function diagram(names: readonly string[], relations: readonly (readonly [number, number])[]): DiagramModel {
  return {
    sentence: `${names.length} tables`,
    left: 0,
    tables: names.map((name, index) => ({ name, href: `/db/T/t${index}.html?a=1&b="2"`, note: "3 columns" })),
    relations: relations.map(([from, to]) => ({ from, to, label: "Id" })),
  };
}

Deno.test("few bars are thicker, so that their chart has room for its axes", async () => {
  const heightOf = async (count: number) => {
    const svg = await chartSvg(model("bar", "Country", ITEMS.bar.slice(0, count)));
    return Number(/ height="([\d.]+)"/.exec(svg)?.[1]);
  };
  assert.ok(await heightOf(1) >= 80, `${await heightOf(1)}`);
  assert.ok(await heightOf(4) > await heightOf(1));
});

Deno.test("a diagram has a link for each table and a line for each relation, also to the own table", async () => {
  const svg = await diagramSvg(diagram(["Album", "Artist", "Track"], [[0, 1], [2, 0], [2, 0], [1, 1]]));
  assertHarmless(svg);
  const elements = readElements(svg);
  assert.equal(elements.filter(([name]) => name === "a").length, 3);
  assert.match(svg, /<a href="\/db\/T\/t0\.html\?a=1&amp;b=&quot;2&quot;">/);
  assert.equal(elements.filter(([name, text]) => name === "title" && text.endsWith(": Id")).length, 4);
  assert.match(svg, /^<svg [^>]*role="group" [^>]*aria-label="3 tables"/);
  assert.doesNotMatch(svg, /NaN|undefined/);
  assert.doesNotMatch(svg, /<text[^>]*opacity/, "small letters have the whole contrast of links");
});

Deno.test("every schema has a diagram: 500 graphs with several relations between two tables, and circles", async () => {
  const table = fc.nat(7);
  const schema = fc.record({
    names: fc.array(fc.string({ maxLength: 12 }), { minLength: 8, maxLength: 8 }),
    relations: fc.array(fc.tuple(table, table), { maxLength: 14 }),
  });
  const drawn = async ({ names, relations }: { names: string[]; relations: [number, number][] }) => {
    const svg = await diagramSvg(diagram(names, relations));
    assert.equal(svg.split("<path d=").length - 1 >= relations.length, true);
    // A table may be called "NaN".
    assert.doesNotMatch(svg, /<[^>]*NaN/);
  };
  await fc.assert(fc.asyncProperty(schema, drawn), { numRuns: 500 });
});

Deno.test("hostile names are only text in a diagram", async () => {
  const svg = await diagramSvg(
    diagram(HOSTILE, HOSTILE.map((_, index) => [index, (index * 5) % HOSTILE.length])),
  );
  assertHarmless(svg);
  assert.equal(readElements(svg).filter(([name]) => name === "a").length, HOSTILE.length);
});

Deno.test("a diagram is drawn once for its model", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `Table ${index}`);
  const large = diagram(names, names.map((_, index) => [index, (index * 7 + 3) % 60]));
  const drawing = diagramSvg(large);
  assert.equal(diagramSvg(large), drawing);
  assertHarmless(await drawing);
});
