import assert from "node:assert/strict";
import { type QuerySelection, QueryStatements } from "@/core/sql/query_statements.ts";
import { readQueryText } from "@/core/sql/query_text.ts";
import { nameColumns } from "@/core/queries/saved_query.ts";
import type { ResultColumn, SqlTraits } from "@/plugins/contract.ts";
import { traits as mssql } from "@/plugins/dialects/mssql/traits.ts";
import { mariadbTraits as mysql } from "@/plugins/dialects/mysql/traits.ts";
import { traits as postgresql } from "@/plugins/dialects/postgresql/traits.ts";
import { traits as sqlite } from "@/plugins/dialects/sqlite/traits.ts";

const TRAITS: Readonly<Record<string, SqlTraits>> = { sqlite, postgresql, mysql, mssql };

const COLUMNS: readonly ResultColumn[] = [
  { name: "a", type: "integer", declaredType: "int" },
  { name: "a", type: "decimal", declaredType: "decimal(10,2)" },
];
const PLAIN = "SELECT a, b AS a FROM t WHERE c = :c OR :c IS NULL OR d = :d;";
const ORDERED = "SELECT a, b AS a FROM t WHERE c = :c ORDER BY a -- all";
const WITH = "WITH u AS (SELECT :c AS a, :d AS b) SELECT a, b AS a FROM u WHERE b = :c ORDER BY 1";

const NOTHING: QuerySelection = { distinct: false, sort: [], paged: false };
const SORTED = { ...NOTHING, sort: [{ column: "a_2", descending: true, position: 1 }] };

