/** @module A PUT with the answer of a GET changes nothing, with any content of the cells. */

import assert from "node:assert/strict";
import { join } from "node:path";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { sentForm } from "@/tests/support/sent_form.ts";
import { watchStatements } from "@/tests/support/statement_log.ts";
import { LEFT_OUT, openEngines, sharedEngines, type ValueDialect } from "./engines.ts";

/** Cells of SQLite as SQL: a column of each type, with the values that other programs put there. */
const COLUMNS: Readonly<Record<string, string>> = {
  words: "TEXT",
  moment: "DATETIME",
  day: "DATE",
  clock: "TIME",
  flag: "BOOLEAN",
  whole: "INTEGER",
  exact: "DECIMAL(9,2)",
  ratio: "REAL",
  bytes: "BLOB",
  paper: "JSON",
  loose: "",
  whatever: "ANY",
};
const CELLS: readonly Readonly<Record<string, string>>[] = [
  {
    moment: "'2016-07-04'",
    day: "'2016-07-04 00:00:00'",
    clock: "'10:30'",
    flag: "'true'",
    loose: "5",
    whole: "18446744073709551615",
  },
  {
    moment: "'2016-07-04T10:30:00.429Z'",
    day: "'2016-07-04T00:00:00Z'",
    clock: "'soon'",
    loose: "'5'",
    whole: "x'd76df8'",
  },
  { moment: "1467628200", day: "2457573.5", clock: "37800", flag: "7", loose: "x'00ff'" },
  { moment: "1467628200429", day: "'04/07/2016'", flag: "'f'", whole: "5.5", exact: "'n/a'" },
  {
    moment: "'2016-07-04 10:30'",
    flag: "'TRUE'",
    whole: "'many'",
    ratio: "'-'",
    bytes: "'abcd'",
    paper: "'{'",
    words: "x'00ff'",
  },
  { moment: "''", day: "''", flag: "''", whole: "''", bytes: "'text?'", paper: "5", words: "''" },
  { words: "char(1) || 'a' || char(31) || 'b'", loose: "1e300", exact: "9e999", ratio: "-9e999" },
  {
    words: "'a' || char(13, 10) || ' b '",
    day: "' 2016-07-04 '",
    flag: "' t '",
    whole: "x'0102'",
    paper: "x'7b7d'",
    loose: "''",
  },
];

