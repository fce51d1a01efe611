/** @module The part of the dialect suite about databases of several schemas. */

import assert from "node:assert/strict";
import { sql } from "kysely";
import type { TableDescription } from "@/plugins/contract.ts";
import type { OpenedDialect, WithSchema } from "@/tests/conformance/dialect.ts";
import { builder, rowsOf } from "@/tests/conformance/dialect_queries.ts";
import { assertSame } from "@/tests/conformance/same.ts";

type RegisterSchemas = (title: string, run: (opened: WithSchema & OpenedDialect) => Promise<void>) => void;

/** Tables of two schemas, see {@link WithSchema}. */
export function testSchemas(register: RegisterSchemas): void {
  register(
    "tables of the default schema have their own names, others that of their schema, too",
    async (opened) => {
      const { database, other } = opened;
      const { tables, omitted } = await database.catalog();
      const names = tables.filter(({ kind }) => kind === "table").map(({ name }) => name).toSorted();
      assertSame(
        names,
        ["kinds", "many", `${other}.house`, `${other}.owner`, "owner", "pet"].toSorted(),
      );
      assertSame(omitted, []);
    },
  );

  register("a table is found by its identifier, whichever schema it is in", async (opened) => {
    for (
      const [name, codes] of [["owner", ["anna", "bert"]], [`${opened.other}.owner`, ["other"]]] as const
    ) {
      const { identifier } = await tableOf(opened, name);
      assert.ok(identifier && identifier.length > 1, "It does not depend on a search path");
      const query = {
        compile: () => sql`select code from ${sql.id(...identifier)} order by code`.compile(builder(opened)),
      };
      assertSame((await rowsOf(opened, query, ["text"])).map(([code]) => code), codes);
    }
  });

  register("foreign keys lead to the table of the schema that is meant", async (opened) => {
    const { foreignKeys } = await tableOf(opened, `${opened.other}.house`);
    const keys = foreignKeys.toSorted((a, b) => String(a.columns).localeCompare(String(b.columns)));
    assertSame(keys, [
      { columns: ["keeper_id"], table: "owner", references: ["id"] },
      { columns: ["owner_id"], table: `${opened.other}.owner`, references: ["id"] },
    ]);
  });
}

async function tableOf({ database }: OpenedDialect, name: string): Promise<TableDescription> {
  const found = (await database.catalog()).tables.find((table) => table.name === name);
  assert.ok(found, `There is no table ${name}`);
  return found;
}