const CASES: readonly [
  dialect: string,
  what: string,
  sql: string,
  QuerySelection | "count",
  expected: string,
][] = [
  [
    "sqlite",
    "the text itself",
    PLAIN,
    NOTHING,
    "SELECT a, b AS a FROM t WHERE c = ? OR ? IS NULL OR d = ? [0,0,1]",
  ],
  [
    "postgresql",
    "the text itself",
    PLAIN,
    NOTHING,
    "SELECT a, b AS a FROM t WHERE c = $1 OR $1 IS NULL OR d = $2 [0,1]",
  ],
  [
    "mssql",
    "the text itself",
    PLAIN,
    NOTHING,
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = @1 OR @1 IS NULL OR d = @2) select "c0", convert(varchar(41), "c1") as "c1" from "saved query" [0,1]',
  ],
  [
    "sqlite",
    "a page",
    PLAIN,
    { ...NOTHING, paged: true },
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = ? OR ? IS NULL OR d = ?) select "c0", "c1" from "saved query" limit (? | 0) offset (? | 0) [0,0,1,-1,-2]',
  ],
  [
    "mssql",
    "a page",
    PLAIN,
    { ...NOTHING, paged: true },
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = @1 OR @1 IS NULL OR d = @2) select "c0", convert(varchar(41), "c1") as "c1" from "saved query" order by (select null) offset @3 rows fetch next @4 rows only [0,1,-2,-1]',
  ],
  [
    "sqlite",
    "a page of an order",
    ORDERED,
    { ...NOTHING, paged: true },
    "SELECT a, b AS a FROM t WHERE c = ? ORDER BY a limit (? | 0) offset (? | 0) [0,-1,-2]",
  ],
  [
    "postgresql",
    "a page of an order",
    ORDERED,
    { ...NOTHING, paged: true },
    "SELECT a, b AS a FROM t WHERE c = $1 ORDER BY a limit $2 offset $3 [0,-1,-2]",
  ],
  [
    "mysql",
    "a page of an order",
    ORDERED,
    { ...NOTHING, paged: true },
    "SELECT a, b AS a FROM t WHERE c = ? ORDER BY a limit ? offset ? [0,-1,-2]",
  ],
  [
    "mssql",
    "a page of an order",
    ORDERED,
    { ...NOTHING, paged: true },
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = @1 ORDER BY a offset @2 rows fetch next @3 rows only) select "c0", convert(varchar(41), "c1") as "c1" from "saved query" [0,-2,-1]',
  ],
  [
    "mysql",
    "columns of an order",
    ORDERED,
    { ...NOTHING, columns: [1] },
    "with `saved query` (`c0`, `c1`) as (SELECT a, b AS a FROM t WHERE c = ? ORDER BY a limit 9223372036854775807) select `c1` from `saved query` [0]",
  ],
  [
    "mssql",
    "columns of an order",
    ORDERED,
    { ...NOTHING, columns: [1] },
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = @1 ORDER BY a offset 0 rows) select convert(varchar(41), "c1") as "c1" from "saved query" [0]',
  ],
  [
    "postgresql",
    "another order",
    ORDERED,
    SORTED,
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = $1 ORDER BY a) select "c0", "c1" from "saved query" order by "saved query"."c1" desc nulls last [0]',
  ],
  [
    "mysql",
    "another order",
    ORDERED,
    SORTED,
    "with `saved query` (`c0`, `c1`) as (SELECT a, b AS a FROM t WHERE c = ? ORDER BY a) select `c0`, `c1` from `saved query` order by `saved query`.`c1` desc [0]",
  ],
  [
    "mssql",
    "another order",
    ORDERED,
    { ...SORTED, paged: true },
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = @1 ORDER BY a offset 0 rows) select "c0", convert(varchar(41), "c1") as "c1" from "saved query" order by "saved query"."c1" desc, "saved query"."c0" asc offset @2 rows fetch next @3 rows only [0,-2,-1]',
  ],
  [
    "sqlite",
    "distinct rows",
    PLAIN,
    { ...NOTHING, distinct: true, columns: [0] },
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = ? OR ? IS NULL OR d = ?) select distinct "c0" from "saved query" order by "saved query"."c0" asc [0,0,1]',
  ],
  [
    "mssql",
    "distinct rows",
    PLAIN,
    { ...NOTHING, distinct: true, columns: [1], paged: true },
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = @1 OR @1 IS NULL OR d = @2) select convert(varchar(41), "c1") as "c1" from (select distinct "c1" from "saved query") as "d" order by "d"."c1" asc offset @3 rows fetch next @4 rows only [0,1,-2,-1]',
  ],
  [
    "postgresql",
    "a page of a WITH",
    WITH,
    { ...NOTHING, columns: [0], paged: true },
    'with "saved query" ("c0", "c1") as (WITH u AS (SELECT $1 AS a, $2 AS b) SELECT a, b AS a FROM u WHERE b = $1 ORDER BY 1 limit $3 offset $4) select "c0" from "saved query" [0,1,-1,-2]',
  ],
  [
    "mssql",
    "a page of a WITH",
    WITH,
    { ...NOTHING, columns: [0], paged: true },
    'WITH u AS (SELECT @1 AS a, @2 AS b) , "saved query" ("c0", "c1") as (SELECT a, b AS a FROM u WHERE b = @1 ORDER BY 1 offset @3 rows fetch next @4 rows only) select "c0" from "saved query" [0,1,-2,-1]',
  ],
  [
    "mssql",
    "another order of a WITH",
    WITH,
    SORTED,
    'WITH u AS (SELECT @1 AS a, @2 AS b) , "saved query" ("c0", "c1") as (SELECT a, b AS a FROM u WHERE b = @1 ORDER BY 1 offset 0 rows) select "c0", convert(varchar(41), "c1") as "c1" from "saved query" order by "saved query"."c1" desc [0,1]',
  ],
  [
    "postgresql",
    "a count",
    ORDERED,
    "count",
    'with "saved query" ("c0", "c1") as (SELECT a, b AS a FROM t WHERE c = $1 ORDER BY a) select count(*) from "saved query" [0]',
  ],
  [
    "mssql",
    "a count",
    WITH,
    "count",
    'WITH u AS (SELECT @1 AS a, @2 AS b) , "saved query" ("c0", "c1") as (SELECT a, b AS a FROM u WHERE b = @1 ORDER BY 1 offset 0 rows) select count(*) from "saved query" [0,1]',
  ],
];

for (const [dialect, what, sql, asked, expected] of CASES) {
  Deno.test(`${what} of ${JSON.stringify(sql)} on ${dialect}`, () => {
    const traits = TRAITS[dialect] ?? sqlite;
    const statements = new QueryStatements(traits, readQueryText(sql, traits.lexis), nameColumns(COLUMNS));
    const statement = asked === "count" ? statements.count(NOTHING) : statements.rows(asked);
    assert.equal(`${statement.sql} ${JSON.stringify(statement.slots)}`, expected);
  });
}

Deno.test("attack: the time to write a statement grows with the number of its parameters only", () => {
  const names = Array.from({ length: 13_000 }, (_, index) => `:p${index}`);
  const text = readQueryText(`SELECT ${names.join(",")}`, postgresql.lexis);
  const began = performance.now();
  const { sql, slots } = new QueryStatements(postgresql, text).plain();
  assert.ok(performance.now() - began < 1_000);
  assert.deepEqual([slots.length, slots.at(-1)], [13_000, 12_999]);
  assert.ok(sql.endsWith("$13000"));
});
