import assert from "node:assert/strict";
import { CsvError, parse } from "@/tests/support/packages/csv_parse.ts";
import fc from "@/tests/support/random.ts";
import type { BodyValue, ReadInput } from "@/plugins/contract.ts";
import csv from "@/formats/csv/mod.ts";
import { assertResult, readInput, readWhole } from "@/tests/conformance/format_reading.ts";
import { mutationsOf } from "@/tests/conformance/mutations.ts";
import { chunkText, column, shape } from "@/tests/conformance/shapes.ts";
import { schemaOptions } from "@/tests/conformance/format_schemas.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

const format = csv.setup(sectionOf(csv));
const table = shape([
  column("Id", "integer"),
  column("Name"),
  column("Day", "date"),
  column("Data", "binary"),
]);
const input = readInput(table, { csvNullStr: false });

function read(text: string, changes: Partial<ReadInput> = {}) {
  return readWhole(format, text, { ...input, ...changes });
}

const BODIES: readonly [string, readonly string[], ...(readonly BodyValue[])[]][] = [
  ["Id,Name\r\n1,Ann\r\n2,Bo\r\n", ["Id", "Name"], ["1", "Ann"], ["2", "Bo"]],
  ["Id,Name\n1,Ann\n2,Bo", ["Id", "Name"], ["1", "Ann"], ["2", "Bo"]],
  ["Id,Name\r1,Ann\r\n2,Bo\n\n\r\n", ["Id", "Name"], ["1", "Ann"], ["2", "Bo"]],
  ['\ufeff"Id",Name\n1,"a,""b""\r\nc"', ["Id", "Name"], ["1", 'a,"b"\r\nc']],
  ["Name\n x \n", ["Name"], [" x "]],
  ["Id;Name\n1;a,b\n", ["Id", "Name"], ["1", "a,b"]],
  ['Id\tName\n1\ta,b;c\n2\t"d\te"\n', ["Id", "Name"], ["1", "a,b;c"], ["2", "d\te"]],
  ["Id,a\tb\n1,c\td\n", ["Id", "a\tb"], ["1", "c\td"]],
  ['"a\tb"\nc\td\n', ["a\tb"], ["c\td"]],
  ["Id,Name,Day,Data,Other\n,,,,\n", ["Id", "Name", "Day", "Data", "Other"], [null, "", null, null, ""]],
  ['Id,Name\n"",""\n', ["Id", "Name"], [null, ""]],
  ['Name\n""\n\n""\n', ["Name"], [""], [""]],
  ["Name\n<null>\n", ["Name"], ["<null>"]],
  ["Id,Name\n", ["Id", "Name"]],
  ["__proto__,constructor\n1,2", ["__proto__", "constructor"], ["1", "2"]],
];

for (const [text, names, ...rows] of BODIES) {
  Deno.test(`csv reads ${JSON.stringify(text)}`, () => {
    const records = rows.map((row) => new Map(names.map((name, index) => [name, row[index]])));
    assert.deepEqual(read(text), { records, isList: rows.length !== 1 });
  });
}

Deno.test("csv reads a column without a name where the table has one", () => {
  const { columns } = readInput(shape([column("Id", "integer"), column("")]), { csvNullStr: false });
  const records = [new Map([["Id", "1"], ["", "a"]])];
  assert.deepEqual(read("Id,\n1,a\n", { columns }), { records, isList: false });
});

const MARKED: readonly [string, string, readonly BodyValue[]][] = [
  ["<null>", 'Id,Name\n<null>,"<null>"', [null, "<null>"]],
  ["<null>", "Name,Id\n<null>,", [null, { kind: "empty" }]],
  ["<null>", "Name,Data\n,", ["", ""]],
  ["", 'Name,Data\n,""', [null, ""]],
  ["a,b", 'Name,Id\n"a,b",1', [null, "1"]],
  ["0", 'Name,Id\n"0",0', ["0", null]],
];

for (const [nullMarker, text, values] of MARKED) {
  Deno.test(`csv with csvNullStr and the marker ${JSON.stringify(nullMarker)} reads ${JSON.stringify(text)}`, () => {
    const result = read(text, { csvNullStr: true, nullMarker });
    assert.ok(result && "records" in result);
    assert.deepEqual(result.records.map((record) => [...record.values()]), [values]);
  });
}

const COMPLAINTS: readonly [string, string][] = [
  ["", "there is no line of column names"],
  ["\ufeff\r\n\r\n", "there is no line of column names"],
  ["Id,Id\n1,2", 'line 1: the name "Id" is there twice'],
  ["\u00e9,\u00e9\n", 'line 1: the name "\\u00e9" is there twice'],
  ["Id,\n1,2", "line 1: a column has no name"],
  ["Id,Name\n1\n", "line 2 has 1 field, not 2"],
  ["Id,Name\n1,2\n\n1,2,3\n", "line 4 has 3 fields, not 2"],
  ['Id,Name\n"1\n2",3\n4', "line 4 has 1 field, not 2"],
  ['Id,Name\n1,"Ann\n', "line 2: a quote is not closed"],
  ['Id,Name\n1,A"nn"\n', "line 2: there is a quote inside a field without quotes"],
  ['Id,Name\n1,"A"nn\n', "line 2: there is text behind a closing quote"],
  [`Id\n"\n${'""\n'.repeat(20_000)}`, "line 2: a quote is not closed"],
  ['Id,Name\r1,"a\r\nb\rc\nd"\r\n"', "line 6: a quote is not closed"],
  [`${"x,".repeat(32_767)}x\n`, "line 1 has more than 32767 fields"],
  [`Id\n\n${",".repeat(32_767)}`, "line 3 has more than 32767 fields"],
];

