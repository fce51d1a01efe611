import assert from "node:assert/strict";
import type { Database } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { reasonOf } from "@/tests/support/reason_of.ts";
import { until } from "@/tests/support/until.ts";
import { type Place, testOnServer } from "./fixture.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";
import { change, rowsOf, run } from "./statements.ts";

const TABLE = `CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, short VARCHAR(3), small TINYINT, day DATE,
  kind ENUM('a','b'), plain CHAR(4) CHARACTER SET latin1, doc JSON) CHARSET utf8mb4;
  INSERT INTO t (short) VALUES ('one'), ('two');`;

/** How many connections there are to the test's database. */
async function connectionsOf({ server, name }: Place, condition = "TRUE"): Promise<number> {
  const sql = `SELECT count(*) FROM information_schema.processlist WHERE db = '${name}' AND ${condition};`;
  return Number(await server.exec(sql));
}

testOnServer("mysql: every connection has the same settings, whatever the server's are", async (place) => {
  const database = await place.connect();
  const sql = `SELECT @@SESSION.sql_mode, @@SESSION.time_zone, @@SESSION.character_set_client,
    @@SESSION.character_set_results, @@SESSION.autocommit, @@SESSION.wait_timeout`;
  const modes =
    "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO," +
    "NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION";
  const [row = []] = await rowsOf(database, sql, ["text", "text", "text", "text", "integer", "integer"]);
  assert.deepEqual(String(row[0]).split(",").toSorted(), modes.split(",").toSorted());
  assert.deepEqual(row.slice(1), ["+00:00", "utf8mb4", "utf8mb4", 1, 60]);
});

testOnServer("mysql: what only reads cannot write, whatever its text", async (place) => {
  await place.exec(TABLE);
  const database = await place.connect();
  for (const sql of ["INSERT INTO t (short) VALUES ('x')", "DELETE FROM t", "UPDATE t SET short = 'x'"]) {
    assert.equal(database.classify(await reasonOf(rowsOf(database, sql))), "read-only", sql);
  }
  assert.deepEqual(await rowsOf(database, "SELECT short FROM t ORDER BY id"), [["one"], ["two"]]);
});

testOnServer("mysql: a text with two statements is none", async (place) => {
  await place.exec(TABLE);
  const database = await place.connect();
  const error = await reasonOf(change(database, "DELETE FROM t WHERE id = 1; DROP TABLE t"));
  assert.equal(database.classify(error), "invalid");
  assert.equal((await rowsOf(database, "SELECT id FROM t")).length, 2);
});

testOnServer("mysql: values never become a part of the statement", async (place) => {
  await place.exec(TABLE);
  const database = await place.connect();
  const hostile = String.raw`\' OR 1=1 -- `;
  const prepared = database.prepare({ sql: "SELECT ? FROM t WHERE short = ?", columns: [] });
  const [rows] = await database.read([{ prepared, parameters: [hostile, hostile] }], { signal: NEVER });
  assert.deepEqual(rows, []);
});

const REFUSED = {
  "text that is too long": ["short", "four"],
  "a number out of range": ["small", 128],
  "a zero date": ["day", "0000-00-00"],
  "a day that is none": ["day", "2023-02-30"],
  "no member of an enum": ["kind", "c"],
  "a character that the column's encoding lacks": ["plain", "🎈"],
} as const;

for (const [title, [column, value]] of Object.entries(REFUSED)) {
  testOnServer(`mysql: nothing is cut or replaced when it is stored: ${title}`, async (place) => {
    await place.exec(TABLE);
    const database = await place.connect();
    const error = await reasonOf(change(database, `UPDATE t SET ${column} = ? WHERE id = 1`, [value]));
    assert.equal(database.classify(error), "invalid");
    assert.match(database.explain(error), new RegExp(`'${column}'|column's encoding`));
    assert.doesNotMatch(database.explain(error), new RegExp(place.name));
    assert.deepEqual(await rowsOf(database, "SELECT short, small, day, kind FROM t WHERE id = 1"), [[
      "one",
      null,
      null,
      null,
    ]]);
  });
}

testOnServer("mysql: JSON that is none is refused", async (place) => {
  await place.exec(TABLE);
  const database = await place.connect();
  const error = await reasonOf(change(database, "UPDATE t SET doc = ? WHERE id = 1", ["{"]));
  assert.match(String(database.classify(error)), /integrity|invalid/);
  assert.doesNotMatch(database.explain(error), new RegExp(place.name));
});

testOnServer("mysql: a key of 0 is 0", async (place) => {
  await place.exec(TABLE);
  const database = await place.connect();
  await change(database, "INSERT INTO t (id, short) VALUES (0, 'nil')");
  assert.deepEqual(await rowsOf(database, "SELECT short FROM t WHERE id = 0"), [["nil"]]);
});

