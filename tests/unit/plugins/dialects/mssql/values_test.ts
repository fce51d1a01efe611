import assert from "node:assert/strict";
import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import { Bound, guess } from "@/plugins/dialects/mssql/bound.ts";
import { compileDecoder } from "@/plugins/dialects/mssql/decode.ts";
import { parameter } from "@/plugins/dialects/mssql/parameter.ts";
import { special } from "@/plugins/dialects/mssql/moments.ts";
import { stored } from "@/plugins/dialects/mssql/stored.ts";

function column(type: ValueType, declaredType: string): Column {
  return { name: "x", type, declaredType, nullable: true, hasDefault: false, generated: false };
}

/** A sent value: its type, the value, and the cast of the statement. */
function shown({ type, value, cast }: Bound): readonly unknown[] {
  const plain = value instanceof Uint8Array ? [...value] : value;
  return cast === undefined ? [type.name, plain] : [type.name, plain, cast];
}

const FILTERS: readonly (readonly [ValueType, string, Value, readonly unknown[]])[] = [
  ["integer", "int", 5, ["Int", 5]],
  ["integer", "int", 2 ** 31, ["BigInt", 2n ** 31n]],
  ["integer", "bigint", 5, ["BigInt", 5n]],
  ["integer", "tinyint", -(2n ** 63n), ["BigInt", -(2n ** 63n)]],
  ["decimal", "decimal(10,2)", "1.50", ["VarChar", "1.5", "decimal(38,1)"]],
  ["decimal", "decimal(10,2)", "-1e-3", ["VarChar", "-0.001", "decimal(38,3)"]],
  ["decimal", "money", "12e3", ["VarChar", "12000", "decimal(38,0)"]],
  ["decimal", "decimal(38,0)", "9".repeat(38), ["VarChar", "9".repeat(38), "decimal(38,0)"]],
  ["decimal", "decimal(38,0)", `1${"0".repeat(38)}`, ["Float", 1e38]],
  ["decimal", "decimal(38,0)", "-1e999", ["Float", -Number.MAX_VALUE]],
  ["decimal", "decimal(38,38)", `0.${"1".repeat(60)}`, [
    "VarChar",
    `0.${"1".repeat(37)}`,
    "decimal(38,37)",
  ]],
  ["float", "float", 0.1, ["Float", 0.1]],
  ["float", "float", 5e-324, ["Float", 2.2250738585072014e-308]],
  ["float", "real", 0.1, ["Real", 0.1]],
  ["float", "real", 1e300, ["Float", 1e300]],
  ["boolean", "bit", true, ["Bit", true]],
  ["date", "date", "2024-02-29", ["VarChar", "2024-02-29", "date"]],
  ["datetime", "datetime", "2024-02-29", ["VarChar", "2024-02-29T00:00:00", "datetime"]],
  ["datetime", "datetime", "2024-12-31T23:59:59.997", ["VarChar", "2024-12-31T23:59:59.997", "datetime"]],
  ["datetime", "datetime", "2024-12-31T23:59:59.5", ["VarChar", "2024-12-31T23:59:59.5", "datetime"]],
  // As a datetime it would be the first moment of the next day.
  ["datetime", "datetime", "2024-12-31T23:59:59.999", ["VarChar", "2024-12-31T23:59:59.999", "datetime2(7)"]],
  ["datetime", "datetime", "1700-01-01", ["VarChar", "1700-01-01T00:00:00", "datetime2(7)"]],
  ["datetime", "datetime", "2024-02-29T01:02:03.0004", [
    "VarChar",
    "2024-02-29T01:02:03.0004",
    "datetime2(7)",
  ]],
  ["datetime", "datetime2(7)", "2024-02-29T01:02:03.123456789", [
    "VarChar",
    "2024-02-29T01:02:03.1234567",
    "datetime2(7)",
  ]],
  ["datetime", "datetimeoffset(7)", "2024-02-29T01:02+02:00", [
    "VarChar",
    "2024-02-29T01:02:00+02:00",
    "datetimeoffset(7)",
  ]],
  ["time", "time(7)", "23:59", ["VarChar", "23:59:00", "time(7)"]],
  ["text", "varchar(20)", "Bern", ["VarChar", "Bern"]],
  ["text", "varchar(20)", "Zürich", ["NVarChar", "Zürich"]],
  ["text", "nvarchar(20)", "Bern", ["NVarChar", "Bern"]],
  ["text", "uniqueidentifier", "6f9619ff-8b86-d011-b42d-00c04fc964ff", [
    "VarChar",
    "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    "uniqueidentifier",
  ]],
  ["text", "uniqueidentifier", "6f9619ff8b86d011b42d00c04fc964ff", [
    "VarChar",
    "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    "uniqueidentifier",
  ]],
  ["text", "uniqueidentifier", "6f9619ff-8b86-d011-b42d-00c04fc964ff or more", [
    "VarChar",
    "?6f9619ff-8b86-d011-b42d-00c04fc964ff or more",
    "uniqueidentifier",
  ]],
  ["binary", "varbinary(10)", new Uint8Array([0, 255]), ["VarBinary", [0, 255]]],
];

