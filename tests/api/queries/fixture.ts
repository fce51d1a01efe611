/**
 * A service with saved queries on a small shop.
 *
 * @module
 */

import { parse, stringify } from "yaml";
import { onServer, withLogins } from "@/tests/support/databases/configure.ts";
import type { TestDialect } from "@/tests/support/databases/mod.ts";
import { type ServerDialect, type TestServer, useServer } from "@/tests/support/servers/mod.ts";
import { type StartOptions, startService, type TestService } from "@/tests/support/service.ts";
import { QUERY_ENGINES, type QueryEngine } from "./engines.ts";

/** The API key of the author of queries. */
export const AUTHOR = "author-0123456789012345678901234567";
/** The API key of the user who runs them. */
export const CLERK = "clerk-01234567890123456789012345678";
/** The password of user `anna`. */
export const ANNA = "a password of hers 7361";
/** The API key of an author whose login is bounded by `access`. */
export const NARROW = "narrow-0123456789012345678901234567";

const DATABASES = `
Shop: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/shop.db"}
Other: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/shop.db"}
Slow: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/shop.db", pool: {statement_timeout: 0.5}}
One: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/shop.db", pool: {max: 1}}
Away: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/shop.db", autoconnect: false}
`;

const USERS = `
admin: {}
public: {databases: {Shop: {access: {"*": []}}, Slow: {}, One: {}}}
anna: {password: ${ANNA}, databases: {Shop: {}}}
author: {apikey: ${AUTHOR}, querydef: [create], databases: {Shop: {}, Gone: {}, Away: {}}}
clerk: {apikey: ${CLERK}, databases: {}}
narrow: {apikey: ${NARROW}, querydef: [create], databases: {Shop: {access: {item: [read]}}}}
`;

const QUERIES = `
by-kind:
  database: Shop
  desc: Items of a kind
  sqlstr: |
    SELECT id, name, price FROM item WHERE kind = :kind ORDER BY name; -- in order
  http_methods: {GET: true, POST: true}
  read_only: true
  execute: [public]
by-name:
  database: Shop
  sqlstr: SELECT id, name AS "Name", kind FROM item WHERE name LIKE :name AND id < 6
  http_methods: {GET: true, POST: true}
  read_only: true
  execute: [public]
between:
  database: Shop
  sqlstr: SELECT name FROM item WHERE price >= :least AND price <= :most ORDER BY price DESC
  parameters: {least: decimal, most: decimal}
  execute: [public]
all:
  database: Shop
  sqlstr: SELECT kind, kind AS kind, id + 0 AS "n/a" FROM item
  execute: [public]
tree:
  database: Shop
  sqlstr: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :last) SELECT i FROM n"
  parameters: {last: integer}
  execute: [public]
add:
  database: Shop
  sqlstr: INSERT INTO item (name, kind) VALUES (:name, :kind) RETURNING id, name
  http_methods: {POST: true}
  execute: [public]
drop-kind:
  database: Shop
  sqlstr: DELETE FROM item WHERE kind = :kind
  http_methods: {DELETE: true}
  execute: [public]
rename:
  database: Shop
  sqlstr: UPDATE item SET name = :name WHERE id = :id
  http_methods: {PUT: true, GET: true}
  execute: [public]
allowed-get:
  database: Shop
  sqlstr: INSERT INTO item (name) VALUES (:name)
  http_methods: {GET: true}
  read_only: false
  execute: [public]
echo:
  database: Shop
  sqlstr: SELECT :x AS x, :X AS upper
  http_methods: {GET: true, POST: true}
  read_only: true
  execute: [public]
first:
  database: Shop
  sqlstr: SELECT name, price FROM item WHERE price IS NOT NULL ORDER BY price LIMIT 2
  execute: [public]
both:
  database: Shop
  sqlstr: SELECT id, name FROM item WHERE id < 3 UNION ALL SELECT id + 10, kind FROM item WHERE id = 3 ORDER BY id DESC
  execute: [public]
pairs:
  database: Shop
  sqlstr: SELECT id AS a, id AS a FROM item WHERE id < 3 UNION SELECT id + 10, 1 FROM item WHERE id = 3 ORDER BY 1
  execute: [public]
many:
  database: Shop
  sqlstr: SELECT a.id * 25 + b.id * 5 + c.id AS number, a.id - a.id AS side FROM item a, item b, item c WHERE a.id < 6 AND b.id < 6 AND c.id < 6
  execute: [public]
marks: {database: Shop, sqlstr: "SELECT :नाम AS x", execute: [public]}
insert-all: {database: Shop, sqlstr: "INSERT INTO item (name) VALUES (:name)", http_methods: {POST: true}, execute: [public]}
touch: {database: Shop, sqlstr: UPDATE item SET name = name WHERE id = 0, http_methods: {POST: true}, execute: [public]}
hidden: {database: Shop, sqlstr: "/* SELECT */ DELETE FROM item", execute: [public]}
broken: {database: Shop, sqlstr: SELECT * FROM nowhere, execute: [public]}
commit: {database: Shop, sqlstr: COMMIT, http_methods: {POST: true}, execute: [public]}
sealed: {database: Shop, sqlstr: DELETE FROM item, http_methods: {POST: true}, read_only: true, execute: [public]}
private: {database: Shop, sqlstr: SELECT 1}
elsewhere: {database: Other, sqlstr: SELECT 1, execute: [public]}
`;

/** Starts the service on an engine. */
export async function startQueries(dialect: TestDialect): Promise<TestService> {
  const engine = QUERY_ENGINES[dialect];
  return dialect === "sqlite" ? await startHere(engine) : await startOnServer(dialect, engine);
}

async function startHere(engine: QueryEngine): Promise<TestService> {
  const sqlite = { Shop: engine.setup.join(";\n") };
  return await startService({ files: files(engine), sqlite, isAdministered: true });
}

async function startOnServer(dialect: ServerDialect, engine: QueryEngine): Promise<TestService> {
  const server = await useServer(dialect);
  const shop = await server.createDatabase(`queries_${crypto.randomUUID().slice(0, 8)}`);
  await server.exec(script(engine, server), shop);
  const service = await startService({ files: files(engine, { server, shop }), isAdministered: true });
  return {
    ...service,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await drop(server, shop);
    },
  };
}

/** A server may still be busy with ending the sessions that were in it. */
async function drop(server: TestServer, database: string, attempts = 10): Promise<void> {
  try {
    await server.dropDatabase(database);
  } catch (error) {
    if (attempts === 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, 500));
    await drop(server, database, attempts - 1);
  }
}

/** A statement of MySQL's scripts may hold semicolons only between other delimiters. */
function script({ setup }: QueryEngine, { dialect }: TestServer): string {
  if (dialect === "mssql") return setup.map((sql) => `${sql}\nGO\n`).join("");
  if (dialect === "mysql") return `DELIMITER //\n${setup.map((sql) => `${sql}//`).join("\n")}\n`;
  return setup.map((sql) => `${sql};\n`).join("");
}

function files(
  { queries }: QueryEngine,
  place?: { readonly server: TestServer; readonly shop: string },
): NonNullable<StartOptions["files"]> {
  return {
    "config/databases.cfg": place ? onServer(DATABASES, place.server, { shop: place.shop }) : DATABASES,
    "config/users.cfg": place ? withLogins(USERS, place.server) : USERS,
    "config/querydefs.cfg": stringify({ ...parse(QUERIES), ...parse(queries) }),
  };
}
