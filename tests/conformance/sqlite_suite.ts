/**
 * SQLite under the suite of dialects.
 *
 * @module
 */

import type { Database } from "@/plugins/contract.ts";
import type { DialectSuite } from "@/tests/conformance/dialect.ts";
import { plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { makePlace } from "@/tests/unit/plugins/dialects/sqlite/fixture.ts";
import { canSeeWorkers, killWorkers } from "@/tests/unit/plugins/dialects/sqlite/processes.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const TABLES = [
  "CREATE TABLE owner (id INTEGER PRIMARY KEY, code VARCHAR(8) NOT NULL UNIQUE, born DATE)",
  `CREATE TABLE pet (owner_id INTEGER NOT NULL REFERENCES owner, seq INTEGER NOT NULL, name NVARCHAR(40) NOT NULL,
    PRIMARY KEY (owner_id, seq))`,
  `CREATE TABLE kinds (id INTEGER PRIMARY KEY, an_integer BIGINT, a_decimal DECIMAL(10, 2), a_float DOUBLE,
    a_boolean BOOLEAN, a_text TEXT, a_date DATE, a_datetime DATETIME, a_binary BLOB)`,
  "CREATE TABLE many (n INTEGER PRIMARY KEY)",
  "CREATE VIEW owner_codes AS SELECT id, code FROM owner",
  "INSERT INTO owner VALUES (1, 'anna', '1990-05-01'), (2, 'bert', NULL)",
  "INSERT INTO pet VALUES (1, 1, 'Rex'), (1, 2, 'Mia'), (2, 1, 'Tom')",
  `INSERT INTO kinds VALUES (1, 42, 12345678.25, 0.5, 1, 'Zoë 🎈 O''Neill', '2009-01-02', '2009-01-02 03:04:05.678',
    x'00ff')`,
  "INSERT INTO kinds (id) VALUES (2)",
  "INSERT INTO kinds VALUES (3, 9007199254740993, -0.01, -1e300, 0, '', '1970-01-01', '1999-12-31T23:59:59', x'')",
  "INSERT INTO many WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2500) SELECT n FROM c",
];

const NOT_SQLITE = {
  "of two transactions that wait for each other one is told so, the other commits": "one writes at a time",
  "a value that a column cannot hold is invalid: text that is too long": "SQLite takes text of any length",
  "a value that a column cannot hold is invalid: a decimal of too many digits": "SQLite takes every number",
  "a value that a column cannot hold is invalid: a date that is none": "dates are text",
};

const files = new WeakMap<Database, string>();

/** The facts about SQLite for the suite. */
export const sqliteSuite: DialectSuite = {
  async open(pool) {
    const place = makePlace(...TABLES);
    const dialect = place.dialect();
    const database = await dialect.connect(plainDefinition({ pool }), { dbuser: "", dbpass: "" }, {
      signal: NEVER,
    });
    files.set(database, place.file);
    return {
      dialect,
      database,
      beside: (script) => Promise.resolve(place.change(script)),
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  },
  endless: "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
  crash: ({ database }) => killWorkers(files.get(database) ?? ""),
  skip: {
    ...NOT_SQLITE,
    ...(canSeeWorkers ? {} : {
      "a crash between two statements leaves nothing": "workers are found in /proc",
      "a crash after the commit takes nothing back": "workers are found in /proc",
      "a read whose connection is lost is unavailable, and the next one works": "workers are found in /proc",
      "connections that were lost while nobody used them are replaced": "workers are found in /proc",
    }),
  },
};
