/** @module Every reference that GET prints leads to its record, with any content of the key's cells. */

import assert from "node:assert/strict";
import { LEFT_OUT, sharedEngines, type ValueDialect } from "./engines.ts";

/** Cells of a key of each type, as SQL. */
type Keys = Readonly<Record<string, readonly string[]>>;

const SQLITE: Keys = {
  DATETIME: [
    ..."'2016-07-04 10:30:00'|'2016-07-05'|'2016-07-06 10:30'|'2016-07-07T10:30:00.429Z'|'2016-07-08 10:30:00+02:00'"
      .split("|"),
    ..."'2016-07-11T10:30Z'|'2016-02-31'|'2016-02-30 10:30'"
      .split("|"),
    ..."'2016-07-13 10:30:00+00:00'|'2016-07-14T10:30:00.50-00:00'|'2016-07-15 10:30Z'".split("|"),
    ..."'2016-07-12 24:00:00'|1467628200|1467628200429|2457573.5|'soon'|''|x'00ff'|9007199254740993|'a/b..c*,d'"
      .split("|"),
  ],
  DATE:
    "'2016-07-04'|'2016-07-05 00:00:00'|'2016-07-06T00:00:00Z'|'2016-02-31'|'04/07/2016'|2457573.5|5|''|'2016-7-4'"
      .split("|"),
  TIME: "'10:30'|'10:31:00'|'10:32:00.50'|'99:99'|'soon'|37800|0.5|''|'11:30Z'|'11:31:00Z'|'11:32:00.5+00:00'"
    .split("|"),
  BOOLEAN: "0|'f'|7|5.5|''|x'01'|'true'".split("|"),
  INT: "5|5.5|'many'|''|x'0102'|1e300|9e999|9007199254740993|12345678901234567890".split("|"),
  "DECIMAL(9,2)": "5.25|'n/a'|1e300|-9e999|''|x'0102'".split("|"),
  REAL: "0.1|'-'|''|x'0102'|1e300|-9e999".split("|"),
  BLOB: "x'00ff'|'text?'|5|'text'|1234|1e300|''".split("|"),
  JSON: "'{}'|'{'|5|x'7b7d'|''".split("|"),
  "": "5|'six'|'05'|''|9007199254740993|1e300|x'00ff'|-9e999|1e-7".split("|"),
  TEXT: "'Rock'|''|'5'|x'00ff'|x'69b71d'".split("|"),
  UUID: "'a-b'|7|1e300|x'0102'".split("|"),
};

const MYSQL: Keys = {
  date: "'0000-00-00'|'2016-00-10'|'2016-02-31'|'2016-07-04'".split("|"),
  datetime: "'0000-00-00 00:00:00'|'2016-07-00 10:00:00'|'2016-02-31 10:00:00'|'2016-07-04 10:00:00'".split(
    "|",
  ),
  "datetime(3)": "'2016-07-00 10:00:00.500'|'2016-07-04 10:00:00.250'".split("|"),
  timestamp: "'0000-00-00 00:00:00'|'2016-07-04 10:00:00'".split("|"),
  "tinyint(1)": "0|1|7|-1|127".split("|"),
  "enum('sad', 'happy')": "'none'|'sad'".split("|"),
  time: "'-30:00:00'|'838:59:59'|'10:30:00'".split("|"),
};

const POSTGRESQL: Keys = {
  date: "'infinity'|'0044-03-15 BC'|'12345-06-07'|'2016-07-04'".split("|"),
  timestamptz: "'-infinity'|'0044-03-15 10:30:00+00 BC'|'2016-07-04 10:30:00+02'".split("|"),
  numeric: "'NaN'|'Infinity'|1.5".split("|"),
  time: "'24:00'|'10:30'".split("|"),
};

const ALL: Readonly<Record<ValueDialect, Keys>> = { sqlite: SQLITE, mysql: MYSQL, postgresql: POSTGRESQL };

/** A table for each type; `mark` is the record's number. */
function script(keys: Keys, before: readonly string[] = []): readonly string[] {
  return [
    ...before,
    ...Object.entries(keys).flatMap(([type, cells], table) => [
      `CREATE TABLE odd${table} (k ${type} NOT NULL PRIMARY KEY, mark int)`,
      ...cells.map((cell, mark) => `INSERT INTO odd${table} VALUES (${cell}, ${mark})`),
    ]),
  ];
}

