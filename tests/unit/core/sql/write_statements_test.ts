import assert from "node:assert/strict";
import { PathSql } from "@/core/sql/path_sql.ts";
import type { Schema } from "@/core/schema/table.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import { WriteStatements } from "@/core/sql/write_statements.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA: Schema = schemaOf([
  table("Person", "Id:integer Name Boss:integer", { key: ["Id"], references: [["Boss", "Person", "Id"]] }),
  table("Shelf", "Room Place:integer", { key: ["Room", "Place"] }),
  table("o", "Room Place:integer Title", { references: [["Room,Place", "Shelf", "Room,Place"]] }),
  table("t", "Owner:integer Words", { references: [["Owner", "Person", "Id"]] }),
  table('we"ird', 'a"b a.b', { key: ['a"b'] }),
]);
const BUILDER = new WriteStatements(new PathSql(traits));

function walk(path: string): Walk {
  const isForbidden = () => false;
  const context = { database: "Test", schema: SCHEMA, isForbidden, grammar: LINKS.grammar, traits };
  return walkPath(path.split("/"), context);
}

function flat(sql: string): string {
  return sql.replaceAll(/\s+/g, " ");
}

Deno.test("an insert has a slot for each value, row by row, and gives the keys back", () => {
  const cases: readonly (readonly [string, readonly number[], number, string, number])[] = [
    ["Person", [1], 1, 'insert into "Person" ("Name") values (?) returning "Id"', 1],
    ["Person", [0, 1], 2, 'insert into "Person" ("Id", "Name") values (?, ?), (?, ?) returning "Id"', 4],
    ["Person", [], 1, 'insert into "Person" default values returning "Id"', 0],
    ["Person", [], 2, 'insert into "Person" ("Id") values (null), (null) returning "Id"', 0],
    ["Shelf", [0, 1], 1, 'insert into "Shelf" ("Room", "Place") values (?, ?) returning "Room", "Place"', 2],
    ["t", [1], 1, 'insert into "t" ("Words") values (?)', 1],
    ['we"ird', [0, 1], 1, 'insert into "we""ird" ("a""b", "a.b") values (?, ?) returning "a""b"', 2],
  ];
  for (const [name, positions, count, sql, slots] of cases) {
    const statement = BUILDER.insert(walk(name).last.table, positions, count);
    assert.equal(flat(statement.sql), sql);
    assert.deepEqual(statement.slots, Array.from({ length: slots }, (_, index) => index));
  }
});

Deno.test("the columns of an insert's answer are the key's", () => {
  const { columns } = BUILDER.insert(walk("Shelf").last.table, [0], 1);
  assert.deepEqual(columns.map(({ type }) => type), ["text", "integer"]);
});

Deno.test("an update has the walk's slots for its filters, and the ones behind them for its values", () => {
  const cases: readonly (readonly [string, readonly number[], string, readonly number[]])[] = [
    ["Person/Id/5", [1, 2], 'update "Person" set "Name" = ?, "Boss" = ? where ("Person"."Id" = ?)', [
      1,
      2,
      0,
    ]],
    ["Person", [1], 'update "Person" set "Name" = ?', [0]],
    [
      "Person/Name/x/t/Words/y",
      [1],
      'update "t" set "Words" = ? where ("t"."Words" = ?) and "t"."Owner" in (select "t"."Id" as "Id" from "Person" as "t" where ("t"."Name" = ?))',
      [2, 1, 0],
    ],
    [
      "Person/Id/1/Person_N",
      [1],
      'update "Person" set "Name" = ? where "Person"."Boss" in (select "t"."Id" as "Id" from "Person" as "t" where ("t"."Id" = ?))',
      [1, 0],
    ],
  ];
  for (const [path, positions, sql, slots] of cases) {
    const statement = BUILDER.update(walk(path), positions);
    assert.deepEqual([flat(statement.sql), statement.slots], [sql, slots], path);
  }
});

Deno.test("a delete has the filters of its walk", () => {
  const { sql, slots } = BUILDER.delete(walk("Person/~Name/A*,<null>"));
  assert.equal(
    flat(sql),
    `delete from "Person" where not ("Person"."Name" is null or "Person"."Name" like ? escape '!')`,
  );
  assert.deepEqual(slots, [0]);
  assert.equal(flat(BUILDER.delete(walk("Person")).sql), 'delete from "Person"');
});

Deno.test("a table that is called like an alias is not taken for it", () => {
  assert.equal(
    flat(BUILDER.delete(walk("Shelf/Room/x/o")).sql),
    'delete from "o" where exists (select 1 from (select "t"."Room" as "Room", "t"."Place" as "Place" ' +
      'from "Shelf" as "t" where ("t"."Room" = ?)) as "p" where "p"."Room" = "o"."Room" and "p"."Place" = "o"."Place")',
  );
});

Deno.test("the values that a new record takes from a path are few, and different", () => {
  const shelves = walk("Shelf/Room/x");
  const { sql, slots } = BUILDER.values(shelves, shelves.steps, [0, 1]);
  assert.equal(
    flat(sql),
    'select distinct "t"."Room" as "Room", "t"."Place" as "Place" from "Shelf" as "t" where ("t"."Room" = ?) limit 2',
  );
  assert.deepEqual(slots, [0]);
});
