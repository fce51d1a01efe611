import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import type { BodyRecord, BodyValue, FormatPlugin, Shape, ValueType } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import type { ShownCell, ShownRecord } from "@/tests/conformance/format_subject.ts";
import { column, HOST, shape, write } from "@/tests/conformance/shapes.ts";
import * as sheetjs from "@/tests/support/packages/sheetjs.ts";
import { startService } from "@/tests/support/service.ts";
import xlsx from "./mod.ts";
import { readBody } from "./read.ts";
import { ZipReader, ZipWriter } from "./zip.ts";

const plugin: FormatPlugin = xlsx;

/**
 * The cells of the first sheet as SheetJS reads them: numbers as written,
 * dates as their texts; null: no cell.
 */
function rowsBySheetjs(bytes: Uint8Array): ShownCell[][] {
  const book = sheetjs.read(bytes, { dense: true, cellDates: false, cellNF: true });
  const sheet = book.Sheets[book.SheetNames[0] ?? ""];
  const rows: (sheetjs.CellObject | undefined)[][] = sheet?.["!data"] ?? [];
  return Array.from(rows, (row = []) =>
    Array.from(row, (cell) => {
      if (!cell) return null;
      assert.equal(cell.f, undefined, "no value is a formula");
      const isDate = cell.t === "n" && typeof cell.z === "string" && cell.z !== "General";
      if (!isDate) return cell.v as ShownCell;
      const text = new Date(Math.round((Number(cell.v) - 25_569) * 86_400_000)).toISOString();
      return String(cell.z).includes("hh") ? text.replace(/\.000Z$/, "") : text.slice(0, 10);
    }));
}

function parse(answer: string | Uint8Array, { form, columns }: Shape): readonly ShownRecord[] {
  const rows = rowsBySheetjs(answer as Uint8Array);
  if (form === "columns") {
    return rows.map(([name, ...values]) => ({ cells: new Map([[String(name), padded(values)]]) }));
  }
  return rows.slice(1).map((row) => ({
    cells: new Map(columns.map(({ name }, at) => [name, row[at] ?? null])),
  }));

  /** A row ends with its last cell. */
  function padded(values: readonly ShownCell[]): readonly ShownCell[] {
    const length = Math.max(...rows.map((row) => row.length - 1));
    return Array.from({ length }, (_, at) => values[at] ?? null);
  }
}

await testFormat("xlsx", () => plugin, {
  async wellFormed(answer: string | Uint8Array<ArrayBuffer>) {
    assert.ok(answer instanceof Uint8Array);
    assert.ok(rowsBySheetjs(answer).length <= 1002);
    const read = await readBody(answer, { columns: new Map(), signal: NEVER });
    if ("complaint" in read) assert.doesNotMatch(read.complaint, /XML|damaged|lacks/);
  },
  parse,
});

type Result = { readonly records: readonly BodyRecord[]; readonly isList: boolean } | {
  readonly complaint: string;
};

async function readAll(
  bytes: Uint8Array<ArrayBuffer>,
  types: Record<string, ValueType> = {},
): Promise<Result> {
  const reading = await readBody(bytes, { columns: new Map(Object.entries(types)), signal: NEVER });
  if (!("next" in reading)) return reading;
  const records: BodyRecord[] = [];
  for (let step = reading.next();; step = reading.next()) {
    if (step.done) return "complaint" in step.value ? step.value : { records, ...step.value };
    if (step.value) records.push(step.value);
  }
}

async function valuesOf(bytes: Uint8Array<ArrayBuffer>, types?: Record<string, ValueType>) {
  const result = await readAll(bytes, types);
  assert.ok("records" in result, JSON.stringify(result));
  return result.records.map((record) =>
    [...record.values()].map((value: BodyValue) =>
      typeof value === "object" && value !== null && "text" in value ? `#${value.text}` : value
    )
  );
}

/** A workbook that SheetJS wrote. */
function bySheetjs(rows: unknown[][], options: Record<string, unknown> = {}): Uint8Array<ArrayBuffer> {
  const book = sheetjs.utils.book_new();
  sheetjs.utils.book_append_sheet(book, sheetjs.utils.aoa_to_sheet(rows, { UTC: true, ...options }), "Data");
  return new Uint8Array(sheetjs.write(book, { type: "array", bookType: "xlsx", ...options }));
}

