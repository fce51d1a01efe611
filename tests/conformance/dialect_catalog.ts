/** @module The part of the dialect suite about the catalog. */

import assert from "node:assert/strict";
import type { TableDescription } from "@/plugins/contract.ts";
import type { Register } from "@/tests/conformance/dialect.ts";
import { assertSame } from "@/tests/conformance/same.ts";

const TYPES = {
  id: ["integer"],
  an_integer: ["integer"],
  a_decimal: ["decimal"],
  a_float: ["float"],
  a_boolean: ["boolean"],
  a_text: ["text"],
  a_date: ["date"],
  a_datetime: ["datetime"],
  a_binary: ["binary"],
} as const;

/** The catalog of the tables of {@link DialectUnderTest}. */
export function testCatalog(register: Register): void {
  register("the catalog lists tables and views and leaves nothing out", async ({ database }) => {
    const { tables, omitted } = await database.catalog();
    const kinds = tables.map(({ name, kind }) => `${kind} ${name}`).sort();
    assertSame(kinds, ["table kinds", "table many", "table owner", "table pet", "view owner_codes"]);
    assertSame(omitted, []);
  });

  register("the catalog tells what every column holds", async ({ database }) => {
    const kinds = find((await database.catalog()).tables, "kinds");
    assertSame(Object.fromEntries(kinds.columns.map(({ name, type }) => [name, [type]])), TYPES);
  });

  register("the catalog tells lengths and which columns may be null", async ({ database }) => {
    const { columns } = find((await database.catalog()).tables, "owner");
    const told = columns.map(({ name, nullable, maxLength }) => [name, nullable, maxLength]);
    assertSame(told, [["id", false, undefined], ["code", false, 8], ["born", true, undefined]]);
  });

  register("the catalog has primary, unique and foreign keys", async ({ database }) => {
    const { tables } = await database.catalog();
    assertSame(find(tables, "pet").primaryKey, ["owner_id", "seq"]);
    assertSame(find(tables, "owner").uniqueKeys, [["code"]]);
    assertSame(find(tables, "pet").foreignKeys, [
      { columns: ["owner_id"], table: "owner", references: ["id"] },
    ]);
    assertSame(find(tables, "owner_codes").primaryKey, []);
  });
}

function find(tables: readonly TableDescription[], name: string): TableDescription {
  const table = tables.find((one) => one.name === name);
  assert.ok(table, `The catalog has no table "${name}"`);
  return table;
}
