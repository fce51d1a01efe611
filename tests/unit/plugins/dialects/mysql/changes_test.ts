import assert from "node:assert/strict";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { until } from "@/tests/support/until.ts";
import { makePlace, testOnServer } from "./fixture.ts";

const CHANGES = {
  "a new table": "CREATE TABLE later (id INT);",
  "a table that was dropped": "DROP TABLE u;",
  "a new column": "ALTER TABLE t ADD COLUMN more INT;",
  "another type": "ALTER TABLE t MODIFY name VARCHAR(50);",
  "a new key": "CREATE UNIQUE INDEX k ON t (name);",
  "a new view": "CREATE VIEW w AS SELECT id FROM t;",
  "another view": "CREATE OR REPLACE VIEW v AS SELECT id, name FROM t;",
  "a table that was renamed": "RENAME TABLE u TO renamed;",
  "a new comment": "ALTER TABLE t COMMENT 'x';",
};

const TABLES = `CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40)); CREATE TABLE u (id INT PRIMARY KEY);
  CREATE VIEW v AS SELECT id FROM t; INSERT INTO t VALUES (1, 'x');`;

for (const [title, sql] of Object.entries(CHANGES)) {
  testOnServer(`mysql: what others change is noticed: ${title}`, async (place) => {
    await place.exec(TABLES);
    const database = await place.connect();
    await database.catalog();
    assert.equal(await database.check(), "ok");
    await place.exec(sql);
    assert.equal(await database.check(), "changed");
    assert.equal(await database.check(), "changed", "until the catalog was read again");
    await database.catalog();
    assert.equal(await database.check(), "ok");
  });
}

testOnServer(
  "mysql: a table that is changed while the catalog is being read is noticed afterwards",
  async (place) => {
    await place.exec(TABLES);
    const database = await place.connect();
    const reading = database.catalog();
    await place.exec("ALTER TABLE t ADD COLUMN more INT;");
    const before = (await reading).tables.find(({ name }) => name === "t")?.columns.length;
    assert.equal(await database.check(), before === 2 ? "changed" : "ok");
  },
);

testOnServer("mysql: other rows, other databases and temporary tables are no change", async (place) => {
  await using other = await makePlace();
  await place.exec(TABLES);
  const database = await place.connect();
  await database.catalog();
  for (
    const sql of ["INSERT INTO t VALUES (2, 'y');", "CREATE TEMPORARY TABLE z (id INT);", "ANALYZE TABLE t;"]
  ) {
    await place.exec(sql);
    assert.equal(await database.check(), "ok", sql);
  }
  await other.exec("CREATE TABLE elsewhere (id INT);");
  assert.equal(await database.check(), "ok");
});

testOnServer("mysql: a server that takes no more connections is not gone", async (place) => {
  const user = `limited_${place.name.slice(-12)}`;
  await place.exec(`${TABLES} CREATE USER '${user}'@'%' IDENTIFIED BY 'word' WITH MAX_USER_CONNECTIONS 3;
    GRANT ALL ON * TO '${user}'@'%';`);
  const login = { dbuser: user, dbpass: "word" };
  const database = await place.connect({ pool: { ...place.definition.pool, idleTimeout: 0.01 } }, login);
  await database.catalog();
  await until(() => database.usage?.()?.open === 0);
  const other = await place.connect({}, login);
  await using _one = await other.begin({ signal: NEVER });
  await using _two = await other.begin({ signal: NEVER });
  await place.exec("ALTER TABLE t ADD COLUMN more INT;");
  assert.equal(await database.check(), "ok");
  await other[Symbol.asyncDispose]();
  await until(async () => await database.check() === "changed");
  await place.exec(`DROP USER '${user}'@'%';`);
});

testOnServer("mysql: a right that was taken from the login is a change", async (place) => {
  const user = `granted_${place.name.slice(-12)}`;
  await place.exec(
    `${TABLES} CREATE USER '${user}'@'%' IDENTIFIED BY 'word'; GRANT SELECT ON t TO '${user}'@'%';
    GRANT SELECT ON u TO '${user}'@'%';`,
  );
  const database = await place.connect({}, { dbuser: user, dbpass: "word" });
  assert.equal((await database.catalog()).tables.length, 2);
  await place.exec(`REVOKE SELECT ON u FROM '${user}'@'%';`);
  assert.equal(await database.check(), "changed");
  await place.exec(`DROP USER '${user}'@'%';`);
});
