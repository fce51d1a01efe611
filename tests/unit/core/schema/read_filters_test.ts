import assert from "node:assert/strict";
import { PathSql } from "@/core/sql/path_sql.ts";
import { bindEach } from "@/core/sql/statement.ts";
import { WalkStatements } from "@/core/sql/walk_statements.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import type { SqlTraits } from "@/plugins/contract.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table("Event", "Id:integer At:datetime Clock:time Name:text Anything:any", { key: ["Id"] }),
]);

/** Dates are compared as they are. */
const { indexed: _indexed, ...PLAIN } = traits;

/** The condition of a filter on a column and the values that it is bound to. */
function conditionOf(column: string, text: string, more: Partial<SqlTraits>): readonly unknown[] {
  const context = { database: "Test", schema: SCHEMA, isForbidden: () => false, grammar: LINKS.grammar };
  const differing = { ...PLAIN, comparable: (reference: never) => reference, ...more };
  const walk = walkPath(["Event", column, text, "Id"], { ...context, traits: differing });
  const selection = { distinct: false, sort: [], paged: false };
  const { sql, slots } = new WalkStatements(new PathSql(differing)).rows(walk, selection);
  const [, condition = ""] = /where \((.*)\)$/.exec(sql) ?? [];
  return [condition.replaceAll('"t".', ""), ...bindEach(slots, (slot) => walk.values[slot])];
}

const DAY = "2024-02-29";
const FINE = `${DAY}T13:45:00.1234567`;

Deno.test("a time with more decimals than the engine holds is refused, wherever it stands in a filter", () => {
  for (const text of [FINE, `${DAY},${FINE}`, `${FINE}..`, `..${FINE}`, `${DAY}..${FINE}`]) {
    assert.throws(() => conditionOf("At", text, { secondDecimals: 6 }), {
      code: "bad-request",
      message: `Cannot compare column "At" with "${FINE}": it holds at most 6 decimals of a second`,
    }, text);
  }
  assert.throws(
    () => conditionOf("Clock", "23:59:59.123456789", { secondDecimals: 7 }),
    /at most 7 decimals/,
  );
});

Deno.test("zeros at the end of a fraction do not count as decimals", () => {
  for (const fraction of ["123456", "12345600", "000000000"]) {
    const [condition] = conditionOf("At", `${DAY}T13:45:00.${fraction}`, { secondDecimals: 6 });
    assert.equal(condition, '"At" = ?', fraction);
  }
});

Deno.test("an engine without a limit of its own compares nine decimals of a second", () => {
  const text = `${DAY}T13:45:00.123456789`;
  assert.deepEqual(conditionOf("At", text, {}), ['"At" = ?', "2024-02-29 13:45:00.123456789"]);
  assert.throws(() => conditionOf("At", `${text}1`, {}), /expected a date and time/);
});

Deno.test("text with U+0000 is refused on every engine, wherever it stands in a filter", () => {
  const refusal = { code: "bad-request", message: "Cannot filter by text that has the character U+0000" };
  for (const column of ["Name", "Anything"]) {
    for (const text of ["a%00", "%00", "b,a%00", "a%00..", "..a%00", "a..b%00", "a%00*", "*%00"]) {
      assert.throws(() => conditionOf(column, text, {}), refusal, `${column} ${text}`);
    }
  }
});

Deno.test("ranges are two comparisons where BETWEEN is not to be trusted", () => {
  assert.deepEqual(conditionOf("At", `${DAY}..${DAY}`, { between: false }), [
    '("At" >= ? and "At" <= ?)',
    `${DAY} 00:00:00`,
    `${DAY} 00:00:00`,
  ]);
});