const names = Object.keys(COLUMNS);
const SQLITE = [
  `CREATE TABLE odd (id INTEGER PRIMARY KEY, ${
    Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`).join(", ")
  })`,
  ...CELLS.map((cells, id) =>
    `INSERT INTO odd (id, ${Object.keys(cells).join(", ")}) VALUES (${id}, ${
      Object.values(cells).join(", ")
    })`
  ),
  `INSERT INTO odd (id) VALUES (${CELLS.length})`,
  "CREATE TABLE list (id INTEGER PRIMARY KEY, flag BOOLEAN, moment DATETIME, words TEXT)",
  "INSERT INTO list VALUES (1, 't', '2016-07-04', 'a' || char(1) || 'b')",
  "INSERT INTO list VALUES (2, 't', '2016-07-04 00:00:00', 'ab'), (3, 't', '2017-01-02', 'c'), (4, 1, NULL, NULL)",
  "CREATE TABLE keyless AS SELECT flag, words FROM list",
  "CREATE TABLE tag (code STRING PRIMARY KEY, word UUID)",
  "CREATE TABLE exact (id INTEGER PRIMARY KEY, words TEXT) STRICT",
];

const MYSQL = [
  "SET SESSION sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'",
  `CREATE TABLE odd (id int PRIMARY KEY, flag tinyint(1), day date, moment datetime, stamp timestamp NULL,
    mood enum('sad', 'happy'), span time, words text) CHARSET utf8mb4`,
  "INSERT INTO odd VALUES (0, 7, '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', 'none', '-30:00:00', '')",
  "INSERT INTO odd VALUES (1, -1, '2016-00-10', '2016-07-00 10:00:00', '2016-07-04 10:00:00', 'sad', '0:00:01', x'0161')",
  "INSERT INTO odd (id) VALUES (2)",
];

const POSTGRESQL = [
  "CREATE TABLE odd (id int PRIMARY KEY, words text, day date, moment timestamptz, exact numeric, clock time)",
  "INSERT INTO odd VALUES (0, chr(1) || 'a', 'infinity', '0044-03-15 BC', 'NaN', '24:00')",
  "INSERT INTO odd VALUES (1, '', '12345-06-07', '-infinity', 'Infinity', '00:00')",
  "INSERT INTO odd (id) VALUES (2)",
];

const engines = sharedEngines({ sqlite: SQLITE, mysql: MYSQL, postgresql: POSTGRESQL });

const TYPES = { json: "application/json", xml: "text/xml", csv: "text/csv" } as const;
/** The requests of each format: JSON with `Z` and without, CSV with and without a marker for NULL. */
const FORMATS = [["json", ""], ["json", "?tz=Z"], ["xml", ""], ["xml", "?nil_visible=false"], ["csv", ""], [
  "csv",
  "?csvNullStr",
]] as const;

/** Works on the service's SQLite file beside it. */
function inFile<T>(work: (file: Sqlite) => T): T {
  const file = new Sqlite(join(engines().service.home, "state", "values.db"));
  try {
    return work(file);
  } finally {
    file.close();
  }
}

/** Every cell of SQLite as it is stored. */
function stored(): unknown {
  const cells = names.map((name) => `typeof(${name}), quote(${name})`).join(", ");
  return inFile((file) => file.prepare(`SELECT id, ${cells} FROM odd`).raw().all([]));
}

/** The content of a server, with every digit that it prints. */
async function printed(dialect: ValueDialect): Promise<string> {
  return await engines().send(200, "GET", `/db/${dialect}/odd.json`);
}

for (const [format, query] of FORMATS) {
  Deno.test(`what ${format}${query} shows of a record changes nothing when it comes back${LEFT_OUT}`, async () => {
    for (const dialect of engines().dialects) {
      const count = dialect === "sqlite" ? CELLS.length + 1 : 3;
      const before = dialect === "sqlite" ? stored() : await printed(dialect);
      for (let id = 0; id < count; id++) {
        const path = `/db/${dialect}/odd/id/${id}.${format}`;
        const body = await engines().send(200, "GET", path + query);
        const back = path + query.replace(/\?(nil_visible=false|tz=Z)/, "");
        await engines().send(204, "PUT", back, body, TYPES[format]);
      }
      assert.deepEqual(dialect === "sqlite" ? stored() : await printed(dialect), before, dialect);
    }
  });
}

Deno.test(`the form of a record that is saved as it is changes nothing${LEFT_OUT}`, async () => {
  const wrong: string[] = [];
  for (const dialect of engines().dialects) {
    const content = async () => dialect === "sqlite" ? stored() : await printed(dialect);
    const before = await content();
    const count = dialect === "sqlite" ? CELLS.length + 1 : 3;
    for (let id = 0; id < count; id++) {
      const path = `/db/${dialect}/odd/id/${id}`;
      const body = sentForm(await engines().send(200, "GET", `${path}.html?ui.edit`));
      const headers = { Origin: engines().service.url };
      const sent = { method: "POST", redirect: "manual", headers, body } as const;
      const answer = await engines().service.fetch(`/ui${path}`, sent);
      const text = await answer.text();
      const complaints = [...text.matchAll(/class="complaint" id="(.*?)-problem">(.*?)</g)].map((
        [, at, why],
      ) => `${at} ${why}`);
      if (answer.status !== 303) wrong.push(`${path}: ${answer.status} ${complaints}`);
    }
    assert.deepEqual(await content(), before, dialect);
  }
  assert.deepEqual(wrong, []);
});

Deno.test(`a value that the cell does not show is refused or written as ever${LEFT_OUT}`, async () => {
  const put = (status: number, path: string, body: unknown) =>
    engines().send(status, "PUT", `/db/${path}.json`, JSON.stringify(body));
  const before = stored();
  const refusal = await put(400, "sqlite/odd/id/3", { whole: "few", exact: "n/a" });
  assert.match(refusal, /"whole": error at node '\/0\/whole'|\\"whole\\"/);
  assert.ok(!refusal.includes("exact"), "what the cell shows is no complaint");
  await put(400, "sqlite/odd/id/3", { words: "x", moment: 1467628200430 });
  await put(400, "sqlite/odd/id/99", { moment: 1467628200 });
  assert.deepEqual(stored(), before);
  await put(204, "sqlite/odd/id/8", { words: "x" });
  await put(204, "sqlite/odd/id/8", { words: null });
  assert.deepEqual(stored(), before);
  if (engines().dialects.includes("mysql")) {
    await put(400, "mysql/odd/id/0", { flag: 6 });
    await put(400, "mysql/odd/id/2", { flag: 7 });
  }
});

Deno.test(`a numeric of PostgreSQL keeps thousands of digits, also as a filter${LEFT_OUT}`, async () => {
  if (!engines().dialects.includes("postgresql")) return;
  const { send } = engines();
  const digits = `-${2n ** 9000n}.${3n ** 3000n}`;
  await send(201, "POST", "/db/postgresql/odd.json", `{"id": 30, "exact": ${digits}}`);
  const [shown, found] = [
    await send(200, "GET", "/db/postgresql/odd/id/30/exact.json"),
    await send(200, "GET", `/db/postgresql/odd/exact/${digits}/id.json`),
  ];
  await send(204, "DELETE", "/db/postgresql/odd/id/30.json");
  assert.deepEqual([shown, JSON.parse(found)], [digits, [30]]);
});

Deno.test("a number that a column without a type would round is refused, others keep their digits", async () => {
  const put = (status: number, number: string) =>
    engines().send(status, "PUT", "/db/sqlite/odd/id/8.json", `{"loose": ${number}}`);
  const before = stored();
  for (const number of ["12345678901234567890", "0.12345678901234567891", "1e400", "1e-400"]) {
    assert.match(await put(400, number), /has more digits than a column without a type keeps/, number);
  }
  assert.deepEqual(stored(), before);
  for (const number of ["-9223372036854775808", "1.50", "1e21", "0.1", "-0", "5e-324"]) {
    await put(204, number);
    const shown = await engines().send(200, "GET", "/db/sqlite/odd/id/8/loose.json");
    assert.equal(Number(shown), Number(number) + 0, number);
  }
  await put(204, "null");
});

Deno.test("a text that an ANY outside of STRICT tables would turn into another one is refused", async () => {
  const put = (status: number, value: unknown) =>
    engines().send(status, "PUT", "/db/sqlite/odd/id/8.json", JSON.stringify({ whatever: value }));
  for (const text of ["007", "2.0", "12345678901234567890123"]) {
    assert.match(await put(400, text), /would become a number in a column of type ANY/, text);
  }
  for (const value of ["7", "-1.5", "x1", "", 2.5, null]) await put(204, value);
});

Deno.test("beside a marker for NULL an empty field keeps an empty text and empties every other cell", async () => {
  inFile((file) => file.exec("INSERT INTO odd (id, moment, whole, exact) VALUES (20, '', '', 5)"));
  const body = "moment,whole,exact\n<null>,,\n";
  await engines().send(204, "PUT", "/db/sqlite/odd/id/20.csv?csvNullStr", body, "text/csv");
  const read = "SELECT moment, whole, exact FROM odd WHERE id = 20";
  const cells = inFile((file) => file.prepare(read).raw().all([]));
  inFile((file) => file.exec("DELETE FROM odd WHERE id = 20"));
  assert.deepEqual(cells, [[null, "", null]]);
});

for (const table of ["odd", "exact"]) {
  Deno.test(`text of another encoding in the table ${table} keeps its bytes when its answer comes back`, async () => {
    inFile((file) =>
      file.exec(`INSERT INTO ${table} (id, words) VALUES (21, CAST(x'5afc72696368' AS TEXT))`)
    );
    const bytes = () =>
      inFile((file) => file.prepare(`SELECT hex(words) FROM ${table} WHERE id = 21`).pluck().all([]));
    for (const [format, type] of Object.entries(TYPES)) {
      const path = `/db/sqlite/${table}/id/21.${format}`;
      await engines().send(204, "PUT", path, await engines().send(200, "GET", path), type);
      assert.deepEqual(bytes(), ["5AFC72696368"], format);
    }
    await engines().send(204, "PUT", `/db/sqlite/${table}/id/21.json`, '{"words": "\ufffd"}');
    assert.deepEqual(bytes(), ["EFBFBD"]);
    inFile((file) => file.exec(`DELETE FROM ${table} WHERE id = 21`));
  });
}

Deno.test("a list is compared record by record with what it shows", async () => {
  const column = (sql: string) => inFile((file) => file.prepare(sql).pluck().all([]));
  const lists = () => column("SELECT quote(flag) || quote(moment) || quote(words) FROM list ORDER BY id");
  const [one, two, three, four] = lists();
  const put = (status: number, path: string, body: string, type?: string) =>
    engines().send(status, "PUT", `/db/sqlite/${path}`, body, type);
  await put(204, "list/id/1,2,3.json", '{"flag": "t"}');
  await put(204, "list/id/1,2.json", '{"flag": "t", "moment": "2016-07-04T00:00:00"}');
  assert.match(await put(400, "list/id/1,2,3,4.json", '{"flag": "t"}'), /'t' is not true or false/);
  await put(400, "list/id/99,98.json", '{"flag": "t"}');
  await put(204, "keyless/words/c.json", '{"words": "c"}');
  assert.deepEqual(lists(), [one, two, three, four]);
  await put(204, "list/id/1,2,3.json", '{"flag": "t", "moment": "2016-07-04T00:00:00"}');
  assert.deepEqual(lists(), [one, two, "'t''2016-07-04''c'", four]);
  const words = '<Rowhouse xmlns="urn:rowhouse"><list><words>ab</words></list></Rowhouse>';
  await put(204, "list.xml?all=true", words, "text/xml");
  assert.deepEqual(lists(), [one, two, "'t''2016-07-04''ab'", "1NULL'ab'"]);
  await put(204, "keyless.xml?all=true", words.replaceAll("list", "keyless"), "text/xml");
  assert.deepEqual(column("SELECT count(*) FROM keyless WHERE words = 'ab'"), [4]);
});

Deno.test("records of a list that show other values than the rest are changed by few statements", async () => {
  const numbers =
    "SELECT value FROM json_each('[' || rtrim(replace(hex(zeroblob(600)), '00', '1,'), ',') || ']')";
  await using own = await openEngines({
    sqlite: [
      "CREATE TABLE task (id INTEGER PRIMARY KEY, stage INTEGER, place TEXT)",
      `INSERT INTO task (stage) ${numbers} UNION ALL ${numbers}`,
      "UPDATE task SET stage = id % 3, place = id % 2",
      "CREATE TABLE step (task INTEGER, number TEXT, stage INTEGER, PRIMARY KEY (task, number))",
      "INSERT INTO step VALUES (1, 'a,b', 1), (1, '', 2), (2, 'c', 2)",
    ],
  });
  const statements: string[] = [];
  using _watch = watchStatements((each) => statements.push(...each));
  await own.send(204, "PUT", "/db/sqlite/task/id/2...json", '{"stage": 1, "place": "1"}');
  assert.ok(statements.filter((sql) => sql.startsWith("update")).length < 20);
  const other = JSON.parse(await own.send(200, "GET", "/db/sqlite/task/~stage/1/id.json"));
  const places = JSON.parse(await own.send(200, "GET", "/db/sqlite/task/~place/1/id.json"));
  assert.deepEqual([other, places], [[], []]);
  await own.send(204, "PUT", "/db/sqlite/step.json?all", '{"stage": 2}');
  assert.equal(
    await own.send(200, "GET", "/db/sqlite/step.csv"),
    'task,number,stage\r\n1,,2\r\n1,"a,b",2\r\n2,c,2\r\n',
  );
});

Deno.test(`digits in a STRING or a UUID of SQLite are text, also when they come back${LEFT_OUT}`, async () => {
  const { send } = engines();
  for (const code of ["5", "-5.5", "9007199254740993", "a"]) {
    const record = { code, word: code };
    await send(201, "POST", "/db/sqlite/tag.json", JSON.stringify(record));
    for (const format of ["json", "xml", "csv"] as const) {
      const path = `/db/sqlite/tag/code/${code.replace(".", "_dot")}.${format}`;
      const shown = await send(200, "GET", path);
      await send(204, "PUT", path, shown, TYPES[format]);
      await send(204, "DELETE", path);
      await send(201, "POST", `/db/sqlite/tag.${format}`, shown, TYPES[format]);
    }
    const [{ __href, ...found }] = JSON.parse(await send(200, "GET", `/db/sqlite/tag/word/${code}.json`));
    assert.deepEqual(found, record);
    await send(204, "DELETE", __href);
  }
});
