import assert from "node:assert/strict";
import { castText, integer } from "@/plugins/dialects/mssql/bound.ts";
import { effectOf, MssqlStatement, splitAtParameters } from "@/plugins/dialects/mssql/statement.ts";

Deno.test("parameters are found outside names, strings and comments only", () => {
  const text =
    `select "a @1 ""b", [c @2 ]]d], '@3 ''e', @@rowcount, @4x, e@5 -- @5\n, /* @6 /* */ ' @6 */ @7 from @keys where x=@8`;
  assert.deepEqual(splitAtParameters(text).filter((piece) => typeof piece === "number"), [7, 8]);
  assert.equal(
    splitAtParameters(text).map((piece) => typeof piece === "number" ? `@${piece}` : piece).join(""),
    text,
  );
});

Deno.test("a cast stands where the parameter does, as often as it does", () => {
  const statement = new MssqlStatement({ sql: "select @2, @1, @2", columns: [] });
  const { sql } = statement.command([integer(1), castText("1.5", "decimal(38,1)")]);
  const cast = "cast(@rowhouse_2 as decimal(38,1))";
  assert.equal(sql, `select ${cast}, @rowhouse_1, ${cast}`);
  assert.equal(
    statement.command([integer(1), integer(2)]).sql,
    "select @rowhouse_2, @rowhouse_1, @rowhouse_2",
  );
});

Deno.test("parameters are sent by names that columns do not have, what is called like them stands as it is", () => {
  const statement = new MssqlStatement({ sql: 'select "@1", [@1], x@1 from t where "@1" = @1', columns: [] });
  const { sql } = statement.command([integer(1)]);
  assert.equal(sql, 'select "@1", [@1], x@1 from t where "@1" = @rowhouse_1');
});

const DECLARED = "declare @rowhouse_1_typed decimal(38,1) = @rowhouse_1; ";

const CALLS = [
  ["EXEC", "exec dbo.p @day = @2, @price = @1", "exec dbo.p @day = @rowhouse_2, @price = @rowhouse_1"],
  [
    "DECLARE",
    "declare @r int; exec @r = dbo.p @2, @1; select * from t where price = @1",
    `${DECLARED}declare @r int; exec @r = dbo.p @rowhouse_2, @rowhouse_1_typed; ` +
    "select * from t where price = @rowhouse_1_typed",
  ],
  ["INSERT", "insert into t execute dbo.p @1", `${DECLARED}insert into t execute dbo.p @rowhouse_1_typed`],
] as const;

for (const [verb, sql, sent] of CALLS) {
  Deno.test(`arguments of a procedure are no expressions: ${sql}`, () => {
    const statement = new MssqlStatement({ sql, columns: [], verb });
    assert.equal(statement.command([castText("1.5", "decimal(38,1)"), integer(2)]).sql, `${sent};`);
  });
}

Deno.test("a saved query ends in a semicolon, which MERGE needs", () => {
  const sql = "merge into t using s on t.id = s.id when matched then update set n = @1";
  const saved = new MssqlStatement({ sql, columns: [], verb: "MERGE" });
  assert.equal(saved.command([integer(1)]).sql, `${sql.replace("@1", "@rowhouse_1")};`);
});

Deno.test("a page of no rows is not asked for", () => {
  const statement = new MssqlStatement({ sql: "select @1", columns: [], limitAt: 1 });
  assert.equal(statement.isEmpty([5, 0]), true);
  assert.equal(statement.isEmpty([0, 1]), false);
  assert.equal(new MssqlStatement({ sql: "select 1", columns: [] }).isEmpty([0]), false);
});

const READING = [
  `select "update" as "delete", 'insert into x', [drop] from "into" -- delete`,
  "with c as (select 1 as n) select n from c",
  "declare @x int = 5; select @x",
  "select 1e5, $1, 0xfe, $identity, t2.c4create from t2",
  "/* exec */ select 1",
  "/* /* */ drop */ select 1",
  "select next, value from t for json path",
  "select disable, enable from t",
];

const WRITING = [
  "insert into x values (1)",
  "select * into y from x",
  "with c as (select 1 as n) delete from x where n in (select n from c)",
  "update x set y = 1",
  "merge x using y on 1 = 1 when matched then delete;",
  "select 1; drop table x",
  "commit; insert into x values (1)",
  "SELECT 1; TRUNCATE TABLE x",
  `select '; ' + "a"; alter table x add y int`,
  "begin tran; select 1",
  "select 1 /* /* */ ' */ drop table x -- '",
  "exec('insert into x values (1)') commit",
  "select 1into y from x",
  "select 1.5delete from x",
  "select $1delete from x",
  "select 1e0update x set y = 1",
  "select next value /* n */ for dbo.counter as n",
  "select 1; disable trigger audit on t",
  "declare @x int; ENABLE TRIGGER ALL ON DATABASE",
];

const UNKNOWN = ["exec report @year = @1", "report", "select 1; execute report", "select 1exec report"];

for (const [effect, texts] of Object.entries({ reads: READING, writes: WRITING, unknown: UNKNOWN })) {
  for (const text of texts) {
    Deno.test(`what a statement does is known before it runs: ${effect}, ${text}`, () => {
      assert.equal(effectOf(text), effect);
    });
  }
}
