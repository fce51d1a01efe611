/** @module New dates and times in SQLite take the spelling of the cells that they replace or join. */

import assert from "node:assert/strict";
import { join } from "node:path";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { openEngines } from "./engines.ts";

/**
 * The type of a column, the cell in it, a new value as a client sends it, and
 * the cell that the value becomes.
 */
const CHANGES:
  readonly (readonly [type: string, cell: string | number | null, given: string, stored: string])[] = [
    ["DATETIME", "2016-07-04 10:30:00", "2017-01-02T03:04:05", "2017-01-02 03:04:05"],
    ["DATETIME", "2016-07-04", "2017-01-02T00:00:00", "2017-01-02"],
    ["DATETIME", "2016-07-04", "2017-01-02T03:04:05", "2017-01-02 03:04:05"],
    ["DATETIME", "2016-07-04T10:30:00", "2017-01-02T03:04:05.25", "2017-01-02T03:04:05.25"],
    ["DATETIME", "2016-07-04 10:30:00", "2017-01-02T03:04:05.000Z", "2017-01-02 03:04:05"],
    ["DATETIME", "2016-07-04 10:30:00.5", "2017-01-02T03:04:05.500", "2017-01-02 03:04:05.5"],
    ["DATETIME", "2016-07-04 10:30", "2017-01-02T03:04", "2017-01-02 03:04"],
    ["DATETIME", "2016-07-04 10:30", "2017-01-02T03:04:05", "2017-01-02 03:04:05"],
    ["TIMESTAMP", "2016-07-04T10:30:00.429Z", "2017-01-02T03:04:05", "2017-01-02T03:04:05.000Z"],
    ["TIMESTAMP", "2016-07-04T10:30:00.429Z", "2017-01-02T03:04:05.123456Z", "2017-01-02T03:04:05.123456Z"],
    [
      "TIMESTAMP",
      "2016-07-04 10:30:00.000000+00:00",
      "2017-01-02T03:04:05.5",
      "2017-01-02 03:04:05.500000+00:00",
    ],
    ["TIMESTAMP", "2016-07-04T10:30:00+02:00", "2017-01-02T03:04:05", "2017-01-02T03:04:05"],
    ["TIMESTAMP", 1467628200, "2017-01-02T03:04:05", "2017-01-02 03:04:05"],
    ["TIMESTAMP", "soon", "2017-01-02T03:04:05", "2017-01-02 03:04:05"],
    ["TIMESTAMP", null, "2017-01-02T03:04:05", "2017-01-02 03:04:05"],
    ["DATE", "2016-07-04", "2017-01-02", "2017-01-02"],
    ["DATE", "2016-07-04 00:00:00", "2017-01-02", "2017-01-02 00:00:00"],
    ["DATE", "2016-07-04T00:00:00.000Z", "2017-01-02T00:00:00Z", "2017-01-02T00:00:00.000Z"],
    ["DATE", "04/07/2016", "2017-01-02", "2017-01-02"],
    ["TIME", "10:30", "11:00:00", "11:00"],
    ["TIME", "10:30", "11:00:05", "11:00:05"],
    ["TIME", "10:30:00.000", "11:00", "11:00:00.000"],
    ["TIME", "10:30:00", "11:00:00.000", "11:00:00"],
    ["TIME", null, "11:00:00.250", "11:00:00.25"],
    ["TIME", "10:30:00Z", "11:00:00", "11:00:00Z"],
    ["", "2016-07-04", "2017-01-02T03:04:05Z", "2017-01-02T03:04:05Z"],
  ];

const literal = (cell: string | number | null) => typeof cell === "string" ? `'${cell}'` : String(cell);

Deno.test("a new date or time takes the spelling of its cell, of its list, or of other records", async () => {
  await using engines = await openEngines({
    sqlite: CHANGES.flatMap(([type, cell], table) => [
      `CREATE TABLE t${table} (id INTEGER PRIMARY KEY, cell ${type})`,
      `INSERT INTO t${table} VALUES (1, NULL), (2, ${literal(cell)}), (3, ${literal(cell)}), (4, NULL)`,
    ]),
  });
  const file = new Sqlite(join(engines.service.home, "state", "values.db"));
  for (const [table, [type, cell, given, stored]] of CHANGES.entries()) {
    const path = `/db/sqlite/t${table}`;
    const body = JSON.stringify({ cell: given });
    await engines.send(204, "PUT", `${path}/id/3,4.json`, body);
    await engines.send(201, "POST", `${path}.json`, body);
    await engines.send(204, "PUT", `${path}/id/2.json`, body);
    await engines.send(204, "PUT", `${path}/id/1.json`, body);
    const cells = file.prepare(`SELECT cell FROM t${table} ORDER BY id`).raw().all([]);
    assert.deepEqual(cells, Array.from({ length: 5 }, () => [stored]), `${type} ${cell}`);
  }
  file.close();
});

