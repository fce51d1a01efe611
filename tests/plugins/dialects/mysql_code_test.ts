/** @module What is known to run no function that people wrote. */

import assert from "node:assert/strict";
import type { Catalog } from "@/plugins/contract.ts";
import { clearPlaces } from "@/plugins/dialects/mysql/catalog_code.ts";
import { placeOf } from "@/plugins/dialects/mysql/catalog_place.ts";
import { FUNCTIONS, KEYWORDS } from "@/plugins/dialects/mysql/server_functions.ts";
import { runsNoCode } from "@/plugins/dialects/mysql/statement_code.ts";
import { testOnServer } from "./mysql_fixture.ts";
import { failureOf, rowsOf } from "./mysql_statements.ts";

const KNOWN = {
  schema: "shop",
  clear: new Set(
    ["t", "u", "plain"].map((table) => placeOf({ schema: "shop", table })).concat(
      placeOf({ schema: "old", table: "t" }),
    ),
  ),
};

const CLEAR = [
  "SELECT 1",
  "SELECT * FROM t",
  "select t.id, `u`.`x` from t join u on t.id = u.id where u.x in (1, 2) and (t.a = ? or t.b is null)",
  "SELECT count(*), max(a) FROM t, u AS v, shop.plain p, old.t WHERE t.id = v.id GROUP BY a, b HAVING sum(x) > 1",
  "SELECT coalesce(a, 'it''s (from x', \"join evil\") FROM t ORDER BY a, b LIMIT 1, 2",
  "SELECT extract(year FROM day), trim(leading 'x' from name), substring(name from 2) FROM t",
  "SELECT (SELECT max(id) FROM u) FROM (SELECT * FROM t) x, (WITH a AS (SELECT 1) SELECT * FROM a) y",
  "with `q` (`a`, `b`) as (select a, b from t) select `a` from `q` limit ? offset ?",
  "WITH a AS (SELECT 1 n), b (n) AS (SELECT n FROM a) SELECT * FROM a JOIN b USING (n)",
  "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 9) SELECT n FROM s",
  "SELECT row_number() OVER (PARTITION BY a ORDER BY b), cast(a AS char(3)) FROM t UNION (SELECT 1, 2 FROM u)",
  "SELECT t.from, t.`join` FROM t",
  "SELECT 1, 1.5, .5, 2.5e10, 1e5 FROM t WHERE t.a > 1.5",
];

const UNCLEAR: Readonly<Record<string, string>> = {
  "SELECT f()": "a function that is none of the server's",
  "SELECT `f`()": "the same in quotes",
  "SELECT shop.f()": "the same with its schema",
  "SELECT shop.abs(1)": "a function of people with the name of one of the server's",
  "SELECT `abs`(1)": "the same in quotes",
  "SELECT count (1)": "with a space the server calls what people wrote",
  "SELECT intersect(1)": "a word that older servers let people have",
  "SELECT üabs(1)": "the end of another name",
  "SELECT abs$(1)": "the beginning of another name",
  "SELECT get_lock('x', 1)": "a lock stays",
  "SELECT last_insert_id(7)": "a number stays",
  "SELECT @x := 1": "a variable stays",
  "SELECT 1 /*! , f() */": "a comment that is executed",
  "SELECT 1 -- \n, 2": "a comment",
  "SELECT 1 # x": "a comment",
  "SELECT * FROM evil": "a view that is not known to be clear",
  "SELECT * FROM t, evil": "behind a comma",
  "SELECT * FROM t JOIN u ON t.a = u.a, evil": "behind a condition",
  "SELECT * FROM t JOIN u ON u .where = 1, evil": "behind a column that only seems to end the FROM",
  "SELECT * FROM t JOIN u ON 1 = 2 .order, evil": "behind a number that only seems to have a column",
  "SELECT 1.5from evil": "behind a number, which needs no space",
  "SELECT .5from evil": "the same without a digit in front",
  "SELECT 1e0from evil": "behind an exponent",
  "SELECT 1.e0from evil": "behind an exponent and no decimals",
  "SELECT 1e+0from evil": "behind an exponent with a sign",
  "SELECT * FROM t JOIN u ON 1.5join evil": "joined behind a number",
  "SELECT \\Nfrom evil": "behind another word for NULL",
  "SELECT * FROM t LEFT JOIN evil USING (a)": "joined",
  "SELECT * FROM t STRAIGHT_JOIN evil": "joined in another way",
  "SELECT * FROM (evil)": "in parentheses",
  "SELECT * FROM (t, evil)": "in a list in parentheses",
  "SELECT * FROM ((SELECT 1) x, evil)": "in a list in parentheses behind a query",
  "SELECT * FROM {oj evil LEFT JOIN t ON 1}": "in braces",
  "SELECT * FROM old.evil": "in another schema",
  "SELECT * FROM other.t": "the same name in another schema",
  "SELECT * FROM T": "the same name in another case, which may be another table",
  "SELECT 1.from evil": "a number is no table",
  "SELECT 1 WHERE EXISTS (SELECT * FROM evil)": "in a condition",
  "SELECT trim((SELECT x FROM evil))": "within a function that has a FROM of its own",
  "SELECT extract(year FROM (SELECT x FROM evil))": "within the FROM of a function",
  "SELECT 1 UNION SELECT * FROM evil": "in the second of two queries",
  "SELECT 1 UNION TABLE evil": "by TABLE",
  "SELECT * FROM t USE INDEX FOR ORDER BY (i), evil": "behind a hint",
  "SELECT * FROM t FOR SYSTEM_TIME ALL, evil": "behind a version",
  "WITH evil AS (SELECT * FROM evil) SELECT * FROM evil": "a name of WITH is not known in its own query",
  "WITH a AS (SELECT * FROM evil), evil AS (SELECT 1) SELECT * FROM a": "nor in those before",
  "SELECT * FROM (WITH evil AS (SELECT 1) SELECT * FROM evil) x JOIN evil": "nor around it",
  "WITH Evil AS (SELECT 1) SELECT * FROM evil": "nor in another case",
  "WITH a AS (WITH RECURSIVE b AS (SELECT 1) SELECT * FROM b), evil AS (SELECT * FROM evil) SELECT * FROM evil":
    "RECURSIVE is that of its own WITH",
  "SELECT 1 INTO OUTFILE '/x'": "written elsewhere",
  "SELECT next value FOR counter": "a sequence",
  "SELECT a FROM t PROCEDURE analyse()": "a procedure",
  "SELECT (1": "no statement",
  "SELECT 1)": "no statement",
};

