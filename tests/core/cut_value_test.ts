import assert from "node:assert/strict";
import { cutValue } from "@/core/schema/cut_value.ts";
import type { Column, Value, ValueType } from "@/core/model.ts";
import { PathSql } from "@/core/sql/conditions.ts";
import { ReadStatements } from "@/core/sql/select.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { LINKS, schemaOf, table } from "./tables.ts";

const CUT: readonly (readonly [ValueType, Value, string | undefined])[] = [
  ["datetime", "2024-02-29T13:45:00.1234567", "2024-02-29T13:45:00.123456"],
  ["datetime", "2024-02-29T13:45:00.0000001", "2024-02-29T13:45:00.000000"],
  ["datetime", "2024-02-29T13:45:00.1234560", undefined],
  ["datetime", "2024-02-29T13:45:00.123456", undefined],
  ["datetime", "2024-02-29T13:45:00", undefined],
  ["datetime", "2024-02-29", undefined],
  ["datetime", null, undefined],
  ["time", "23:59:59.999999999", "23:59:59.999999"],
  ["time", "-01:02:03.1234567", "-01:02:03.123457"],
  ["time", "-09:59:59.9999995", "-10:00:00.000000"],
  ["time", "-837:59:59.0000001", "-837:59:59.000001"],
  ["time", "-01:02:03.1234560", undefined],
  ["text", "1.1234567", undefined],
  ["text", "a\0b\0", "a"],
  ["text", "\0", ""],
  ["binary", Uint8Array.of(0), undefined],
  ["decimal", "1.1234567", undefined],
];

Deno.test("a value is cut to what the engine compares", () => {
  const usual = { name: "c", declaredType: "", nullable: true, hasDefault: false, generated: false };
  for (const [type, value, expected] of CUT) {
    const column: Column = { ...usual, type };
    assert.equal(
      cutValue(value, column, { secondDecimals: 6, textWithoutNul: true }),
      expected,
      `${type} ${value}`,
    );
  }
});

const SCHEMA = schemaOf([table("Event", "Id:integer At:datetime", { key: ["Id"] })]);

/** The condition on a path of `At` and the values that it is bound to. */
function conditionOf(path: string, more: { between?: boolean; secondDecimals?: number }): readonly unknown[] {
  const context = { database: "Test", schema: SCHEMA, isForbidden: () => false, grammar: LINKS.grammar };
  const differing = { ...traits, comparable: (reference: never) => reference, ...more };
  const walk = walkPath(["Event", "At", path, "Id"], { ...context, traits: differing });
  const selection = { distinct: false, sort: [], paged: false };
  const { sql, slots } = new ReadStatements(new PathSql(differing)).rows(walk, selection);
  const [, condition = ""] = /where \((.*)\)$/.exec(sql) ?? [];
  return [condition.replaceAll('"t".', ""), ...slots.map((slot) => walk.values[slot])];
}

const FINE = "2024-02-29T13:45:00.1234567";
const DAY = "2024-02-29";

Deno.test("an engine that takes any value has none cut", () => {
  const usual = { name: "c", declaredType: "", nullable: true, hasDefault: false, generated: false };
  for (const [type, value] of CUT) assert.equal(cutValue(value, { ...usual, type }, {}), undefined);
});

Deno.test("what is finer than the engine compares equals nothing, and bounds what it would bound", () => {
  const cases: readonly (readonly [string, readonly unknown[]])[] = [
    [FINE, ['"At" <> "At"']],
    [`${FINE},${FINE}`, ['"At" <> "At"']],
    [`${FINE},${DAY}`, ['"At" in (?, ?)', DAY, DAY]],
    [`${FINE}..`, ['"At" > ?', "2024-02-29 13:45:00.123456"]],
    [`..${FINE}`, ['"At" <= ?', "2024-02-29 13:45:00.123456"]],
    [`${DAY}..${FINE}`, ['"At" between ? and ?', "2024-02-29 00:00:00", "2024-02-29 13:45:00.123456"]],
    [`${FINE}..${DAY}`, ['("At" > ? and "At" <= ?)', "2024-02-29 13:45:00.123456", "2024-02-29 00:00:00"]],
  ];
  for (const [path, expected] of cases) {
    const found = conditionOf(path, { secondDecimals: 6 });
    const dates = expected.map((value) => value === DAY ? `${DAY} 00:00:00` : value);
    assert.deepEqual(found, dates, path);
  }
});

Deno.test("a list stays a list where only one of its values can be found", () => {
  const context = { database: "Test", schema: SCHEMA, isForbidden: () => false, grammar: LINKS.grammar };
  const schema = schemaOf([table("Event", "At:datetime", { key: ["At"] })]);
  const isSingle = (path: string) =>
    walkPath(["Event", "At", path], { ...context, schema, traits: { ...traits, secondDecimals: 6 } }).last
      .single;
  assert.deepEqual([DAY, FINE, `${FINE},${DAY}`, `${FINE},${FINE}`].map(isSingle), [
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("an engine that compares every decimal of a second is asked for all of them", () => {
  assert.deepEqual(conditionOf(FINE, {}), ['"At" = ?', "2024-02-29 13:45:00.1234567"]);
});

Deno.test("ranges are two comparisons where BETWEEN is not to be trusted", () => {
  assert.deepEqual(conditionOf(`${DAY}..${DAY}`, { between: false }), [
    '("At" >= ? and "At" <= ?)',
    `${DAY} 00:00:00`,
    `${DAY} 00:00:00`,
  ]);
});
