import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { PathSql } from "@/core/sql/path_sql.ts";
import { LIMIT_SLOT, OFFSET_SLOT } from "@/core/sql/statement.ts";
import type { Selection } from "@/core/sql/selection.ts";
import { WalkStatements } from "@/core/sql/walk_statements.ts";
import type { Schema } from "@/core/schema/table.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table("Person", "Id:integer Name", { key: ["Id"] }),
  table("Letter", "Id:integer Sender:integer Words", {
    key: ["Id"],
    references: [["Sender", "Person", "Id"]],
  }),
  table("Shelf", "Room Place:integer", { key: ["Room", "Place"] }),
  table("Book", "Room Place:integer Title", { references: [["Room,Place", "Shelf", "Room,Place"]] }),
  table('we"ird', 'a"b a.b'),
]);
const BUILDER = new WalkStatements(new PathSql(traits));
const LIST: Selection = { distinct: false, sort: [], paged: true };
const PLAIN: Selection = { distinct: false, sort: [], paged: false };

function walk(path: string, schema: Schema = SCHEMA): Walk {
  const isForbidden = () => false;
  return walkPath(path.split("/"), { database: "Test", schema, isForbidden, grammar: LINKS.grammar, traits });
}

function flat(sql: string): string {
  return sql.replaceAll(/\s+/g, " ");
}

Deno.test("rows are compared to be distinct only where they may be alike", () => {
  const definition = { alternateKey: new Map([["Loose", ["Id"]]]) };
  const schema = schemaOf([
    table("Sure", "Id:integer! Data:json", { key: ["Id"] }),
    table("Pair", "A! B! C", { key: ["A", "B"] }),
    table("Lax", "Id Data", { key: ["Id"] }),
    table("Loose", "Id! Data"),
    table("Bare", "Data"),
  ], definition);
  const cases = [
    ["Sure", false],
    ["Sure/Data,Id", false],
    ["Sure/Data", true],
    ["Pair/B,A", false],
    ["Pair/B,C", true],
    ["Lax", true],
    ["Loose", true],
    ["Bare", true],
  ] as const;
  for (const [path, compares] of cases) {
    const selection = { ...LIST, distinct: true };
    const { sql } = BUILDER.rows(walk(path, schema), selection);
    assert.equal(sql.includes("distinct"), compares, path);
    assert.equal(BUILDER.count(walk(path, schema), selection).sql.includes("distinct"), compares, path);
  }
});

Deno.test("a walk becomes one statement with quoted names and bound values", () => {
  const cases: readonly (readonly [string, Selection, string, ...number[]])[] = [
    ["Person", PLAIN, 'select "t"."Id" as "Id", "t"."Name" as "Name" from "Person" as "t"'],
    [
      "Person/Id/5",
      PLAIN,
      'select "t"."Id" as "Id", "t"."Name" as "Name" from "Person" as "t" where ("t"."Id" = ?)',
      0,
    ],
    [
      "Person/Name",
      LIST,
      'select "t"."Name" as "Name" from "Person" as "t" order by "t"."Id" asc limit (? | 0) offset (? | 0)',
      LIMIT_SLOT,
      OFFSET_SLOT,
    ],
    [
      "Person/~Name/A*,x,<null>/Id",
      PLAIN,
      `select "t"."Id" as "Id" from "Person" as "t" where not ("t"."Name" = ? or "t"."Name" is null or "t"."Name" like ? escape '!')`,
      0,
      1,
    ],
    [
      "Person/Id/1..2,7../Id",
      PLAIN,
      'select "t"."Id" as "Id" from "Person" as "t" where ("t"."Id" between ? and ? or "t"."Id" >= ?)',
      0,
      1,
      2,
    ],
    [
      "Person/Id/1,2/Id",
      PLAIN,
      'select "t"."Id" as "Id" from "Person" as "t" where ("t"."Id" in (?, ?))',
      0,
      1,
    ],
    [
      `we"ird/a"b/x`,
      PLAIN,
      'select "t"."a""b" as "a""b", "t"."a.b" as "a.b" from "we""ird" as "t" where ("t"."a""b" = ?)',
      0,
    ],
  ];
  for (const [path, selection, sql, ...slots] of cases) {
    const statement = BUILDER.rows(walk(path), selection);
    assert.deepEqual([flat(statement.sql), [...statement.slots]], [sql, slots], path);
  }
});

Deno.test("the slots of a traversal count through the whole path", () => {
  const { sql, slots } = BUILDER.rows(walk("Person/Name/x/Letter/Id/3"), PLAIN);
  const values = walk("Person/Name/x/Letter/Id/3").values;
  assert.deepEqual(values, ["x", 3]);
  assert.equal((sql.match(/\?/g) ?? []).length, slots.length);
  assert.deepEqual(slots.toSorted(), [0, 1]);
});

