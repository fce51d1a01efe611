/** @module The part of the dialect suite about values that are read, and values of filters. */

import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Cell, Value } from "@/plugins/contract.ts";
import type { OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { KIND_COLUMNS, KINDS } from "@/tests/conformance/dialect_kinds.ts";
import { builder, columnOf, compared, rowsOf } from "@/tests/conformance/dialect_queries.ts";
import { readKindsWhere } from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";

/** Values of every type as they are read, compared and sorted. */
export function testValues(register: Register): void {
  for (const id of [1, 3] as const) {
    register(`values of every type come out as the contract tells, row ${id}`, async (opened) => {
      assertSame(await readKinds(opened, id), KINDS[id]);
    });
  }

  register("NULL comes out as null, whatever the type", async (opened) => {
    assertSame(await readKinds(opened, 2), KIND_COLUMNS.map(() => null));
  });

  for (const [at, name] of KIND_COLUMNS.entries()) {
    register(`a filter finds the value it is given: ${name}`, async (opened) => {
      assertSame(await idsWhere(opened, name, "=", KINDS[1][at] ?? null), [1]);
      assertSame(await idsWhere(opened, name, "=", KINDS[3][at] ?? null), [3]);
    });
  }

  register("NULL is before everything else in ascending order, after it in descending", async (opened) => {
    const { nullsFirst = true } = opened.database.sql;
    const owners = builder(opened).selectFrom("owner").select("id");
    const ascending = owners.orderBy("born", (order) => nullsFirst ? order.asc() : order.asc().nullsFirst());
    const descending = owners.orderBy(
      "born",
      (order) => nullsFirst ? order.desc() : order.desc().nullsLast(),
    );
    assertSame(await rowsOf(opened, ascending, ["integer"]), [[2], [1]]);
    assertSame(await rowsOf(opened, descending, ["integer"]), [[1], [2]]);
  });

  register("a pattern is matched against what a column holds as text", async (opened) => {
    for (const [name, pattern] of [["an_integer", "%199254%"], ["a_text", "%O''Neill"]] as const) {
      const reference = sql.ref(name);
      const textual = opened.database.sql.textual?.(reference, columnOf(opened, "kinds", name)) ?? reference;
      const query = builder(opened).selectFrom("kinds").select("id")
        .where(sql<boolean>`${textual} like ${pattern.replace("''", "'")} escape '!'`);
      assertSame(await rowsOf(opened, query, ["integer"]), [[name === "a_text" ? 1 : 3]]);
    }
  });

  testSummaries(register);

  register("a date alone is compared with a timestamp as its midnight", async (opened) => {
    assertSame(await idsWhere(opened, "a_datetime", ">=", "2009-01-02"), [1]);
    assertSame(await idsWhere(opened, "a_datetime", "<=", "2009-01-02"), [3]);
  });
}

/** The parts of summaries that each engine says in its own way. */
function testSummaries(register: Register): void {
  register("the day of a date and of a date with time is text", async (opened) => {
    for (
      const [name, days] of [["a_date", ["2009-01-02", "1970-01-01"]], ["a_datetime", [
        "2009-01-02",
        "1999-12-31",
      ]]]
    ) {
      const reference = sql.ref(String(name));
      const column = columnOf(opened, "kinds", String(name));
      const day = opened.database.sql.dayText?.(reference, column) ?? reference;
      const query = builder(opened).selectFrom("kinds").select(sql`${day}`.as("day")).orderBy("id");
      const [first, none, last] = await rowsOf(opened, query, ["text"]);
      assertSame([[first?.[0], last?.[0]], none], [days, [null]]);
    }
  });

  register(
    "a sum has every digit, and is NULL for no values",
    async (opened) => {
      const sums = [["an_integer", "9007199254741035"], ["a_decimal", "12345678.24"], [
        "a_float",
        "-1e+300",
      ]] as const;
      for (const [name, expected] of sums) {
        const column = columnOf(opened, "kinds", name);
        const reference = compared(opened, sql.ref(name), column);
        const sum = opened.database.sql.summed?.(reference, column) ?? sql`sum(${reference})`;
        const query = builder(opened).selectFrom("kinds").select(sql`${sum}`.as("sum"));
        const type = name === "a_float" ? "float" : "decimal";
        const [[found = null] = []] = await rowsOf(opened, query, [type]);
        assert.equal(String(found).replace(/(\.\d*?)0+$/, "$1"), expected, name);
        const [[none] = []] = await rowsOf(opened, query.where("id", "=", 2), [type]);
        assert.equal(none, null, name);
      }
    },
  );
}

async function readKinds(opened: OpenedDialect, id: number): Promise<Cell[] | undefined> {
  const [row] = await readKindsWhere(opened, "=", id);
  return row && [...row];
}

async function idsWhere(
  opened: OpenedDialect,
  name: string,
  operator: string,
  value: Value,
): Promise<Cell[]> {
  const column = columnOf(opened, "kinds", name);
  const left = compared(opened, sql.ref(name), column);
  const right = opened.database.sql.parameter?.(value, column) ?? value;
  const query = builder(opened).selectFrom("kinds").select("id")
    .where(sql<boolean>`${left} ${sql.raw(operator)} ${right}`).orderBy("id");
  return (await rowsOf(opened, query, ["integer"])).map(([id]) => id ?? null);
}
