/** @module One statement reads the records of several requests; each is answered as if it came alone. */

import assert from "node:assert/strict";
import { LEFT_OUT, sharedEngines, type ValueDialect } from "./engines.ts";
import { watchStatements } from "@/tests/support/statement_log.ts";

const SEATS = 40;
const SCRIPT = [
  "CREATE TABLE seat (id int NOT NULL PRIMARY KEY, name varchar(20), price numeric(20, 4), booked date)",
  `INSERT INTO seat VALUES ${
    Array.from({ length: SEATS }, (_, at) => `(${at}, 'n${at}', 12345678901234.${at + 10}, '2026-01-02')`)
  }`,
  "CREATE TABLE big (id bigint NOT NULL PRIMARY KEY, name varchar(20))",
  "INSERT INTO big VALUES (9007199254740993, 'odd'), (9007199254740992, 'even'), (7, 'seven'), (-7, 'minus')",
  "CREATE TABLE color (code varchar(20) NOT NULL PRIMARY KEY, name varchar(20))",
  "INSERT INTO color VALUES ('1', 'one'), ('01', 'also one'), ('red', 'Red')",
  "CREATE TABLE pair (a int NOT NULL, b int NOT NULL, name varchar(20), PRIMARY KEY (a, b))",
  "INSERT INTO pair VALUES (1, 1, 'one'), (1, 2, 'two')",
];

/** The server takes 70 for 1970. */
const YEAR = [
  "CREATE TABLE vintage (id year NOT NULL PRIMARY KEY, name varchar(20))",
  "INSERT INTO vintage VALUES (1970, 'old')",
];

const engines = sharedEngines({ sqlite: SCRIPT, postgresql: SCRIPT, mysql: [...SCRIPT, ...YEAR] });

/** The statement of several keys, in the placeholders of all engines. */
const SEVERAL = / in \((?:\$1|\?), /;
/** On a busy machine a statement may count as slow, and then none is shared for a moment. */
const ROUNDS = 30;

/** The answers to requests that are sent in one moment. */
async function answersTo(paths: readonly string[], headers: HeadersInit = {}): Promise<readonly string[]> {
  return await Promise.all(paths.map(async (path) => {
    const answer = await engines().service.fetch(path, { headers });
    return `${answer.status} ${answer.headers.get("etag")} ${await answer.text()}`;
  }));
}

/** The answers to requests that are sent one after another. */
async function answersAlone(paths: readonly string[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const path of paths) answers.push(...await answersTo([path]));
  return answers;
}

/** The statements of the requests when they are sent in one moment; their answers are those of each alone. */
async function statementsOf(paths: readonly string[], alone: readonly string[]): Promise<readonly string[]> {
  const statements: string[] = [];
  using _watch = watchStatements((each) => statements.push(...each));
  assert.deepEqual(await answersTo(paths), alone);
  return statements;
}

/** Whether few statements read the records of many requests. */
async function areShared(paths: readonly string[]): Promise<boolean> {
  const alone = await answersAlone(paths);
  for (let round = 0; round < ROUNDS; round++) {
    const statements = await statementsOf(paths, alone);
    if (statements.some((text) => SEVERAL.test(text)) && statements.length < paths.length / 2) return true;
  }
  return false;
}

function onEach(title: string, fn: (database: string, dialect: ValueDialect) => Promise<void>): void {
  Deno.test(`${title}${LEFT_OUT}`, async () => {
    for (const dialect of engines().dialects) await fn(`/db/${dialect}`, dialect);
  });
}

/** The paths of many records. */
function seats(database: string, end: string, count = SEATS): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${database}/seat/id/${at}${end}`);
}

onEach(
  "records of one shape that are asked for side by side share statements on servers",
  async (database, dialect) => {
    for (const end of [".json", "/name.json", "/name,price.csv", ".xml"]) {
      if (dialect === "sqlite") {
        const paths = seats(database, end);
        const statements = await statementsOf(paths, await answersAlone(paths));
        assert.ok(!statements.some((text) => SEVERAL.test(text)), end);
      } else assert.ok(await areShared(seats(database, end)), `${dialect} ${end}`);
    }
  },
);

onEach("pages, and requests for more than rows, do not share", async (database, dialect) => {
  for (const end of [".html", ".json?depth=1", ".json?count", ".json?distinct"]) {
    const paths = seats(database, end);
    const statements = await statementsOf(paths, await answersAlone(paths));
    assert.ok(!statements.some((text) => SEVERAL.test(text)), `${dialect} ${end}`);
  }
});

onEach("a record that is not there is 404 beside others", async (database) => {
  const paths = seats(database, ".json", 2 * SEATS);
  const alone = await answersAlone(paths);
  assert.match(alone[3] ?? "", /^200 "[^"]+" .*"price": "?12345678901234\.13/s);
  assert.match(alone.at(-1) ?? "", /^404 /);
  await statementsOf(paths, alone);
});

onEach("a key of any spelling, size or type gets its own answer beside others", async (database, dialect) => {
  const keys = ["seat/id/1", "seat/id/01", "seat/id/0", "seat/id/-1", "seat/id/99999999999", "seat/id/x"];
  const big = ["9007199254740993", "9007199254740992", "7", "-7", "07", "123456789012345", "1e3"];
  const others = ["color/code/1", "color/code/01", "color/code/red", "pair/a/1/b/1", "pair/a/1/b/2"];
  const years = dialect === "mysql" ? ["vintage/id/70", "vintage/id/1970"] : [];
  const paths = [...keys, ...big.map((key) => `big/id/${key}`), ...others, ...years]
    .flatMap((path) => [`${database}/${path}.json`, `${database}/${path}/name.json`]);
  const alone = new Map(paths.map((path, at) => [path, at]));
  const answers = await answersAlone(paths);
  assert.match(answers[alone.get(`${database}/big/id/9007199254740993/name.json`) ?? -1] ?? "", /"odd"$/);
  const burst = Array.from({ length: 5 }, () => paths).flat().toSorted((one, other) => one < other ? -1 : 1);
  await statementsOf(burst, burst.map((path) => answers[alone.get(path) ?? -1] ?? ""));
});

onEach("what a client has already is not sent again, whoever asks beside it", async (database) => {
  const known = await Promise.all([8, 9].map(async (id) => {
    const { headers } = await engines().service.fetch(`${database}/seat/id/${id}.json`, { method: "HEAD" });
    return headers.get("etag") ?? "";
  }));
  const answers = await answersTo(seats(database, ".json", 20), { "if-none-match": known.join() });
  const statuses = answers.map((answer, id) => [answer.slice(0, 3), id === 8 || id === 9 ? "304" : "200"]);
  assert.deepEqual(statuses.filter(([found, expected]) => found !== expected), []);
});
