import assert from "node:assert/strict";
import type { Catalog, Column, TableDescription } from "@/plugins/contract.ts";
import { isMariadb, makePlace, testOnServer } from "./fixture.ts";

function find({ tables }: Catalog, name: string): TableDescription {
  const table = tables.find((one) => one.name === name);
  assert.ok(table, `The catalog has no table "${name}"`);
  return table;
}

function columnOf(table: TableDescription, name: string): Column {
  const column = table.columns.find((one) => one.name === name);
  assert.ok(column, `The table has no column "${name}"`);
  return column;
}

testOnServer(
  "mysql: columns tell defaults, keys that are counted up, and what the server computes",
  async (place) => {
    await place.exec(
      `CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, plain INT, nothing INT DEFAULT NULL,
    five INT NOT NULL DEFAULT 5, text VARCHAR(9) NOT NULL DEFAULT 'NULL', now DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    required CHAR(3) NOT NULL, twice INT AS (five * 2) VIRTUAL, thrice INT AS (five * 3) STORED);`,
    );
    const table = find(await (await place.connect()).catalog(), "t");
    const told = table.columns.map(({ name, hasDefault, generated, identity = false, nullable }) => {
      return [name, { hasDefault, generated, identity, nullable }];
    });
    const plain = { hasDefault: false, generated: false, identity: false, nullable: false };
    assert.deepEqual(Object.fromEntries(told), {
      id: { ...plain, hasDefault: true, identity: true },
      plain: { ...plain, nullable: true },
      nothing: { ...plain, nullable: true },
      five: { ...plain, hasDefault: true },
      text: { ...plain, hasDefault: true },
      now: { ...plain, hasDefault: true },
      required: plain,
      twice: { ...plain, hasDefault: true, generated: true, nullable: true },
      thrice: { ...plain, hasDefault: true, generated: true, nullable: true },
    });
  },
);

testOnServer("mysql: columns tell types, lengths in characters and comments", async (place) => {
  await place.exec(
    `CREATE TABLE t (code CHAR(3) COMMENT 'in capitals', name VARCHAR(40), prose TEXT, bytes VARBINARY(5),
    kind ENUM('a','it''s'), doc JSON, flag BOOLEAN, small TINYINT(2), lamp BIT, bits BIT(8), long_text LONGTEXT
    CHECK (json_valid(long_text) OR long_text = ''), price DECIMAL(8,2) UNSIGNED) COMMENT 'All kinds' CHARSET utf8mb4;`,
  );
  const table = find(await (await place.connect()).catalog(), "t");
  assert.equal(table.comment, "All kinds");
  assert.equal(columnOf(table, "code").comment, "in capitals");
  assert.equal(columnOf(table, "name").comment, undefined);
  const onMariadb = await isMariadb(place);
  const told = table.columns.map((
    { name, type, declaredType, maxLength },
  ) => [name, type, declaredType, maxLength]);
  assert.deepEqual(told, [
    ["code", "text", "char(3)", 3],
    ["name", "text", "varchar(40)", 40],
    ["prose", "text", "text", undefined],
    ["bytes", "binary", "varbinary(5)", undefined],
    ["kind", "text", "enum('a','it''s')", undefined],
    ["doc", "json", onMariadb ? "longtext" : "json", undefined],
    ["flag", "boolean", "tinyint(1)", undefined],
    ["small", "integer", onMariadb ? "tinyint(2)" : "tinyint", undefined],
    ["lamp", "boolean", "bit(1)", undefined],
    ["bits", "integer", "bit(8)", undefined],
    ["long_text", "text", "longtext", undefined],
    ["price", "decimal", "decimal(8,2) unsigned", undefined],
  ]);
});

