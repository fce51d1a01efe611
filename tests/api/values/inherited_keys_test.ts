/** @module Tables of PostgreSQL from which others inherit: the records of these may have the same key. */

import assert from "node:assert/strict";
import { LEFT_OUT, openEngines } from "./engines.ts";

Deno.test(`postgresql: a key that a table and its heir share leads to no change, and to one row of a page${LEFT_OUT}`, async () => {
  await using engines = await openEngines({
    postgresql: [
      "CREATE TABLE place (id int PRIMARY KEY, name text)",
      "CREATE TABLE city (mayor text) INHERITS (place)",
      "INSERT INTO place VALUES (1, 'Bay'), (2, 'Fell'), (4, 'Ness')",
      "INSERT INTO city VALUES (1, 'Oslo', 'Anna'), (3, 'Rome', 'Bert'), (4, 'Bonn', NULL)",
      "CREATE TABLE trip (id int PRIMARY KEY, place int REFERENCES place)",
      "INSERT INTO trip VALUES (1, 1)",
    ],
  });
  const { dialects, send } = engines;
  if (!dialects.includes("postgresql")) return;
  const path = "/db/postgresql/place";
  await send(400, "GET", `${path}/id/1.json`);
  assert.match(await send(400, "PUT", `${path}/id/1.json`, '{"name": "x"}'), /2 have this key/);
  await send(400, "DELETE", `${path}/id/4.json`);
  await send(204, "PUT", `${path}/id/3.json`, '{"name": "Roma"}');
  await send(204, "DELETE", `${path}/id/2.json`);
  const names = JSON.parse(await send(200, "GET", `${path}/name.json?sort=name`));
  assert.deepEqual(names, ["Bay", "Bonn", "Ness", "Oslo", "Roma"]);
  assert.match(await send(200, "GET", "/db/postgresql/trip.html?limit=9"), /<p>1&#8211;1 of 1<\/p>/);
});