const engines = sharedEngines({
  sqlite: [
    ...script(SQLITE),
    "CREATE TABLE rowid_key (k INTEGER PRIMARY KEY)",
    "CREATE TABLE strict_key (k INT PRIMARY KEY) STRICT",
    "CREATE TABLE no_key (k INT)",
    "CREATE TABLE given (k DATETIME NOT NULL PRIMARY KEY, mark int)",
    "CREATE TABLE twins (k BOOLEAN PRIMARY KEY, mark int)",
    "INSERT INTO twins VALUES (1, 0), ('true', 1), (0, 2)",
    "CREATE TABLE moments (at DATETIME)",
    "INSERT INTO moments VALUES ('2016-07-04T10:30:00+00:00'), ('2016-07-04 10:30:00.0Z'), ('2016-07-04 10:30:00+02:00'), ('2016-07-04T10:30Z'), ('soonZ')",
  ],
  mysql: script(MYSQL, [
    "SET SESSION sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'",
    "CREATE TABLE int_key (k int PRIMARY KEY)",
  ]),
  postgresql: script(POSTGRESQL, ["CREATE TABLE int_key (k int PRIMARY KEY)"]),
});

interface Listed {
  readonly __href: string;
  readonly mark: number;
}

Deno.test(`every reference leads to its record, and its answer changes nothing${LEFT_OUT}`, async () => {
  for (const dialect of engines().dialects) {
    for (const [table, type] of Object.keys(ALL[dialect]).entries()) {
      const list = await engines().send(200, "GET", `/db/${dialect}/odd${table}.json`);
      const records = JSON.parse(list) as Listed[];
      assert.equal(records.length, ALL[dialect][type]?.length, `${dialect} ${type} ${list}`);
      for (const { __href, mark } of records) {
        const path = new URL(__href, "http://localhost").pathname;
        const answer = await engines().send(200, "GET", path);
        const found = JSON.parse(answer) as Listed;
        assert.equal(found.mark, mark, `${dialect} ${type} ${path}`);
        await engines().send(204, "PUT", path, answer);
      }
      assert.equal(
        await engines().send(200, "GET", `/db/${dialect}/odd${table}.json`),
        list,
        `${dialect} ${type}`,
      );
    }
  }
});

Deno.test(`a value that no cell can be is refused as ever${LEFT_OUT}`, async () => {
  const refused = [
    "sqlite/rowid_key/k/many",
    "sqlite/strict_key/k/many",
    "sqlite/no_key/k/many",
    "sqlite/odd4/k/1..many",
    "mysql/int_key/k/many",
    "mysql/odd0/k/soon",
    "mysql/odd0/k/2016-13-01",
    "mysql/odd1/k/soon",
    "mysql/odd4/k/128",
    "mysql/odd4/k/many",
    "postgresql/int_key/k/many",
    "postgresql/odd0/k/2016-02-31",
  ];
  for (
    const path of refused.filter((each) => engines().dialects.some((dialect) => each.startsWith(dialect)))
  ) {
    assert.match(
      await engines().send(400, "GET", `/db/${path}.json`),
      /Cannot compare column \\"k\\" of type/,
      path,
    );
  }
});

Deno.test("a list may name what cells show, and a negation leaves it out", async () => {
  const marks = async (path: string) =>
    (JSON.parse(await engines().send(200, "GET", `/db/sqlite/odd4/${path}/mark.json`)) as number[]).sort();
  assert.deepEqual(await marks("k/5,many,5%2E5"), [0, 1, 2]);
  assert.deepEqual(await marks("~k/many"), [0, 1, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(await marks("k/many,5"), [0, 2]);
});

Deno.test("two records with one reference are neither read, changed nor deleted", async () => {
  const path = "/db/sqlite/twins/k/true.json";
  const before = await engines().send(200, "GET", "/db/sqlite/twins.json");
  for (const [method, body] of [["GET"], ["PUT", '{"mark": 5}'], ["DELETE"]] as const) {
    assert.match(await engines().send(400, method, path, body), /Cannot tell which record/);
  }
  assert.equal(await engines().send(200, "GET", "/db/sqlite/twins.json"), before);
});

Deno.test("a new record takes its key from the path, also where the key may hold odd values", async () => {
  const path = "/db/sqlite/given/k/2016-07-04T10:30:00.json";
  await engines().send(201, "POST", path, '{"mark": 3}');
  assert.deepEqual(JSON.parse(await engines().send(200, "GET", path)).mark, 3);
  await engines().send(400, "POST", "/db/sqlite/given/k/2016-07-04T10:30:00,soon.json", "{}");
});

Deno.test("a time with a zero offset is the time itself to a filter, and is shown without it", async () => {
  const found = await engines().send(200, "GET", "/db/sqlite/moments/at/2016-07-04T10:30:00/at.json");
  assert.deepEqual(JSON.parse(found), [
    "2016-07-04T10:30:00",
    "2016-07-04T10:30:00.0",
    "2016-07-04T10:30:00",
  ]);
  const others = await engines().send(200, "GET", "/db/sqlite/moments/~at/2016-07-04T10:30:00/at.csv");
  assert.equal(others, "at\r\n2016-07-04T10:30:00+02:00\r\nsoonZ\r\n");
});
