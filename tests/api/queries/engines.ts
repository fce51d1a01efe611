/**
 * The shop of these tests on each engine, and the queries whose SQL differs.
 *
 * @module
 */

import type { TestDialect } from "@/tests/support/databases/mod.ts";

/** The differences of one engine in these tests. */
export interface QueryEngine {
  /** Statements that make the shop, each on its own. */
  readonly setup: readonly string[];
  /** YAML of the queries that only this engine has, or that it spells differently. */
  readonly queries: string;
  /** A price of half a unit in CSV, with the digits that its column keeps. */
  readonly half: string;
  readonly quarter: string;
  /** The declared types of an integer column and of a parameter, as authors see them. */
  readonly tried: {
    readonly id: string;
    readonly a: readonly [type: string, declared: string];
    readonly readOnly: boolean | null;
    /** The engine's message about a missing table. */
    readonly wrong: RegExp;
    /** Its message about the parameter `:table` in place of a table. */
    readonly named: RegExp;
    /** The engine tells where a mistake is. */
    readonly isPlaced: boolean;
    /** Absent: the engine has no plan. */
    readonly plan?: RegExp;
  };
  /** Names of queries that the engine or the service refuses. */
  readonly unusable: readonly string[];
  /** Paths of GET requests that would write. */
  readonly writing: readonly string[];
}

const ROWS = [
  "INSERT INTO item VALUES (1, 'pear', 0.5, 'fruit', '2024-01-05'), (2, 'plum', 0.25, 'fruit', '2024-02-05'), " +
  "(3, 'leek', 1.75, 'vegetable', '2024-02-06'), (4, 'kale', NULL, 'vegetable', NULL), (5, 'AC/DC', 9, NULL, NULL)",
  "INSERT INTO secret VALUES ('1234')",
];

const SECRET = "CREATE TABLE secret (pin VARCHAR(40))";

const COLUMNS = "name VARCHAR(40) NOT NULL UNIQUE, price DECIMAL(10,2), kind VARCHAR(40), sold DATE";

const NUMBERS = `
numbers:
  database: Shop
  sqlstr: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :last) SELECT i FROM n ORDER BY i DESC"
  parameters: {last: integer}
  http_methods: {GET: true, POST: true}
  read_only: true
  execute: [public]
`;

const SQLITE: QueryEngine = {
  setup: [
    `CREATE TABLE item (id INTEGER PRIMARY KEY, ${COLUMNS})`,
    SECRET,
    ...ROWS,
    "CREATE VIEW q AS SELECT id FROM item WHERE id < 3",
  ],
  half: "0.5",
  quarter: "0.25",
  tried: {
    id: "INTEGER",
    a: ["integer", ""],
    readOnly: true,
    wrong: /^no such table: nowhere$/,
    named: /^near ":table": syntax error$/,
    isPlaced: true,
    plan: /SEARCH item/,
  },
  queries: `${NUMBERS}
attach: {database: Shop, sqlstr: "ATTACH '/etc/passwd' AS x", execute: [public]}
pragma: {database: Shop, sqlstr: "PRAGMA journal_mode = DELETE", execute: [public]}
vacuum: {database: Shop, sqlstr: "VACUUM INTO '/nowhere/never.db'", execute: [public]}
explain: {database: Shop, sqlstr: "EXPLAIN PRAGMA journal_mode", execute: [public]}
place: {database: Shop, sqlstr: "SELECT file FROM 'pragma_database_list'", execute: [public]}
return: {database: Shop, sqlstr: "-- \\r SELECT ' \\n PRAGMA database_list --'", execute: [public]}
two: {database: Shop, sqlstr: "SELECT 1; SELECT 2", execute: [public]}
numbered: {database: Shop, sqlstr: "SELECT name FROM item WHERE id = :1", execute: [public]}
plan: {database: Shop, sqlstr: "EXPLAIN QUERY PLAN SELECT * FROM item WHERE id = :id", parameters: {id: integer}, execute: [public]}
plan-delete: {database: Shop, sqlstr: "EXPLAIN DELETE FROM item", http_methods: {POST: true}, execute: [public]}
some: {database: Shop, sqlstr: "SELECT id FROM item LIMIT :most", parameters: {most: integer}, execute: [public]}
endless:
  database: Slow
  sqlstr: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
  execute: [public]
fails: {database: Shop, sqlstr: "SELECT abs(-9223372036854775806 - :one)", parameters: {one: integer}, execute: [public]}
leaks: {database: Shop, sqlstr: "INSERT INTO secret SELECT pin FROM secret WHERE 1 / 0 = json(:x)", http_methods: {POST: true}, execute: [public]}
ever: {database: Shop, sqlstr: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", http_methods: {POST: true}, execute: [public]}
ever-most: {database: Shop, sqlstr: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT :most", parameters: {most: integer}, http_methods: {POST: true}, execute: [public]}
twice: {database: Shop, sqlstr: "SELECT name FROM item WHERE price * 2 > :least", http_methods: {POST: true}, execute: [public]}
short: {database: Shop, sqlstr: SELECT id FROM q, execute: [public]}
words: {database: Shop, sqlstr: "SELECT TRUE, 2 AS \\"False\\", 3 AS \\"false 1\\" UNION SELECT 4, 5, 6", execute: [public]}
kinds:
  database: Shop
  sqlstr: SELECT typeof(:i) AS i, typeof(:d) AS d, typeof(:b) AS b, typeof(:t) AS t
  parameters: {i: integer, d: decimal, b: boolean, t: datetime}
  execute: [public]
`,
  unusable: ["attach", "pragma", "vacuum", "explain", "place", "return", "two", "numbered"],
  writing: ["/query/rename/name/stolen/id/1.json", "/query/hidden.json"],
};

