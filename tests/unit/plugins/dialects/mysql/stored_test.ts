import assert from "node:assert/strict";
import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import { bind, ExactDecimal, stored } from "@/plugins/dialects/mysql/stored.ts";
import { mariadbTraits, mysqlTraits } from "@/plugins/dialects/mysql/traits.ts";

function column(type: ValueType, declaredType: string, nullable = true): Column {
  return { name: "c", type, declaredType, nullable, hasDefault: false, generated: false };
}

const KEPT: readonly (readonly [ValueType, string, Value, unknown])[] = [
  ["integer", "int(11)", 5, 5],
  ["integer", "bigint(20) unsigned", 18446744073709551615n, 18446744073709551615n],
  ["integer", "year(4)", 0, 0],
  ["integer", "year(4)", 1901, 1901],
  ["integer", "bit(8)", 255, 255],
  ["decimal", "decimal(10,2)", "12.50", "12.50"],
  ["decimal", "decimal(10,2)", "12.5000", "12.5000"],
  ["decimal", "decimal(10,2)", 1.25, "1.25"],
  ["decimal", "decimal(10,0)", "1200", "1200"],
  ["decimal", "decimal(10,0)", "1.2e3", "1.2e3"],
  ["decimal", "decimal(10,4)", "12e-4", "12e-4"],
  ["decimal", "decimal(10,2)", "0.000", "0.000"],
  ["float", "double", 1e300, 1e300],
  ["float", "float", 0, 0],
  ["float", "float", 0.1, Math.fround(0.1)],
  ["float", "float", 3.4028235e38, 3.4028234663852886e38],
  ["float", "float", 1e300, 1e300],
  ["boolean", "tinyint(1)", true, true],
  ["text", "varchar(9)", "x", "x"],
  ["text", "varchar(9)", "", ""],
  ["text", "varchar(9)", 5, "5"],
  ["text", "tinytext", "a ", "a "],
  ["time", "time(3)", "-838:59:58.5", "-838:59:58.5"],
  ["time", "time", "08:15", "08:15"],
  ["text", "inet6", "", null],
  ["text", "enum('a','1')", "1", "1"],
  ["text", "enum('a','')", "", ""],
  ["text", "enum('a')", "", null],
  ["text", "enum('a','b')", "c", "c"],
  ["date", "date", "2024-02-29", "2024-02-29"],
  ["datetime", "datetime", "2024-02-29T13:45:01", "2024-02-29 13:45:01"],
  ["datetime", "datetime", "2024-02-29T13:45:01.000", "2024-02-29 13:45:01.000"],
  ["datetime", "datetime(3)", "2024-02-29T13:45:01.123", "2024-02-29 13:45:01.123"],
  ["datetime", "timestamp(6)", "2024-02-29", "2024-02-29"],
  ["json", "json", "{", "{"],
  ["json", "json", '["\\ud83d\\uDE00", "\\\\ud83d"]', '["\\ud83d\\uDE00", "\\\\ud83d"]'],
  ["integer", "int(11)", null, null],
];

for (const [type, declaredType, value, bound] of KEPT) {
  Deno.test(`mysql: ${String(value)} in a column of type ${declaredType} is stored as it is`, () => {
    assert.deepEqual(stored(value, column(type, declaredType)), bound);
  });
}

