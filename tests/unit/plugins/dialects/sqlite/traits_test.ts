import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Cell, Column, RangeEnd, Value } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { builder, compared, prepareText, rowsOf } from "@/tests/conformance/dialect_queries.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { makePlace } from "./fixture.ts";

/**
 * The stored values, as SQL literals, that `column operator value` finds in a table with one column of this
 * type. The value of `between` is a range: `1..2`.
 */
async function found(type: string, stored: string[], operator: string, value: Value): Promise<Cell[]> {
  await using place = makePlace();
  const inserts = stored.map((literal) => `INSERT INTO t (x) VALUES (${literal})`);
  place.create(`CREATE TABLE t (id INTEGER PRIMARY KEY, x ${type})`, ...inserts);
  const opened = { database: await place.connect() };
  const column = (await opened.database.catalog()).tables[0]?.columns[1];
  assert.ok(column);
  const bind = (each: Value) => opened.database.sql.parameter?.(each, column) ?? each;
  const [from, to] = operator === "between" ? String(value).split("..").map(bind) : [bind(value)];
  const end = (each: unknown): RangeEnd => (make) => sql.val(make(each));
  const x = sql.ref("x");
  const right = to ? sql`${from} and ${to}` : sql.val(from);
  const comparison = sql<boolean>`${compared(opened, x, column)} ${sql.raw(operator)} ${right}`;
  const indexed = traits.indexed?.(comparison, x, column, {
    from: operator.includes("<") ? undefined : end(from),
    to: operator.includes(">") ? undefined : end(to ?? from),
    isOne: operator === "=",
  }) as typeof comparison;
  const [ids, same] = await Promise.all([comparison, indexed].map((condition) => {
    const query = builder(opened).selectFrom("t").select("id").orderBy("id").where(condition);
    return rowsOf(opened, query, ["integer"]);
  }));
  assert.ok(ids);
  assert.deepEqual(same, ids, "the index loses no row");
  return ids.map(([id]) => stored[Number(id) - 1] ?? null);
}

Deno.test("text dates are equal as times, however they are written", async () => {
  const same = [
    "'2009-01-02T03:04:00'",
    "'2009-01-02 03:04'",
    "'2009-01-02 03:04:00.000'",
    "'2009-01-02T03:04:00Z'",
  ];
  const other = ["'2009-01-02 03:04:01'", "'2009-01-02'", "'2009-01-02 03:04:00.0001'", "NULL", "'now'", "5"];
  assert.deepEqual(await found("DATETIME", [...same, ...other], "=", "2009-01-02T03:04:00"), same);
});

Deno.test("every digit of a fraction counts", async () => {
  const stored = ["'2009-01-02 03:04:59.9999'", "'2009-01-02 03:04:59.99990'", "'2009-01-02 03:05:00'"];
  assert.deepEqual(await found("DATETIME", stored, "=", "2009-01-02T03:04:59.9999"), stored.slice(0, 2));
  assert.deepEqual(await found("DATETIME", stored, ">", "2009-01-02T03:04:59.9999"), stored.slice(2));
  assert.deepEqual(await found("DATETIME", stored, "<=", "2009-01-02T03:05:00"), stored);
});

Deno.test("a date without time is midnight", async () => {
  const stored = ["'2009-01-02'", "'2009-01-02 00:00:00'", "'2009-01-02 00:00:01'"];
  assert.deepEqual(await found("DATETIME", stored, "=", "2009-01-02"), stored.slice(0, 2));
  assert.deepEqual(await found("DATETIME", stored, ">", "2009-01-02"), stored.slice(2));
});

Deno.test("a date column may hold midnights", async () => {
  const stored = ["'2009-01-02'", "'2009-01-02 00:00:00'", "'2009-01-03'"];
  assert.deepEqual(await found("DATE", stored, "=", "2009-01-02"), stored.slice(0, 2));
});

