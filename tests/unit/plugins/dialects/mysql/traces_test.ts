/**
 * @module The effects of a saved query on its session have ended when the next request gets the connection.
 */

import assert from "node:assert/strict";
import type { Database, Row, StatementText } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { reasonOf } from "@/tests/support/reason_of.ts";
import { isMariadb, type Place, testOnServer } from "./fixture.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";
import { until } from "@/tests/support/until.ts";
import { rowsOf, textOf } from "./statements.ts";

/** One connection, so that the next caller gets the attacked one. */
const ALONE = { pool: { ...POOL, max: 1, acquireTimeout: 10 } };

/** Functions that leave every possible trace in a session, and their calls. */
async function install(place: Place): Promise<void> {
  const onMariadb = await isMariadb(place);
  const readOnly = onMariadb ? "tx_read_only" : "transaction_read_only";
  const hide = "CREATE TEMPORARY TABLE shadowed (n INT);";
  const leave = `SET SESSION time_zone = '+05:00'; SET SESSION sql_mode = 'PIPES_AS_CONCAT'; SET NAMES latin1;
    SET SESSION ${readOnly} = 0; SET SESSION lock_wait_timeout = 77; SET @leak = 5;
    ${onMariadb ? hide : ""}`;
  await place.exec(`
    SET time_zone = '+00:00'; CREATE TABLE shadowed (n INT); INSERT INTO shadowed VALUES (1);
    CREATE TABLE moment (at TIMESTAMP); INSERT INTO moment VALUES ('2024-01-01 10:00:00');
    CREATE TABLE written (n INT);
    DELIMITER //
    CREATE FUNCTION attack() RETURNS INT DETERMINISTIC MODIFIES SQL DATA
      BEGIN ${leave} RETURN get_lock('leak', 0); END//
    CREATE FUNCTION attack_and_fail() RETURNS INT DETERMINISTIC MODIFIES SQL DATA
      BEGIN ${leave} SIGNAL SQLSTATE '45000'; RETURN 1; END//
    CREATE FUNCTION writes() RETURNS INT DETERMINISTIC MODIFIES SQL DATA
      BEGIN INSERT INTO written VALUES (1); RETURN 1; END//
    CREATE PROCEDURE calls() BEGIN ${leave} SELECT get_lock('leak', 0); END//
    CREATE TABLE guarded (n INT)//
    CREATE TRIGGER spring AFTER INSERT ON guarded FOR EACH ROW
      BEGIN ${onMariadb ? "" : hide} SET @done = attack(); END//
    DELIMITER ;
    CREATE VIEW opens AS SELECT attack() AS n;
    CREATE VIEW outside AS SELECT n FROM opens;`);
}

/** The place of the lock's owner in what {@link lookAround} returns. */
const LOCK = 7;

/** The visible state of a session, and the id of its connection. */
async function lookAround(database: Database): Promise<Row> {
  const sql =
    `SELECT @@time_zone, @@sql_mode, @@character_set_client, @@character_set_results, @@collation_connection,
    @@lock_wait_timeout, @leak, is_used_lock('leak'), (SELECT count(*) FROM shadowed), (SELECT at FROM moment), 'ü',
    connection_id()`;
  const [row = []] = await rowsOf(database, sql, [...Array(9).fill("any"), "datetime", "text", "integer"]);
  return row;
}

async function read(database: Database, text: StatementText): Promise<void> {
  const prepared = database.prepare(text);
  await database.read([{ prepared, parameters: [] }], { signal: NEVER });
}

async function stream(database: Database, text: StatementText): Promise<void> {
  const run = { prepared: database.prepare(text), parameters: [] };
  await Array.fromAsync(database.stream(run, { signal: NEVER, fetchSize: 10 }));
}

async function leaveStream(database: Database, text: StatementText): Promise<void> {
  const run = { prepared: database.prepare(text), parameters: [] };
  const rows = database.stream(run, { signal: NEVER, fetchSize: 1 })[Symbol.asyncIterator]();
  assert.equal((await rows.next()).value?.length, 1);
  await rows.return?.();
}

/** A saved query. */
function written(sql: string): StatementText {
  return { ...textOf(sql, ["integer"]), verb: sql.split(" ", 1)[0] ?? "" };
}

const VIEW = written("SELECT n FROM outside");
const GUARDED = written("INSERT INTO guarded VALUES (1)");

