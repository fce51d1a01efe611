/**
 * @module Related records find their parents where the engine considers keys
 * equal that are spelled in two ways.
 */

import assert from "node:assert/strict";
import { LEFT_OUT, sharedEngines, type ValueDialect } from "./engines.ts";

/** A key's type, that of the references, keys, and references with the index of their key; null: none. */
interface Spelling {
  readonly key: string;
  readonly reference: string;
  readonly keys: readonly string[];
  readonly references: readonly (readonly [sql: string, key: number | null])[];
}

const COLORS = {
  keys: ["'Red'", "'blue'"],
  references: [["'Red'", 0], ["'RED'", 0], ["'blue'", 1], ["NULL", null], ["'red'", 0]],
} as const;

const SPELLINGS: Readonly<Record<ValueDialect, readonly Spelling[]>> = {
  sqlite: [
    { key: "VARCHAR(20) COLLATE NOCASE", reference: "VARCHAR(20) COLLATE NOCASE", ...COLORS },
    {
      key: "TEXT COLLATE RTRIM",
      reference: "TEXT COLLATE RTRIM",
      keys: ["'a '", "'b'"],
      references: [["'a'", 0], ["'b  '", 1]],
    },
  ],
  postgresql: [
    { key: "citext", reference: "citext", ...COLORS },
    { key: "numeric", reference: "numeric(9,4)", keys: ["1.00", "2.5"], references: [["1", 0], ["2.5", 1]] },
    { key: "numeric", reference: "integer", keys: ["1.0", "2"], references: [["1", 0], ["2", 1]] },
    {
      key: "date",
      reference: "timestamp",
      keys: ["'2024-02-29'", "'2024-03-01'"],
      references: [["'2024-03-01'", 1], ["'2024-02-29'", 0]],
    },
    { key: "char(5)", reference: "varchar(5)", keys: ["'a'", "'b'"], references: [["'b'", 1], ["'a'", 0]] },
  ],
  mysql: [
    {
      key: "varchar(20) COLLATE utf8mb4_general_ci",
      reference: "varchar(20) COLLATE utf8mb4_general_ci",
      keys: COLORS.keys,
      references: [...COLORS.references, ["'blue  '", 1], ["'réd'", 0]],
    },
  ],
};

function script(spellings: readonly Spelling[], before: readonly string[] = []): readonly string[] {
  return [
    ...before,
    ...spellings.flatMap(({ key, reference, keys, references }, at) => [
      `CREATE TABLE one${at} (k ${key} NOT NULL PRIMARY KEY, place int)`,
      ...keys.map((sql, place) => `INSERT INTO one${at} VALUES (${sql}, ${place})`),
      `CREATE TABLE many${at} (id int NOT NULL PRIMARY KEY, r ${reference}, FOREIGN KEY (r) REFERENCES one${at} (k))`,
      ...references.map(([sql], id) => `INSERT INTO many${at} VALUES (${id}, ${sql})`),
      `CREATE TABLE below${at} (many int NOT NULL PRIMARY KEY, FOREIGN KEY (many) REFERENCES many${at} (id))`,
      ...references.map((_, id) => `INSERT INTO below${at} VALUES (${id})`),
    ]),
  ];
}

/** A key with the name that statements give to numbers of rows. */
function counted(quote: string): readonly string[] {
  const key = `${quote}row count${quote}`;
  return [
    `CREATE TABLE tally (${key} int NOT NULL PRIMARY KEY)`,
    `CREATE TABLE mark (id int NOT NULL PRIMARY KEY, tally int, FOREIGN KEY (tally) REFERENCES tally (${key}))`,
    "INSERT INTO tally VALUES (7), (8)",
    "INSERT INTO mark VALUES (1, 7), (2, 7), (3, 8)",
  ];
}

/** References to a unique key that may be NULL, and references that the database computes. */
const HOUSES = [
  "CREATE TABLE house (id int NOT NULL PRIMARY KEY, code varchar(10) UNIQUE)",
  "CREATE TABLE room (id int NOT NULL PRIMARY KEY, house varchar(10), FOREIGN KEY (house) REFERENCES house (code))",
  `CREATE TABLE door (id int NOT NULL PRIMARY KEY, built int, house int GENERATED ALWAYS AS (built + 0) STORED,
    FOREIGN KEY (house) REFERENCES house (id))`,
  "INSERT INTO house VALUES (1, NULL), (2, 'b')",
];

/** References that are compared by other rules than the key that the engine finds for them. */
const STREETS = [
  "CREATE TABLE street (name TEXT COLLATE NOCASE NOT NULL PRIMARY KEY)",
  "CREATE TABLE lamp (id int NOT NULL PRIMARY KEY, street TEXT REFERENCES street (name))",
  "INSERT INTO street VALUES ('Elm')",
];

const engines = sharedEngines({
  sqlite: [...script(SPELLINGS.sqlite), ...counted('"'), ...HOUSES, ...STREETS],
  postgresql: [...script(SPELLINGS.postgresql, ["CREATE EXTENSION citext"]), ...counted('"'), ...HOUSES],
  mysql: [...script(SPELLINGS.mysql, ["SET NAMES utf8mb4"]), ...counted("`"), ...HOUSES],
});