Deno.test("a comparison by an index finds every date, however odd", async () => {
  const stored = [
    ..."'2025-02-31'|'2025-02-31 24:00:00'|'2024-02-31T10:00'|'2025-03-01'|'2025-03-04 00:00'|'2025-03-04é'"
      .split("|"),
    ..."'2025-03-09Z'|'2025-3-9'|'9999-12-31 23:59:59'|'0000-01-01'|'2025-03'|''|'now'|5|x'39'|NULL".split(
      "|",
    ),
  ];
  const days = ["2024-03-02", "2025-03-03", "2025-03-04", "2025-03-09", "9999-12-31", "0000-01-01"];
  for (const type of ["DATETIME", "DATE"]) {
    for (const day of days) {
      for (const operator of ["=", "<=", ">="]) await found(type, stored, operator, day);
      await found(type, stored, "between", `${day}..2025-03-09`);
    }
    assert.deepEqual(await found(type, stored, "<=", "0000-01-01"), ["'0000-01-01'", "''", "5"]);
  }
  const moved = ["'2025-02-31 24:00:00'", "'2025-03-04 00:00'"];
  assert.deepEqual(await found("DATETIME", stored, "=", "2025-03-04"), moved);
});

Deno.test("a time is compared with its seconds, whether they are stored or not", async () => {
  const stored = ["'13:45'", "'13:45:00'", "'13:45:01'", "'9:45'", "NULL"];
  assert.deepEqual(await found("TIME", stored, "=", "13:45"), stored.slice(0, 2));
  assert.deepEqual(await found("TIME", stored, "=", "13:45:00"), stored.slice(0, 2));
  assert.deepEqual(await found("TIME", stored, "=", "13:45:00.000"), stored.slice(0, 2));
  const fine = ["'13:45:01.5'", "'13:45:01.500'", "'13:45:01.05'"];
  assert.deepEqual(await found("TIME", fine, "=", "13:45:01.50"), fine.slice(0, 2));
  assert.deepEqual(await found("TIME", stored, "=", "9:45"), ["'9:45'"]);
});

Deno.test("infinities are found by the words that answers have for them", async () => {
  for (const type of ["REAL", "DECIMAL(10,2)"]) {
    const stored = ["9e999", "-9e999", "1e308", "NULL"];
    const column = { name: "x", type: type === "REAL" ? "float" : "decimal" } as Column;
    for (const word of ["Infinity", "INF"]) {
      assert.deepEqual(await found(type, stored, "=", traits.special?.(word, column) ?? null), ["9e999"]);
      assert.deepEqual(await found(type, stored, "=", traits.special?.(`-${word}`, column) ?? null), [
        "-9e999",
      ]);
    }
    assert.equal(traits.special?.("infinity", column), undefined);
    assert.equal(traits.special?.("NaN", column), undefined, "SQLite makes it NULL");
  }
  assert.equal(traits.special?.("Infinity", { name: "x", type: "integer" } as Column), undefined);
});

Deno.test("booleans are found by what they mean", async () => {
  assert.deepEqual(await found("BOOLEAN", ["0", "1", "NULL"], "=", true), ["1"]);
  assert.deepEqual(await found("BOOLEAN", ["0", "1", "NULL"], "=", false), ["0"]);
});

Deno.test("decimals are compared as numbers, their text is exact", async () => {
  const stored = ["0.99", "'0.99'", "1", "9007199254740993"];
  assert.deepEqual(await found("DECIMAL(20,2)", stored, "=", "0.99"), ["0.99", "'0.99'"]);
  assert.deepEqual(await found("DECIMAL(20,2)", stored, "=", "9007199254740993"), ["9007199254740993"]);
  assert.deepEqual(await found("DECIMAL(20,2)", stored, "<", "1.0"), ["0.99", "'0.99'"]);
});

Deno.test("integers are exact to 64 bits, and beyond nothing is found", async () => {
  const stored = ["9223372036854775807", "9223372036854775806"];
  assert.deepEqual(await found("INTEGER", stored, "=", 9223372036854775806n), ["9223372036854775806"]);
  assert.deepEqual(await found("INTEGER", stored, ">", 2n ** 70n), []);
  assert.deepEqual(await found("INTEGER", stored, "=", 2n ** 63n), []);
  assert.deepEqual(await found("INTEGER", stored, "=", 18446744073709551615n), []);
  assert.deepEqual(await found("INTEGER", stored, "<", 10n ** 400n), stored);
});

Deno.test("an integer just below 64 bits is not taken for the smallest one", async () => {
  const stored = ["-9223372036854775808"];
  assert.deepEqual(await found("INTEGER", stored, "=", -9223372036854775808n), stored);
  assert.deepEqual(await found("INTEGER", stored, "=", -9223372036854775809n), []);
  assert.deepEqual(await found("INTEGER", stored, ">", -9223372036854775809n), stored);
});

