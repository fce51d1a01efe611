import assert from "node:assert/strict";
import { walkPath } from "@/core/schema/walk_path.ts";
import { PathSql } from "@/core/sql/path_sql.ts";
import type { Statement } from "@/core/sql/statement.ts";
import { type Grouped, SummaryStatements } from "@/core/sql/summary_statements.ts";
import { traits as mssql } from "@/plugins/dialects/mssql/traits.ts";
import { traits as sqlite } from "@/plugins/dialects/sqlite/traits.ts";
import type { SqlTraits } from "@/plugins/contract.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table('we"ird]', 'Id:integer! a"b]:int Sold:date Total:decimal(10,2) Words:text', { key: ["Id"] }),
]);
const [NAME = ""] = SCHEMA.tables.names;
const TABLE = SCHEMA.tables.exact(NAME);

function source(path: string, traits: SqlTraits) {
  const isForbidden = () => false;
  const segments = [TABLE?.segment ?? "", ...path.split("/").filter((segment) => segment !== "")];
  const walk = walkPath(segments, {
    database: "Test",
    schema: SCHEMA,
    isForbidden,
    grammar: LINKS.grammar,
    traits,
  });
  return { walk, distinct: false };
}

function flat({ sql }: Statement): string {
  return sql.replaceAll(/\s+/g, " ");
}

const BY_VALUE: Grouped = { column: 4, key: { kind: "value" }, largest: "count", most: 21 };

Deno.test("names of the database stand in a summary once, quoted; values are bound", () => {
  const statement = new SummaryStatements(new PathSql(sqlite)).groups(source("Id/5", sqlite), BY_VALUE);
  assert.equal(
    flat(statement),
    'select substring("s"."x", 1, 1000) as "c0", count(*) as "c1" from (select "t"."Words" as "x" from "we""ird]" as "t" ' +
      'where ("t"."Id" = ?)) as "s" where "s"."x" is not null group by "s"."x" order by count(*) desc, "s"."x" asc limit 21',
  );
  assert.deepEqual(statement.slots, [0]);
});

Deno.test("SQL Server has its own page, dates and sums", () => {
  const statements = new SummaryStatements(new PathSql(mssql));
  const of = source("Id/5", mssql);
  assert.match(
    flat(statements.groups(of, BY_VALUE)),
    /^select top\(21\) .* order by count\(\*\) desc, "s"\."x" asc$/,
  );
  const byTotal: Grouped = { ...BY_VALUE, total: { column: 0, by: "sum" }, largest: "avg" };
  assert.match(flat(statements.groups(of, byTotal)), / order by avg\("s"\."y" \* 1\.0\) desc, "s"\."x" asc$/);
  const sums: Grouped = {
    column: 2,
    key: { kind: "period", length: 7 },
    total: { column: 0, by: "sum" },
    most: 1001,
  };
  const grouped = flat(statements.groups(of, sums));
  assert.match(grouped, /substring\(convert\(varchar\(10\), "t"\."Sold", 23\), 1, 7\) as "x"/);
  assert.match(grouped, /convert\(varchar\(41\), sum\(convert\(decimal\(38,0\), "s"\."y"\)\)\)/);
  assert.match(grouped, /order by "s"\."x" asc$/);
  assert.match(flat(statements.end(of, 0, true)), /^select top\(1\) .* order by "s"\."x" desc$/);
});

Deno.test("the edges of ranges are the slots behind those of the path", () => {
  const key = { kind: "range", edges: [1, 2] } as const;
  const grouped: Grouped = { column: 3, key, most: 1001 };
  const statement = new SummaryStatements(new PathSql(sqlite)).groups(source("Id/5", sqlite), grouped);
  assert.match(
    flat(statement),
    /case when "t"\."Total" is null then null when "t"\."Total" < \? then 0 when "t"\."Total" < \? then 1 else 2 end as "x"/,
  );
  assert.deepEqual(statement.slots, [1, 2, 0]);
});
