/**
 * @module Labels behind foreign keys are read with the rows of a list where that gives each row once.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { LEFT_OUT, sharedEngines } from "./engines.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { startService } from "@/tests/support/service.ts";

const SCRIPT = [
  "CREATE TABLE color (code varchar(20) NOT NULL PRIMARY KEY, name varchar(20))",
  "INSERT INTO color VALUES ('red', 'Rouge'), ('blue', NULL), ('green', '')",
  "CREATE TABLE car (id int NOT NULL PRIMARY KEY, color varchar(20), other varchar(20), " +
  "FOREIGN KEY (color) REFERENCES color (code), FOREIGN KEY (other) REFERENCES color (code))",
  "INSERT INTO car VALUES (1, 'red', 'blue'), (2, NULL, 'red'), (3, 'red', NULL), (4, 'green', 'red')",
];

/** Names of columns that an engine changes in a subquery. */
const answers = (name: string) => [
  `CREATE TABLE answer (id int NOT NULL PRIMARY KEY, color varchar(20), ${name} int, ` +
  "FOREIGN KEY (color) REFERENCES color (code))",
  "INSERT INTO answer VALUES (1, 'red', 7)",
];

const engines = sharedEngines({
  sqlite: [...SCRIPT, ...answers('"true"')],
  postgresql: [...SCRIPT, ...answers('"false"')],
  mysql: [...SCRIPT, ...answers("`  right`")],
});

/** A foreign key of a definition. */
function foreignKey(name: string): string {
  return `{columns: [${name}], table: ${name}, references: [k]}`;
}

/** The texts of the cells of a list's rows. */
function cellsOf(page: string): readonly (readonly string[])[] {
  const [, body = ""] = /<tbody>(.*)<\/tbody>/s.exec(page) ?? [];
  return body.split("</tr>").slice(0, -1).map((row) => {
    return [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = ""]) => cell.replaceAll(/<[^>]*>/g, ""));
  });
}

Deno.test(`each row of a list has the labels of its own records${LEFT_OUT}`, async () => {
  for (const dialect of engines().dialects) {
    const list = `/db/${dialect}/car.html?limit=10`;
    const rows = [
      ["1", "Rouge", "blue"],
      ["2", "NULL", "Rouge"],
      ["3", "Rouge", "NULL"],
      ["4", "green", "Rouge"],
    ];
    const page = await engines().send(200, "GET", list);
    assert.deepEqual(cellsOf(page), rows, dialect);
    assert.match(
      page,
      new RegExp(`<a href="/db/${dialect}/color/code/red.html">Rouge</a>`),
    );
    const sorted = await engines().send(200, "GET", `${list}&sort=-id`);
    assert.deepEqual(cellsOf(sorted), rows.toReversed(), dialect);
    const distinct = await engines().send(200, "GET", `${list}&distinct`);
    assert.deepEqual(cellsOf(distinct), rows, dialect);
    const chosen = await engines().send(200, "GET", `/db/${dialect}/car/other/red/other,color.html?limit=10`);
    assert.deepEqual(cellsOf(chosen).map((row) => row.slice(-2)), [["Rouge", "NULL"], ["Rouge", "green"]]);
  }
});

Deno.test(`a table has its page also with a column whose name an engine changes in a subquery${LEFT_OUT}`, async () => {
  for (const dialect of engines().dialects) {
    const page = await engines().send(200, "GET", `/db/${dialect}/answer.html?limit=10`);
    assert.deepEqual(cellsOf(page), [["1", "Rouge", "7"]], dialect);
  }
});

Deno.test("a foreign key that several records have, or none, leaves each row of a list once", async () => {
  const script = [
    "CREATE TABLE mixed (k PRIMARY KEY, name)",
    "INSERT INTO mixed VALUES (1, 'number'), ('1', 'text')",
    "CREATE TABLE twice (k TEXT, name TEXT)",
    "INSERT INTO twice VALUES ('a', 'first'), ('a', 'second')",
    "CREATE TABLE sound (k INTEGER PRIMARY KEY, name TEXT)",
    "INSERT INTO sound VALUES (1, 'bell')",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, mixed TEXT, twice TEXT, sound INTEGER)",
    "INSERT INTO t VALUES (1, '1', 'a', 1), (2, '2', 'b', 2)",
  ];
  await using service = await startService({
    files: {
      "config/databases.cfg": `d:\n  db_type: sqlite\n  db_name: "\${ROWHOUSE_STATE}/d.db"\n` +
        "  alternate_key: {twice: [k]}\n" +
        `  foreign_keys: {t: [${["mixed", "twice", "sound"].map(foreignKey).join()}]}\n`,
      "config/users.cfg": "public: {databases: {d: {}}}\n",
    },
    prepare: (home) => createDatabase(join(home, "state", "d.db"), script.join(";\n")),
  });
  const page = await (await service.fetch("/db/d/t.html?limit=10")).text();
  const [first, second, ...others] = cellsOf(page);
  assert.deepEqual(others, []);
  assert.deepEqual(second, ["2", "2", "b", "2"], "no record has these keys");
  assert.deepEqual(first?.slice(2), ["first", "bell"]);
});
