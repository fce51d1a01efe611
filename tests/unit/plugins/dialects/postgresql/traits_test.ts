import assert from "node:assert/strict";
import { DummyDriver, type Expression, Kysely, PostgresIntrospector, sql } from "kysely";
import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import { Bound, type Form } from "@/plugins/dialects/postgresql/forms.ts";
import { traits } from "@/plugins/dialects/postgresql/traits.ts";

const kysely = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => traits.createAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => traits.createQueryCompiler(),
  },
});

interface ColumnFacts {
  readonly form?: Form;
  readonly scale?: number;
}

function columnOf(type: ValueType, facts: ColumnFacts = {}): Column & ColumnFacts {
  const usual = { nullable: true, hasDefault: false, generated: false };
  return { name: "c", type, declaredType: "its type", ...usual, ...facts };
}

function textOf(expression: Expression<unknown> | undefined): string {
  return sql`${expression}`.compile(kysely).sql;
}

const EXPRESSIONS: readonly (readonly [Column, string, string, string])[] = [
  [columnOf("integer"), '"c"', '"c"', '"c"::text'],
  [columnOf("text"), '"c"', '"c"', '"c"'],
  [columnOf("text", { form: "plain" }), '"c"', '"c"', '"c"::text'],
  [columnOf("decimal", { form: "money" }), '"c"::numeric', '"c"::numeric', '"c"::text'],
  [columnOf("time", { form: "timetz" }), '"c"', '"c"', '"c"::text'],
  [columnOf("datetime", { form: "timestamptz" }), '"c"', '"c"', '"c"::text'],
  [columnOf("json"), '"c"', '"c"::jsonb', '"c"::text'],
  [columnOf("text", { form: "incomparable" }), '"c"', '"c"::text', '"c"::text'],
];

for (const [column, selected, compared, matched] of EXPRESSIONS) {
  Deno.test(`a column of ${column.type} ${"form" in column ? column.form : ""} is selected, compared and matched`, () => {
    const reference = sql.ref("c");
    assert.equal(textOf(traits.selectable?.(reference, column)), selected);
    assert.equal(textOf(traits.comparable?.(reference, column)), compared);
    assert.equal(textOf(traits.textual?.(reference, column)), matched);
  });
}

const ZONED = columnOf("datetime", { form: "timestamptz" });