const POSTGRESQL: QueryEngine = {
  setup: [
    `CREATE TABLE item (id INTEGER GENERATED BY DEFAULT AS IDENTITY (START 100) PRIMARY KEY, ${COLUMNS})`,
    SECRET,
    ...ROWS,
    "CREATE SEQUENCE counter",
    "CREATE FUNCTION of_kind(k text) RETURNS TABLE (name text, price numeric) LANGUAGE sql STABLE AS " +
    "$$ SELECT name, price FROM item WHERE kind = k ORDER BY name $$",
    "CREATE FUNCTION wipe() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN DELETE FROM item; RETURN 1; END $$",
    "CREATE PROCEDURE rise(IN amount numeric, INOUT changed integer) LANGUAGE plpgsql AS $$ BEGIN " +
    "UPDATE item SET price = price + amount WHERE kind = 'fruit'; GET DIAGNOSTICS changed = ROW_COUNT; END $$",
    "CREATE PROCEDURE looks(INOUT items integer) LANGUAGE plpgsql AS $$ BEGIN " +
    "SELECT count(*) INTO items FROM item; END $$",
  ],
  half: "0.50",
  quarter: "0.25",
  tried: {
    id: "integer",
    a: ["integer", "integer"],
    readOnly: null,
    wrong: /^relation "nowhere" does not exist$/,
    named: /^syntax error at or near ":table"$/,
    isPlaced: true,
    plan: /Scan.* on item/,
  },
  queries: `${NUMBERS}
ever: {database: Shop, sqlstr: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", http_methods: {POST: true}, execute: [public]}
ever-most: {database: Shop, sqlstr: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT :most", parameters: {most: integer}, http_methods: {POST: true}, execute: [public]}
moved: {database: Shop, sqlstr: "WITH gone AS (DELETE FROM item WHERE kind = :kind RETURNING name) SELECT name FROM gone", http_methods: {GET: true, POST: true}, execute: [public]}
copy: {database: Shop, sqlstr: "COPY item TO PROGRAM 'true'", execute: [public]}
set: {database: Shop, sqlstr: "SET search_path = x", execute: [public]}
do: {database: Shop, sqlstr: "DO $$ BEGIN DELETE FROM item; END $$", execute: [public]}
drop: {database: Shop, sqlstr: "DROP TABLE item", execute: [public]}
two: {database: Shop, sqlstr: "SELECT 1; DELETE FROM item", execute: [public]}
endless: {database: Slow, sqlstr: SELECT pg_sleep(60), execute: [public]}
endless-post: {database: Slow, sqlstr: SELECT pg_sleep(60), http_methods: {POST: true}, execute: [public]}
fails: {database: Shop, sqlstr: "SELECT 1 / (:one - 2)", parameters: {one: integer}, execute: [public]}
leaks: {database: Shop, sqlstr: "SELECT count(*) FROM secret WHERE pin::date = :x::date", http_methods: {POST: true}, execute: [public]}
brackets: {database: Shop, sqlstr: "WITH a AS (SELECT 1 AS x) (SELECT x FROM a) UNION (SELECT 2) ORDER BY 1 DESC", execute: [public]}
long: {database: Shop, sqlstr: "SELECT 1 AS ${"a".repeat(70)}, 2 AS ${
    "a".repeat(71)
  } UNION SELECT 3, 4", execute: [public]}
kinds:
  database: Shop
  sqlstr: SELECT pg_typeof(:i)::text AS i, pg_typeof(:d)::text AS d, pg_typeof(:b)::text AS b, pg_typeof(:t)::text AS t
  parameters: {i: integer, d: decimal, b: boolean, t: datetime}
  execute: [public]
optional: {database: Shop, sqlstr: "SELECT name FROM item WHERE (:k IS NULL OR kind = :k) AND name LIKE 'p%' ORDER BY name", parameters: {k: text}, execute: [public]}
shapes: {database: Shop, sqlstr: "SELECT id % 2 AS side, id AS n, point(id, 1) AS p, xmlelement(name a, id) AS x, to_json(id) AS j FROM item", execute: [public]}
casts:
  database: Shop
  sqlstr: |-
    SELECT (ARRAY[1,2,3])[:lo:2] AS slice, '{"a": 1}'::jsonb -> :key AS member, $$:no$$ || E'\\':no' AS text
  parameters: {lo: integer}
  execute: [public]
function: {database: Shop, sqlstr: SELECT * FROM of_kind(:kind), execute: [public]}
writing-function: {database: Shop, sqlstr: SELECT wipe(), execute: [public]}
writing-with: {database: Shop, sqlstr: "WITH gone AS (DELETE FROM item RETURNING id) SELECT id FROM gone", execute: [public]}
writing-sequence: {database: Shop, sqlstr: "SELECT nextval('counter')", execute: [public]}
writing-into: {database: Shop, sqlstr: "SELECT * INTO thieves FROM item", execute: [public]}
writing-call: {database: Shop, sqlstr: "CALL rise(1, NULL)", execute: [public]}
rise: {database: Shop, sqlstr: "CALL rise(:amount, NULL)", parameters: {amount: decimal}, http_methods: {POST: true}, execute: [public]}
looks: {database: Shop, sqlstr: "CALL looks(NULL)", execute: [public]}
show: {database: Shop, sqlstr: SHOW server_encoding, execute: [public]}
moment: {database: Shop, sqlstr: "SELECT TIMESTAMPTZ '2024-03-10 02:30Z' AS at", execute: [public]}
plan: {database: Shop, sqlstr: "EXPLAIN (FORMAT JSON) SELECT * FROM item WHERE id = :id", parameters: {id: integer}, execute: [public]}
change-session: {database: One, sqlstr: "SELECT set_config('search_path', 'x', false), set_config('default_transaction_read_only', 'off', false), pg_try_advisory_lock(1)", http_methods: {GET: true, POST: true}, execute: [public]}
session: {database: One, sqlstr: "SELECT current_setting('search_path') AS path, current_setting('default_transaction_read_only') AS only, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks", execute: [public]}
`,
  unusable: ["copy", "set", "do", "drop", "two"],
  writing: [
    "/query/rename/name/stolen/id/1.json",
    "/query/hidden.json",
    "/query/writing-function.json",
    "/query/writing-function.json?stream",
    "/query/writing-function.json?limit=5",
    "/query/writing-with.json",
    "/query/writing-sequence.json",
    "/query/writing-into.json",
    "/query/writing-call.json",
  ],
};