Deno.test("mysql: a query of tables and the server's functions runs no code", () => {
  for (const sql of CLEAR) assert.equal(runsNoCode(sql, KNOWN), true, sql);
});

Deno.test("mysql: a query that may run code is never taken for one that does not", () => {
  for (const [sql, reason] of Object.entries(UNCLEAR)) {
    assert.equal(runsNoCode(sql, KNOWN), false, `${sql}: ${reason}`);
  }
});

Deno.test("mysql: long queries are judged as well", () => {
  const list = Array.from({ length: 20_000 }, (_, at) => `(${at})`).join(", ");
  assert.equal(runsNoCode(`SELECT * FROM t WHERE id IN (${list})`, KNOWN), true);
  assert.equal(runsNoCode(`SELECT ${"(".repeat(20_000)}1${")".repeat(20_000)}`, KNOWN), true);
  const names = (count: number) =>
    Array.from({ length: count }, (_, at) => `q${at} AS (SELECT 1)`).join(", ");
  assert.equal(runsNoCode(`WITH ${names(20)} SELECT * FROM q0 JOIN q19`, KNOWN), true);
  assert.equal(runsNoCode(`WITH ${names(5_000)} SELECT * FROM q4999`, KNOWN), false);
});

/** What a view is taken for, by its definition; `t` is a table and `open` a clear view. */
const DEFINITIONS: readonly (readonly [definition: string | null, isClear: boolean])[] = [
  ["select `shop`.`t`.`id` AS `id`,concat(`shop`.`t`.`a`,'x') AS `c` from `shop`.`t`", true],
  [
    "select `a`.`id` AS `id` from ((`shop`.`t` `a` join `t` `b` on((`a`.`id` = `b`.`id`))) join `shop`.`open`)",
    true,
  ],
  ["select extract(year from `shop`.`t`.`day`) AS `y`,'its (x' AS `s` from `shop`.`t`", true],
  ["select 1 AS `1` from DUAL where (1 = 1)", true],
  ["select 1 AS `1` from (select 2 AS `2` from `shop`.`t`) `x`", true],
  ["select `shop`.`t`.`id` in (select 1 from `t`) AS `x`,cast(1 as char(3)) AS `c` from `shop`.`t`", true],
  ["select `f`() AS `x`", false],
  ["select `shop`.`f`(1) AS `x` from `shop`.`t`", false],
  ["select shop.f() AS x from shop.t", false],
  ["select f() AS `select` from `shop`.`t`", false],
  ["select 1 AS x from shop.t", false],
  ["select 1 AS `select` from shop.evil", false],
  ["select 1 AS `select` from evil", false],
  ["select 1 AS `select` from `shop`.evil", false],
  ["select shop.abs(1) AS `select` from `shop`.`t`", false],
  ["select üabs(1) AS `select` from `shop`.`t`", false],
  ["select 1 AS `select` from (`shop`.`t` join json_table('[]','$' columns (`x` int path '$')) `j`)", false],
  ["select 'a\\\\' AS `q`,`f`() AS `y`,'`' AS `z` from `shop`.`t`", false],
  ["select `evil`.`x` AS `x` from `shop`.`evil`", false],
  ["select `t`.`x` AS `x` from `other`.`t`", false],
  ["select `o`.`x` AS `x` from (`shop`.`t` join `running` `o`)", false],
  ["with `c` as (select 1 AS `1`) select 1 AS `1` from `c`", false],
  ["", false],
  [null, false],
];