const REFUSED: readonly (readonly [ValueType, string, Value, RegExp])[] = [
  [
    "decimal",
    "decimal(10,2)",
    "12.345",
    /^12\.345 has more decimals than a column of type decimal\(10,2\) keeps$/,
  ],
  ["decimal", "decimal(10,2)", 0.125, /more decimals/],
  ["decimal", "decimal(10,0)", "1.25e1", /more decimals/],
  ["decimal", "decimal(10,2)", "1e-3", /more decimals/],
  ["datetime", "datetime", "2024-02-29T13:45:01.5", /has more digits than a column of type datetime keeps$/],
  ["datetime", "datetime(6)", "2024-02-29T13:45:01.1234567", /more digits/],
  ["time", "time", "08:15:00.5", /more digits/],
  ["text", "enum('a','b')", "1", /^'1' is not one of the column's values$/],
  ["text", "set('a','b')", "3", /is not one of/],
  ["text", "enum('a','b')", "+1", /^'\+1' is not one of the column's values$/],
  ["text", "set('a','b')", "+3", /is not one of/],
  ["text", "enum('a','b')", "a ", /^'a ' is not one of the column's values$/],
  ["text", "set('a','b')", "a,b ", /is not one of/],
  ["json", "longtext", '{"a": "\\ud83d"}', /^a string in it contains half of a surrogate pair$/],
  ["json", "longtext", '["\\\\\\uDE00"]', /half of a surrogate pair/],
  ["text", "tinytext", `${"a".repeat(255)} `, /^it has more bytes than a column of type tinytext keeps/],
  ["integer", "year(4)", 70, /^70 is no year from 1901 to 2155$/],
  ["integer", "bit(8)", -1, /^-1 is negative/],
  ["integer", "bit(64)", -(2n ** 63n), /is negative/],
  ["float", "double", Infinity, /^Infinity is no number that MySQL keeps$/],
  ["float", "float", -1e-60, /^-1e-60 is too close to zero for a column of type float$/],
];

for (const [type, declaredType, value, complaint] of REFUSED) {
  Deno.test(`mysql: ${String(value)} in a column of type ${declaredType} is refused, not changed`, () => {
    assert.throws(() => stored(value, column(type, declaredType)), (error) => {
      return error instanceof RangeError && complaint.test(error.message);
    });
  });
}

Deno.test("mysql: an address that is missing is NULL only where there may be one", () => {
  assert.equal(stored("", column("text", "inet6", false)), "");
});

const SPECIAL: readonly (readonly [ValueType, string, string, Value | undefined])[] = [
  ["integer", "bigint(20) unsigned", "18446744073709551615", 18446744073709551615n],
  ["integer", "bigint unsigned zerofill", "+9223372036854775808", 9223372036854775808n],
  ["integer", "bit(64)", "18446744073709551615", 18446744073709551615n],
  ["integer", "bigint(20) unsigned", "18446744073709551616", undefined],
  ["integer", "bigint(20) unsigned", "-1", undefined],
  ["integer", "bigint(20)", "9223372036854775808", undefined],
  ["integer", "int(10) unsigned", "9223372036854775808", undefined],
  ["time", "time", "838:59:59", "838:59:59"],
  ["time", "time(6)", "-838:59:58.999999", "-838:59:58.999999"],
  ["time", "time", "24:00", "24:00"],
  ["time", "time(6)", "838:59:59.000", "838:59:59.000"],
  ["time", "time(6)", "838:59:59.5", undefined],
  ["time", "time", "839:00:00", undefined],
  ["time", "time", "10:60:00", undefined],
  ["time", "time", "1 10:00:00", undefined],
  ["time", "time", "100000", undefined],
  ["text", "varchar(9)", "x", undefined],
];

for (const [type, declaredType, text, value] of SPECIAL) {
  Deno.test(`mysql: ${text} is ${value === undefined ? "no" : "a"} value of type ${declaredType} of its own`, () => {
    assert.equal(mysqlTraits.special?.(text, column(type, declaredType)), value);
  });
}

Deno.test("mysql: the longest span of MariaDB has a fraction", () => {
  const time = column("time", "time(6)");
  assert.equal(mariadbTraits.special?.("-838:59:59.999999", time), "-838:59:59.999999");
  assert.equal(mariadbTraits.special?.("839:00:00", time), undefined);
});

Deno.test("mysql: a filter's value is bound so that every digit is compared", () => {
  const { parameter } = mysqlTraits;
  const cases: readonly (readonly [ValueType, string, Value, unknown])[] = [
    ["decimal", "decimal(65,30)", "0.100000000000000000000000000001", "0.100000000000000000000000000001"],
    ["decimal", "decimal(65,30)", 5, "5"],
  ];
  for (const [type, declaredType, value, digits] of cases) {
    const bound = parameter?.(value, column(type, declaredType));
    assert.ok(bound instanceof ExactDecimal);
    assert.equal(String(bound), digits);
  }
  assert.equal(parameter?.(0.1, column("float", "float")), Math.fround(0.1));
  assert.equal(parameter?.(1e-60, column("float", "float")), 1e-60);
  assert.equal(parameter?.(0.1, column("float", "double")), 0.1);
  assert.equal(parameter?.("2024-02-29T01:02", column("datetime", "datetime")), "2024-02-29 01:02");
  assert.equal(parameter?.(5, column("text", "varchar(5)")), "5");
  assert.equal(parameter?.(null, column("decimal", "decimal(5,2)")), null);
});

Deno.test("mysql: parameters have types that the server compares exactly", () => {
  const shown = bind([
    5,
    2n ** 64n - 1n,
    -(2n ** 63n),
    0.5,
    1e300,
    true,
    "x",
    null,
    new ExactDecimal("1.50"),
  ]);
  const types = shown.map((value) =>
    typeof value === "object" && value !== null ? Deno.inspect(value) : value
  );
  assert.deepEqual(types, [
    "LONGLONG(5)",
    "LONGLONG UNSIGNED(18446744073709551615)",
    "LONGLONG(-9223372036854775808)",
    0.5,
    1e300,
    "TINY(1)",
    "x",
    null,
    "NEWDECIMAL(1.50)",
  ]);
  assert.deepEqual([...(bind([new Uint8Array([1, 2, 3]).subarray(1)])[0] as Uint8Array)], [2, 3]);
});

Deno.test("mysql: an object that nobody binds is never sent as JSON", () => {
  for (const value of [{ a: 1 }, [1], new Date(0), Symbol("x"), () => 1]) {
    assert.throws(() => bind([value]), TypeError);
  }
});
