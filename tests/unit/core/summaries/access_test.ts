import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import { whyNoServer } from "@/tests/support/servers/mod.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { Place } from "./place.ts";

const SCRIPT = `
CREATE TABLE Person (
  Id INTEGER NOT NULL PRIMARY KEY,
  Town VARCHAR(40),
  Salary INTEGER
);
CREATE TABLE Letter (
  Id INTEGER NOT NULL PRIMARY KEY,
  Sender INTEGER REFERENCES Person (Id),
  Pages INTEGER
);
INSERT INTO Person VALUES (1, 'Oslo', 10), (2, 'Bergen', 20), (3, 'Oslo', 30);
INSERT INTO Letter VALUES (1, 1, 2), (2, 1, 3), (3, 2, 50);
`;

/** Refuses with this status. */
function refused(status: number): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.status === status;
}

async function openShop(): Promise<Place> {
  return await Place.open({
    dialect: "sqlite",
    label: "access",
    script: SCRIPT,
    users: { clerk: { access: { "*": [], Letter: ["read"] } }, nobody: { access: { "*": ["create"] } } },
    definition: { excluded_columns: { Person: ["Salary"] } },
  });
}

Deno.test("a summary of a table that the caller may not read is refused, also over a relation", async () => {
  await using place = await openShop();
  const asClerk = { login: "clerk" };
  await assert.rejects(place.ask("Person", { x: "Town" }, asClerk), refused(403));
  await assert.rejects(place.ask("Person/Id/1/Letter", { x: "Pages" }, asClerk), refused(403));
  await assert.rejects(place.ask("Letter/Person", { x: "Town" }, asClerk), refused(403));
  await assert.rejects(place.ask("Letter", { x: "Pages" }, { login: "nobody" }), refused(403));
  assert.equal((await place.ask("Letter", { x: "Pages" }, asClerk)).column.rows, 3);
});

Deno.test("excluded columns and unknown ones are refused alike", async () => {
  await using place = await openShop();
  for (
    const asked of [{ x: "Salary" }, { x: "Town", y: "Salary" }, { x: "Nothing" }, { x: "Town", y: "salary" }]
  ) {
    await assert.rejects(place.ask("Person", asked), refused(400));
  }
});

Deno.test("a summary has the filters of its path, and those before a relation", async () => {
  await using place = await openShop();
  const { column, groups } = await place.ask("Person/Town/Oslo/Letter", { x: "Pages", by: "value" });
  assert.deepEqual([column.rows, column.sum], [2, "5"]);
  assert.deepEqual(groups?.items, [{ key: 2, count: 1 }, { key: 3, count: 1 }]);
});

Deno.test("questions that do not fit the types are refused", async () => {
  await using place = await openShop();
  const asked = [
    { x: "Town", by: "range" },
    { x: "Town", by: "month" },
    { x: "Pages", by: "year" },
    { x: "Town", y: "Town" },
    { x: "Town", y: "Id", isScatter: true },
    { x: "Id", isScatter: true },
    { x: "Id", by: "1; drop table Person" },
    { x: "Id", y: "Id", total: "median" },
  ];
  for (const each of asked) await assert.rejects(place.ask("Person", each), refused(400));
});

Deno.test({
  name: "rows that the database hides from the caller's login are in no number of a summary",
  ignore: whyNoServer("postgresql") !== undefined,
  async fn() {
    const server = await useServer("postgresql");
    const role = `rowhouse_summary_${crypto.randomUUID().slice(0, 8)}`;
    const password = crypto.randomUUID();
    const more = `
CREATE ROLE ${role} LOGIN PASSWORD '${password}';
GRANT SELECT ON "Person" TO ${role};
ALTER TABLE "Person" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON "Person" FOR SELECT TO ${role} USING ("Town" = 'Oslo');
`;
    const place = await Place.open({
      dialect: "postgresql",
      label: "rows",
      script: SCRIPT,
      more,
      users: { clerk: { dbuser: role, dbpass: password } },
    });
    try {
      const all = await place.ask("Person", { x: "Town", y: "Salary" });
      assert.deepEqual([all.column.rows, all.column.smallest, all.groups?.items.length], [3, "Bergen", 2]);
      const { column, groups } = await place.ask("Person", { x: "Town", y: "Salary" }, { login: "clerk" });
      assert.deepEqual([column.rows, column.distinct, column.smallest], [2, 1, "Oslo"]);
      assert.deepEqual(column.frequent, [{ value: "Oslo", count: 2 }]);
      assert.deepEqual(groups?.items, [{ key: "Oslo", count: 2, total: "40" }]);
      const points = await place.ask("Person", { x: "Id", y: "Salary", isScatter: true }, { login: "clerk" });
      assert.deepEqual(points.points?.items, [[1, 10], [3, 30]]);
      const ranges = await place.ask("Person", { x: "Salary" }, { login: "clerk" });
      assert.deepEqual([
        ranges.column.smallest,
        ranges.groups?.items.reduce((sum, { count }) => sum + count, 0),
      ], [10, 2]);
    } finally {
      await place[Symbol.asyncDispose]();
      await server.exec(`DROP ROLE ${role};`);
    }
  },
});