testOnServer("mysql: the statements of one read see the same data", async (place) => {
  await place.exec(TABLE);
  const database = await place.connect();
  const count = database.prepare({ sql: "SELECT count(*) FROM t", columns: [] });
  const pause = database.prepare({ sql: "SELECT sleep(0.5)", columns: [] });
  const runs = [count, pause, count].map((prepared) => ({ prepared, parameters: [] }));
  const reading = database.read(runs, { signal: NEVER });
  await until(async () => await connectionsOf(place, "state = 'User sleep'") === 1);
  await change(database, "INSERT INTO t (short) VALUES ('new')");
  const [before, , after] = await reading;
  assert.deepEqual(before, [[2]]);
  assert.deepEqual(after, [[2]]);
});

testOnServer("mysql: what is read before a change is still so when it is changed", async (place) => {
  await place.exec(TABLE);
  const database = await place.connect();
  const attempt = async (text: string, ready: () => Promise<void>) => {
    await using transaction = await database.begin({ signal: NEVER });
    const [seen] = await run(transaction, "SELECT short FROM t WHERE id = 1");
    await ready();
    await run(transaction, "UPDATE t SET short = ? WHERE id = 1", [
      `${String(seen?.[0]).slice(0, 1)}${text}`,
    ]);
    await transaction.commit();
  };
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const ended = await Promise.allSettled([
    attempt("1", () => (both[0].resolve(), both[1].promise)),
    attempt("2", () => (both[1].resolve(), both[0].promise)),
  ]);
  const failures = ended.flatMap((each) =>
    each.status === "rejected" ? [database.classify(each.reason)] : []
  );
  assert.deepEqual(failures, ["contention"]);
});

testOnServer(
  "mysql: a lock that others hold is contention after the time that one waits for a connection",
  async (place) => {
    await place.exec(TABLE);
    const database = await place.connect({ pool: { ...POOL, acquireTimeout: 1 } });
    await using holder = await database.begin({ signal: NEVER });
    await run(holder, "UPDATE t SET short = 'x' WHERE id = 1");
    const error = await reasonOf(change(database, "UPDATE t SET short = 'y' WHERE id = 1"));
    assert.equal(database.classify(error), "contention");
  },
);

testOnServer(
  "mysql: a pool opens no more connections than it may, and closes those that rest",
  async (place) => {
    const database = await place.connect({ pool: { ...POOL, max: 3, idleTimeout: 0.3 } });
    await Promise.all(Array.from({ length: 20 }, () => rowsOf(database, "SELECT sleep(0.01)")));
    assert.equal(await connectionsOf(place), 3);
    await until(async () => await connectionsOf(place) === 0);
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
  },
);

testOnServer("mysql: a connection keeps a limited number of statements prepared", async (place) => {
  const database = await place.connect({ pool: { ...POOL, max: 1 } });
  for (let n = 0; n < 150; n++) await rowsOf(database, `SELECT ${n}`);
  const sql = "SHOW SESSION STATUS WHERE Variable_name IN ('Com_stmt_prepare', 'Com_stmt_close')";
  const counts = new Map(
    (await rowsOf(database, sql, ["text", "text"])).map(([name, count]) => [name, Number(count)]),
  );
  const kept = (counts.get("Com_stmt_prepare") ?? 0) - (counts.get("Com_stmt_close") ?? 0);
  assert.ok(kept >= 99 && kept <= 101, `${kept} are kept`);
});

testOnServer("mysql: nothing is left on the server of a database that is disconnected", async (place) => {
  const database = await place.connect();
  await database.catalog();
  const running = reasonOf(rowsOf(database, "SELECT sleep(60)"));
  await until(async () => await connectionsOf(place, "state = 'User sleep'") === 1);
  await database[Symbol.asyncDispose]();
  assert.equal(database.classify(await running), "unavailable");
  await until(async () => await connectionsOf(place) === 0);
});

testOnServer("mysql: a statement that nobody waits for any more is ended on the server", async (place) => {
  const database = await place.connect();
  const controller = new AbortController();
  const running = reasonOf(rowsOf(database, "SELECT sleep(60)", ["any"], controller.signal));
  await until(async () => await connectionsOf(place, "state = 'User sleep'") === 1);
  controller.abort(new Error("The client has gone"));
  assert.match(String(await running), /The client has gone/);
  await until(async () => await connectionsOf(place, "state = 'User sleep'") === 0);
});

