/** @module The part of the dialect suite about values, out of the database and into a filter. */

import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Cell, Value } from "@/plugins/contract.ts";
import type { DialectUnderTest, Register } from "./dialect.ts";
import { KIND_COLUMNS, KINDS } from "./dialect_kinds.ts";
import { builder, columnsOf, compared, rowsOf } from "./dialect_queries.ts";

export function testValues(register: Register): void {
  for (const id of [1, 3] as const) {
    register(`values of every type come out as the contract tells, row ${id}`, async (opened) => {
      assert.deepEqual(await readKinds(opened, id), KINDS[id]);
    });
  }

  register("NULL comes out as null, whatever the type", async (opened) => {
    assert.deepEqual(await readKinds(opened, 2), KIND_COLUMNS.map(() => null));
  });

  for (const [at, name] of KIND_COLUMNS.entries()) {
    register(`a filter finds the value it is given: ${name}`, async (opened) => {
      assert.deepEqual(await idsWhere(opened, name, "=", KINDS[1][at] ?? null), [1]);
      assert.deepEqual(await idsWhere(opened, name, "=", KINDS[3][at] ?? null), [3]);
    });
  }

  register("a date alone is compared with a timestamp as its midnight", async (opened) => {
    assert.deepEqual(await idsWhere(opened, "a_datetime", ">=", "2009-01-02"), [1]);
    assert.deepEqual(await idsWhere(opened, "a_datetime", "<=", "2009-01-02"), [3]);
  });
}

async function readKinds(opened: DialectUnderTest, id: number): Promise<Cell[] | undefined> {
  const columns = (await columnsOf(opened, "kinds")).filter(({ name }) => name !== "id");
  const query = builder(opened).selectFrom("kinds").select([...KIND_COLUMNS]).where("id", "=", id);
  const [row] = await rowsOf(opened, query, columns);
  return row?.map((cell, at) => KIND_COLUMNS[at] === "a_decimal" && cell !== null ? String(cell) : cell);
}

async function idsWhere(
  opened: DialectUnderTest,
  name: string,
  operator: string,
  value: Value,
): Promise<Cell[]> {
  const column = (await columnsOf(opened, "kinds")).find((one) => one.name === name);
  assert.ok(column);
  const left = compared(opened, sql.ref(name), column);
  const right = opened.database.sql.parameter?.(value, column) ?? value;
  const query = builder(opened).selectFrom("kinds").select("id")
    .where(sql<boolean>`${left} ${sql.raw(operator)} ${right}`).orderBy("id");
  return (await rowsOf(opened, query, ["integer"])).map(([id]) => id ?? null);
}
