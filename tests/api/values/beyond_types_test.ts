/** @module Filters with values that a column cannot hold, and on types whose operators take others. */

import assert from "node:assert/strict";
import { LEFT_OUT, sharedEngines } from "./engines.ts";

const LEVELS = "INSERT INTO level VALUES (1, 0), (2, 0.1), (3, 3.4e38)";
/** SQLite knows no types of a view's sums. */
const TOTALS = [
  "CREATE TABLE sale (id integer PRIMARY KEY, product integer, price decimal(8,2), chance double precision)",
  "INSERT INTO sale VALUES (1, 1, 1.5, 2e-8), (2, 1, 2.5, 0.5), (3, 2, 0.25, 0.001), (4, 3, 100, 1e21)",
  "CREATE VIEW total AS SELECT product AS id, sum(price) AS price, min(chance) + 0 AS chance FROM sale GROUP BY product",
];
const open = sharedEngines({
  sqlite: [
    "CREATE TABLE level (id INTEGER PRIMARY KEY, height REAL)",
    LEVELS,
    ...TOTALS,
    "CREATE TABLE bag (id INTEGER PRIMARY KEY, v)",
    "INSERT INTO bag VALUES (1, '1.50'), (2, 1.5), (3, '007'), (4, 7), (5, x'00ff10'), (6, '1e5'), (7, 1e5), (8, '1.5'), " +
    "(9, -51220022311295990), (10, -51220022311295992.0), (11, -51220022311295991)",
  ],
  postgresql: [
    "CREATE TABLE level (id int PRIMARY KEY, height real)",
    LEVELS,
    ...TOTALS,
    'CREATE SCHEMA "o""dd"',
    `CREATE TYPE "o""dd"."Mood" AS ENUM ('sad', 'happy', 'calm')`,
    'CREATE DOMAIN state AS "o""dd"."Mood"',
    `CREATE TABLE thing (state state PRIMARY KEY, id int, number oid, mark "char", label name, code char(5))`,
    `INSERT INTO thing VALUES ('sad', 1, 0, 'a', repeat('x', 63), 'ab'),
      ('happy', 2, 4294967295, 'b', 'y', 'a b')`,
  ],
  mysql: [
    "CREATE TABLE level (id int PRIMARY KEY, height float)",
    LEVELS,
    ...TOTALS,
    "CREATE TABLE cost (id int PRIMARY KEY, amount double(10,2), fine double(20,6))",
    "INSERT INTO cost VALUES (1, -0.07, 1.638761), (2, -0.2, -0.150275), (3, 1234.57, 0.1)",
  ],
});

async function assertFound(
  path: string,
  filters: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  for (const [filter, ids] of Object.entries(filters)) {
    const found = JSON.parse(await open().send(200, "GET", `${path}/${filter}/id.json?sort=id`));
    assert.deepEqual(found, ids, `${path}/${filter}`);
  }
}

Deno.test(`a single-precision number is compared with any number, on every engine${LEFT_OUT}`, async () => {
  for (const dialect of open().dialects) {
    await assertFound(`/db/${dialect}/level/height`, {
      "0.1": [2],
      "..0.1": [1, 2],
      "1e39": [],
      "0.1,1e39": [2],
      "..1e39": [1, 2, 3],
      "-1e39..1e300": [1, 2, 3],
      "1e39..": [],
      "1e-60": [],
      "1e-60..": [2, 3],
      "..-1e-60": [],
      "-0": [1],
    });
  }
});

Deno.test(`postgresql: a number beyond an oid, and a text longer than a name, is in no row${LEFT_OUT}`, async () => {
  if (!open().dialects.includes("postgresql")) return;
  const path = "/db/postgresql/thing";
  await assertFound(`${path}/number`, {
    "4294967295": [2],
    "-1": [],
    "5000000000": [],
    "-1..5000000000": [1, 2],
  });
  await assertFound(`${path}/label`, { ["x".repeat(63)]: [1], ["x".repeat(64)]: [], "y..z": [2] });
  await assertFound(`${path}/mark`, { a: [1], ab: [], "a..b": [1, 2], "b*": [2] });
});

Deno.test(`postgresql: spaces at the end of a char(n) do not count, nor for wildcards${LEFT_OUT}`, async () => {
  if (!open().dialects.includes("postgresql")) return;
  await assertFound("/db/postgresql/thing/code", { "ab": [1], "*b": [1, 2], "a*b": [1, 2], "*": [1, 2] });
});

Deno.test(`postgresql: a domain over an enum is filtered like the enum${LEFT_OUT}`, async () => {
  const { dialects, send } = open();
  if (!dialects.includes("postgresql")) return;
  const path = "/db/postgresql/thing";
  await assertFound(`${path}/state`, { "sad,calm": [1], "sad..happy": [1, 2], "happy..": [2] });
  await assertFound(`${path}/~state`, { sad: [2] });
  await send(400, "GET", `${path}/state/angry.json`);
  const [{ __href: href }] = JSON.parse(await send(200, "GET", `${path}/id/1.json`));
  await send(204, "PUT", href, await send(200, "GET", href));
});

Deno.test(`mysql: a DOUBLE with decimals, which the server stores as another number, is found by them${LEFT_OUT}`, async () => {
  if (!open().dialects.includes("mysql")) return;
  await assertFound("/db/mysql/cost/amount", {
    "-0.07": [1],
    "-0.2,1234.57": [2, 3],
    "-0.2..-0.07": [1, 2],
    "-0.0700001": [],
    "..-0.2": [2],
  });
  await assertFound("/db/mysql/cost/fine", { "1.638761": [1], "-0.150275": [2], "..-0.1502751": [] });
});

Deno.test(`a sum of a view is found by a number in any spelling, on every engine${LEFT_OUT}`, async () => {
  for (const dialect of open().dialects) {
    const path = `/db/${dialect}/total`;
    await assertFound(`${path}/price`, {
      "4.00": [1],
      "4.0,100.0": [1, 3],
      "0.25..4.0": [1, 2],
      ".25..": [1, 2, 3],
      "1e0..1e1": [1],
      "..99.99": [1, 2],
    });
    await assertFound(`${path}/~price`, { "4.0": [2, 3], "0.250..4": [3] });
    await assertFound(`${path}/chance`, {
      "2e-8": [1],
      "0.00000002": [1],
      "1e+21": [3],
      "0.0000000..0.0010": [1, 2],
      "..1e-3": [1, 2],
    });
  }
});

Deno.test("a cell without a type is found by what answers show, and a number in other spellings, too", async () => {
  await assertFound("/db/sqlite/bag/v", {
    "1.50": [1, 2, 8],
    "1.5": [2, 8],
    "007": [3],
    "7": [4],
    "AP8Q": [5],
    "1e5": [6, 7],
    "100000": [7],
    "1.40..1.60": [2, 8],
    "-51220022311295990": [9],
    "-51220022311295992": [10],
    "-51220022311295991": [11],
    "-51220022311295991..-51220022311295990": [9, 11],
  });
});
