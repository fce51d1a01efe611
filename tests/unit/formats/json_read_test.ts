import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import type { BodyValue, ReadResult } from "@/plugins/contract.ts";
import json from "@/formats/json/mod.ts";
import { assertResult, readInput, readWhole } from "@/tests/conformance/format_reading.ts";
import { mutationsOf } from "@/tests/conformance/mutations.ts";
import { HOST, shape } from "@/tests/conformance/shapes.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

const format = json.setup(sectionOf(json), HOST);

function read(text: string): ReadResult {
  const result = readWhole(format, text, readInput(shape([])));
  assert.ok(result);
  return result;
}

function number(text: string): BodyValue {
  return { kind: "number", text };
}

const BODIES: readonly [string, boolean, ...(readonly [string, BodyValue][])[]][] = [
  ["{}", false, []],
  ["[]", true],
  ["[{}]", true, []],
  [' \t\r\n[ { "a" : 1 } , { "b" : null } ] \n', true, [["a", number("1")]], [["b", null]]],
  ['\ufeff{"a":true,"b":false}', false, [["a", true], ["b", false]]],
  ['{"__proto__":1,"constructor":2}', false, [["__proto__", number("1")], ["constructor", number("2")]]],
  ['{"":"","\\u0061":"\\"\\\\\\/\\b\\f\\n\\r\\t\\ud83d\\ude00"}', false, [["", ""], [
    "a",
    '"\\/\b\f\n\r\t\u{1f600}',
  ]]],
  ['{"a":{"b":[1, "]}"]},"c":[]}', false, [
    ["a", { kind: "nested", text: '{"b":[1, "]}"]}' }],
    ["c", { kind: "nested", text: "[]" }],
  ]],
];

for (const [text, isList, ...records] of BODIES) {
  Deno.test(`json reads ${JSON.stringify(text)}`, () => {
    assert.deepEqual(read(text), { records: records.map((record) => new Map(record)), isList });
  });
}

for (
  const text of [
    "0",
    "-0",
    "12345678901234567890.123456789012345678901234567890",
    "1e400",
    "-1.50E+03",
    "1".repeat(400),
  ]
) {
  Deno.test(`json keeps the digits of ${text.slice(0, 50)}`, () => {
    assert.deepEqual(read(`{"a":${text}}`), {
      records: [new Map([["a", number(text)]])],
      isList: false,
    });
  });
}

const COMPLAINTS: readonly [string, string][] = [
  ["", "line 1, column 1: expected an object or an array of objects, but the text ends here"],
  ["1", "line 1, column 1: expected an object or an array of objects"],
  ['"a"', "line 1, column 1: expected an object or an array of objects"],
  ["null", "line 1, column 1: expected an object or an array of objects"],
  ["[1]", "line 1, column 2: expected an object"],
  ["[[]]", "line 1, column 2: expected an object"],
  ['[{"a":1},]', "line 1, column 10: expected an object"],
  ['[{"a":1}\n{"a":1}]', 'line 2, column 1: expected "," or "]"'],
  ['[{"a":1}', 'line 1, column 9: expected "," or "]", but the text ends here'],
  ['{"a":1}\n{"a":1}', "line 2, column 1: there is more text behind the end"],
  ['{"a":1,}', "line 1, column 8: expected a name in quotes"],
  ["{a:1}", "line 1, column 2: expected a name in quotes"],
  ["{'a':1}", "line 1, column 2: expected a name in quotes"],
  ["{// a\n}", "line 1, column 2: expected a name in quotes"],
  ['{"a"/**/:1}', 'line 1, column 5: expected ":"'],
  ['{"a" 1}', 'line 1, column 6: expected ":"'],
  ['{"a":1 "b":2}', 'line 1, column 8: expected "," or "}"'],
  ['{"a":}', "line 1, column 6: expected a value"],
  ['{"a":NaN}', "line 1, column 6: expected a value"],
  ['{"a":True}', "line 1, column 6: expected a value"],
  ['{"a":nul}', "line 1, column 6: expected a value"],
  ['{"a":nulll}', 'line 1, column 10: expected "," or "}"'],
  ['{"a":+1}', "line 1, column 6: expected a value"],
  ['{"a":.5}', "line 1, column 6: expected a value"],
  ['{"a":01}', 'line 1, column 7: expected "," or "}"'],
  ['{"a":1.}', "line 1, column 8: expected a digit"],
  ['{"a":1e}', "line 1, column 8: expected a digit"],
  ['{"a":0x1}', 'line 1, column 7: expected "," or "}"'],
  ['{"a":\u00a01}', "line 1, column 6: expected a value"],
  ['{"a":"b', "line 1, column 6: a string is not closed"],
  ['{"a":"b\\', "line 1, column 6: a string is not closed"],
  ['{"a":"\n"}', "line 1, column 7: a string contains a control character that is not escaped"],
  ['{"a":"\\x41"}', "line 1, column 6: a string contains an escape that JSON does not have"],
  ['{"a":"\\u00g0"}', "line 1, column 6: a string contains an escape that JSON does not have"],
  ['{"a":"\\ud800"}', "line 1, column 6: a string contains half of a surrogate pair"],
  ['{"a":[1,]}', "line 1, column 9: expected a value"],
  ['{"a":[}', "line 1, column 7: expected a value"],
  ['{"a":[{"b":1}', 'line 1, column 14: expected "," or "]", but the text ends here'],
  ['{"a":1,\n "a":2}', 'line 2, column 2: the name "a" is there twice'],
  ['{"a":1,"\\u0061":2}', 'line 1, column 8: the name "a" is there twice'],
  ['[{"__proto__":1,"__proto__":2}]', 'line 1, column 17: the name "__proto__" is there twice'],
  ['{"\u00e9":1,"\u00e9":2}', 'line 1, column 8: the name "\\u00e9" is there twice'],
];