const PARAMETERS: readonly (readonly [Column, Value, unknown, unknown])[] = [
  [columnOf("integer"), 5, new Bound("5", 20), "5"],
  [columnOf("integer"), 2n ** 63n - 1n, new Bound("9223372036854775807", 20), "9223372036854775807"],
  [columnOf("decimal", { form: "plain" }), "0.10", "0.10", "0.10"],
  [columnOf("decimal", { form: "money" }), "0.10", new Bound("0.10", 1700), new Bound("0.10", 1700)],
  [columnOf("float"), -Infinity, "-Infinity", "-Infinity"],
  [columnOf("float"), NaN, "NaN", "NaN"],
  [columnOf("boolean"), true, "true", "true"],
  [columnOf("text"), "it's", "it's", "it's"],
  [columnOf("binary"), Uint8Array.of(0, 255), "\\x00ff", "\\x00ff"],
  [columnOf("json"), '{"a":1}', '{"a":1}', '{"a":1}'],
  [columnOf("text"), null, null, null],
  [columnOf("datetime"), "2024-01-01T10:00:00", "2024-01-01T10:00:00", "2024-01-01T10:00:00"],
  [ZONED, "2024-01-01T10:00:00.5", "2024-01-01T10:00:00.5Z", "2024-01-01T10:00:00.5Z"],
  [ZONED, "2024-01-01", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"],
  [ZONED, "0044-03-15T10:00:00 BC", "0044-03-15T10:00:00Z BC", "0044-03-15T10:00:00Z BC"],
  [ZONED, "infinity", "infinity", "infinity"],
  // The year before 1 is 1 BC to the server, which stores no other name of it.
  [columnOf("date"), "0000-02-29", "0001-02-29 BC", "0000-02-29"],
  [columnOf("datetime"), "0000-01-01T10:00:00", "0001-01-01T10:00:00 BC", "0000-01-01T10:00:00"],
  [ZONED, "0000-01-01", "0001-01-01T00:00:00Z BC", "0000-01-01T00:00:00Z"],
  [columnOf("text"), "0000-01-01", "0000-01-01", "0000-01-01"],
  [columnOf("time", { form: "timetz" }), "10:00:00", "10:00:00+00", "10:00:00+00"],
  [columnOf("time", { form: "timetz" }), "10:00:00-03:30", "10:00:00-03:30", "10:00:00-03:30"],
];

for (const [column, value, parameter, stored] of PARAMETERS) {
  Deno.test(`${String(value)} is bound for a column of ${column.type}, to compare with it and to be stored`, () => {
    assert.deepEqual(traits.parameter?.(value, column), parameter);
    assert.deepEqual(traits.stored?.(value, column), stored);
  });
}

const ROUNDED: readonly (readonly [Column & ColumnFacts, string, boolean])[] = [
  [columnOf("decimal", { scale: 2 }), "1.25", true],
  [columnOf("decimal", { scale: 2 }), "1.250", true],
  [columnOf("decimal", { scale: 2 }), "125e-2", true],
  [columnOf("decimal", { scale: 2 }), "1.255", false],
  [columnOf("decimal", { scale: 2 }), "1e-3", false],
  [columnOf("decimal", { scale: -2 }), "1200", true],
  [columnOf("decimal", { scale: -2 }), "1250", false],
  [columnOf("decimal", { scale: 0 }), "NaN", true],
  [columnOf("decimal"), "1.00000000000000000001", true],
  [columnOf("datetime", { scale: 3 }), "2024-01-01T10:00:00.123", true],
  [columnOf("datetime", { scale: 3 }), "2024-01-01T10:00:00.1234", false],
  [columnOf("datetime"), "2024-01-01T10:00:00.1234567", false],
  [columnOf("time"), "10:00:00.123456", true],
  [columnOf("time"), "10:00:00.1234567", false],
];

for (const [column, text, isKept] of ROUNDED) {
  const limit = column.scale === undefined ? "" : ` with ${column.scale} digits after the point`;
  Deno.test(`${text} is ${isKept ? "kept" : "refused"} by a column of ${column.type}${limit}`, () => {
    if (isKept) assert.equal(traits.stored?.(text, column), text);
    else assert.throws(() => traits.stored?.(text, column), RangeError);
  });
}

const SPECIALS: readonly (readonly [ValueType, string, Value | undefined])[] = [
  ["decimal", "NaN", NaN],
  ["float", "NaN", NaN],
  ["decimal", "-INF", -Infinity],
  ["decimal", "nan", undefined],
  ["integer", "NaN", undefined],
  ["date", "infinity", "infinity"],
  ["date", "-infinity", "-infinity"],
  ["date", "0044-03-15 BC", "0044-03-15 BC"],
  ["date", "12345-01-01", "12345-01-01"],
  ["date", "2024-13-01", undefined],
  ["date", "today", undefined],
  ["datetime", "0044-03-15 10:00:00 BC", "0044-03-15T10:00:00 BC"],
  ["datetime", "now", undefined],
  ["time", "24:00:00", "24:00:00"],
  ["time", "24:00:01", undefined],
  ["text", "NaN", undefined],
];

for (const [type, text, value] of SPECIALS) {
  Deno.test(`${text} is ${value === undefined ? "no value" : "a value"} of ${type} that only PostgreSQL has`, () => {
    assert.deepEqual(traits.special?.(text, columnOf(type)), value);
  });
}

Deno.test("a bound value is compared by its text, as updates and inserts do", () => {
  assert.equal(String(new Bound("0.10", 1700)), "0.10");
});