testOnServer(
  "mysql: keys have their columns in order, and foreign keys lead to what they reference",
  async (place) => {
    await place.exec(
      `CREATE TABLE Parent (a INT, b INT, c INT, PRIMARY KEY (b, a), UNIQUE two (c, a), UNIQUE one (c));
    CREATE TABLE Child (id INT PRIMARY KEY, x INT, y INT, boss INT, FOREIGN KEY (y, x) REFERENCES Parent (b, a),
      FOREIGN KEY (boss) REFERENCES Child (id));
    CREATE TABLE Loose (n INT);`,
    );
    const catalog = await (await place.connect()).catalog();
    assert.deepEqual(find(catalog, "Parent").primaryKey, ["b", "a"]);
    assert.deepEqual(find(catalog, "Parent").uniqueKeys, [["c"], ["c", "a"]]);
    assert.deepEqual(find(catalog, "Child").foreignKeys, [
      { columns: ["y", "x"], table: "Parent", references: ["b", "a"] },
      { columns: ["boss"], table: "Child", references: ["id"] },
    ]);
    assert.deepEqual(find(catalog, "Loose").primaryKey, []);
    assert.deepEqual(find(catalog, "Loose").identifier, [place.name, "Loose"]);
    assert.deepEqual(catalog.omitted, []);
  },
);

testOnServer("mysql: views are told, with what may be written through them", async (place) => {
  await place.exec(`CREATE TABLE t (id INT PRIMARY KEY, n INT); CREATE VIEW plain AS SELECT id, n FROM t;
    CREATE VIEW summed AS SELECT n, count(*) AS many FROM t GROUP BY n;`);
  const catalog = await (await place.connect()).catalog();
  assert.deepEqual([find(catalog, "plain").kind, find(catalog, "plain").writable], ["view", [
    "create",
    "update",
    "delete",
  ]]);
  assert.deepEqual([find(catalog, "summed").kind, find(catalog, "summed").writable], ["view", []]);
  assert.equal(find(catalog, "plain").comment, undefined);
  assert.equal(find(catalog, "t").writable, undefined);
});

testOnServer("mysql: tables whose names differ only in case are listed in one order", async (place) => {
  const names = Array.from({ length: 10 }, (_, at) => [`a${at}`, `A${at}`]).flat();
  await place.exec(names.map((name) => `CREATE TABLE ${name} (id INT, n INT);`).join(" "));
  const { tables } = await (await place.connect()).catalog();
  assert.deepEqual(tables.map(({ name }) => name), names.toSorted());
});

testOnServer("mysql: a schema of the definition that is not there is told", async (place) => {
  const { omitted } = await (await place.connect({ dbSchema: [place.name, "nowhere"] })).catalog();
  assert.deepEqual(omitted, ['schema "nowhere": there is none, or the login may not use it']);
});

testOnServer(
  "mysql: the end of a row's time is no part of a system-versioned table's keys",
  async (place) => {
    if (!await isMariadb(place)) return;
    await place.exec(`CREATE TABLE plan (id INT PRIMARY KEY, title VARCHAR(20) UNIQUE,
    since TIMESTAMP(6) GENERATED ALWAYS AS ROW START, until TIMESTAMP(6) GENERATED ALWAYS AS ROW END,
    PERIOD FOR SYSTEM_TIME (since, until)) WITH SYSTEM VERSIONING;`);
    const plan = find(await (await place.connect()).catalog(), "plan");
    assert.deepEqual([plan.primaryKey, plan.uniqueKeys], [["id"], [["title"]]]);
    assert.deepEqual(plan.columns.map(({ generated }) => generated), [false, false, true, true]);
  },
);

testOnServer(
  "mysql: what cannot be used is left out with a reason, and stops nothing else",
  async (place) => {
    await place.exec(`CREATE TABLE fine (id INT PRIMARY KEY, spot POINT, hidden INT INVISIBLE);
    CREATE TABLE only_spots (spot POINT NOT NULL); CREATE TABLE gone (n INT); CREATE VIEW broken AS SELECT n FROM gone;
    DROP TABLE gone;`);
    const hasSequences = await isMariadb(place);
    if (hasSequences) await place.exec("CREATE SEQUENCE counter;");
    const { tables, omitted } = await (await place.connect()).catalog();
    assert.deepEqual(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]), [
      ["fine", ["id", "hidden"]],
    ]);
    assert.match(
      omitted.find((line) => line.includes("broken")) ?? "",
      /^view "broken": .*(invalid table|not there)/,
    );
    assert.deepEqual(omitted.filter((line) => !line.includes("broken")).toSorted(), [
      ...(hasSequences ? ['"counter": it is no table but a sequence'] : []),
      'column "spot" of "fine": values of type point cannot be written back',
      'column "spot" of "only_spots": values of type point cannot be written back',
      'table "only_spots": it has no column that can be read',
    ]);
  },
);