for (const [text, complaint] of COMPLAINTS) {
  Deno.test(`json refuses ${JSON.stringify(text)}`, () => {
    assert.deepEqual(read(text), { complaint });
  });
}

Deno.test("json reads as many names as any engine has columns, and no more", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `"c${index}":1`).join();
  const result = read(`{${names(32_767)}}`);
  assert.ok("records" in result);
  assert.equal(result.records[0]?.size, 32_767);
  assert.deepEqual(read(`[{},\n{${names(32_768)}}]`), {
    complaint: "line 2, column 349329: an object has more than 32767 names",
  });
});

Deno.test("json reads any number of names inside a value", () => {
  const text = `{${Array.from({ length: 40_000 }, (_, index) => `"c${index}":[${index}]`).join()}}`;
  assert.deepEqual(read(`{"a":${text}}`), {
    records: [new Map([["a", { kind: "nested", text }]])],
    isList: false,
  });
});

Deno.test("json reads 64 levels and refuses the next one", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  assert.ok("records" in read(nested(62)));
  assert.deepEqual(read(nested(63)), {
    complaint: "line 1, column 68: objects and arrays are nested more than 64 deep",
  });
});

/** Whether a text is an object or an array of objects according to an independent parser. */
function isBody(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return (Array.isArray(value) ? value : [value]).every((record) => {
      return typeof record === "object" && record !== null && !Array.isArray(record);
    });
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

Deno.test("json reads what an independent parser reads, but for ambiguous names and broken characters", () => {
  const valid = ' [{"Id": -1.5e+2, "a\\u00e9": "x\\n\\"", "b": [1, {"c": null}]}, {"d": {}, "e": true}] ';
  assert.ok(isBody(valid));
  fc.assert(
    fc.property(mutationsOf(valid), (text) => {
      const result = read(text);
      if ("records" in result) return assert.ok(isBody(text));
      if (!/there twice|surrogate pair/.test(result.complaint)) assert.ok(!isBody(text), result.complaint);
    }),
    { numRuns: 5000 },
  );
});

const SIZE = 3_000_000;

const HOSTILE: readonly [string, string][] = [
  ["arrays without end", "[".repeat(SIZE)],
  ["arrays without end in a record", `{"a":${"[".repeat(SIZE)}`],
  ["objects without end", '{"a":'.repeat(SIZE / 5)],
  ["a long string", `{"a":"${"x".repeat(SIZE)}"}`],
  ["a long string that is not closed", `{"a":"${'\\"'.repeat(SIZE / 2)}`],
  ["a long number", `{"a":${"1".repeat(SIZE)}}`],
  ["too many records", `[${"{},".repeat(1_000_001)}{}]`],
  ["many names", `{${Array.from({ length: SIZE / 15 }, (_, index) => `"n${index}":1`).join()}}`],
  ["many elements in a value", `{"a":[${"[],".repeat(SIZE / 3)}1]}`],
  ["many elements of a value that is none", `{"a":[${"1 ".repeat(SIZE / 2)}]}`],
  ["a long name twice", `{"${"x".repeat(SIZE / 2)}":1,"${"x".repeat(SIZE / 2)}":2}`],
  ["nothing but spaces", " ".repeat(SIZE)],
  ["nothing but lines", "\n".repeat(SIZE)],
];

for (const [what, text] of HOSTILE) {
  Deno.test(`json takes ${what}`, () => assertResult(read(text)));
}
