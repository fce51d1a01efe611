import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { tokenize } from "@/core/sql/query_tokens.ts";
import { type Piece, readQueryText } from "@/core/sql/query_text.ts";
import type { SqlLexis } from "@/plugins/contract.ts";
import { mariadbTraits, mysqlTraits } from "@/plugins/dialects/mysql/traits.ts";
import { traits as mssql } from "@/plugins/dialects/mssql/traits.ts";
import { traits as postgresql } from "@/plugins/dialects/postgresql/traits.ts";
import { traits as sqlite } from "@/plugins/dialects/sqlite/traits.ts";

/** Any first word will do here. */
const lexisOf = ({ lexis }: { readonly lexis: SqlLexis }): SqlLexis => ({
  ...lexis,
  statements: [...lexis.statements, "X"],
});

const SQLITE = lexisOf(sqlite);
const POSTGRESQL = lexisOf(postgresql);
const MYSQL = lexisOf(mysqlTraits);
const MARIADB = lexisOf(mariadbTraits);
const MSSQL = lexisOf(mssql);
const ALL = { SQLITE, POSTGRESQL, MYSQL, MARIADB, MSSQL };

function parametersOf(sql: string, lexis: SqlLexis): readonly string[] {
  return readQueryText(sql, lexis).parameters;
}

const EVERYWHERE: readonly [string, readonly string[]][] = [
  ["select :a", ["a"]],
  ["select :a,:b, :a", ["a", "b"]],
  ["select :a + :A", ["a", "A"]],
  ["select ':a', 'it''s :b', :c", ["c"]],
  ['select ":a" from "x"":b"', []],
  ["select 1 -- :a\n, :b", ["b"]],
  ["select 1 -- :a\r\n, :b", ["b"]],
  ["select /* :a */ :b", ["b"]],
  ["select /* '*/ :b", ["b"]],
  ["select /*/ :a */ :b", ["b"]],
  ["select '/*' , :b, '*/'", ["b"]],
  ["select a::text, :b::text, a :: text", ["b"]],
  ["x := 1; y := :b", ["b"]],
  ["select :größe, :_x1", ["größe", "_x1"]],
  ["select :नाम, :gro\u0308ße", ["नाम", "gro\u0308ße"]],
  ["select ':', :b", ["b"]],
  ["select a.:b", ["b"]],
  ["select (:a)", ["a"]],
];

for (const [name, lexis] of Object.entries(ALL)) {
  for (const [sql, expected] of EVERYWHERE) {
    // MySQL's double quotes are strings, with the same effect.
    Deno.test(`the parameters of ${JSON.stringify(sql)} are ${expected.join() || "none"} for ${name}`, () => {
      assert.deepEqual(parametersOf(sql, lexis), expected);
    });
  }
}

const ENGINES: readonly [keyof typeof ALL, string, readonly string[]][] = [
  ["POSTGRESQL", "select E'\\':a', :b", ["b"]],
  ["POSTGRESQL", "select '\\', :b", ["b"]],
  ["POSTGRESQL", "select te'\\', :b", ["b"]],
  ["POSTGRESQL", "select 10:30, :b", ["b"]],
  ["POSTGRESQL", "select E'a' -- '\n '\\':a'\n'\\':a', :b", ["b"]],
  ["POSTGRESQL", "select E'a', \n '\\', :b", ["b"]],
  ["POSTGRESQL", "select 'a'\n '\\', :b", ["b"]],
  ["POSTGRESQL", "select $$ :a ' $$, $t$ $$ :c $t$, :b", ["b"]],
  ["POSTGRESQL", "select a$b$c, :b, d$b$", ["b"]],
  ["POSTGRESQL", "select /* /* */ :a */ :b", ["b"]],
  ["POSTGRESQL", "select a[1:n], a[:lo], a[:lo:hi], a[x:y], a[(1):z], a[b[1]:z]", ["lo"]],
  ["POSTGRESQL", "select array[:a, :b], x -> :k, x #>> :p, x ? 'k', x @> :j", ["a", "b", "k", "p", "j"]],
  ["POSTGRESQL", "select a[:i]::int[]", ["i"]],
  ["POSTGRESQL", "select case when :a then 1 end # :b", ["a", "b"]],
  ["MYSQL", "select '\\':a', :b", ["b"]],
  ["MYSQL", 'select "\\":a", ":c", :b', ["b"]],
  ["MYSQL", "select 1 # :a\n, :b", ["b"]],
  ["MYSQL", "select 1--:a", ["a"]],
  ["MYSQL", "select 1 --\t:a\n, :b", ["b"]],
  ["MYSQL", "select 1 --\x7f:a\n, :b", ["b"]],
  ["MYSQL", "select 1 /* :a /*/, :b", ["b"]],
  ["MYSQL", "select /*!50000 :a */ :b", ["a", "b"]],
  ["MYSQL", "select /*! :a */ :b", ["a", "b"]],
  ["MARIADB", "select /*M!100500 :a */ /*!50701 :c */ :b", ["a", "b"]],
  ["MYSQL", "select /*!99999 :a */ :b", ["b"]],
  ["MYSQL", "select /*M!50000 :a */ :b", ["b"]],
  ["MYSQL", "select /* /* */ :a", ["a"]],
  ["MYSQL", "select `:a```, :b", ["b"]],
  ["SQLITE", "select [:a], `:b`, :c", ["c"]],
  ["SQLITE", "select [a]]:b]", ["b"]],
  ["SQLITE", "select '\\', :b", ["b"]],
  ["MSSQL", "select [a]]:b], :c", ["c"]],
  ["MSSQL", "select geography::Point(:a, 1), @x", ["a"]],
  ["MSSQL", "select /* /* */ :a */ :b", ["b"]],
];

