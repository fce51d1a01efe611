/** @module Connections that the server ends while they read, as an operator or a restart does. */

import assert from "node:assert/strict";
import type { Database, Run } from "@/plugins/contract.ts";
import { until } from "@/tests/support/until.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { makePlace, type Place, testOnServer } from "./fixture.ts";

const SLOW = "SELECT 1 FROM pg_sleep((SELECT seconds FROM pause))";

function runOf(database: Database, sql: string): Run {
  return {
    prepared: database.prepare({ sql, columns: [{ type: "integer", declaredType: "" }] }),
    parameters: [],
  };
}

/** Ends the connection of the slow statement once it runs; the pause of the next one is this long. */
async function endSlow({ change }: Place, seconds: number): Promise<void> {
  const running = "FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep' " +
    "AND datname = current_database() AND application_name = 'rowhouse'";
  await until(async () => await change(`SELECT 1 ${running}`) !== "");
  await change(`UPDATE pause SET seconds = ${seconds}`);
  assert.match(await change(`SELECT pg_terminate_backend(pid, 5000) ${running}`), /^t/);
}

for (const [count, title] of [[1, "a read of one statement"], [2, "a read of several statements"]] as const) {
  testOnServer(`${title} whose connection the server ends is repeated once`, async () => {
    await using place = await makePlace(
      `ended_${count}`,
      "CREATE TABLE pause (seconds integer)",
      "INSERT INTO pause VALUES (20)",
    );
    const database = await place.connect({}, { max: 2 });
    const runs = [runOf(database, SLOW), runOf(database, "SELECT 2")].slice(0, count);
    const rows = [[[1]], [[2]]].slice(0, count);
    const read = async () => await database.read(runs, { signal: NEVER });
    const once = read();
    await endSlow(place, 0);
    assert.deepEqual(await once, rows);

    await place.change("UPDATE pause SET seconds = 20");
    const twice = assert.rejects(read(), (error) => database.classify(error) === "unavailable");
    await endSlow(place, 20);
    await endSlow(place, 0);
    await twice;
    assert.deepEqual(await read(), rows);
  });
}
