import assert from "node:assert/strict";
import json from "@/formats/json/mod.ts";
import type { Body, BodyValue, Cell, Format, FormatPlugin, Row, Shape } from "@/plugins/contract.ts";
import { FORMAT_TESTS, testFormat } from "@/tests/conformance/format.ts";
import { readWhole } from "@/tests/conformance/format_reading.ts";
import { hostOf } from "@/tests/conformance/shapes.ts";
import { parseJsonLines } from "@/tests/conformance/shown_json.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

/** The pieces of a small format of one JSON text per line; each mistake replaces one. */
interface Parts {
  readonly cell: (cell: Cell) => unknown;
  readonly name: (name: string, at: number) => string;
  readonly reference: (path: string | null) => string | null;
  readonly shows: (href: boolean | undefined) => boolean;
  readonly related: (rows: readonly Row[]) => readonly Row[];
  readonly row: (text: string, at: number) => string;
  readonly stream: (text: string, at: number) => string;
  readonly begin: () => string;
}

const RIGHT: Parts = {
  cell: (cell) =>
    cell instanceof Uint8Array ? cell.toBase64() : typeof cell === "bigint" ? String(cell) : cell,
  name: (name) => name,
  reference: (path) => path,
  shows: (href) => href !== false,
  related: (rows) => rows,
  row: (text) => text,
  stream: (text) => text,
  begin: () => "",
};

function formatOf(parts: Parts): Format {
  return {
    contentTypes: ["application/x-lines"],
    nested: true,
    writer: (shape, { href, stream }) => () => {
      let at = 0;
      const piece = stream ? parts.stream : parts.row;
      const write = (row: Row): string => piece(`${JSON.stringify(rowOf(row, shape, parts, href))}\n`, at++);
      return { begin: parts.begin, row: write, end: () => "" } satisfies Body;
    },
    document: ({ tree }) => `${JSON.stringify(tree)}\n`,
    problem: (problem) => `${JSON.stringify(problem)}\n`,
  };
}

function rowOf(row: Row, shape: Shape, parts: Parts, href: boolean | undefined): unknown {
  if (shape.form === "value" || shape.form === "values") return parts.cell(row[0] ?? null);
  if (shape.form === "columns") return { [parts.name(String(row[0]), 0)]: row.slice(1).map(parts.cell) };
  const path = shape.locate?.(row);
  const reference = path !== undefined && parts.shows(href) ? { __href: parts.reference(path) } : {};
  const cells = shape.columns.map(({ name }, at) => [parts.name(name, at), parts.cell(row[at] ?? null)]);
  const relations = [...shape.toOne, ...shape.toMany].flatMap(({ name, expanded }) => {
    if (!expanded) return [];
    const rows = parts.related(row[expanded.cell] as readonly Row[]);
    return [[name, rows.map((each) => rowOf(each, expanded.shape, parts, href))]];
  });
  return { ...reference, ...Object.fromEntries([...cells, ...relations]) };
}

const plugin = (format: Format): FormatPlugin => ({
  contract: 1,
  kind: "format",
  name: "lines",
  setup: () => format,
});
const wellFormed = (text: string) => text.split("\n").slice(0, -1).forEach((line) => void JSON.parse(line));

testFormat("lines", () => plugin(formatOf(RIGHT)), { wellFormed, parse: parseJsonLines });

const DATA = "shows the data of every form and type";
const ROWS = "shows every row in its order";
const REFERENCES = "shows the references of records";
const RELATED = "shows related records inside records";