Deno.test("a change keeps the spelling of its own cell where other records have another", async () => {
  await using engines = await openEngines({
    sqlite: [
      "CREATE TABLE mixed (id INTEGER PRIMARY KEY, at DATETIME)",
      "INSERT INTO mixed VALUES (1, '2016-07-04 10:30:00'), (2, '2016-07-04T10:30:00Z')",
    ],
  });
  await engines.send(204, "PUT", "/db/sqlite/mixed/id/2.json", '{"at": "2017-01-02T03:04:05"}');
  assert.equal(await engines.send(200, "GET", "/db/sqlite/mixed/id/2/at.json"), '"2017-01-02T03:04:05"');
  const file = new Sqlite(join(engines.service.home, "state", "values.db"));
  assert.deepEqual(file.prepare("SELECT at FROM mixed WHERE id = 2").raw().all([]), [[
    "2017-01-02T03:04:05Z",
  ]]);
  file.close();
});

Deno.test("a new key with zeros at the end of its seconds is the key that is there, and finds its references", async () => {
  await using engines = await openEngines({
    sqlite: [
      "CREATE TABLE slot (at DATETIME NOT NULL PRIMARY KEY)",
      "INSERT INTO slot VALUES ('2016-07-04 10:30:00')",
      "CREATE TABLE visit (id INTEGER PRIMARY KEY, at DATETIME REFERENCES slot (at))",
    ],
  });
  await engines.send(409, "POST", "/db/sqlite/slot.json", '{"at": "2016-07-04T10:30:00.000Z"}');
  await engines.send(201, "POST", "/db/sqlite/visit.json", '{"at": "2016-07-04T10:30:00.000Z"}');
});

Deno.test("a new reference is spelled like the keys, not like the other references of its column", async () => {
  await using engines = await openEngines({
    sqlite: [
      "CREATE TABLE slot (at DATETIME NOT NULL PRIMARY KEY)",
      "CREATE TABLE visit (id INTEGER PRIMARY KEY, at DATETIME REFERENCES slot (at))",
    ],
  });
  const create = (path: string, body: unknown) =>
    engines.send(201, "POST", `/db/sqlite/${path}.json`, JSON.stringify(body));
  await create("slot", [{ at: "2016-07-04T10:30:00" }, { at: "2016-07-04T11:00:00.5" }]);
  await create("visit", { id: 1, at: "2016-07-04T11:00:00.5" });
  await create("visit", { id: 2, at: "2016-07-04T10:30:00" });
  await create("slot/at/2016-07-04T10:30:00/visit", { id: 3 });
  await engines.send(204, "PUT", "/db/sqlite/visit/id/1.json", '{"at": "2016-07-04T10:30:00"}');
});

Deno.test("a new key is the one that is there also where other keys have more digits of a second", async () => {
  await using engines = await openEngines({
    sqlite: [
      "CREATE TABLE reading (at DATETIME NOT NULL PRIMARY KEY, size INTEGER, note TEXT)",
      "CREATE TABLE alarm (id INTEGER PRIMARY KEY, at TIME UNIQUE)",
    ],
  });
  const send = (status: number, method: string, path: string, at: string) =>
    engines.send(status, method, `/db/sqlite/${path}.json`, JSON.stringify({ at }));
  await send(201, "POST", "reading", "2016-07-04T10:30:00");
  await send(201, "POST", "reading", "2016-07-04T09:00:00.25");
  await send(409, "POST", "reading", "2016-07-04T10:30:00");
  await send(422, "PUT", "reading/at/2016-07-04T09:00:00.25", "2016-07-04T10:30:00");
  await send(201, "POST", "alarm", "10:30");
  await send(201, "POST", "alarm", "09:00:00.25");
  await send(409, "POST", "alarm", "10:30");
  await send(422, "PUT", "alarm/at/09:00:00.25", "10:30");
});