for (const [text, complaint] of COMPLAINTS) {
  Deno.test(`csv refuses ${JSON.stringify(text.slice(0, 40))} with ${complaint}`, () =>
    assert.deepEqual(read(text), { complaint }));
}

Deno.test("csv reads as many columns as any engine has", () => {
  const names = Array.from({ length: 32_767 }, (_, index) => `c${index}`);
  const result = read(`${names.join()}\n${names.map(() => "x").join()}`);
  assert.ok(result && "records" in result);
  assert.equal(result.records[0]?.get("c32766"), "x");
});

/** The lines of a text according to an independent parser; undefined if it refuses the text. */
function independent(text: string): readonly (readonly string[])[] | undefined {
  try {
    return parse(text, {
      bom: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      skip_empty_lines: true,
      relax_column_count: true,
    });
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

function comparable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "0").replaceAll(/[;\t]/g, ",");
}

Deno.test("csv reads what an independent parser reads", () => {
  const valid = 'Id,"Na""me",c\r\n1,"a,b\r\n""c""",\n"2",,"\u00e9\u{1f600}"\r\n\r"",x ,"\r"';
  fc.assert(
    // The other parser works on bytes, reads NUL after a quote as the end, and has one delimiter.
    fc.property(mutationsOf(valid).map(comparable), (text) => {
      const [names, ...rows] = independent(text) ?? [];
      const result = read(text);
      assert.ok(result);
      if ("complaint" in result) {
        const isAmbiguous = !names || names.includes("") || new Set(names).size < names.length;
        return assert.ok(isAmbiguous || rows.some(({ length }) => length !== names.length), result.complaint);
      }
      assert.deepEqual(result.records.map((record) => [...record.keys()]), rows.map(() => names));
      assert.deepEqual(
        result.records.map((record) => [...record.values()].map((value) => value ?? "")),
        rows,
      );
    }),
    { numRuns: 5000 },
  );
});

const SIZE = 3_000_000;

const HOSTILE: readonly [string, string][] = [
  ["too many records", `Id\n${"1\n".repeat(1_000_002)}`],
  ["a long field", `Id\n${"x".repeat(SIZE)}`],
  ["a long field that is not closed", `Id\n"${"x".repeat(SIZE)}`],
  ["a long field of quotes", `Id\n"${'""'.repeat(SIZE / 2)}"`],
  ["a quote at the end of a long field", `Id\n${"x".repeat(SIZE)}"`],
  ["nothing but commas", ",".repeat(SIZE)],
  ["many names", Array.from({ length: SIZE / 10 }, (_, index) => `n${index}`).join()],
  ["many fields in a line", `Id\n${",".repeat(SIZE)}`],
  ["nothing but lines", `Id\n${"\n".repeat(SIZE)}`],
  ["lines that are all too short", `Id,Name\n${"x\n".repeat(SIZE / 2)}`],
];

for (const [what, text] of HOSTILE) {
  Deno.test(`csv takes ${what}`, () => {
    for (const csvNullStr of [false, true]) {
      const result = read(text, { csvNullStr });
      assert.ok(result);
      assertResult(result);
    }
  });
}

Deno.test("csv's schema is a line per column", () => {
  const key = { ...column("Id", "integer"), nullable: false, isKey: true };
  const described = shape([key, column('Last "name"'), column("Day", "date")]);
  assert.equal(
    chunkText(format.schema?.(described, schemaOptions({ format })) ?? ""),
    'name,type,nullable,key\r\nId,integer,false,true\r\n"Last ""name""",text,true,false\r\nDay,date,true,false\r\n',
  );
});

Deno.test("csv reads semicolons where the first line has no comma", () => {
  const expected = {
    records: [new Map([["a", "1,5"], ["b", "x;y"]]), new Map([["a", "2"], ["b", ""]])],
    isList: true,
  };
  assert.deepEqual(read('\ufeff"a";b\r\n1,5;"x;y"\r\n2;\r\n'), expected);
  assert.deepEqual(read('\n\na;b\n1,5;"x;y"\n2;\n'), expected);
  assert.deepEqual(read('"a;b"\n1;2\n'), { records: [new Map([["a;b", "1;2"]])], isList: false });
  assert.deepEqual(read("a,b;c\n1,2;3\n"), {
    records: [new Map([["a", "1"], ["b;c", "2;3"]])],
    isList: false,
  });
});

Deno.test("csv reads booleans as spreadsheets and pages write them", () => {
  const table = shape([column("b", "boolean"), column("t", "text")]);
  const result = readWhole(format, "b,t\nTRUE,TRUE\nYes,yes\nfalse,\nNO,\nmaybe,\n", readInput(table));
  assert.ok(result && "records" in result);
  assert.deepEqual(
    result.records.map((record) => record.get("b")),
    ["true", "true", "false", "false", "maybe"],
  );
  assert.deepEqual(result.records.slice(0, 2).map((record) => record.get("t")), ["TRUE", "yes"]);
});

Deno.test("csv reads whole numbers as dataframes print them", () => {
  const table = shape([column("i", "integer"), column("d", "decimal"), column("t", "text")]);
  const result = readWhole(
    format,
    "i,d,t\n2.0,2.0,2.0\n-9007199254740993.00,1.50,\n2.5,,\n",
    readInput(table),
  );
  assert.ok(result && "records" in result);
  assert.deepEqual(result.records.map((record) => record.get("i")), ["2", "-9007199254740993", "2.5"]);
  assert.deepEqual(result.records.map((record) => record.get("d")), ["2.0", "1.50", { kind: "empty" }]);
  assert.equal(result.records[0]?.get("t"), "2.0");
});
