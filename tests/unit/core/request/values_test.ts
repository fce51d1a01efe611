import assert from "node:assert/strict";
import type { Column } from "@/core/catalog.ts";
import type { Value, ValueType } from "@/core/model.ts";
import { parseValue, requireOrdered, requireTextual, wholeNumber } from "@/core/request/read_value.ts";

const TYPES: readonly ValueType[] = [
  "integer",
  "decimal",
  "float",
  "boolean",
  "text",
  "date",
  "datetime",
  "time",
  "binary",
  "json",
  "any",
];

function column(type: ValueType): Column {
  return { name: "C", type, declaredType: type, nullable: true, hasDefault: false, generated: false };
}

Deno.test("text becomes a value of the column's type", () => {
  const cases: readonly (readonly [ValueType, string, Value])[] = [
    ["integer", "5", 5],
    ["integer", "-5", -5],
    ["integer", "+5", 5],
    ["integer", "-0", 0],
    ["integer", "007", 7],
    ["integer", "9007199254740991", 9007199254740991],
    ["integer", "9007199254740993", 9007199254740993n],
    ["integer", "-9223372036854775808", -9223372036854775808n],
    ["integer", "9223372036854775807", 9223372036854775807n],
    ["decimal", "12345678901234567890.10", "12345678901234567890.10"],
    ["decimal", "-.5", "-.5"],
    ["decimal", "+1e3", "1e3"],
    ["float", "1.5", 1.5],
    ["boolean", "true", true],
    ["boolean", "True", true],
    ["boolean", "1", true],
    ["boolean", "false", false],
    ["boolean", "False", false],
    ["boolean", "0", false],
    ["text", "", ""],
    ["text", "5", "5"],
    ["date", "2024-02-29", "2024-02-29"],
    ["date", "0001-01-01", "0001-01-01"],
    ["datetime", "2024-02-29", "2024-02-29"],
    ["datetime", "2024-02-29T13:45", "2024-02-29T13:45:00"],
    ["datetime", "2024-02-29 13:45:59", "2024-02-29T13:45:59"],
    ["datetime", "2024-02-29T13:45:59.123456789", "2024-02-29T13:45:59.123456789"],
    ["date", "2024-02-29Z", "2024-02-29"],
    ["datetime", "2024-02-29T13:45:00Z", "2024-02-29T13:45:00"],
    ["datetime", "2024-02-29T13:45:00.5+00:00", "2024-02-29T13:45:00.5"],
    ["time", "23:59Z", "23:59"],
    ["time", "23:59", "23:59"],
    ["time", "23:59:59.5", "23:59:59.5"],
    ["binary", "+/8=", new Uint8Array([0xfb, 0xff])],
    ["binary", "", new Uint8Array()],
    ["json", '{"a": 1.50}', '{"a": 1.50}'],
    ["any", "x", "x"],
  ];
  for (const [type, text, value] of cases) {
    assert.deepEqual(parseValue(text, column(type)), value, `${type} ${text}`);
  }
});

Deno.test("attack: a whole number with a huge power of ten is not written out", () => {
  assert.deepEqual(["5.0", "5e2", "5e400000000"].map(wholeNumber), ["5", "500", "5e400000000"]);
});