testOnServer(
  "mysql: only tables whose engine undoes a statement take records of several requests, on MariaDB",
  async (place) => {
    await place.exec(
      `CREATE TABLE whole (id INT PRIMARY KEY); CREATE TABLE partial (id INT PRIMARY KEY) ENGINE = MyISAM;
    CREATE VIEW seen AS SELECT id FROM whole;`,
    );
    const database = await place.connect();
    const { tables } = await database.catalog();
    const told = tables.map(({ name, joinsInserts = false }) => [name, joinsInserts]);
    const returnsKeys = database.sql.ordersInserts !== false;
    assert.deepEqual(told.toSorted(), [["partial", false], ["seen", false], ["whole", returnsKeys]]);
    await place.exec("DROP VIEW seen; DROP TABLE whole, partial;");
  },
);

testOnServer(
  "mysql: tables of further databases are called by both names, foreign keys cross between them",
  async (place) => {
    await using other = await makePlace();
    await using third = await makePlace();
    await third.exec("CREATE TABLE Far (id INT PRIMARY KEY);");
    await other.exec("CREATE TABLE Thing (id INT PRIMARY KEY); CREATE TABLE Own (id INT PRIMARY KEY);");
    await place.exec(`CREATE TABLE Own (id INT PRIMARY KEY, thing INT, far INT,
    FOREIGN KEY (thing) REFERENCES ${other.name}.Thing (id), FOREIGN KEY (far) REFERENCES ${third.name}.Far (id));`);
    const database = await place.connect({ dbSchema: [place.name, other.name] });
    const catalog = await database.catalog();
    assert.deepEqual(catalog.tables.map(({ name, identifier }) => [name, identifier]), [
      ["Own", [place.name, "Own"]],
      [`${other.name}.Own`, [other.name, "Own"]],
      [`${other.name}.Thing`, [other.name, "Thing"]],
    ]);
    assert.deepEqual(find(catalog, "Own").foreignKeys, [
      { columns: ["thing"], table: `${other.name}.Thing`, references: ["id"] },
    ]);
    assert.deepEqual(catalog.omitted, [
      `foreign key (far) of "Own": there is no table "${third.name}.Far" here`,
    ]);
    await place.exec("DROP TABLE Own;");
  },
);

testOnServer("mysql: a login sees the tables that it has a right on", async (place) => {
  const user = `limited_${place.name.slice(-12)}`;
  await place.exec(`CREATE TABLE open (id INT PRIMARY KEY, secret INT); CREATE TABLE closed (id INT);
    CREATE USER '${user}'@'%' IDENTIFIED BY 'word'; GRANT SELECT (id) ON open TO '${user}'@'%';`);
  const { tables } = await (await place.connect({}, { dbuser: user, dbpass: "word" })).catalog();
  assert.deepEqual(tables.map(({ name, columns }) => [name, columns.length]), [["open", 1]]);
  await place.exec(`DROP USER '${user}'@'%';`);
});

testOnServer("mysql: the SQL that reads the catalog is logged where that is asked for", async (place) => {
  await using quiet = await makePlace();
  await (await quiet.connect()).catalog();
  assert.deepEqual(quiet.messages, []);
  await using loud = await makePlace(true);
  await (await loud.connect()).catalog();
  const listed = loud.messages.map((line) => /FROM information_schema\.(\w+)/.exec(line)?.[1]);
  assert.deepEqual(listed, [
    ...["schemata", "tables", "columns", "statistics", "key_column_usage", "views"],
    ...(await isMariadb(loud) ? ["check_constraints"] : []),
  ]);
  assert.ok(loud.messages[0]?.endsWith(` -- ["${loud.name}"]`));
  assert.ok(place.messages.length === 0);
});
