import assert from "node:assert/strict";
import { MssqlAdapter, MssqlQueryCompiler, PostgresAdapter, PostgresQueryCompiler, sql } from "kysely";
import { PathSql } from "@/core/sql/path_sql.ts";
import { LIMIT_SLOT, OFFSET_SLOT, type Statement } from "@/core/sql/statement.ts";
import type { Selection } from "@/core/sql/selection.ts";
import { WalkStatements } from "@/core/sql/walk_statements.ts";
import { WriteStatements } from "@/core/sql/write_statements.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import type { SqlTraits } from "@/plugins/contract.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";
import { traits as sqlite } from "@/plugins/dialects/sqlite/traits.ts";

const SCHEMA = schemaOf([
  {
    ...table("Person", "Id:integer Name Boss:integer", {
      key: ["Id"],
      references: [["Boss", "Person", "Id"]],
    }),
  },
  {
    ...table("sales.Letter", "Sender:integer", { references: [["Sender", "Person", "Id"]] }),
    identifier: ["sales", "Letter"],
  },
]);
const LIST: Selection = { distinct: false, sort: [], paged: true };

const { lexis } = sqlite;

const POSTGRES: SqlTraits = {
  lexis,
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  maxParameters: 65_535,
};

const MSSQL: SqlTraits = {
  lexis,
  createAdapter: () => new MssqlAdapter(),
  createQueryCompiler: () => new MssqlQueryCompiler(),
  maxParameters: 2000,
  paging: "fetch",
};

function walk(path: string, traits: SqlTraits): Walk {
  const isForbidden = () => false;
  return walkPath(path.split("/"), {
    database: "Test",
    schema: SCHEMA,
    isForbidden,
    grammar: LINKS.grammar,
    traits,
  });
}

function rows(path: string, traits: SqlTraits, selection: Selection = LIST): Statement {
  return new WalkStatements(new PathSql(traits)).rows(walk(path, traits), selection);
}

Deno.test("a table is named by every part of its identifier", () => {
  assert.equal(
    rows("sales.Letter", POSTGRES).sql,
    'select "t"."Sender" as "Sender" from "sales"."Letter" as "t" limit $1 offset $2',
  );
});

Deno.test("an engine that has NULL last is told to have it first, where there can be one", () => {
  const traits = { ...POSTGRES, nullsFirst: false };
  const sort = [{ column: "Name", descending: true, position: 1 }, {
    column: "Boss",
    descending: false,
    position: 2,
  }];
  const { sql } = rows("Person/Id", traits, { ...LIST, sort });
  assert.match(
    sql,
    /order by "t"\."Name" desc nulls last, "t"\."Boss" asc nulls first, "t"\."Id" asc nulls first limit/,
  );
  const filters = [
    ["Name/A*", 'desc, "t"."Boss" asc nulls first'],
    ["~Name/Ann", 'desc, "t"."Boss" asc nulls first'],
    ["~Name/<null>/Boss/1..", 'desc, "t"."Boss" asc'],
    ["Name/<null>,Ann/Boss/1", 'desc nulls last, "t"."Boss" asc'],
  ] as const;
  for (const [filter, order] of filters) {
    const filtered = rows(`Person/${filter}/Id`, traits, { ...LIST, sort }).sql;
    assert.ok(filtered.includes(`order by "t"."Name" ${order}, "t"."Id" asc nulls first limit`), filtered);
  }
});

Deno.test("pages are fetched in an order, whatever it is, where an engine wants one", () => {
  const statement = rows("sales.Letter", MSSQL);
  assert.equal(
    statement.sql,
    'select "t"."Sender" as "Sender" from "sales"."Letter" as "t" order by (select null) offset @1 rows fetch next @2 rows only',
  );
  assert.deepEqual([statement.slots, statement.offsetAt, statement.limitAt], [
    [OFFSET_SLOT, LIMIT_SLOT],
    0,
    1,
  ]);
});

Deno.test("a fixed number of rows is a TOP where pages are fetched", () => {
  const statements = new WriteStatements(new PathSql(MSSQL));
  const named = walk("Person/Name/x", MSSQL);
  assert.equal(
    statements.values(named, named.steps, [0]).sql,
    'select distinct top(2) "t"."Id" as "Id" from "Person" as "t" where ("t"."Name" = @1)',
  );
});

