/** @module The part of the dialect suite about reading. */

import assert from "node:assert/strict";
import { sql } from "kysely";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { DialectSuite, OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { beside } from "@/tests/conformance/dialect_register.ts";
import { builder, prepareText, rowsOf, toRun } from "@/tests/conformance/dialect_queries.ts";
import { assertSame } from "@/tests/conformance/same.ts";

/** Reads that succeed: several at once, again with other parameters, by pages. */
export function testReading(register: Register, { readOnly, inProcess }: DialectSuite): void {
  register("one read gives the rows of each statement in its place", async (opened) => {
    const pets = builder(opened).selectFrom("pet").select(["name"]).orderBy("owner_id").orderBy("seq");
    const none = builder(opened).selectFrom("owner").select(["id"]).where("id", "=", 99);
    const runs = [toRun(opened, pets, ["text"]), toRun(opened, none, ["integer"])];
    const read = await opened.database.read(runs, { signal: NEVER });
    assertSame(read, [[["Rex"], ["Mia"], ["Tom"]], []]);
  });

  register("a read without statements gives nothing", async ({ database }) => {
    assertSame(await database.read([], { signal: NEVER }), []);
  });

  register("a statement that is kept runs again with other parameters", async (opened) => {
    const query = builder(opened).selectFrom("owner").select(["code"]).where("id", "=", 1);
    const { prepared } = toRun(opened, query, ["text"]);
    for (const [id, code] of [[1, "anna"], [2, "bert"], [1, "anna"]] as const) {
      const read = await opened.database.read([{ prepared, parameters: [id] }], { signal: NEVER });
      assertSame(read, [[[code]]]);
    }
  });

  register("an offset works beside the largest limit there is", async (opened) => {
    const owners = builder(opened).selectFrom("owner").select(["id"]).orderBy("id").offset(1);
    const query = opened.database.sql.paging === "fetch"
      ? owners.fetch(Number.MAX_SAFE_INTEGER)
      : owners.limit(Number.MAX_SAFE_INTEGER);
    assertSame(await rowsOf(opened, query, ["integer"]), [[2]]);
  });

  register(
    "several statements of one read see the same data",
    async (opened) => {
      const count = builder(opened).selectFrom("owner").select(sql<number>`count(*)`.as("count"));
      const runs = Array.from({ length: 40 }, () => toRun(opened, count, ["integer"]));
      const reading = opened.database.read(runs, { signal: NEVER });
      await beside(opened, "INSERT INTO owner (id, code) VALUES (60, 'more');");
      const counts = (await reading).map(([row]) => Number(row?.[0]));
      assert.equal(new Set(counts).size, 1, `${counts}`);
    },
    {},
    inProcess || readOnly ? "no other program changes the database" : undefined,
  );

  register("statements beyond the most rows of a read are left out", async (opened) => {
    const pets = builder(opened).selectFrom("pet").select(["name"]);
    const runs = Array.from({ length: 40 }, () => toRun(opened, pets, ["text"]));
    const read = await opened.database.read(runs, { signal: NEVER, mostRows: 5 });
    const counts = read.map(({ length }) => length);
    assertSame([counts.length, counts[0], counts[1], counts.at(-1)], [40, 3, 3, 0]);
    const whole = await opened.database.read(runs, { signal: NEVER, mostRows: 120 });
    assertSame(new Set(whole.map(({ length }) => length)), new Set([3]));
  });

  register("a read cannot write", async (opened) => {
    for (
      const text of ["INSERT INTO many (n) VALUES (-1)", "DELETE FROM pet", "UPDATE many SET n = n - 9000"]
    ) {
      const run = { prepared: prepareText(opened, text, []), parameters: [] };
      await assert.rejects(async () => await opened.database.read([run], { signal: NEVER }), text);
    }
    const pets = builder(opened).selectFrom("pet").select(["name"]);
    assert.equal((await rowsOf(opened, pets, ["text"])).length, 3);
    assertSame(await firstOfMany(opened, -1), []);
    assertSame(await firstOfMany(opened, 2500), [[2500]]);
  });

  register("reads at the same time do not disturb each other", async (opened) => {
    const expected = [[1], [2], [3]];
    const reads = expected.map(([n]) => firstOfMany(opened, n ?? 0));
    assertSame(await Promise.all(reads), expected.map((row) => [row]));
  });
}

function firstOfMany(opened: OpenedDialect, n: number) {
  return rowsOf(opened, builder(opened).selectFrom("many").select(["n"]).where("n", "=", n), ["integer"]);
}
