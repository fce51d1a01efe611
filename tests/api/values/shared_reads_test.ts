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

const engines = sharedEngines({ sqlite: SCRIPT, postgresql: SCRIPT, mysql: SCRIPT });

/** The statement of several keys, in the placeholders of all engines. */
const SEVERAL = / in \((?:\$1|\?), /;

/** The answers to requests that are sent in one moment. */
async function answersTo(paths: readonly string[], headers: HeadersInit = {}): Promise<readonly string[]> {
  return await Promise.all(paths.map(async (path) => {
    const answer = await engines().service.fetch(path, { headers });
    return `${answer.status} ${answer.headers.get("etag")} ${await answer.text()}`;
  }));
}

function onEach(title: string, fn: (database: string, dialect: ValueDialect) => Promise<void>): void {
  Deno.test(`${title}${LEFT_OUT}`, async () => {
    for (const dialect of engines().dialects) await fn(`/db/${dialect}`, dialect);
  });
}

onEach(
  "records that are asked for side by side share statements on servers, and each request gets its own",
  async (database, dialect) => {
    const paths = Array.from({ length: SEATS + 5 }, (_, at) => `${database}/seat/id/${at}.json`);
    const alone: string[] = [];
    for (const path of paths) alone.push(...await answersTo([path]));
    assert.match(alone[3] ?? "", /^200 W\/"[^"]+" .*"price": "?12345678901234\.13/s);
    assert.match(alone.at(-1) ?? "", /^404 /);
    const statements: string[] = [];
    using _watch = watchStatements((each) => statements.push(...each));
    // On a busy machine a statement may count as slow, and then none is shared for a moment.
    for (let round = 0; round < 30 && !statements.some((text) => SEVERAL.test(text)); round++) {
      assert.deepEqual(await answersTo([...paths, ...paths]), [...alone, ...alone], dialect);
      if (dialect === "sqlite") break;
    }
    assert.equal(statements.some((text) => SEVERAL.test(text)), dialect !== "sqlite", dialect);
  },
);

onEach("a key of any spelling, size or type gets its own answer beside others", async (database, dialect) => {
  const keys = ["seat/id/1", "seat/id/01", "seat/id/0", "seat/id/-1", "seat/id/99999999999", "seat/id/x"];
  const big = ["9007199254740993", "9007199254740992", "7", "-7", "07", "123456789012345", "1e3"];
  const others = ["color/code/1", "color/code/01", "color/code/red", "pair/a/1/b/1", "pair/a/1/b/2"];
  const paths = [...keys, ...big.map((key) => `big/id/${key}`), ...others]
    .flatMap((path) => [`${database}/${path}.json`, `${database}/${path}/name.json`]);
  const alone: string[] = [];
  for (const path of paths) alone.push(...await answersTo([path]));
  assert.match(alone[paths.indexOf(`${database}/big/id/9007199254740993/name.json`)] ?? "", /"odd"$/);
  const burst = [...paths, ...paths, ...paths].toSorted((one, other) => one < other ? -1 : 1);
  assert.deepEqual(await answersTo(burst), burst.map((path) => alone[paths.indexOf(path)]), dialect);
});

onEach(
  "a form, chosen columns and what a client has already are those of the request",
  async (database, dialect) => {
    const ends = [
      ".json",
      "/name.json",
      "/name,price.json",
      ".xml",
      ".csv",
      ".html",
      ".json?depth=1",
      ".json?count",
    ];
    const paths = ends.flatMap((end) => [5, 6, 7].map((id) => `${database}/seat/id/${id}${end}`));
    const alone: string[] = [];
    for (const path of paths) alone.push(...await answersTo([path]));
    assert.deepEqual(await answersTo(paths), alone, dialect);
    const known = await Promise.all([8, 9].map(async (id) => {
      const { headers } = await engines().service.fetch(`${database}/seat/id/${id}.json`, { method: "HEAD" });
      return headers.get("etag") ?? "";
    }));
    const again = await answersTo([8, 9, 10].map((id) => `${database}/seat/id/${id}.json`), {
      "if-none-match": known.join(),
    });
    assert.deepEqual(again.map((answer) => answer.slice(0, 3)), ["304", "304", "200"]);
  },
);

onEach("a client that leaves takes no other's answer with it", async (database, dialect) => {
  const leaving = new AbortController();
  const settled = await Promise.allSettled(
    Array.from({ length: SEATS }, async (_, at) => {
      const init = at % 2 === 0 ? { signal: leaving.signal } : {};
      const asked = engines().service.fetch(`${database}/seat/id/${at}/name.json`, init);
      if (at === SEATS - 1) leaving.abort();
      return await (await asked).json();
    }),
  );
  for (let at = 1; at < SEATS; at += 2) {
    assert.deepEqual(settled[at], { status: "fulfilled", value: `n${at}` }, dialect);
  }
});