for (const [engine, sql, expected] of ENGINES) {
  Deno.test(`${engine} takes ${expected.join()} as the parameters of ${JSON.stringify(sql)}`, () => {
    assert.deepEqual(parametersOf(sql, ALL[engine]), expected);
  });
}

const PIECES: readonly [string, readonly Piece[]][] = [
  ["select :a", [{ sql: "select " }, { parameter: "a" }]],
  ["select :a:b ;", [{ sql: "select " }, { parameter: "a" }, { parameter: "b" }]],
  ["select 1;; -- end\n ; /* x */ ", [{ sql: "select 1" }]],
  ["/* head */ select ';' ; ", [{ sql: "/* head */ select ';'" }]],
];

for (const [sql, pieces] of PIECES) {
  Deno.test(`${JSON.stringify(sql)} is cut into ${pieces.length} pieces, its end is clean`, () => {
    assert.deepEqual(readQueryText(sql, POSTGRESQL).pieces, pieces);
  });
}

Deno.test("a comment that is executed keeps its end, what follows it goes", () => {
  const { pieces } = readQueryText("select 1 /*!50000 + :a ; */ ; /* x */", ALL.MYSQL);
  assert.deepEqual(pieces, [{ sql: "select 1 /*!50000 + " }, { parameter: "a" }, { sql: " ; */" }]);
});

const STATEMENTS: readonly [keyof typeof ALL, string, verb: string, kinds: string][] = [
  ["SQLITE", " -- x\n with a as (select 1) select * from a;", "WITH", "query embeddable"],
  ["SQLITE", "select 1; select 2", "SELECT", ""],
  ["SQLITE", "with a as (select 1) insert into b select * from a", "WITH", "writing"],
  ["SQLITE", "values (1)", "VALUES", "query embeddable"],
  ["SQLITE", "insert into a values (1)", "INSERT", "writing"],
  ["SQLITE", "select a from b order by a", "SELECT", "query embeddable ordered"],
  ["SQLITE", "select a from b order by a limit 3", "SELECT", "query embeddable"],
  ["SQLITE", "select row_number() over (order by a) from b", "SELECT", "query embeddable"],
  ["POSTGRESQL", "(select 1) union (select 2)", "(", "query embeddable"],
  ["POSTGRESQL", "select 1 into b", "SELECT", ""],
  ["POSTGRESQL", "with a as (delete from b returning c) select c from a", "WITH", "query embeddable writing"],
  ["MYSQL", "with a as (select 1) select (insert('a', 1, 1, 'b')) from a", "WITH", "query embeddable"],
  ["POSTGRESQL", "table a", "TABLE", "query embeddable"],
  ["POSTGRESQL", "select * from a order by b for update", "SELECT", "query embeddable"],
  ["POSTGRESQL", "call p()", "CALL", ""],
  ["MSSQL", "select a from b order by a offset 5 rows", "SELECT", "query embeddable"],
  ["MSSQL", "select a from b order by a for json path", "SELECT", "query"],
  ["MSSQL", "select a from b option (recompile)", "SELECT", "query"],
  ["MSSQL", "select a from b for system_time as of '2024-01-01'", "SELECT", "query embeddable"],
];

for (const [engine, sql, verb, kinds] of STATEMENTS) {
  Deno.test(`${engine}'s ${JSON.stringify(sql)} is ${kinds || "something else"}`, () => {
    const text = readQueryText(sql, ALL[engine]);
    const { isReadable: query, isEmbeddable: embeddable, isWriting: writing, isOrdered: ordered } = text;
    const found = Object.entries({ query, embeddable, writing, ordered }).filter(([, is]) => is).map((
      [name],
    ) => name);
    assert.deepEqual([text.verb, found.join(" ")], [verb, kinds]);
  });
}

