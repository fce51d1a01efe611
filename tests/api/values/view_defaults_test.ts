/** @module New records of a view that leave out different columns take the defaults of its table. */

import assert from "node:assert/strict";
import { LEFT_OUT, sharedEngines } from "./engines.ts";

const TABLES = [
  "CREATE TABLE parcel (id int PRIMARY KEY, town varchar(20) DEFAULT 'here', note varchar(20))",
  "CREATE VIEW sent AS SELECT id, town, note FROM parcel",
];
const engines = sharedEngines({ mysql: TABLES, postgresql: TABLES });

Deno.test(`a view's new records take the defaults of its table where they differ in columns${LEFT_OUT}`, async () => {
  for (const dialect of engines().dialects) {
    const body = '[{"id": 1, "note": "x"}, {"id": 2, "town": "there"}, {"id": 3, "town": null}]';
    await engines().send(201, "POST", `/db/${dialect}/sent.json`, body);
    const towns = await engines().send(200, "GET", `/db/${dialect}/parcel/town.json?sort=id`);
    assert.deepEqual(JSON.parse(towns), ["here", "there", null], dialect);
  }
});