const MYSQL: QueryEngine = {
  setup: [
    `CREATE TABLE item (id INTEGER AUTO_INCREMENT PRIMARY KEY, ${COLUMNS}) AUTO_INCREMENT = 100`,
    SECRET,
    ...ROWS,
    "CREATE FUNCTION wipe() RETURNS INTEGER MODIFIES SQL DATA BEGIN DELETE FROM item; RETURN 1; END",
    "CREATE PROCEDURE of_kind(IN k VARCHAR(40)) BEGIN " +
    "SELECT name, price AS cost FROM item WHERE kind = k ORDER BY name; SELECT 'second'; END",
    "CREATE PROCEDURE add_item(IN n VARCHAR(40), IN k VARCHAR(40)) BEGIN " +
    "INSERT INTO item (name, kind) VALUES (n, k); SELECT id, name FROM item WHERE id = LAST_INSERT_ID(); END",
    "CREATE PROCEDURE rise(IN amount DECIMAL(10,2)) UPDATE item SET price = price + amount WHERE kind = 'fruit'",
    "CREATE PROCEDURE shapes(IN k INT) BEGIN IF k = 1 THEN SELECT 1 AS a; " +
    "ELSEIF k = 2 THEN SELECT 2 AS b, 3 AS c; END IF; END",
  ],
  half: "0.50",
  quarter: "0.25",
  tried: {
    id: "int",
    a: ["integer", ""],
    readOnly: null,
    wrong: /^Table '.*nowhere' doesn't exist$/,
    named: / near ':table WHERE 1 = 1' at line 1$/,
    isPlaced: true,
    plan: /table: item/,
  },
  queries: `
numbers:
  database: Shop
  sqlstr: |
    WITH d(n) AS (SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
      UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9),
    s(seq) AS (SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n FROM d a, d b, d c, d, d e)
    SELECT seq AS i FROM s WHERE seq BETWEEN 1 AND 60000 AND seq + 0 <= :last ORDER BY seq DESC
  parameters: {last: integer}
  http_methods: {GET: true, POST: true}
  read_only: true
  execute: [public]
add: {database: Shop, sqlstr: "CALL add_item(:name, :kind)", http_methods: {POST: true}, execute: [public]}
returning:
  database: Shop
  sqlstr: INSERT INTO item (name, kind) VALUES (:name, :kind) /*M! RETURNING name, kind */
  http_methods: {POST: true}
  execute: [public]
version: {database: Shop, sqlstr: SELECT version() AS v, execute: [public]}
set: {database: Shop, sqlstr: "SET SESSION sql_mode = ''", execute: [public]}
load: {database: Shop, sqlstr: "LOAD DATA INFILE '/etc/passwd' INTO TABLE secret", execute: [public]}
outfile: {database: Shop, sqlstr: "SELECT 'x' INTO OUTFILE '/tmp/rowhouse-never'", execute: [public]}
skipped: {database: Shop, sqlstr: "/*!99999 /* */ SELECT */ SET SESSION sql_mode = ''", execute: [public]}
drop: {database: Shop, sqlstr: "DROP TABLE item", execute: [public]}
two: {database: Shop, sqlstr: "SELECT 1; DELETE FROM item", execute: [public]}
endless: {database: Slow, sqlstr: "SELECT BENCHMARK(100000000000, SHA2('x', 256))", execute: [public]}
endless-post: {database: Slow, sqlstr: "SELECT BENCHMARK(100000000000, SHA2('x', 256))", http_methods: {POST: true}, execute: [public]}
fails: {database: Shop, sqlstr: "SELECT -9223372036854775807 - :one", parameters: {one: integer}, execute: [public]}
leaks: {database: Shop, sqlstr: "INSERT INTO item (name, sold) SELECT :x, pin FROM secret", http_methods: {POST: true}, execute: [public]}
optional: {database: Shop, sqlstr: "SELECT name FROM item WHERE (:k IS NULL OR kind = :k) AND name LIKE 'p%' ORDER BY name", execute: [public]}
function: {database: Shop, sqlstr: "CALL of_kind(:kind)", execute: [public]}
writing-function: {database: Shop, sqlstr: SELECT wipe(), execute: [public]}
writing-call: {database: Shop, sqlstr: "CALL rise(1)", execute: [public]}
rise: {database: Shop, sqlstr: "CALL rise(:amount)", parameters: {amount: decimal}, http_methods: {POST: true}, execute: [public]}
brackets: {database: Shop, sqlstr: "WITH a AS (SELECT 1 AS x) (SELECT x FROM a) UNION (SELECT 2) ORDER BY 1 DESC", execute: [public]}
top: {database: Shop, sqlstr: "SELECT name, id AS top FROM item WHERE id < 6 ORDER BY top DESC", execute: [public]}
shapes: {database: Shop, sqlstr: "CALL shapes(:k)", parameters: {k: integer}, http_methods: {POST: true}, execute: [public]}
show: {database: Shop, sqlstr: "SHOW VARIABLES LIKE 'character_set_connection'", execute: [public]}
plan: {database: Shop, sqlstr: "EXPLAIN SELECT * FROM item WHERE id = :id", parameters: {id: integer}, execute: [public]}
change-session: {database: One, sqlstr: "SELECT @left := 'behind', GET_LOCK('rowhouse', 0)", http_methods: {GET: true, POST: true}, execute: [public]}
session: {database: One, sqlstr: "SELECT @left AS behind, IS_USED_LOCK('rowhouse') AS locked", execute: [public]}
`,
  unusable: ["set", "load", "outfile", "skipped", "drop", "two"],
  writing: [
    "/query/rename/name/stolen/id/1.json",
    "/query/hidden.json",
    "/query/writing-function.json",
    "/query/writing-function.json?stream",
    "/query/writing-function.json?limit=5",
    "/query/writing-call.json",
  ],
};

