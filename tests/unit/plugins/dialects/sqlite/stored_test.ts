import assert from "node:assert/strict";
import type { Value } from "@/plugins/contract.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { valueTypeOf } from "@/plugins/dialects/sqlite/column_types.ts";
import { stored } from "@/plugins/dialects/sqlite/stored.ts";
import {
  compileDecoder,
  decodeRows,
  type MutableRow,
  narrowIntegers,
} from "@/plugins/dialects/sqlite/decode.ts";
import { digitsOf } from "@/plugins/kit/numbers.ts";

function columnOf(declaredType: string) {
  const type = valueTypeOf(declaredType);
  return { name: "x", type, declaredType, nullable: true, hasDefault: false, generated: false };
}

/** The value and kind that SQLite returns for a value stored in a column of this type. */
function storeAndRead(value: Value, declaredType: string): { read: unknown; kind: unknown } {
  const column = columnOf(declaredType);
  const handle = new Handle(":memory:").exec(`CREATE TABLE t (x ${declaredType})`);
  const insert = handle.prepare("INSERT INTO t VALUES (?) RETURNING x, typeof(x)").raw().safeIntegers(true);
  const rows = insert.all([stored(value, column)]) as MutableRow[];
  handle.close();
  narrowIntegers(rows);
  decodeRows(rows, compileDecoder([column]));
  return { read: rows[0]?.[0], kind: rows[0]?.[1] };
}

const KEPT: readonly [string, Value, string][] = [
  ["BOOLEAN", true, "integer"],
  ["BOOLEAN", false, "integer"],
  ["INTEGER", 5, "integer"],
  ["BIGINT", 9223372036854775807n, "integer"],
  ["BIGINT", -9223372036854775808n, "integer"],
  ["REAL", 5, "real"],
  ["DOUBLE", 0.1, "real"],
  ["DOUBLE", -Infinity, "real"],
  ["DATETIME", "2009-01-02T03:04:05", "text"],
  ["DATETIME", "2009-01-02T03:04:05.12", "text"],
  ["TIMESTAMP", "2009-01-02T03:04:05.123456789", "text"],
  ["DATE", "2009-01-02", "text"],
  ["TIME", "03:04:05", "text"],
  ["TEXT", "00123", "text"],
  ["VARCHAR(20)", "1e5", "text"],
  ["TEXT", "a\0b", "text"],
  ["STRING", "12", "integer"],
  ["UUID", "7e57d004-2b97-0e7a-b45f-5387367791cd", "text"],
  ["BLOB", new Uint8Array(), "blob"],
  ["BLOB", new Uint8Array([0, 1]), "blob"],
  ["JSON", '{"a": 1}', "text"],
  ["", 5, "integer"],
  ["", 5.5, "real"],
  ["", "5", "text"],
  ["", 2n ** 60n, "integer"],
  ["TEXT", null, "null"],
];

Deno.test("values are stored so that they are read again as they were", () => {
  for (const [declaredType, value, kind] of KEPT) {
    const title = `${declaredType} ${value}`;
    const { read, kind: found } = storeAndRead(value, declaredType);
    // SQLite has no text in STRING columns where a number can be.
    assert.deepEqual(declaredType === "STRING" ? String(read) : read, value, title);
    assert.equal(found, kind, title);
  }
});

Deno.test("a timestamp is stored as SQLite's own functions write it", () => {
  const cases: readonly [string, string][] = [
    ["2009-01-02T03:04:05", "2009-01-02 03:04:05"],
    ["2009-01-02 03:04:05.100", "2009-01-02 03:04:05.1"],
    ["2009-01-02T03:04:05.000", "2009-01-02 03:04:05"],
    ["2009-01-02T03:04", "2009-01-02 03:04:00"],
    ["2009-01-02", "2009-01-02 00:00:00"],
  ];
  for (const [value, expected] of cases) assert.equal(stored(value, columnOf("DATETIME")), expected);
});

Deno.test("decimals keep every digit", () => {
  const cases: readonly [string, string, string][] = [
    ["DECIMAL(10,2)", "0.99", "real"],
    ["DECIMAL(10,2)", "-12345678.25", "real"],
    ["DECIMAL(10,2)", "7.00", "integer"],
    ["NUMERIC", "0", "integer"],
    ["NUMERIC", "-0.00", "integer"],
    ["NUMERIC", "0.30000000000000004", "real"],
    ["NUMERIC", "123456789012.345", "real"],
    ["NUMERIC", "9223372036854775807", "integer"],
    ["NUMERIC", "-9223372036854775808", "integer"],
    ["NUMERIC", "9007199254740993", "integer"],
    ["NUMERIC", "1E3", "integer"],
    ["NUMERIC", "1e300", "real"],
    ["NUMERIC", ".5", "real"],
    ["DECIMAL TEXT", "12345678901234.567890", "text"],
    ["DECIMAL TEXT", "18446744073709551615", "text"],
  ];
  for (const [declaredType, value, kind] of cases) {
    const { read, kind: found } = storeAndRead(value, declaredType);
    assert.equal(digitsOf(String(read)), digitsOf(value), `${declaredType} ${value}`);
    assert.equal(found, kind, `${declaredType} ${value}`);
  }
});

const LOST: readonly [string, Value, string][] = [
  [
    "DECIMAL(20,4)",
    "12345678901234.5678",
    "12345678901234.5678 has more digits than SQLite keeps in a column of type DECIMAL(20,4)",
  ],
  [
    "NUMERIC",
    "18446744073709551615",
    "18446744073709551615 has more digits than SQLite keeps in a column of type NUMERIC",
  ],
  [
    "NUMERIC",
    2n ** 64n - 1n,
    "18446744073709551615 has more digits than SQLite keeps in a column of type NUMERIC",
  ],
  ["NUMERIC", "1e400", "1e400 has more digits than SQLite keeps in a column of type NUMERIC"],
  ["BIGINT", 2n ** 63n, "9223372036854775808 is beyond 64 bits"],
  ["", -(2n ** 63n) - 1n, "-9223372036854775809 is beyond 64 bits"],
  ["STRING", "007", "'007' would become a number in a column of type STRING"],
  ["UUID", "123e5", "'123e5' would become a number in a column of type UUID"],
  ["JSON", "12345678901234567890", "'12345678901234567890' would become a number in a column of type JSON"],
];

for (const [declaredType, value, message] of LOST) {
  Deno.test(`a value that would lose digits is refused: ${declaredType || "no type"} ${value}`, () => {
    assert.throws(() => stored(value, columnOf(declaredType)), (error) => {
      assert.ok(error instanceof RangeError);
      assert.equal(error.message, message);
      return true;
    });
  });
}

Deno.test("numbers are the same when their digits are, however they are written", () => {
  for (const text of ["120", "120.0", "+120", "0120", "1.2e2", "12E+1", "1200e-1"]) {
    assert.equal(digitsOf(text), "12e1", text);
  }
  for (const text of ["", ".", "e5", "-", "1e", "0x10", "1 2", "Infinity"]) {
    assert.equal(digitsOf(text), undefined, text);
  }
  assert.equal(digitsOf("-0.0"), "0");
  assert.equal(digitsOf(`1${"0".repeat(1_000_000)}1`)?.length, 1_000_004);
});

Deno.test("a document that is a number keeps its digits, although SQLite would read it as a real", () => {
  assert.equal(stored("9007199254740993.0", columnOf("JSON")), 9007199254740993n);
  assert.equal(stored("0.25e1", columnOf("JSON")), 2.5);
});