for (const [type, declaredType, value, expected] of FILTERS) {
  Deno.test(`a filter on ${declaredType} for ${String(value).slice(0, 50)} keeps its digits`, () => {
    assert.deepEqual(shown(parameter(value, column(type, declaredType))), expected);
  });
}

Deno.test("values of one column have one length, so that they share a plan", () => {
  const name = column("text", "nvarchar(10)");
  assert.equal(parameter("a", name).length, parameter("a".repeat(4000), name).length);
  assert.equal(parameter("a".repeat(4001), name).length, 4001, "This is nvarchar(max)");
});

const STORED: readonly (readonly [ValueType, string, Value, readonly unknown[]])[] = [
  ["integer", "tinyint", 255, ["BigInt", 255n]],
  ["decimal", "decimal(10,2)", "12345678.90", ["VarChar", "12345678.9", "decimal(10,2)"]],
  ["decimal", "money", "-922337203685477.5808", ["VarChar", "-922337203685477.5808", "money"]],
  ["decimal", "decimal(10,2)", null, ["VarChar", null, "decimal(10,2)"]],
  ["float", "real", 0.1, ["Real", 0.1]],
  ["datetime", "datetime", "2024-01-01T10:00:00.678", ["VarChar", "2024-01-01T10:00:00.678", "datetime"]],
  ["datetime", "datetimeoffset(7)", "2024-01-01T10:00:00", [
    "VarChar",
    "2024-01-01T10:00:00+00:00",
    "datetimeoffset(7)",
  ]],
  ["datetime", "smalldatetime", "2024-01-01T10:00:00.000", [
    "VarChar",
    "2024-01-01T10:00:00",
    "smalldatetime",
  ]],
  ["time", "time(0)", "10:00:00.00", ["VarChar", "10:00:00", "time(0)"]],
  ["binary", "varbinary(max)", null, ["VarBinary", null]],
  ["text", "varchar(3)", "abc", ["NVarChar", "abc"]],
  ["text", "xml", null, ["NVarChar", null]],
  // The text is sent as UTF-16, whatever the file was in.
  ["text", "xml", '<?xml version="1.0" encoding="utf-8" ?><a/>', ["NVarChar", '<?xml version="1.0" ?><a/>']],
  ["text", "xml", "<?xml version='1.0' encoding = 'latin1'?><a/>", ["NVarChar", "<?xml version='1.0'?><a/>"]],
  ["text", "xml", '<a encoding="utf-8"/>', ["NVarChar", '<a encoding="utf-8"/>']],
  ["text", "nvarchar(max)", '<?xml version="1.0" encoding="utf-8"?>', [
    "NVarChar",
    '<?xml version="1.0" encoding="utf-8"?>',
  ]],
];

for (const [type, declaredType, value, expected] of STORED) {
  Deno.test(`${String(value)} is stored in ${declaredType} as it is`, () => {
    assert.deepEqual(shown(stored(value, column(type, declaredType))), expected);
  });
}

const UNSTORABLE: readonly (readonly [ValueType, string, Value, RegExp])[] = [
  ["integer", "tinyint", 256, /256 is not between 0 and 255/],
  ["integer", "int", -(2 ** 31) - 1, /not between/],
  ["integer", "bigint", 2n ** 63n, /not between/],
  ["decimal", "decimal(10,2)", "0.001", /more decimals than decimal\(10,2\) keeps/],
  ["decimal", "decimal(10,2)", "123456789", /more digits/],
  ["decimal", "money", "0.00001", /more decimals than money/],
  ["float", "float", Infinity, /cannot be stored/],
  ["float", "float", 5e-324, /too close to zero/],
  ["float", "real", 0.123456789, /more digits than real keeps/],
  ["float", "real", 1e300, /more digits than real keeps/],
  ["datetime", "datetime2(3)", "2024-01-01T10:00:00.0001", /more decimals/],
  ["datetime", "datetime", "2024-01-01T10:00:00.0001", /more decimals/],
  ["datetime", "smalldatetime", "2024-01-01T10:00:01", /seconds/],
  ["time", "time(0)", "10:00:00.5", /more decimals/],
  ["time", "time(7)", "10:00:00+02:00", /no time/],
  ["binary", "varbinary(2)", new Uint8Array(3), /3 bytes are more than 2/],
  ["text", "nvarchar(3)", "🎈🎈", /more than 3 characters/],
];

for (const [type, declaredType, value, message] of UNSTORABLE) {
  Deno.test(`${String(value)} is refused by ${declaredType}, which would keep another value`, () => {
    assert.throws(() => stored(value, column(type, declaredType)), (error) => {
      return error instanceof RangeError && message.test(error.message);
    });
  });
}

