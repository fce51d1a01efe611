/** @module A server whose administrator's settings would cut answers and skip checks. */

import assert from "node:assert/strict";
import { stringify } from "yaml";
import { addressOf } from "@/tests/support/databases/configure.ts";
import { startServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import { startService } from "@/tests/support/service.ts";

const GLOBALS =
  `SET GLOBAL sql_select_limit = 2, GLOBAL group_concat_max_len = 4, GLOBAL sql_safe_updates = 1,
  GLOBAL sql_auto_is_null = 1, GLOBAL foreign_key_checks = 0, GLOBAL unique_checks = 0, GLOBAL completion_type = 2,
  GLOBAL check_constraint_checks = 0, GLOBAL max_recursive_iterations = 3, GLOBAL init_connect = 'SET NAMES latin1';`;

/** Whose connections begin with `init_connect`: the login of the tests has all rights. */
const LOGIN = { dbuser: "plain", dbpass: "word" };

const TABLES = `CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, t VARCHAR(9));
  INSERT INTO a (t) VALUES ('one'), ('two'), ('three');
  CREATE TABLE b (id INT PRIMARY KEY, a_id INT, n INT CHECK (n > 0), FOREIGN KEY (a_id) REFERENCES a (id));
  CREATE TABLE c (id INT PRIMARY KEY);
  CREATE VIEW joined AS SELECT group_concat(t ORDER BY id SEPARATOR '+') AS t FROM a;
  CREATE VIEW counted AS WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 2000)
    SELECT max(n) AS n FROM r;`;

const HEADERS = { "Content-Type": "application/json" };

/** In this order. */
const REQUESTS:
  readonly (readonly [line: string, body: string | undefined, status: number, answer?: RegExp])[] = [
    // Before a query, behind which the connection is reset.
    ["PUT /db/D/a/id/3.json", '{"t": "drei €😀"}', 204],
    ["GET /db/D/a/id/3/t.csv?headers=false", undefined, 200, /^drei €😀\r\n$/],
    ["PUT /db/D/a/id/3.json", '{"t": "three"}', 204],
    ["GET /db/D/c.json", undefined, 200],
    ["GET /db/D/a/t.csv?headers=false", undefined, 200, /^one\r\ntwo\r\nthree\r\n$/],
    ["GET /db/D/a/t.csv?headers=false&stream", undefined, 200, /^one\r\ntwo\r\nthree\r\n$/],
    ["GET /query/all.csv?headers=false", undefined, 200, /^one\r\ntwo\r\nthree\r\n$/],
    ["GET /db/D/joined/t.csv?headers=false", undefined, 200, /^one\+two\+three\r\n$/],
    ["GET /db/D/counted/n.csv?headers=false", undefined, 200, /^2000\r\n$/],
    ["POST /db/D/a.json", '{"t": "four"}', 201],
    ["GET /db/D/a/id/<null>.json", undefined, 200, /^\[\]$/],
    ["PUT /db/D/a/t/four.json", '{"t": "five"}', 204],
    ["GET /db/D/a/id/4/t.csv?headers=false", undefined, 200, /^five\r\n$/],
    ["POST /db/D/b.json", '{"id": 1, "a_id": 99, "n": 1}', 409],
    ["POST /db/D/b.json", '{"id": 1, "a_id": 1, "n": 0}', 409],
    ["POST /db/D/b.json", '{"id": 1, "a_id": 1, "n": 1}', 201],
  ];

const noServer = whyNoOwnServer("mysql");

Deno.test({
  name: "mysql: a server's own settings neither cut answers nor leave out checks",
  ignore: noServer !== undefined,
  async fn() {
    await using server = await startServer("mysql");
    const database = await server.createDatabase("globals");
    await server.exec(TABLES, database);
    await server.exec(GLOBALS);
    await server.exec(`CREATE USER plain@'%' IDENTIFIED BY 'word'; GRANT ALL ON ${database}.* TO plain@'%';`);
    await using service = await startService({
      files: {
        "config/databases.cfg": stringify({
          D: { ...addressOf(server), db_name: database, pool: { max: 1 } },
        }),
        "config/users.cfg": stringify({ public: { databases: { D: LOGIN } } }),
        "config/querydefs.cfg": stringify({
          all: { database: "D", sqlstr: "SELECT t FROM a ORDER BY id", execute: ["public"] },
        }),
      },
    });
    for (const [line, body, status, answer] of REQUESTS) {
      const [method = "", path = ""] = line.split(" ");
      const response = await service.fetch(path, {
        method,
        headers: HEADERS,
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      assert.equal(response.status, status, `${line}: ${text}`);
      if (answer) assert.match(text, answer, line);
    }
  },
});