const MSSQL: QueryEngine = {
  setup: [
    `CREATE TABLE item (id INTEGER IDENTITY(100, 1) PRIMARY KEY, ${COLUMNS})`,
    SECRET,
    "SET IDENTITY_INSERT item ON; INSERT INTO item (id, name, price, kind, sold) VALUES " +
    "(1, 'pear', 0.5, 'fruit', '2024-01-05'), (2, 'plum', 0.25, 'fruit', '2024-02-05'), " +
    "(3, 'leek', 1.75, 'vegetable', '2024-02-06'), (4, 'kale', NULL, 'vegetable', NULL), (5, 'AC/DC', 9, NULL, NULL); " +
    "SET IDENTITY_INSERT item OFF",
    "INSERT INTO secret VALUES ('1234')",
    "CREATE PROCEDURE of_kind @k VARCHAR(40) AS SELECT name, price AS cost FROM item WHERE kind = @k ORDER BY name; " +
    "SELECT 'second' AS other",
    "CREATE PROCEDURE rise @amount DECIMAL(10,2) AS UPDATE item SET price = price + @amount WHERE kind = 'fruit'",
    "CREATE FUNCTION prices (@k VARCHAR(40)) RETURNS TABLE AS RETURN (SELECT name, price FROM item WHERE kind = @k)",
  ],
  half: "0.50",
  quarter: "0.25",
  tried: {
    id: "int",
    a: ["integer", "int"],
    readOnly: true,
    wrong: /nowhere/,
    named: /:table/,
    isPlaced: true,
  },
  queries: `
tree:
  database: Shop
  sqlstr: "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :last) SELECT i FROM n"
  parameters: {last: integer}
  execute: [public]
add:
  database: Shop
  sqlstr: INSERT INTO item (name, kind) OUTPUT inserted.id, inserted.name VALUES (:name, :kind)
  http_methods: {POST: true}
  execute: [public]
first:
  database: Shop
  sqlstr: SELECT TOP 2 name, price FROM item WHERE price IS NOT NULL ORDER BY price
  execute: [public]
numbers:
  database: Shop
  sqlstr: |
    WITH d(d) AS (SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL
      SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9),
    n(i) AS (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d FROM d a, d b, d c, d e, d f)
    SELECT i FROM n WHERE i <= :last ORDER BY i DESC
  parameters: {last: integer}
  http_methods: {GET: true, POST: true}
  read_only: true
  execute: [public]
truncate: {database: Shop, sqlstr: TRUNCATE TABLE item, execute: [public]}
drop: {database: Shop, sqlstr: "; DROP TABLE item", execute: [public]}
bare: {database: Shop, sqlstr: "[rise] 1", execute: [public]}
endless:
  database: Slow
  sqlstr: SELECT count_big(*) AS n FROM sys.all_columns a, sys.all_columns b
  execute: [public]
endless-post:
  database: Slow
  sqlstr: SELECT count_big(*) AS n FROM sys.all_columns a, sys.all_columns b
  http_methods: {POST: true}
  execute: [public]
fails: {database: Shop, sqlstr: "SELECT 1 / (:one - 2) AS x", parameters: {one: integer}, execute: [public]}
leaks: {database: Shop, sqlstr: "SELECT count(*) AS n FROM secret WHERE CAST(pin AS DATE) = CAST(:x AS DATE)", http_methods: {POST: true}, execute: [public]}
optional: {database: Shop, sqlstr: "SELECT name FROM item WHERE (:k IS NULL OR kind = :k) AND name LIKE 'p%' ORDER BY name", execute: [public]}
function: {database: Shop, sqlstr: "SELECT name, price FROM prices(:kind) ORDER BY name", execute: [public]}
procedure: {database: Shop, sqlstr: "EXEC of_kind :kind", execute: [public]}
rise: {database: Shop, sqlstr: "EXEC rise :amount", parameters: {amount: decimal}, http_methods: {POST: true}, execute: [public]}
writing-call: {database: Shop, sqlstr: "EXEC rise 1", execute: [public]}
writing-batch: {database: Shop, sqlstr: "SELECT 1 AS x; DELETE FROM item", execute: [public]}
writing-run-on: {database: Shop, sqlstr: "SELECT 1 AS x DELETE FROM item", execute: [public]}
writing-into: {database: Shop, sqlstr: "SELECT * INTO thieves FROM item", execute: [public]}
`,
  unusable: ["truncate", "drop", "bare"],
  writing: [
    "/query/rename/name/stolen/id/1.json",
    "/query/hidden.json",
    "/query/writing-call.json",
    "/query/writing-batch.json",
    "/query/writing-run-on.json",
    "/query/writing-into.json",
  ],
};

/** By dialect. */
export const QUERY_ENGINES = {
  sqlite: SQLITE,
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mssql: MSSQL,
} as const satisfies Readonly<Record<TestDialect, QueryEngine>>;