/** Formats whose every answer is well-formed, and the test that notices the mistake. */
const MISTAKES: readonly (readonly [mistake: string, test: string, parts: Partial<Parts>])[] = [
  ["writes nothing at all", ROWS, { row: () => "", stream: () => "" }],
  ["loses the fiftieth row", ROWS, { row: (text, at) => at === 49 ? "" : text }],
  ["loses rows of streams only", ROWS, { stream: (text, at) => at === 1000 ? "" : text }],
  ["repeats a row", ROWS, { row: (text, at) => at === 1 ? text + text : text }],
  ["begins with a row of its own", ROWS, { begin: () => "{}\n" }],
  ["rounds integers", DATA, { cell: (cell) => typeof cell === "bigint" ? Number(cell) : RIGHT.cell(cell) }],
  [
    "rounds decimals",
    DATA,
    {
      cell: (cell) => typeof cell === "string" && /^-?\d+\.\d+$/.test(cell) ? Number(cell) : RIGHT.cell(cell),
    },
  ],
  ["writes NULL as empty text", DATA, { cell: (cell) => cell === null ? "" : RIGHT.cell(cell) }],
  ["writes true as 1", DATA, { cell: (cell) => typeof cell === "boolean" ? Number(cell) : RIGHT.cell(cell) }],
  ["loses bytes", DATA, { cell: (cell) => cell instanceof Uint8Array ? "" : RIGHT.cell(cell) }],
  ["loses line breaks", DATA, {
    cell: (cell) => typeof cell === "string" ? cell.replaceAll("\n", " ") : RIGHT.cell(cell),
  }],
  ["names columns by their place", DATA, { name: (_, at) => `column${at}` }],
  ["shows references that are turned off", REFERENCES, { shows: () => true }],
  ["shows no references", REFERENCES, { shows: () => false }],
  ["shows one reference everywhere", REFERENCES, { reference: () => "/db/Shop/Customer/Id/1" }],
  ["adds to references", REFERENCES, { reference: (path) => path && `${path}/more` }],
  ["loses related records beyond the first", RELATED, { related: (rows) => rows.slice(0, 1) }],
  ["turns related records round", RELATED, { related: (rows) => rows.toReversed() }],
];

for (const [mistake, test, parts] of MISTAKES) {
  Deno.test(`the suite notices a format that ${mistake}`, async () => {
    await assert.rejects(run(test, formatOf({ ...RIGHT, ...parts })), assert.AssertionError);
  });
}

Deno.test("the suite notices a binary format that writes text", async () => {
  const format: Format = { ...formatOf(RIGHT), binary: true };
  await assert.rejects(run(DATA, format), { message: /chunks of a binary format are bytes/ });
});

Deno.test("the suite gives the bytes of a binary format to its author", async () => {
  const bytes = new TextEncoder();
  const right = formatOf(RIGHT);
  const writer: Format["writer"] = (shape, options) => (page) => {
    const { row } = right.writer(shape, options)(page);
    return { begin: () => "", row: (...given) => bytes.encode(String(row(...given))), end: () => "" };
  };
  const kinds = new Set<string>();
  const parse = (answer: string | Uint8Array, shape: Shape) => {
    kinds.add(answer.constructor.name);
    return parseJsonLines(new TextDecoder().decode(answer as Uint8Array<ArrayBuffer>), shape);
  };
  await FORMAT_TESTS[DATA]?.({
    ...subjectOf({ ...right, binary: true, writer }),
    wellFormed: () => {},
    parse,
  });
  assert.deepEqual([...kinds], ["Uint8Array"]);
});

/** Runs the test of bodies with a format of JSON that gives each number of a body in another way. */
async function runReading(change: (text: string) => unknown): Promise<void> {
  const right = await json.setup(sectionOf(json), hostOf("json"));
  const read: Format["read"] = (body, input) => {
    const result = readWhole(right, String(body), input);
    assert.ok(result && "records" in result);
    const changed = (
      [name, value]: [string, BodyValue],
    ): [string, BodyValue] => [
      name,
      typeof value === "object" && value?.kind === "number" ? change(value.text) as BodyValue : value,
    ];
    return { ...result, records: result.records.map((record) => new Map([...record].map(changed))) };
  };
  await run("reads what it wrote", { ...right, read });
}

Deno.test("the suite takes zero with its sign, and no number that is not its digits", async () => {
  await runReading((text) => ({ kind: "number", text: text === "0" ? "-0" : text }));
  await assert.rejects(runReading(Number), { message: /a number is `\{ kind: "number", text \}`/ });
});

Deno.test("the suite waits for schemas that a format promises", async () => {
  const later = () => Promise.resolve("a schema");
  const validated = new Set<string>();
  for (const test of ["gives schemas that its answers fit", "gives schemas of documents"]) {
    await FORMAT_TESTS[test]?.({
      ...subjectOf({ ...formatOf(RIGHT), schema: later, documentSchema: later }),
      validate: (schema) => void validated.add(schema),
    });
  }
  assert.deepEqual([...validated], ["a schema"]);
});

function subjectOf(format: Format) {
  return { name: "lines", plugin: plugin(format), format, wellFormed, parse: parseJsonLines };
}

async function run(test: string, format: Format): Promise<void> {
  await FORMAT_TESTS[test]?.(subjectOf(format));
}
