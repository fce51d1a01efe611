import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { ValueType } from "@/plugins/contract.ts";
import { Decoder } from "@/plugins/dialects/mysql/decode.ts";
import { outcomeOf } from "@/plugins/dialects/mysql/engine.ts";
import { resultColumnOf } from "@/plugins/dialects/mysql/describe.ts";

/** Numbers of types in the protocol. */
const TINY = 1,
  LONG = 3,
  FLOAT = 4,
  LONGLONG = 8,
  DATE = 10,
  DATETIME = 12,
  BIT = 16,
  DECIMAL = 246,
  BLOB = 252,
  GEOMETRY = 255;

function decoded(type: ValueType, columnType: number, value: unknown, characterSet = 63): unknown {
  const [row] = new Decoder([{ type, declaredType: "" }]).decode([[value]], [{
    name: "",
    columnType,
    characterSet,
  }]);
  return row?.[0];
}

const CASES: readonly (readonly [ValueType, number, unknown, unknown])[] = [
  ["integer", LONG, 5, 5],
  ["integer", LONGLONG, "9007199254740993", 9007199254740993n],
  ["integer", LONGLONG, "-9007199254740991", -9007199254740991],
  ["integer", DECIMAL, "6", 6],
  ["decimal", DECIMAL, "00012.50", "12.50"],
  ["decimal", DECIMAL, "-000.5", "-0.5"],
  ["decimal", DECIMAL, "0", "0"],
  ["boolean", TINY, 0, false],
  ["boolean", TINY, 1, true],
  ["boolean", TINY, 2, 2],
  ["boolean", BIT, Buffer.from([1]), true],
  ["integer", BIT, Buffer.from([1, 0]), 256],
  ["integer", BIT, Buffer.from([255, 255, 255, 255, 255, 255, 255, 255]), 18446744073709551615n],
  ["float", FLOAT, 0.10000000149011612, 0.1],
  ["float", FLOAT, 16777216, 16777216],
  ["float", FLOAT, 3.4028234663852886e38, 3.4028235e38],
  ["float", FLOAT, 1.401298464324817e-45, 1e-45],
  ["datetime", DATETIME, "2024-01-01 10:00:00", "2024-01-01T10:00:00"],
  ["datetime", DATETIME, "2024-01-01 10:00:00.500000", "2024-01-01T10:00:00.5"],
  ["datetime", DATETIME, "2024-01-01 10:00:00.000000", "2024-01-01T10:00:00"],
  ["datetime", DATETIME, "2024-01-01 10:00:00.000100", "2024-01-01T10:00:00.0001"],
  ["datetime", DATETIME, "0000-00-00 00:00:00", "0000-00-00T00:00:00"],
  ["any", DATETIME, "2024-01-01 10:00:00", "2024-01-01T10:00:00"],
  ["date", DATE, "2024-00-00", "2024-00-00"],
  ["binary", BLOB, Buffer.from([0, 255]), new Uint8Array([0, 255])],
  ["any", GEOMETRY, { x: 1, y: 2 }, '{"x":1,"y":2}'],
  ["decimal", DECIMAL, null, null],
];

for (const [type, columnType, value, expected] of CASES) {
  Deno.test(`mysql: ${type} of type ${columnType}: ${Deno.inspect(value)} is ${Deno.inspect(expected)}`, () => {
    assert.deepEqual(decoded(type, columnType, value), expected);
  });
}

Deno.test("mysql: text is left as it is, bytes are copied out of what came over the network", () => {
  assert.equal(decoded("text", BLOB, "x", 45), "x");
  const received = Buffer.from([1, 2, 3]);
  const bytes = decoded("binary", BLOB, received.subarray(1));
  received.fill(0);
  assert.deepEqual(bytes, new Uint8Array([2, 3]));
});

Deno.test("mysql: a table that was altered since is decoded as it is now", () => {
  const decoder = new Decoder([{ type: "integer", declaredType: "bigint" }]);
  const fields = (columnType: number) => [{ name: "", columnType, characterSet: 63 }];
  assert.deepEqual(decoder.decode([["9007199254740993"]], fields(LONGLONG)), [[9007199254740993n]]);
  assert.deepEqual(decoder.decode([["2024-01-01 00:00:00"]], fields(DATETIME)), [["2024-01-01T00:00:00"]]);
  const text = new Decoder([{ type: "text", declaredType: "text" }]);
  const blob = (characterSet: number) => [{ name: "", columnType: BLOB, characterSet }];
  assert.deepEqual(text.decode([["x"]], blob(45)), [["x"]]);
  assert.deepEqual(text.decode([[Buffer.from([1])]], blob(63)), [[new Uint8Array([1])]]);
});

function outcome(sql: string, insertId: number | string, affectedRows = 3) {
  return outcomeOf({ sql, columns: [] }, { header: { affectedRows, insertId } }, 2);
}

Deno.test("mysql: a parameter that is selected has the type of what is sent", () => {
  const field = { name: "a", orgTable: "", characterSet: 224, columnType: 253, decimals: 31 };
  const told = [
    { ...field, columnLength: 65_532 }, // MySQL
    { ...field, columnType: 6, columnLength: 0, characterSet: 63 }, // MariaDB
    { ...field, columnLength: 65_532, orgTable: "t" },
    { ...field, columnLength: 480 },
  ];
  assert.deepEqual(told.map(resultColumnOf).map(({ type, declaredType }) => [type, declaredType]), [
    ["any", ""],
    ["any", ""],
    ["text", "varchar"],
    ["text", "varchar"],
  ]);
});

Deno.test("mysql: a server without RETURNING tells the first key, the others follow in its steps", () => {
  assert.deepEqual(outcome("insert into t", 7), { rows: [], changes: 3, firstIdentity: 7n, identityStep: 2 });
  assert.deepEqual(outcome("insert into t", "18446744073709551615"), {
    rows: [],
    changes: 3,
    firstIdentity: 18446744073709551615n,
    identityStep: 2,
  });
});

Deno.test("mysql: a statement that counted nothing up tells no key", () => {
  assert.deepEqual(outcome("update t", 0), { rows: [], changes: 3 });
});

Deno.test("mysql: rows that were given back are changes, rows that were read are none", () => {
  const answer = { rows: [[1], [2]], fields: [{ name: "", columnType: LONG, characterSet: 63 }] };
  const changes = (sql: string) => outcomeOf({ sql, columns: [] }, answer, 1).changes;
  assert.equal(changes("insert into t values (?) returning id"), 2);
  assert.equal(changes("  DELETE FROM t RETURNING id"), 2);
  assert.equal(changes("select id from t"), 0);
});
