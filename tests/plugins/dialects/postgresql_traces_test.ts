/** @module Behind code in the database that changes its session the connection is clean, and still the same. */

import assert from "node:assert/strict";
import { until } from "@/tests/until.ts";
import { testOnServer } from "./postgresql_fixture.ts";
import { servePlace } from "./postgresql_service.ts";

const POOL = { pool: { max: 1 } };

const SUBJECTS = [
  `CREATE FUNCTION changed() RETURNS integer LANGUAGE plpgsql AS
    'BEGIN PERFORM set_config(''TimeZone'', ''Asia/Tokyo'', false), pg_advisory_lock(7); RETURN pg_backend_pid(); END'`,
  "CREATE VIEW connection AS SELECT changed() AS pid",
  "CREATE TABLE positive (id integer PRIMARY KEY, n integer)",
  `CREATE FUNCTION check_it() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN
      PERFORM changed();
      IF NEW.n <= 0 THEN RAISE EXCEPTION ''too small'' USING ERRCODE = ''23514''; END IF;
      RETURN NEW;
    END'`,
  "CREATE TRIGGER positive BEFORE INSERT ON positive FOR EACH ROW EXECUTE FUNCTION check_it()",
];

const LOCKS = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Requests that run the function, each with its status. */
const RUNS: readonly (readonly [name: string, path: string, body: string | undefined, status: number])[] = [
  ["a read", "/db/Pg/connection.json", undefined, 200],
  ["a change that fails", "/db/Pg/positive.json", '{"id": 0, "n": 0}', 409],
  ["a change", "/db/Pg/positive.json", '[{"id": 1, "n": 1}, {"id": 2, "n": 1}]', 201],
  ["a change of nothing", "/db/Pg/positive.json", '{"id": 1, "n": 1}', 409],
];

testOnServer("locks that a trigger takes do not outlast its change, kept or not", async () => {
  await using served = await servePlace("trace_locks", SUBJECTS, { definition: POOL });
  const { place, service } = served;
  for (const [name, path, body, status] of RUNS) {
    const headers = { "Content-Type": "application/json" };
    const method = body === undefined ? "GET" : "POST";
    const answer = await service.fetch(path, { method, headers, body: body ?? null });
    assert.equal(answer.status, status, `${name}: ${await answer.text()}`);
    // They are let go behind the answer.
    await until(async () => (await place.change(LOCKS)).trim() === "0");
  }
});

testOnServer("a connection whose settings code has changed is used again", async () => {
  await using served = await servePlace("trace_settings", SUBJECTS, { definition: POOL });
  const { service } = served;
  const pids = new Set<string>();
  for (let id = 1; id <= 20; id++) {
    pids.add(await (await service.fetch("/db/Pg/connection/pid.json")).text());
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ id, n: 1 });
    const answer = await service.fetch("/db/Pg/positive.json", { method: "POST", headers, body });
    assert.equal(answer.status, 201, await answer.text());
  }
  assert.equal(pids.size, 1);
});