const SELECTED: SqlTraits = {
  ...POSTGRES,
  selectable: (reference, column) => column.type === "integer" ? sql`cast(${reference} as text)` : reference,
};

Deno.test("what is selected of a column may be an expression; order and filters have the column", () => {
  assert.equal(
    rows("Person/Boss/1..2/Name,Boss", SELECTED).sql,
    'select "t"."Name" as "Name", cast("t"."Boss" as text) as "Boss" from "Person" as "t" ' +
      'where ("t"."Boss" between $1 and $2) order by "t"."Id" asc limit $3 offset $4',
  );
});

Deno.test("distinct rows are distinct and ordered by the columns, whatever is selected of them", () => {
  assert.equal(
    rows("Person/Boss", SELECTED, { ...LIST, distinct: true }).sql,
    'select cast("t"."Boss" as text) as "Boss" from (select distinct "t"."Boss" as "Boss" from "Person" as "t") as "t" ' +
      'order by "t"."Boss" asc limit $1 offset $2',
  );
});

Deno.test("a wildcard is for the text of a column that the engine does not match as text", () => {
  const traits: SqlTraits = { ...POSTGRES, textual: (reference) => sql`${reference}::text` };
  assert.match(rows("Person/Name/A*/Id", traits).sql, /where \("t"\."Name"::text like \$1 escape '!'\)/);
});

Deno.test("a change does not read its own table in a subquery that could be merged into it", () => {
  const traits = { ...POSTGRES, materializesTarget: true };
  const path = walk("Person/Name/x/Person_1", traits);
  assert.equal(
    new WriteStatements(new PathSql(traits)).delete(path).sql,
    'delete from "Person" where "Person"."Id" in (select "t"."Boss" as "Boss" from ' +
      '(select distinct "t"."Boss" as "Boss" from "Person" as "t" where ("t"."Name" = $1)) as "t")',
  );
});

Deno.test("an engine's own insert is taken", () => {
  const traits: SqlTraits = {
    ...MSSQL,
    insert: ({ table, columns, rows, keys }) =>
      sql`insert ${table} (${sql.join(columns.map(({ name }) => sql.id(name)))}) output ${
        sql.join(keys.map(({ name }) => sql.id("inserted", name)))
      } values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`,
  };
  assert.equal(
    new WriteStatements(new PathSql(traits)).insert(walk("Person", traits).last.table, [1], 2).sql,
    'insert "Person" ("Name") output "inserted"."Id" values (@1), (@2)',
  );
});

Deno.test("a table outside the default schema is found by its plain name, too", () => {
  assert.equal(walk("Letter", POSTGRES).last.table.name, "sales.Letter");
  assert.deepEqual(SCHEMA.tables.names, ["Person", "sales.Letter"]);
});

Deno.test("a plain name that two tables share means the one in the default schema, or none", () => {
  const other = { ...table("other.Letter", "Id:integer"), identifier: ["other", "Letter"] };
  const sales = { ...table("sales.Letter", "Id:integer"), identifier: ["sales", "Letter"] };
  assert.equal(schemaOf([other, sales]).tables.find("Letter"), undefined);
  const own = { ...table("Letter", "Id:integer"), identifier: ["public", "Letter"] };
  assert.deepEqual(schemaOf([other, sales, own]).tables.find("Letter")?.identifier, ["public", "Letter"]);
});

Deno.test("a record that is compared before it is changed is locked where the engine can, a list that is read is not", () => {
  const traits: SqlTraits = { ...POSTGRES, forUpdate: true };
  const at = walk("Person/Id/1", traits);
  const recordOf = (traits: SqlTraits) => new WriteStatements(new PathSql(traits)).record(at).sql;
  assert.match(recordOf(traits), /where \("t"\."Id" = \$1\) for update$/);
  assert.doesNotMatch(rows("Person/Id/1", traits).sql, /for update/);
  assert.doesNotMatch(recordOf(POSTGRES), /for update/);
});
