/** @module New records that leave out different columns take the defaults of the table, also by a view. */

import assert from "node:assert/strict";
import { LEFT_OUT, sharedEngines } from "./engines.ts";

const TABLE = "CREATE TABLE parcel (id int PRIMARY KEY, town varchar(20) DEFAULT 'here', note varchar(20))";
const BOTH = [TABLE, "CREATE VIEW sent AS SELECT id, town, note FROM parcel"];
const engines = sharedEngines({ sqlite: [TABLE], mysql: BOTH, postgresql: BOTH });

Deno.test(`new records take the defaults of their table where they differ in columns${LEFT_OUT}`, async () => {
  for (const dialect of engines().dialects) {
    const body = '[{"id": 1, "note": "x"}, {"id": 2, "town": "there"}, {"id": 3, "town": null}]';
    for (const name of dialect === "sqlite" ? ["parcel"] : ["parcel", "sent"]) {
      await engines().send(201, "POST", `/db/${dialect}/${name}.json`, body);
      const towns = await engines().send(200, "GET", `/db/${dialect}/parcel/town.json?sort=id`);
      assert.deepEqual(JSON.parse(towns), ["here", "there", null], `${name} of ${dialect}`);
      await engines().send(204, "DELETE", `/db/${dialect}/parcel.json?all`);
    }
  }
});