const ENCODED: readonly (readonly [string, string, string | undefined])[] = [
  ["windows-1252", "Zürich – 5 €, plain", undefined],
  ["windows-1252", "Łódź", "Ł"],
  ["windows-1250", "Łódź", undefined],
  ["windows-1252", "🎈", "🎈"],
  ["windows-1253", "Ελλάδα é", "é"],
  ["shift_jis", "東京 ｶﾅ", undefined],
  ["shift_jis", "한국", "한"],
  ["gbk", "北京", undefined],
  ["big5", "臺北", undefined],
  ["euc-kr", "한국", undefined],
];

for (const [encoding, text, lacking] of ENCODED) {
  Deno.test(`a narrow column in ${encoding} ${lacking === undefined ? "takes" : "refuses"} ${text}`, () => {
    const narrow = { ...column("text", "varchar(40)"), encoding };
    if (lacking === undefined) assert.deepEqual(shown(stored(text, narrow)), ["NVarChar", text]);
    else assert.throws(() => stored(text, narrow), new RegExp(`'${lacking}' is none of its characters`));
  });
}

Deno.test("parameters that belong to no column keep their kind", () => {
  const values = [5, 2n ** 62n, 0.5, true, "x", "ü", null, undefined, new Uint8Array([1])];
  assert.deepEqual(values.map((value) => shown(guess(value))[0]), [
    "BigInt",
    "BigInt",
    "Float",
    "Bit",
    "VarChar",
    "NVarChar",
    "VarChar",
    "VarChar",
    "VarBinary",
  ]);
});

/** The driver's form of times finer than a millisecond. */
function fineDate(text: string, beyond: number): Date {
  return Object.assign(new Date(text), { nanosecondsDelta: beyond });
}

const DECODED: readonly (readonly [ValueType, string, unknown, Value])[] = [
  ["integer", "bigint", "9223372036854775807", 9223372036854775807n],
  ["integer", "bigint", "5", 5],
  ["integer", "int", 5, 5],
  ["decimal", "decimal(10,2)", "-0.10", "-0.10"],
  ["float", "real", 0.10000000149011612, 0.1],
  ["float", "real", 16777216, 16777216],
  ["float", "real", 3.4028234663852886e38, 3.4028235e38],
  ["float", "float", 0.30000000000000004, 0.30000000000000004],
  ["boolean", "bit", true, true],
  ["date", "date", new Date("0001-01-01T00:00:00Z"), "0001-01-01"],
  [
    "datetime",
    "datetime2(7)",
    fineDate("2024-03-10T02:30:00.123Z", 0.0004567),
    "2024-03-10T02:30:00.1234567",
  ],
  [
    "datetime",
    "datetime2(7)",
    fineDate("2024-03-10T02:30:00.120Z", 0.0000001),
    "2024-03-10T02:30:00.1200001",
  ],
  ["datetime", "datetime", new Date("2024-03-10T02:30:00Z"), "2024-03-10T02:30:00"],
  ["datetime", "datetimeoffset(7)", "2024-03-10 02:30:00.1200000 +02:00", "2024-03-10T02:30:00.12+02:00"],
  ["time", "time(7)", fineDate("1970-01-01T23:59:59.999Z", 0.0009999), "23:59:59.9999999"],
  [
    "text",
    "uniqueidentifier",
    "6F9619FF-8B86-D011-B42D-00C04FC964FF",
    "6F9619FF-8B86-D011-B42D-00C04FC964FF",
  ],
  ["binary", "timestamp", new Uint8Array([0, 1]), new Uint8Array([0, 1])],
  ["any", "", new Date("2024-03-10T02:30:00Z"), "2024-03-10T02:30:00"],
  ["text", "xml", null, null],
];

for (const [type, declaredType, value, expected] of DECODED) {
  Deno.test(`a ${declaredType || "value that nobody knows"} comes out as ${String(expected)}`, () => {
    assert.deepEqual(compileDecoder([{ type, declaredType }])([{ value }]), [expected]);
  });
}

Deno.test("only times with an offset may be written with one", () => {
  const offset = column("datetime", "datetimeoffset(7)");
  assert.equal(special("2024-03-10T02:30+02:00", offset), "2024-03-10T02:30:00+02:00");
  assert.equal(special("2024-03-10 02:30:00.5Z", offset), "2024-03-10T02:30:00.5+00:00");
  for (
    const text of ["2024-03-10T02:30:00+15:00", "2024-13-10T02:30:00Z", "2024-03-10T25:00:00Z", "x", "+02:00"]
  ) {
    assert.equal(special(text, offset), undefined, text);
  }
  assert.equal(special("2024-03-10T02:30+02:00", column("datetime", "datetime2(7)")), undefined);
});
