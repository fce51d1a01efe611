import assert from "node:assert/strict";
import { readQueryText, selectedParameters } from "@/core/sql/query_text.ts";
import { traits as mssql } from "@/plugins/dialects/mssql/traits.ts";
import { traits as postgresql } from "@/plugins/dialects/postgresql/traits.ts";
import { traits as sqlite } from "@/plugins/dialects/sqlite/traits.ts";
import { lexisOf } from "@/plugins/dialects/mysql/traits.ts";
import type { SqlLexis } from "@/plugins/contract.ts";

const MYSQL = lexisOf({ flavour: "mysql", version: [8, 0, 40] });

const BEYOND: readonly (readonly [SqlLexis, string])[] = [
  [mssql.lexis, "SELECT * FROM OPENROWSET(BULK 'c:\\x', SINGLE_CLOB) AS t"],
  [mssql.lexis, "DECLARE @x int; bulk insert t FROM '\\\\host\\share\\x.csv'"],
  [mssql.lexis, "DECLARE @x int BACKUP DATABASE shop TO DISK = 'c:\\x.bak'"],
  [mssql.lexis, "SELECT 1 restore database shop from disk = 'c:\\x.bak'"],
  [mssql.lexis, "SELECT * FROM openquery(other, 'SELECT 1')"],
  [mssql.lexis, "SELECT * FROM OPENDATASOURCE('x', 'y').a.b.c"],
  [mssql.lexis, "EXEC xp_cmdshell 'dir'"],
  [mssql.lexis, "EXEC master..xp_cmdshell 'dir'"],
  [mssql.lexis, "EXEC [xp_cmdshell] 'dir'"],
  [mssql.lexis, 'EXEC sys."xp_dirtree" :folder'],
  [mssql.lexis, "SELECT 1exec ('DROP TABLE t')"],
  [mssql.lexis, "EXECUTE ('DROP TABLE t') AT other"],
  [mssql.lexis, "EXEC sp_executesql :sql"],
  [mssql.lexis, "DECLARE @p sysname = :p; EXEC @p 'x'"],
  [mssql.lexis, "DECLARE @p sysname = :p, @done int; EXEC @done = @p 'x'"],
  [mssql.lexis, "DECLARE @h int; EXEC sp_prepexec @h OUTPUT, NULL, :sql"],
  [mssql.lexis, "DECLARE @h int; EXEC sys.sp_cursoropen @h OUTPUT, :sql"],
  [mssql.lexis, "EXEC sp_MSforeachdb 'SELECT 1'"],
  [mssql.lexis, "DECLARE @x int; USE master; SELECT name FROM sys.tables"],
  [mssql.lexis, "SELECT 1 use [master] SELECT name FROM sys.tables"],
  [mssql.lexis, "SELECT * FROM master.dbo.sysobjects"],
  [mssql.lexis, "SELECT * FROM [master] . /* to */ [dbo].[sys objects]"],
  [mssql.lexis, "SELECT * FROM master..sysobjects"],
  [mssql.lexis, "SELECT * FROM other.master.dbo.sysobjects"],
  [mssql.lexis, "INSERT INTO tempdb..#mine SELECT 1"],
  [sqlite.lexis, "EXPLAIN PRAGMA foreign_keys = 0"],
  [sqlite.lexis, "EXPLAIN QUERY PLAN pragma foreign_keys = 0"],
  [sqlite.lexis, "SELECT file FROM pragma_database_list"],
  [sqlite.lexis, 'SELECT file FROM "PRAGMA_database_list"()'],
  [sqlite.lexis, "SELECT file FROM 'pragma_Database_list'"],
  [sqlite.lexis, "SELECT hex(FTS3_tokenizer(:name))"],
  [sqlite.lexis, 'SELECT "fts3_tokenizer"(:name, :address)'],
  [sqlite.lexis, "SELECT [fts3_tokenizer](:name, :address)"],
  [mssql.lexis, "EXEC\u0001('DROP TABLE t')"],
  [MYSQL, "SELECT 1 INTO OUTFILE '/tmp/x'"],
  [MYSQL, "SELECT 1 --\u00a0 INTO OUTFILE '/tmp/x'\nFROM (SELECT 1 AS `\u00a0`) AS t"],
  [MYSQL, "SELECT 1 INTO /*!50000 DUMPFILE */ '/tmp/x'"],
];

for (const [lexis, sql] of BEYOND) {
  Deno.test(`a saved query does not reach beyond its database: ${sql}`, () => {
    assert.throws(() => readQueryText(sql, lexis), {
      code: "bad-request",
      message: /reaches beyond the database$/,
    });
  });
}

const WITHIN: readonly (readonly [SqlLexis, string])[] = [
  [sqlite.lexis, "SELECT name FROM pragma_table_info('Port')"],
  [mssql.lexis, "SELECT item.name FROM dbo.item"],
  [mssql.lexis, "SELECT i.name, 1.5, .5 FROM sales.item AS i WHERE i.note = 'master.dbo.x'"],
  [mssql.lexis, "SELECT row.doc.value('@id', 'int') FROM t CROSS APPLY t.x.nodes('/a') AS row(doc)"],
  [mssql.lexis, "DECLARE @done int; EXEC @done = rise :amount"],
  [mssql.lexis, "EXEC dbo.of_kind :kind"],
  [mssql.lexis, "DECLARE @backup int = 1; SELECT [backup], t.[restore] FROM t WHERE n = @backup"],
  [mssql.lexis, "SELECT executed, xp, [use] FROM t OPTION (USE HINT ('RECOMPILE'), MAXDOP 1)"],
  [mssql.lexis, "SELECT 1 FROM t OPTION (MAXDOP 1, USE HINT ('FORCE_LEGACY_CARDINALITY_ESTIMATION'))"],
  [mssql.lexis, "EXEC sp_prepare_invoice :id"],
  [sqlite.lexis, 'SELECT "pragma" FROM pragma_table_info(:name)'],
  [sqlite.lexis, "SELECT 'pragma', 'a PRAGMA; pragma_database_list' FROM item"],
  [sqlite.lexis, "EXPLAIN QUERY PLAN SELECT * FROM item"],
  [MYSQL, "SELECT `outfile`, a.b.c FROM a.b"],
];