Deno.test("an integer beyond 64 bits finds the text that has its digits", async () => {
  const stored = ["'18446744073709551615'", "'18446744073709551616'"];
  assert.deepEqual(await found("TEXT", stored, "=", 18446744073709551615n), stored.slice(0, 1));
});

Deno.test("a number finds text that has its digits", async () => {
  assert.deepEqual(await found("TEXT", ["'5'", "'5.0'"], "=", 5), ["'5'"]);
});

Deno.test("a column without a type is compared by what the value looks like", async () => {
  const stored = ["5", "'5'", "5.0", "'5.0'", "'05'", "'abc'", "x'35'", "NULL", "9007199254740993", "0.1"];
  const cases: readonly [string, string, string[]][] = [
    ["=", "5", ["5", "'5'", "5.0"]],
    ["=", "5.0", ["'5.0'"]],
    ["=", "05", ["'05'"]],
    ["=", "abc", ["'abc'"]],
    ["=", "9007199254740993", ["9007199254740993"]],
    ["=", "0.1", ["0.1"]],
    ["<", "5", ["0.1"]],
  ];
  for (const [operator, value, expected] of cases) {
    assert.deepEqual(await found("", stored, operator, value), expected, `${operator} ${value}`);
  }
});

Deno.test("values come out as the contract tells, whatever is stored", async () => {
  const column = (type: Column["type"], declaredType: string) => ({ type, declaredType });
  const cases: readonly [Pick<Column, "type" | "declaredType">, string, Value][] = [
    [column("boolean", "BOOLEAN"), "1", true],
    [column("boolean", "BOOLEAN"), "2", 2],
    [column("boolean", "BOOLEAN"), "'yes'", "yes"],
    [column("datetime", "DATETIME"), "'2009-01-02 03:04:05.6789'", "2009-01-02T03:04:05.6789"],
    [column("datetime", "DATETIME"), "'2009-01-02T03:04'", "2009-01-02T03:04:00"],
    [column("datetime", "DATETIME"), "'2009-01-02 03:04'", "2009-01-02T03:04:00"],
    [column("datetime", "DATETIME"), "'2009-01-02'", "2009-01-02T00:00:00"],
    [column("datetime", "DATETIME"), "'some other text'", "some other text"],
    [column("datetime", "DATETIME"), "1234567890", 1234567890],
    [column("date", "DATE"), "'2009-01-02 00:00:00'", "2009-01-02"],
    [column("date", "DATE"), "'2009-01-02 12:00:00'", "2009-01-02 12:00:00"],
    [column("time", "TIME"), "'13:45'", "13:45:00"],
    [column("time", "TIME"), "'13:45:01.5'", "13:45:01.5"],
    [column("time", "TIME"), "'noon'", "noon"],
    [column("integer", "BIGINT"), "-9007199254740993", -9007199254740993n],
    [column("integer", "BIGINT"), "9007199254740991", 9007199254740991],
    [column("decimal", "NUMERIC"), "1e300", 1e300],
    [column("float", "REAL"), "1e300", 1e300],
    [column("float", "REAL"), "9e999", Infinity],
    [column("any", ""), "x'0a'", new Uint8Array([10])],
    [column("json", "JSON"), "'[1]'", "[1]"],
    [column("json", "JSON"), "1.5", "1.5"],
    [column("json", "JSON"), "9007199254740993", "9007199254740993"],
    [column("text", "TEXT"), "'a' || char(0) || 'b'", "a\0b"],
  ];
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  for (const [type, literal, expected] of cases) {
    const prepared = database.prepare({ sql: `SELECT ${literal}`, columns: [type] });
    assert.deepEqual(
      await database.read([{ prepared, parameters: [] }], { signal: NEVER }),
      [[[expected]]],
      literal,
    );
  }
});

Deno.test("bytes are no Buffer", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const prepared = prepareText({ database }, "SELECT x'0a'", ["binary"]);
  const [[row] = []] = await database.read([{ prepared, parameters: [] }], { signal: NEVER });
  assert.equal(Object.getPrototypeOf(row?.[0]), Uint8Array.prototype);
});