Deno.test("mysql: a view is clear when its definition shows that it runs no code", () => {
  const tables = [{ schema: "shop", name: "t", kind: "BASE TABLE", comment: "" }];
  const view = (table: string, definition: string | null) => ({
    schema: "shop",
    table,
    updatable: "NO",
    definition,
  });
  for (const [definition, isClear] of DEFINITIONS) {
    const views = [
      view("outside", "select `subject`.`x` AS `x` from `shop`.`subject`"),
      view("subject", definition),
      view("open", "select 1 AS `1` from `shop`.`t`"),
      view("running", "select `f`() AS `x`"),
    ];
    const clear = clearPlaces({ tables, views });
    const names = ["t", "open", ...(isClear ? ["subject", "outside"] : [])];
    const places = new Set(names.map((table) => placeOf({ schema: "shop", table })));
    assert.deepEqual(clear, places, String(definition));
  }
});

function running({ tables }: Catalog): readonly string[] {
  return tables.filter(({ runsCode }) => runsCode).map(({ name }) => name).toSorted();
}

testOnServer("mysql: the catalog tells which views run code, and of no table that it does", async (place) => {
  await place.exec(`CREATE TABLE t (id INT PRIMARY KEY, day DATE);
    CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1;
    CREATE VIEW plain AS SELECT id, year(day) y, '(\`f\`(' s FROM t;
    CREATE VIEW calls AS SELECT f() x;
    CREATE VIEW calls_late AS SELECT id FROM t WHERE id > (SELECT f());
    CREATE VIEW around AS SELECT x FROM calls;
    CREATE VIEW around_plain AS SELECT p.id, count(*) OVER () n FROM plain p JOIN t USING (id);
    SET sql_quote_show_create = 0;
    CREATE VIEW unquoted AS SELECT f() AS x FROM t;
    CREATE VIEW hiding AS SELECT f() AS \`select\` FROM t;
    CREATE VIEW hidden AS SELECT x AS \`select\` FROM calls;`);
  const catalog = await (await place.connect()).catalog();
  assert.deepEqual(running(catalog), ["around", "calls", "calls_late", "hidden", "hiding", "unquoted"]);
});

testOnServer(
  "mysql: a view whose definition the catalog's login may not see counts as running code",
  async (place) => {
    await place.exec("CREATE TABLE t (id INT PRIMARY KEY); CREATE VIEW plain AS SELECT id FROM t;");
    const dbuser = `u_${place.name.slice(-12)}`;
    await place.exec(
      `CREATE USER '${dbuser}'@'%' IDENTIFIED BY 'word'; GRANT SELECT ON ${place.name}.* TO '${dbuser}'@'%';`,
    );
    try {
      const login = { dbuser, dbpass: "word" };
      assert.deepEqual(running(await (await place.connect({}, login)).catalog()), ["plain"]);
      await place.exec(`GRANT SHOW VIEW ON ${place.name}.* TO '${dbuser}'@'%';`);
      assert.deepEqual(running(await (await place.connect({}, login)).catalog()), []);
    } finally {
      await place.exec(`DROP USER '${dbuser}'@'%';`);
    }
  },
);

testOnServer(
  "mysql: the catalog has changed when a view calls a function that it did not call before",
  async (place) => {
    await place.exec(`CREATE TABLE t (id INT PRIMARY KEY); CREATE VIEW v AS SELECT id AS x FROM t;
    CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1;`);
    const database = await place.connect();
    assert.deepEqual(running(await database.catalog()), []);
    await place.exec("CREATE OR REPLACE VIEW v AS SELECT f() + id AS x FROM t;");
    assert.equal(await database.check(), "changed");
    assert.deepEqual(running(await database.catalog()), ["v"]);
  },
);

testOnServer("mysql: every function that is taken for one of the server's is one", async (place) => {
  const database = await place.connect();
  for (const name of FUNCTIONS) {
    for (const parameters of ["", "1", "1, 1", "1, 1, 1"]) {
      const message = await messageOf(rowsOf(database, `SELECT ${name}(${parameters})`));
      assert.doesNotMatch(message, /^FUNCTION .* does not exist/, name);
    }
  }
  const people = await failureOf(rowsOf(database, "SELECT no_function_of_the_server()"));
  assert.match(String(people), /FUNCTION .* does not exist/);
});

testOnServer(
  "mysql: no word that may stand before a parenthesis is the name of a function",
  async (place) => {
    const database = await place.connect();
    for (const word of KEYWORDS) {
      for (const sql of [`SELECT ${word} ()`, `SELECT ${word} (1)`, `SELECT 1 + ${word} (1)`]) {
        assert.doesNotMatch(await messageOf(rowsOf(database, sql)), /^FUNCTION .* does not exist/, sql);
      }
    }
  },
);

function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(() => "", (error: unknown) => error instanceof Error ? error.message : String(error));
}