testOnServer(
  "mysql: connections that were lost while they were idle are replaced without a word",
  async (place) => {
    await place.exec(TABLE);
    const database = await place.connect();
    const ids = async () => (await rowsOf(database, "SELECT connection_id()", ["integer"]))[0]?.[0];
    for (let round = 0; round < 5; round++) {
      await place.exec(`KILL ${await ids()};`);
      assert.deepEqual(await rowsOf(database, "SELECT short FROM t WHERE id = 1"), [["one"]]);
    }
  },
);

async function makeUser({ exec, name }: Place, grant: string): Promise<string> {
  const user = `u_${name.slice(-12)}`;
  await exec(`CREATE USER '${user}'@'%' IDENTIFIED BY 'pass word'; GRANT ${grant} TO '${user}'@'%';`);
  return user;
}

function as(database: Database, dbuser: string, dbpass = "pass word"): Database {
  const other = database.as?.({ dbuser, dbpass });
  assert.ok(other);
  return other;
}

testOnServer(
  "mysql: requests run under the login that they are given, and its rights decide",
  async (place) => {
    await place.exec(`${TABLE} CREATE TABLE closed (id INT);`);
    const user = await makeUser(place, `SELECT ON ${place.name}.t`);
    const database = await place.connect();
    await using other = as(database, user);
    assert.deepEqual(await rowsOf(other, "SELECT substring_index(current_user(), '@', 1)"), [[user]]);
    assert.equal((await rowsOf(other, "SELECT id FROM t")).length, 2);
    assert.equal(other.classify(await reasonOf(rowsOf(other, "SELECT id FROM closed"))), "permission");
    assert.equal(other.classify(await reasonOf(change(other, "DELETE FROM t"))), "permission");
    assert.equal((await rowsOf(database, "SELECT id FROM closed")).length, 0);
    await place.exec(`DROP USER '${user}'@'%';`);
  },
);

testOnServer(
  "mysql: a login that the server refuses is that login's failure and nobody else's",
  async (place) => {
    const database = await place.connect();
    const user = await makeUser(place, `SELECT ON ${place.name}.*`);
    const elsewhere = `e_${place.name.slice(-12)}`;
    await place.exec(`CREATE USER '${elsewhere}'@'%' IDENTIFIED BY 'pass word';`);
    for (const [name, word] of [[user, "wrong"], ["nobody_there", "x"], [elsewhere, "pass word"]] as const) {
      await using other = as(database, name, word);
      const error = await reasonOf(rowsOf(other, "SELECT 1"));
      assert.equal(other.classify(error), "login", name);
      assert.equal(other.classify(await reasonOf(other.begin({ signal: NEVER }))), "login", name);
    }
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
    assert.equal(await database.check(), "ok");
    await place.exec(`DROP USER '${user}'@'%', '${elsewhere}'@'%';`);
  },
);

testOnServer(
  "mysql: a login that may open no further connection is told that the database is busy",
  async (place) => {
    const user = await makeUser(place, `SELECT ON ${place.name}.*`);
    await place.exec(`ALTER USER '${user}'@'%' WITH MAX_USER_CONNECTIONS 1;`);
    const database = await place.connect();
    await using first = as(database, user);
    await using held = await first.begin({ signal: NEVER });
    await using second = as(database, user);
    assert.equal(second.classify(await reasonOf(rowsOf(second, "SELECT 1"))), "unavailable");
    await held.rollback();
    await place.exec(`DROP USER '${user}'@'%';`);
  },
);

testOnServer("mysql: a server, a login or a database that is not there does not connect", async (place) => {
  const wrong = [
    () => place.connect({ dbPort: 1 }),
    () => place.connect({}, { dbuser: "nobody_there", dbpass: "s3cret" }),
    () => place.connect({ dbName: "rowhouse_not_there" }),
  ];
  for (const connect of wrong) {
    const error = await reasonOf(connect());
    assert.match(String(error), /Cannot connect/);
    assert.doesNotMatch(String(error), /s3cret/);
  }
});

testOnServer("mysql: a login whose password has expired is refused as one", async (place) => {
  const user = `expired_${place.name.slice(-12)}`;
  await place.exec(`${TABLE} CREATE USER '${user}'@'%' IDENTIFIED BY 'word';
    GRANT SELECT ON ${place.name}.* TO '${user}'@'%'; ALTER USER '${user}'@'%' PASSWORD EXPIRE;`);
  const database = await place.connect();
  await using other = database.as?.({ dbuser: user, dbpass: "word" });
  assert.ok(other);
  assert.equal(other.classify(await reasonOf(rowsOf(other, "SELECT id FROM t"))), "login");
  await place.exec(`ALTER USER '${user}'@'%' IDENTIFIED BY 'word';`);
  assert.equal((await rowsOf(other, "SELECT id FROM t")).length, 2, "A new password is enough");
  await place.exec(`DROP USER '${user}'@'%';`);
});
