/**
 * Types that are text to the service, yet have no empty text: UUIDs, enums, addresses, arrays, shapes, JSON.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Engines, LEFT_OUT, sharedEngines, type ValueDialect } from "./engines.ts";

const UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
const open = sharedEngines({
  sqlite: [
    "CREATE TABLE odd (id INTEGER PRIMARY KEY, doc JSON, note TEXT)",
    "INSERT INTO odd VALUES (1, '{}', 'a')",
  ],
  postgresql: [
    "CREATE TYPE mood AS ENUM ('sad', 'happy')",
    "CREATE TYPE pair AS (a integer, b text)",
    "CREATE TYPE floats AS RANGE (subtype = float8)",
    "CREATE DOMAIN host AS inet",
    "CREATE EXTENSION cube",
    `CREATE TABLE odd (id integer PRIMARY KEY, code uuid, mood mood, address inet, tags integer[], span int4range,
      pause interval, place point, couple pair, own floats, host host, mark bit(3), change xid8, doc jsonb,
      box cube, note text CHECK (note IN ('a', '')))`,
    `INSERT INTO odd VALUES (1, '${UUID}', 'sad', '10.0.0.1', '{1}', '[1,5)', '1 day', '(1,2)', '(1,a)', '[1,2)',
      '::1', '101', '5', '{}', '(1)', 'a')`,
  ],
  // MySQL has none of these types.
  mysql: [
    `/*M! CREATE TABLE odd (id integer PRIMARY KEY, code uuid, address inet6, mood enum('sad', 'happy'), doc json,
      note text) */`,
    `/*M! INSERT INTO odd VALUES (1, '${UUID}', '::1', 'sad', '{}', 'a') */`,
    "CREATE TABLE old (id integer PRIMARY KEY, mood enum('sad', 'happy'), full enum('', 'a'))",
    "SET sql_mode = ''",
    "INSERT INTO old VALUES (1, 'none', 'a')",
  ],
});

/** Whether the engine is there and has such types. */
async function isThere({ service }: Engines, dialect: ValueDialect): Promise<boolean> {
  const answer = await service.fetch(`/db/${dialect}/odd.json`);
  await answer.body?.cancel();
  return answer.ok;
}

for (const dialect of ["sqlite", "postgresql", "mysql"] as const) {
  Deno.test(`${dialect}: an empty field of CSV is NULL in types without empty text${LEFT_OUT}`, async () => {
    const engines = open();
    if (!await isThere(engines, dialect)) return;
    const { send } = engines;
    const csv = await send(200, "GET", `/db/${dialect}/odd/id/1.csv`);
    const [names = ""] = csv.split("\r\n");
    const empty = ",".repeat(names.split(",").length - 1);
    await send(201, "POST", `/db/${dialect}/odd.csv`, `${names}\r\n2${empty}\r\n`, "text/csv");
    const record = JSON.parse(await send(200, "GET", `/db/${dialect}/odd/id/2.json?href=false`));
    for (const [name, value] of Object.entries(record)) {
      assert.equal(value, name === "id" ? 2 : name === "note" ? "" : null, name);
    }
  });
}

for (const dialect of ["postgresql", "mysql"] as const) {
  Deno.test(`${dialect}: a text that is no UUID is told with its column and record${LEFT_OUT}`, async () => {
    const engines = open();
    if (!await isThere(engines, dialect)) return;
    const { send } = engines;
    const told = async (method: string, path: string, body?: string) =>
      JSON.parse(await send(400, method, `/db/${dialect}/odd${path}`, body)).description;
    assert.match(
      await told("GET", "/code/none,x.json"),
      /^Cannot compare column "code" of type uuid with "none": expected a UUID/,
    );
    assert.match(
      await told("POST", ".json", '[{"id": 7}, {"id": 8, "code": "none"}]'),
      /^Could not parse JSON: The "code": error at node '\/1\/code': 'none' is not a UUID/,
    );
    for (const found of [UUID, UUID.toUpperCase(), UUID.replaceAll("-", ""), `{${UUID}}`]) {
      await send(204, "PUT", `/db/${dialect}/odd/id/1.json`, JSON.stringify({ code: found }));
      assert.equal(await send(200, "GET", `/db/${dialect}/odd/code/${found}/id.csv`), "id\r\n1\r\n");
    }
  });
}

Deno.test(`postgresql: a text that an enum lacks is told with its record${LEFT_OUT}`, async () => {
  const engines = open();
  if (!await isThere(engines, "postgresql")) return;
  const body = '[{"id": 7}, {"id": 8, "mood": "angry"}]';
  const { errors } = JSON.parse(await engines.send(400, "POST", "/db/postgresql/odd.json", body));
  assert.deepEqual(errors, [
    "Could not parse JSON: The \"mood\": error at node '/1/mood': 'angry' is not one of the column's values",
  ]);
  const listed = '{"id": 9, "note": "b"}';
  assert.match(
    await engines.send(409, "POST", "/db/postgresql/odd.json", listed),
    /violates check constraint/,
  );
});

Deno.test(`mysql: an enum keeps the empty text of a member that it lacks, and one with an empty member has it${LEFT_OUT}`, async () => {
  const { dialects, send } = open();
  if (!dialects.includes("mysql")) return;
  const path = "/db/mysql/old/id/1";
  for (const [extension, type] of [["json", "application/json"], ["csv", "text/csv"], ["xml", "text/xml"]]) {
    const shown = await send(200, "GET", `${path}.${extension}`);
    await send(204, "PUT", `${path}.json`, shown, type);
    assert.equal(await send(200, "GET", `${path}.${extension}`), shown);
  }
  assert.equal(JSON.parse(await send(200, "GET", `${path}/mood.json`)), "");
  await send(201, "POST", "/db/mysql/old.csv", "id,mood,full\r\n2,,\r\n", "text/csv");
  const { mood, full } = JSON.parse(await send(200, "GET", "/db/mysql/old/id/2.json"));
  assert.deepEqual([mood, full], [null, ""]);
});