/** How a saved query reaches code that changes the session. */
const WAYS: Readonly<Record<string, (database: Database) => Promise<void>>> = {
  "that calls a function": (database) => read(database, written("SELECT attack()")),
  "that reads a view": (database) => read(database, VIEW),
  "that is streamed": (database) => stream(database, VIEW),
  "whose stream is left": (database) =>
    leaveStream(database, written("SELECT n FROM outside UNION ALL SELECT 2")),
  "that fails": async (database) => {
    await assert.rejects(read(database, written("SELECT attack_and_fail()")));
  },
  "that calls a procedure": (database) => read(database, written("CALL calls()")),
  "whose change is kept": async (database) => {
    await using transaction = await database.begin({ signal: NEVER });
    await transaction.run(GUARDED, []);
    await transaction.commit();
  },
  "whose change is taken back": async (database) => {
    await using transaction = await database.begin({ signal: NEVER });
    await transaction.run(GUARDED, []);
    await transaction.rollback();
  },
  "whose change fails": async (database) => {
    await using transaction = await database.begin({ signal: NEVER });
    await assert.rejects(transaction.run(written("INSERT INTO guarded VALUES (attack_and_fail())"), []));
  },
};

for (const [way, attack] of Object.entries(WAYS)) {
  testOnServer(
    `mysql: nobody notices what was done to a session by a saved query ${way}`,
    async (place) => {
      await install(place);
      const database = await place.connect(ALONE);
      const before = await lookAround(database);
      assert.deepEqual(before.slice(0, 1).concat(before.slice(6, 11)), [
        "+00:00",
        null,
        null,
        1,
        "2024-01-01T10:00:00",
        "ü",
      ]);
      for (let round = 0; round < 2; round++) {
        await attack(database);
        // A stream that is left ends its connection; the server frees its locks a moment later.
        const isOther = way.includes("left");
        if (isOther) await until(async () => (await lookAround(database))[LOCK] === null);
        const after = await lookAround(database);
        assert.deepEqual(
          after.slice(0, isOther ? -1 : undefined),
          before.slice(0, isOther ? -1 : undefined),
        );
      }
      const error = await reasonOf(rowsOf(database, "SELECT writes()"));
      assert.equal(database.classify(error), "read-only");
      assert.deepEqual(await rowsOf(database, "SELECT count(*) FROM written", ["integer"]), [[0]]);
    },
  );
}

testOnServer(
  "mysql: a session is not reset behind tables and views, where these attacks work",
  async (place) => {
    await install(place);
    const database = await place.connect(ALONE);
    const before = await lookAround(database);
    await read(database, textOf("SELECT n FROM outside", ["integer"]));
    const after = await lookAround(database);
    assert.equal(after.at(-1), before.at(-1));
    // The zone, a limit, a variable, a lock, and the default of a TIMESTAMP;
    // the rest differs between servers.
    for (const at of [0, 5, 6, 7, 9]) assert.notEqual(after[at], before[at], String(at));
  },
);

testOnServer(
  "mysql: the statements of one read cannot write, whatever a saved query among them sets",
  async (place) => {
    await install(place);
    const database = await place.connect(ALONE);
    const runs = [VIEW, written("SELECT writes()")].map((text) => {
      return { prepared: database.prepare(text), parameters: [] };
    });
    const error = await reasonOf(Promise.resolve(database.read(runs, { signal: NEVER })));
    assert.equal(database.classify(error), "read-only");
    assert.deepEqual(await rowsOf(database, "SELECT count(*) FROM written", ["integer"]), [[0]]);
  },
);

testOnServer(
  "mysql: a role that a saved query gives up or takes is what it was for the next request",
  async (place) => {
    const [user, role] = [`u_${place.name.slice(-12)}`, `r_${place.name.slice(-12)}`];
    const standard = await isMariadb(place) ? `${role} FOR '${user}'@'%'` : `${role} TO '${user}'@'%'`;
    await place.exec(
      `CREATE TABLE t (n INT); CREATE ROLE ${role}; CREATE USER '${user}'@'%' IDENTIFIED BY 'word';
    GRANT SELECT, EXECUTE ON ${place.name}.* TO ${role}; GRANT ${role} TO '${user}'@'%';
    GRANT EXECUTE ON ${place.name}.* TO '${user}'@'%'; SET DEFAULT ROLE ${standard};
    DELIMITER //
    CREATE FUNCTION gives_up() RETURNS INT DETERMINISTIC SQL SECURITY INVOKER BEGIN SET ROLE NONE; RETURN 1; END//
    DELIMITER ;`,
    );
    try {
      const database = await place.connect(ALONE);
      await using other = database.as?.({ dbuser: user, dbpass: "word" });
      assert.ok(other);
      await read(other, written("SELECT gives_up()"));
      assert.deepEqual(await rowsOf(other, "SELECT count(*) FROM t", ["integer"]), [[0]]);
    } finally {
      await place.exec(`DROP USER '${user}'@'%'; DROP ROLE ${role};`);
    }
  },
);

testOnServer(
  "mysql: reads of tables and views keep their statements prepared",
  async (place) => {
    const database = await place.connect(ALONE);
    for (let round = 0; round < 5; round++) await rowsOf(database, "SELECT 1");
    const sql = "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'";
    // The one that was run five times, and this one.
    assert.deepEqual((await rowsOf(database, sql, ["text", "text"]))[0]?.[1], "2");
  },
);