async function bytesOf(
  columns: Shape["columns"],
  rows: readonly (readonly (string | number | bigint | null)[])[],
) {
  const text = await write(await plugin.setup({}, HOST), { shape: shape(columns), rows });
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

Deno.test("xlsx reads what other programs write: texts by number and inline, dates, both beginnings of days", async () => {
  const moment = new Date(Date.UTC(2025, 1, 28, 13, 45, 30));
  const rows = [["Name", "Day", "At", "Yes", "No"], [
    "a <b> ä",
    new Date(Date.UTC(1999, 11, 31)),
    moment,
    true,
    1.5,
  ]];
  const expected = [["a <b> ä", "1999-12-31T00:00:00", "2025-02-28T13:45:30", true, "#1.5"]];
  const dateNF = { cellDates: false, dateNF: "yyyy-mm-dd hh:mm:ss" };
  for (const options of [{ bookSST: true }, { bookSST: false }]) {
    assert.deepEqual(await valuesOf(bySheetjs(rows, { ...dateNF, ...options })), expected);
  }
});

Deno.test("xlsx reads the time of a cell that shows its day alone, where the column has times", async () => {
  const at = new Date(Date.UTC(2025, 1, 28, 13, 45, 30));
  const sheet = bySheetjs([["At"], [at]], { cellDates: false, dateNF: "yyyy-mm-dd" });
  assert.deepEqual(await valuesOf(sheet, { At: "datetime" }), [["2025-02-28T13:45:30"]]);
  assert.deepEqual(await valuesOf(sheet, { At: "date" }), [["2025-02-28"]]);
});

Deno.test("xlsx keeps digits, tells NULL from empty text, and makes no formula of data", async () => {
  const columns = [
    column("Id", "integer"),
    column("Price", "decimal"),
    column("Note"),
    column("At", "datetime"),
  ];
  const rows = [
    [9007199254740993n, "0.10", "=1+1", "2024-02-29T23:59:59.125"],
    [-1, "12345678901234567890.5", "", "1900-01-01T00:00:00"],
    [1, null, null, "2024-02-29T23:59:59.123456"],
    [2, "1", "+cmd|' /C calc'!A0", "2024-02-29T23:59:59Z"],
  ];
  const bytes = await bytesOf(columns, rows);
  const shown = rows.map((row) => row.map((cell) => typeof cell === "bigint" ? String(cell) : cell));
  assert.deepEqual(rowsBySheetjs(bytes), [
    columns.map(({ name }) => name),
    ...shown.map((row) =>
      row.map((cell, at) => at === 3 && row[0] === "9007199254740993" ? "2024-02-29T23:59:59.125Z" : cell)
    ),
  ]);
  assert.deepEqual(await valuesOf(bytes), [shown[0], ["#-1", ...shown[1]?.slice(1) ?? []], [
    "#1",
    ...shown[2]?.slice(1) ?? [],
  ], ["#2", ...shown[3]?.slice(1) ?? []]]);
});

Deno.test("xlsx takes digits for a text where the column is one", async () => {
  const bytes = bySheetjs([["Code", "Count"], [7, 7]]);
  assert.deepEqual(await valuesOf(bytes, { Code: "text", Count: "integer" }), [["7", "#7"]]);
});

Deno.test("xlsx skips rows that a spreadsheet left behind, and no record of NULLs", async () => {
  const bytes = await sheetOf(
    `${HEAD}<row r="2"><c r="A2" s="1"/></row><row r="3"/><row r="9"><c r="A9"><v>1</v></c></row>`,
  );
  assert.deepEqual(await valuesOf(bytes), [["#1"]]);
  const nulls = await bytesOf([column("A"), column("B")], [[null, null], ["x", null], [null, null]]);
  assert.deepEqual(await valuesOf(nulls), [[null, null], ["x", null], [null, null]]);
});

Deno.test("xlsx takes the computed value of a formula, and no readings of words", async () => {
  const bytes = await sheetOf(`${HEAD}<row><c r="A2"><f>1+1</f><v>2</v></c></row>
    <row><c r="A3" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r><rPh><t>c</t></rPh></is></c></row>`);
  assert.deepEqual(await valuesOf(bytes), [["#2"], ["ab"]]);
});

/** A workbook whose sheet is this XML. */
async function bookWith(sheet: string, name = "xl/worksheets/sheet1.xml"): Promise<Uint8Array<ArrayBuffer>> {
  const good = await bytesOf([column("Id")], []);
  const zip = new ZipReader(good, 1_000_000);
  const writer = new ZipWriter();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const each of ["_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml"]) {
    parts.push(
      writer.file(each),
      await writer.part(each === name ? sheet : await zip.text(each), true),
      writer.endOfFile(),
    );
  }
  if (name.includes("sheet1")) {
    parts.push(writer.file(name), await writer.part(sheet, true), writer.endOfFile());
  }
  return new Uint8Array(await new Blob([...parts, writer.end()]).arrayBuffer());
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const sheetOf = (rows: string) => bookWith(`<worksheet ${MAIN}><sheetData>${rows}</sheetData></worksheet>`);
const HEAD = '<row><c t="str"><v>A</v></c></row>';

const MISTAKES:
  readonly (readonly [what: string, body: () => Promise<Uint8Array<ArrayBuffer>>, complaint: RegExp])[] = [
    ["nothing", () => Promise.resolve(new Uint8Array()), /no ZIP container/],
    [
      "another file",
      () => Promise.resolve(new TextEncoder().encode("PK\x03\x04 nearly")),
      /no ZIP container/,
    ],
    ["a container of something else", () => bookWith("<x/>", "_rels/.rels"), /this is no workbook/],
    ["a workbook without sheets", () => bookWith("<workbook/>", "xl/workbook.xml"), /has no sheet/],
    ["XML that ends early", () => sheetOf("<row>"), /is no XML/],
    ["a DOCTYPE", () => bookWith("<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"), /DOCTYPE/],
    [
      "a name that is there twice",
      () => sheetOf('<row><c t="str"><v>A</v></c><c t="str"><v>A</v></c></row>'),
      /"A" is there twice/,
    ],
    [
      "a column without a name",
      () => sheetOf('<row><c r="B1" t="str"><v>A</v></c></row>'),
      /no name in the first row/,
    ],
    [
      "a cell beyond the names",
      () => sheetOf(`${HEAD}<row r="2"><c r="C2"><v>1</v></c></row>`),
      /row 2 has a cell beyond/,
    ],
    [
      "a cell beyond all columns",
      () => sheetOf('<row><c r="ZZZ1"><v>1</v></c></row>'),
      /more than 16384 cells/,
    ],
    [
      "a cell with an error",
      () => sheetOf(`${HEAD}<row><c r="A2" t="e"><v>#REF!</v></c></row>`),
      /cell "A2" has the error "#REF!"/,
    ],
    [
      "a text that is not there",
      () => sheetOf(`${HEAD}<row><c r="A2" t="s"><v>7</v></c></row>`),
      /names a text that is not there/,
    ],
    ["a number that is none", () => sheetOf(`${HEAD}<row><c r="A2"><v>1e</v></c></row>`), /has no number/],
    ["a bomb", () => bookWith("x".repeat(64 * 1024 * 1024)), /larger than 32 MiB/],
    [
      "a long text in many cells",
      () => {
        const rows = [["A"], ...Array.from({ length: 2200 }, () => ["x".repeat(32_000)])];
        return Promise.resolve(bySheetjs(rows, { bookSST: true, compression: true }));
      },
      /its cells have more than 64 Mi characters/,
    ],
  ];

for (const [what, body, complaint] of MISTAKES) {
  Deno.test(`xlsx complains about ${what}`, async () => {
    const result = await readAll(await body());
    assert.ok("complaint" in result, JSON.stringify(result).slice(0, 200));
    assert.match(result.complaint, complaint);
  });
}

Deno.test("xlsx believes no size that a container tells", async () => {
  const bytes = await bookWith("x".repeat(40 * 1024 * 1024));
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length - 46; at++) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 1, true);
  }
  const result = await readAll(bytes);
  assert.match("complaint" in result ? result.complaint : "", /larger than 32 MiB/);
  assert.ok(
    deflateRawSync(new Uint8Array(40 * 1024 * 1024)).length > bytes.length / 2,
    "the body itself is small",
  );
});