Deno.test("text that is no value of the type is 400", () => {
  const cases: readonly (readonly [ValueType, ...string[]])[] = [
    [
      "integer",
      "",
      "x",
      "1.5",
      "1e3",
      "0x10",
      " 1",
      "1 ",
      "--1",
      "18446744073709551616",
      "-9223372036854775809",
    ],
    ["decimal", "", "x", "1,5", ".", "1.2.3", "NaN", "Infinity", "0x10", "1e9999"],
    ["float", "", "x", "NaN", "Infinity", "1_000"],
    ["boolean", "", "yes", "TRUE", "2"],
    [
      "date",
      "",
      "2024-2-9",
      "2023-02-29",
      "2024-13-01",
      "2024-00-10",
      "2024-01-32",
      "1900-02-29",
      "2024-02-29T00:00:01",
    ],
    [
      "datetime",
      "",
      "2024-02-30",
      "2024-02-29T",
      "2024-02-29T24:00:00",
      "2024-02-29T13",
      "2024-02-29x13:45",
      "2024-02-30T13:45:00Z",
      "2024-02-29T13:45:00+02:00",
    ],
    ["time", "", "24:00", "13", "13:60", "13:45:60", "1:45"],
    ["binary", "!", "a", "====", "-_8="],
    ["json", "", "{", "x", "'a'", "[1,]", "NaN"],
  ];
  for (const [type, ...texts] of cases) {
    for (const text of texts) {
      assert.throws(() => parseValue(text, column(type)), { code: "bad-request" }, `${type} ${text}`);
    }
  }
});

Deno.test("the refusal names column, type and value", () => {
  assert.throws(() => parseValue("ä\n", column("integer")), {
    message:
      'Cannot compare column "C" of type integer with "\\u00e4\\n": expected a whole number of at most 64 bits',
  });
});

Deno.test("the refusal of a time with too many decimals says how many there may be", () => {
  const most = / with at most 9 decimals of a second$/;
  for (
    const [type, text] of [["datetime", "2024-02-29 13:45:00.1234567891Z"], [
      "time",
      "13:45:00.0000000000",
    ]] as const
  ) {
    assert.throws(() => parseValue(text, column(type)), { message: most });
  }
  for (
    const [type, text] of [["datetime", "2024-02-30T13:45:00.1234567891"], ["time", "25:00:00.5"]] as const
  ) {
    assert.throws(() => parseValue(text, column(type)), { message: /as in (?:.*T23:59:59|07:30:00)$/ });
  }
  assert.throws(() => parseValue("2024-02-29.1234567891", column("date")), { message: /2009-12-31$/ });
});

Deno.test("ranges are for types with an order", () => {
  assert.deepEqual(TYPES.filter((type) => refuses(requireOrdered, type)), ["boolean", "binary", "json"]);
});

Deno.test("wildcards are for text", () => {
  assert.deepEqual(TYPES.filter((type) => !refuses(requireTextual, type)), ["text", "json", "any"]);
});

function refuses(check: (column: Column) => void, type: ValueType): boolean {
  try {
    check(column(type));
    return false;
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, "bad-request");
    return true;
  }
}

Deno.test("a value that only one engine has is asked for where the text is no value of the type", () => {
  const special = (text: string) => text === "infinity" ? "infinity" : undefined;
  assert.equal(parseValue("infinity", column("date"), special), "infinity");
  assert.equal(parseValue("2024-01-01", column("date"), () => "never asked"), "2024-01-01");
  assert.throws(() => parseValue("forever", column("date"), special), { code: "bad-request" });
  assert.throws(() => parseValue("infinity", column("date")), { code: "bad-request" });
});

Deno.test("a time with an offset is converted to UTC with every digit where the type has a zone", () => {
  const cases: readonly (readonly [ValueType, string, Value])[] = [
    ["datetime", "2024-03-01T00:30:00.123456789+01:00", "2024-02-29T23:30:00.123456789"],
    ["datetime", "2024-02-29 23:30-0030", "2024-03-01T00:00:00"],
    ["datetime", "0099-12-31T23:00:00-02", "0100-01-01T01:00:00"],
    ["time", "23:30:00.5-01:00", "00:30:00.5"],
    ["time", "00:30+01:00", "23:30"],
  ];
  for (const [type, text, value] of cases) {
    assert.equal(parseValue(text, { ...column(type), zone: "utc" }), value, text);
  }
  for (const text of ["2024-02-30T10:00+01:00", "2024-02-29T24:00+01:00", "9999-12-31T23:00:00-02:00"]) {
    const zoned = { ...column("datetime"), zone: "utc" as const };
    assert.throws(() => parseValue(text, zoned), { code: "bad-request" }, text);
  }
});