/** Runs a test for each key on each engine. */
async function each(run: (dialect: ValueDialect, at: number, spelling: Spelling) => Promise<void>) {
  for (const dialect of engines().dialects) {
    for (const [at, spelling] of SPELLINGS[dialect].entries()) await run(dialect, at, spelling);
  }
}

async function read(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return JSON.parse(await engines().send(200, "GET", path));
}

/** The numbers of related records on the page of a list. */
async function countsOf(path: string): Promise<readonly number[]> {
  const page = await engines().send(200, "GET", path);
  return [...page.matchAll(/<td class="number many"><a [^>]*>(\d+)<\/a>/g)].map(([, count]) => Number(count));
}

const placeOf = (one: unknown) => (one as { readonly place: number } | null)?.place ?? null;

Deno.test(`a record has the one that it refers to, at every depth${LEFT_OUT}`, async () => {
  await each(async (dialect, at, { references }) => {
    const expected = references.map(([, key]) => key);
    const list = await read(`/db/${dialect}/many${at}.json?depth=1`);
    assert.deepEqual(list.map((record) => placeOf(record[`one${at}`])), expected, `${dialect} ${at}`);
    const below = await read(`/db/${dialect}/below${at}.json?depth=2`);
    const deep = below.map((record) =>
      (record[`many${at}`] as Readonly<Record<string, unknown>>)[`one${at}`]
    );
    assert.deepEqual(deep.map(placeOf), expected, `${dialect} ${at}`);
    for (const [id, key] of expected.entries()) {
      const record = JSON.parse(
        await engines().send(200, "GET", `/db/${dialect}/many${at}/id/${id}.json?depth=1`),
      );
      assert.equal(placeOf(record[`one${at}`]), key, `${dialect} ${at} ${id}`);
    }
  });
});

Deno.test(`a record has all that refer to it, in key order, and pages have their number${LEFT_OUT}`, async () => {
  await each(async (dialect, at, { keys, references }) => {
    const list = await read(`/db/${dialect}/one${at}.json?depth=2&sort=place`);
    for (const [place, record] of list.entries()) {
      const many = record[`many${at}`] as readonly { readonly id: number }[];
      const expected = references.flatMap(([, key], id) => key === place ? [id] : []);
      assert.deepEqual(many.map(({ id }) => id), expected, `${dialect} ${at}`);
    }
    const counts = await countsOf(`/db/${dialect}/one${at}.html?limit=29&sort=place&ui.counts`);
    assert.deepEqual(
      counts,
      keys.map((_, place) => references.filter(([, key]) => key === place).length),
      `${dialect} ${at}`,
    );
  });
});

Deno.test(`the body of a record may repeat its foreign key as the path writes it${LEFT_OUT}`, async () => {
  await each(async (dialect, at, { references }) => {
    for (const [id, [sql, key]] of references.entries()) {
      if (key === null) continue;
      const text = sql.replaceAll("'", "");
      const body = JSON.stringify({ id: 100 + id, r: text });
      const path = `/db/${dialect}/one${at}/k/${encodeURIComponent(text)}/many${at}.json`;
      await engines().send(201, "POST", path, body);
      await engines().send(204, "DELETE", `/db/${dialect}/many${at}/id/${100 + id}.json`);
    }
  });
});

Deno.test("a foreign key that the path writes with other letters is stored like the key", async () => {
  for (
    const [id, body] of ['{"id": 0}', '{"id": 1, "street": "elm"}', '{"id": 2, "street": "Elm"}'].entries()
  ) {
    await engines().send(201, "POST", "/db/sqlite/street/name/elm/lamp.json", body);
    const lamps = await read("/db/sqlite/street/name/elm/lamp.json");
    assert.deepEqual(lamps.map((lamp) => lamp["id"]).at(-1), id, body);
  }
});

Deno.test(`related records are counted where a key has the name of their number${LEFT_OUT}`, async () => {
  for (const dialect of engines().dialects) {
    assert.deepEqual(await countsOf(`/db/${dialect}/tally.html?limit=29&ui.counts`), [2, 1], dialect);
  }
});

Deno.test(`a record is created over a relation only if it will belong to the record before${LEFT_OUT}`, async () => {
  for (const dialect of engines().dialects) {
    const create = (status: number, path: string, body: string) =>
      engines().send(status, "POST", `/db/${dialect}/house/id/${path}.json`, body);
    assert.match(await create(400, "1/room", '{"id": 1}'), /\\"code\\", by which .* is NULL/, dialect);
    await create(201, "2/room", '{"id": 2}');
    assert.match(await create(400, "2/door", '{"id": 1, "built": 2}'), /the database computes/, dialect);
    assert.equal(await engines().send(200, "GET", `/db/${dialect}/room.csv`), "id,house\r\n2,b\r\n");
  }
});