const REFUSED: readonly [keyof typeof ALL, string, RegExp][] = [
  ["SQLITE", "select 'a", /ends inside of a string that begins with "'a"$/],
  ["SQLITE", "select 1 /* x", /inside of a comment/],
  ["SQLITE", 'select "x', /inside of a quoted name/],
  ["POSTGRESQL", "select $a$ x $b$", /inside of a string/],
  ["POSTGRESQL", "select /* /* */", /inside of a comment/],
  ["POSTGRESQL", "select $1", /"\$1" is no parameter here/],
  ["SQLITE", "select ?2", /"\?2" is no parameter here/],
  ["SQLITE", "select @x", /"@x" is no parameter here/],
  ["SQLITE", "select #x", /"#x" is no parameter here/],
  ["SQLITE", "select :1", /":1" is no parameter here/],
  ["MYSQL", "select ?", /"\?" is no parameter here/],
  ["MSSQL", "select @1", /"@1" is no parameter here/],
  ["MYSQL", "select 1 into outfile '/tmp/x'", /"outfile" reaches beyond the database/],
  ["MYSQL", "select 1 # \r ' \n into outfile '/tmp/x' # '", /carriage return/],
  ["SQLITE", "explain -- \r ' \n pragma foreign_keys = 0 --'", /carriage return/],
  ["MSSQL", "select 1 -- \r ' \n delete from a --'", /carriage return/],
  ["MSSQL", ";; drop table a", /not "DROP"/],
  ["MSSQL", "[sp_who]", /not "\[SP_WHO\]"/],
  ["MSSQL", '"sp_who"', /not "\\"SP_WHO\\""/],
  ["MYSQL", "/*!50000 drop table a */", /not "DROP"/],
  ["MYSQL", "/*!99999 /* */ select */ drop table a", /a comment inside of "\/\*!99999 /],
  [
    "MARIADB",
    "select 1 /*M!999999/* */ ' */ into outfile '/tmp/x' -- '",
    /a comment inside of "\/\*M!999999 /,
  ],
  ["SQLITE", "pragma journal_mode", /one of SELECT, WITH, .*, not "PRAGMA"/],
  ["SQLITE", " -- nothing", /it has no statement/],
  ["SQLITE", ";;", /it has no statement/],
];

for (const [engine, sql, message] of REFUSED) {
  Deno.test(`${JSON.stringify(sql)} is refused for ${engine}`, () => {
    assert.throws(() => readQueryText(sql, ALL[engine]), { code: "bad-request", message });
  });
}

const PLACES: readonly [keyof typeof ALL, string, number][] = [
  ["SQLITE", "select 1,\n 'a", 11],
  ["SQLITE", " /* é😀 */ select :a, ?2", 22],
  ["POSTGRESQL", "; -- x\n drop table a", 8],
];

for (const [engine, sql, place] of PLACES) {
  Deno.test(`the mistake in ${JSON.stringify(sql)} is at ${place}`, () => {
    assert.throws(() => readQueryText(sql, ALL[engine]), { place });
  });
}

Deno.test("tokens joined are the text, whatever it is", () => {
  const bits = fc.constantFrom(
    "'",
    '"',
    "`",
    "[",
    "]",
    "(",
    ")",
    ":",
    ":a",
    "::",
    "$$",
    "$t$",
    "--",
    "\n",
    "/*",
    "*/",
    "#",
    "\\",
    "E'",
    "?",
    "@p1",
    "x",
    "1.5e+3",
    ";",
    " ",
    "😀",
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 30 }), fc.constantFrom(...Object.values(ALL)), (parts, lexis) => {
      const sql = parts.join("");
      try {
        assert.equal(tokenize(sql, lexis).map(({ text }) => text).join(""), sql);
      } catch (error) {
        assert.match(String(error), /it ends inside of/);
      }
    }),
    { numRuns: 5000 },
  );
});

Deno.test("SQL that goes on opening things is read in linear time", () => {
  const { placeholders } = POSTGRESQL;
  for (const part of ["/*", "'", "$$", "(", "[", "--", "$a$ ", ":a", "/**/", "''"]) {
    for (const lexis of [{ ...SQLITE, placeholders }, POSTGRESQL, { ...MYSQL, placeholders }, MSSQL]) {
      try {
        tokenize(part.repeat(200_001), lexis);
      } catch (error) {
        assert.match(String(error), /it ends inside of/);
      }
    }
  }
});