Deno.test("a parameter is selected as it is where only a name follows it", () => {
  const sql = `SELECT :a AS b, id, :c as "Since x"\n, :d + 1 AS e, f(:g) AS h, f(2, :i) AS j,
    :k || '' AS l, CAST(:m AS INTEGER) AS n, :o AS \`p\` FROM t WHERE x = :q`;
  const found = [["b", "a"], ["Since x", "c"], ["p", "o"]];
  assert.deepEqual([...selectedParameters(readQueryText(sql, sqlite.lexis))], found);
  assert.deepEqual([...selectedParameters(readQueryText("SELECT :a AS a", MYSQL))], [["a", "a"]]);
});

Deno.test("a call can be read where the engine can undo what it writes", () => {
  const isReadable = (sql: string, lexis: SqlLexis) => readQueryText(sql, lexis).isReadable;
  assert.deepEqual(
    [
      isReadable("EXEC of_kind :kind", mssql.lexis),
      isReadable("execute dbo.of_kind :kind", mssql.lexis),
      isReadable("EXEC of_kind :kind; SELECT 1", mssql.lexis),
      isReadable("CALL of_kind(:kind)", MYSQL),
      isReadable("SELECT 1", MYSQL),
    ],
    [true, true, false, false, true],
  );
});

Deno.test("words of SQL Server's clauses are names of columns elsewhere", () => {
  const factsOf = (sql: string, lexis: SqlLexis) => {
    const { isEmbeddable, isLocking, isOrdered } = readQueryText(sql, lexis);
    return [isEmbeddable, isLocking, isOrdered];
  };
  for (const lexis of [sqlite.lexis, MYSQL]) {
    assert.deepEqual(factsOf("SELECT option, (top) FROM t ORDER BY option, top", lexis), [true, false, true]);
    assert.deepEqual(factsOf("SELECT top FROM t ORDER BY top LIMIT :n", lexis), [true, false, false]);
    assert.deepEqual(factsOf("SELECT top FROM t ORDER BY top FOR UPDATE", lexis), [true, true, false]);
  }
  for (const lexis of [mssql.lexis, MYSQL]) {
    const past = "SELECT a FROM t FOR SYSTEM_TIME ALL ORDER BY a";
    assert.deepEqual(factsOf(past, lexis), [true, false, true]);
  }
  assert.deepEqual(factsOf("SELECT a FROM t OPTION (RECOMPILE)", mssql.lexis), [false, false, false]);
  assert.deepEqual(factsOf("SELECT TOP (3) a FROM t ORDER BY a", mssql.lexis), [true, false, false]);
  assert.deepEqual(factsOf("SELECT DISTINCT top 3 a FROM t ORDER BY a", mssql.lexis), [true, false, false]);
  assert.deepEqual(factsOf("SELECT a FROM t FOR JSON AUTO", mssql.lexis), [false, true, false]);
});

Deno.test("a part of WITH may be called like a statement", () => {
  const writes = (sql: string) => readQueryText(sql, sqlite.lexis).isWriting;
  assert.equal(
    writes("WITH replace AS (SELECT 1 AS a), merge (b) AS (SELECT 2) SELECT a, b FROM replace, merge"),
    false,
  );
  assert.equal(writes("WITH RECURSIVE /* all */ merge AS (SELECT 1) DELETE FROM t"), true);
});

Deno.test("the main part of WITH may be a query in brackets, or TABLE", () => {
  for (const main of ["(SELECT a FROM p) UNION (SELECT 2) ORDER BY a", "TABLE p ORDER BY a"]) {
    const text = readQueryText(`WITH p (a) AS (SELECT 1), q AS (VALUES (1)) ${main}`, postgresql.lexis);
    assert.deepEqual([text.isEmbeddable, text.isOrdered, text.isReadable], [true, true, true], main);
  }
});

for (const [lexis, sql] of WITHIN) {
  Deno.test(`a saved query may say: ${sql}`, () => {
    assert.doesNotThrow(() => readQueryText(sql, lexis));
  });
}

const ENDLESS: readonly (readonly [name: string, sql: string])[] = [
  ["semicolons at both ends", `${";".repeat(49_000)}select 1${";".repeat(49_000)}`],
  ["brackets that do not match", `select ${"(".repeat(49_000)}${"]".repeat(49_000)}`],
  ["one long word", `select a${"$b".repeat(49_000)}`],
  ["one long number", `select ${"1.".repeat(49_000)}`],
];

for (const [name, sql] of ENDLESS) {
  Deno.test(`a text of ${name} is read in linear time: it would hold up all other requests`, () => {
    for (const lexis of [mssql.lexis, sqlite.lexis, MYSQL]) {
      const began = performance.now();
      readQueryText(sql, lexis);
      assert.ok(performance.now() - began < 5000);
    }
  });
}

Deno.test("a text that is too long is refused unread: other requests would wait for seconds", () => {
  const long = `SELECT ${"(".repeat(99_993)}`;
  assert.doesNotThrow(() => readQueryText(long, sqlite.lexis));
  assert.throws(() => readQueryText(`${long}(`, sqlite.lexis), /it has more than 100,000 characters/);
});