Deno.test("the page's limit and offset are found by their positions", () => {
  const { limitAt, offsetAt, slots } = BUILDER.rows(walk("Person/Id/1,2"), LIST);
  assert.deepEqual([limitAt, offsetAt, slots], [2, 3, [0, 1, LIMIT_SLOT, OFFSET_SLOT]]);
  const single = BUILDER.rows(walk("Person/Id/1"), PLAIN);
  assert.deepEqual([single.limitAt, single.offsetAt], [undefined, undefined]);
});

Deno.test("a count has the filters and no page", () => {
  const { sql, slots } = BUILDER.count(walk("Person/Name/A*"), LIST);
  assert.equal(
    flat(sql),
    `select count(*) as "count" from "Person" as "t" where ("t"."Name" like ? escape '!')`,
  );
  assert.deepEqual(slots, [0]);
});

Deno.test("distinct rows are counted as they are selected", () => {
  const { sql, slots } = BUILDER.count(walk("Person/Name/A*/Name"), { ...LIST, distinct: true });
  assert.equal(
    flat(sql),
    `select count(*) as "count" from (select distinct "t"."Name" as "Name" from "Person" as "t" where ("t"."Name" like ? escape '!')) as "t"`,
  );
  assert.deepEqual(slots, [0]);
});

Deno.test("a relation is a subquery, in one pair of parentheses", () => {
  const { sql } = BUILDER.rows(walk("Person/Id/5/Letter/Words"), PLAIN);
  assert.equal(
    flat(sql),
    'select "t"."Words" as "Words" from "Letter" as "t" where "t"."Sender" in (select "t"."Id" as "Id" from "Person" as "t" where ("t"."Id" = ?))',
  );
});

Deno.test("the order is what was asked for, then the key in the direction that an index has", () => {
  const sort = [{ column: "Place", position: 1, descending: true }];
  const { sql } = BUILDER.rows(walk("Shelf"), { ...LIST, sort });
  assert.match(sql, /order by "t"\."Place" desc, "t"\."Room" desc limit/);
});

Deno.test("labels are joined to the page alone, not to all rows that are sorted or skipped", () => {
  const letters = walk("Letter/Sender,Words");
  const relation = letters.last.table.toOne[0];
  assert.ok(relation);
  const { sql, columns } = BUILDER.joined(letters, LIST, [{ relation, columns: [0, 1] }]);
  assert.equal(
    flat(sql),
    'select "t"."Sender" as "Sender", "t"."Words" as "Words", "r0"."Id" as "Id", "r0"."Name" as "Name" from ' +
      '(select "t"."Sender" as "Sender", "t"."Words" as "Words", "t"."Id" as "Id" from "Letter" as "t" ' +
      'order by "t"."Id" asc limit (? | 0) offset (? | 0)) as "t" ' +
      'left join "Person" as "r0" on "r0"."Id" = "t"."Sender" order by "t"."Id" asc',
  );
  assert.equal(columns.length, 4);
});

Deno.test("distinct rows are ordered by what is selected", () => {
  const { sql } = BUILDER.rows(walk("Book/Title,Room"), { ...LIST, distinct: true });
  assert.match(sql, /^select distinct .* order by "t"\."Title" asc, "t"\."Room" asc limit/);
});

Deno.test("whether a record exists is asked with the filters of its path", () => {
  const { sql, slots } = BUILDER.exists(walk("Person/Id/5").steps);
  assert.equal(flat(sql), 'select 1 as "found" from "Person" as "t" where ("t"."Id" = ?)');
  assert.deepEqual(slots, [0]);
});

Deno.test("no text of a request is ever in a statement", () => {
  const text = fc.string({
    minLength: 3,
    unit: fc.constantFrom(..."Zq';-)(\"`/*\\xäß", "' or '1'='1", "--", "; drop table Person"),
  });
  const form = fc.constantFrom("#", "#,#", "#*", "*#*", "#..", "..#", "#..#", "<null>,#");
  fc.assert(
    fc.property(text, form, fc.boolean(), (value, form, negated) => {
      const encoded = encodeURIComponent(value).replace(/['()*!]/g, (character) => {
        return `%${character.charCodeAt(0).toString(16)}`;
      });
      const raw = form.replaceAll("#", encoded);
      const plain = walk(`Person/${negated ? "~" : ""}Name/${form.replaceAll("#", "v")}/Letter`);
      const found = walk(`Person/${negated ? "~" : ""}Name/${raw}/Letter`);
      assert.equal(BUILDER.rows(found, LIST).sql, BUILDER.rows(plain, LIST).sql);
      assert.equal(found.key, plain.key);
    }),
  );
});