Deno.test("xlsx makes one record at a time of many short rows with many names", async () => {
  const names = Array.from({ length: 16_000 }, (_, at) => `<c t="str"><v>n${at}</v></c>`).join("");
  const bytes = await sheetOf(`<row>${names}</row>${"<row><c><v>1</v></c></row>".repeat(100_000)}`);
  const reading = await readBody(bytes, { columns: new Map(), signal: NEVER });
  assert.ok("next" in reading);
  let count = 0;
  for (let step = reading.next(); !step.done && count < 10; step = reading.next()) if (step.value) count++;
  reading.return({ isList: true });
  assert.equal(count, 10);
});

Deno.test("xlsx creates and changes records, shows them, and refuses broken bodies with 400", async () => {
  const folder = new URL("../../", import.meta.url).pathname;
  const apikey = "0123456789abcdef0123456789abcdef";
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder}\nformats = json,xlsx\n`,
      "config/users.cfg": "public: {}\nadmin: {}\n" +
        `anna: {apikey: ${apikey}, databases: {Demo: {access: {Amenity: [read, create, update]}}}}\n`,
    },
  });
  const send = (method: string, path: string, body: Uint8Array<ArrayBuffer>) =>
    service.fetch(path, { method, headers: { apikey }, body });
  const created = await send(
    "POST",
    "/db/Demo/Amenity.xlsx",
    bySheetjs([["Name"], ["Ice bath"], ["Cold room"]]),
  );
  assert.equal(created.status, 201, await created.text());
  const one = "/db/Demo/Amenity/Name/Ice bath.xlsx";
  const changed = await send("PUT", one, bySheetjs([["Name"], ["Ice = cold"]]));
  await changed.body?.cancel();
  assert.equal(changed.status < 300, true, `${changed.status}`);
  const shown = await service.fetch("/db/Demo/Amenity.xlsx?stream", { headers: { apikey } });
  assert.equal(shown.headers.get("content-type"), (await plugin.setup({}, HOST)).contentTypes[0]);
  const rows = rowsBySheetjs(await shown.bytes());
  assert.deepEqual(rows.slice(-2).map((row) => row[1]), ["Ice = cold", "Cold room"]);
  for (const body of [new TextEncoder().encode("no"), await bookWith("x".repeat(40_000_000))]) {
    const refused = await send("POST", "/db/Demo/Amenity.xlsx", body);
    assert.equal(refused.status, 400);
    assert.match(String(rowsBySheetjs(await refused.bytes())), /Could not parse XLSX/);
  }
});

Deno.test("xlsx: what GET shows of odd cells comes back with PUT and leaves them as they are", async () => {
  const folder = new URL("../../", import.meta.url).pathname;
  await using service = await startService({
    files: { "config/service.ini": `[service]\nplugins_path = ${folder}\nformats = json,xlsx\n` },
    sqlite: {
      Odd: "CREATE TABLE odd (id INTEGER PRIMARY KEY, made DATETIME, flag BOOLEAN, loose, code STRING); " +
        "INSERT INTO odd VALUES (1, 1467628200, 'yes', 9007199254740993, 5), " +
        "(2, '2016-07-04', 7, '5', NULL), (3, 'soon', 1, 5, '')",
    },
  });
  const list = async () => await (await service.fetch("/db/Odd/odd.json")).text();
  const before = await list();
  for (const id of [1, 2, 3]) {
    const path = `/db/Odd/odd/id/${id}.xlsx`;
    const body = await (await service.fetch(path)).bytes();
    const changed = await service.fetch(path, { method: "PUT", body });
    assert.equal(changed.status, 204, await changed.text());
  }
  assert.equal(await list(), before);
});
