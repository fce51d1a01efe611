/**
 * @module A saved query may change its session: the next request that gets the connection does not notice.
 */

import assert from "node:assert/strict";
import type { ServedPlace } from "@/tests/support/databases/served_place.ts";
import { until } from "@/tests/support/until.ts";
import { type Place, testOnServer } from "@/tests/unit/plugins/dialects/postgresql/fixture.ts";
import { servePlace } from "./postgresql_service.ts";

const POOL = { pool: { max: 1 } };

const SET = (name: string, value: string) => `set_config('${name}', '${value}', false)`;

/** `counted` writes when it is read: each GET of it must be refused, and the sequence stay where it is. */
const SUBJECTS = [
  "CREATE SEQUENCE counter",
  "CREATE TABLE t (id integer PRIMARY KEY, f double precision, b bytea, moment timestamptz, amount money)",
  `INSERT INTO t VALUES (1, 0.1::float8 + 0.2::float8, '\\x0aff', '2026-03-01 12:00:00+00', 1234.5)`,
  "CREATE VIEW counted AS SELECT 1 AS id, nextval('counter') AS n",
  // A table whose trigger acts by the written value.
  `CREATE FUNCTION set_it() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN
      CREATE TEMP TABLE scratch (x integer);
      PERFORM set_config(NEW.name, NEW.value, false), pg_advisory_lock(9);
      RETURN NEW;
    END'`,
  "CREATE TABLE wish (id serial PRIMARY KEY, name text, value text)",
  "CREATE TRIGGER wish BEFORE INSERT ON wish FOR EACH ROW EXECUTE FUNCTION set_it()",
];

/** Changes of the session, with a query that shows each. */
const CHANGES: readonly (readonly [name: string, sql: string])[] = [
  ["writing", `SELECT 1 AS id, ${SET("default_transaction_read_only", "off")} AS x`],
  ["shown", `SELECT 1 AS id, ${SET("bytea_output", "escape")} || ${SET("extra_float_digits", "-15")} AS x`],
  ["zone", `SELECT 1 AS id, ${SET("TimeZone", "Asia/Tokyo")} || ${SET("DateStyle", "German")} AS x`],
  ["limits", `SELECT 1 AS id, ${SET("statement_timeout", "1")} || ${SET("search_path", "nowhere")} AS x`],
  ["locking", "SELECT 1 AS id, pg_advisory_lock(7)::text || pg_try_advisory_lock(8)::text AS x"],
];

const VIEWS = CHANGES.map(([name, sql]) => `CREATE VIEW ${name} AS ${sql}`);

/** A saved query that reads each view, and one that writes. */
const QUERIES = {
  ...Object.fromEntries(CHANGES.map(([name]) => [name, `SELECT * FROM ${name}`])),
  write: "INSERT INTO wish (name, value) VALUES (:name, :value)",
};

const LOCKS = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** The next reader sees an unchanged session. */
async function requireUntouched({ service, place }: ServedPlace<Place>, after: string): Promise<void> {
  // The service releases them after its answer.
  await until(async () => (await place.change(LOCKS)).trim() === "0");
  const refused = await service.fetch("/db/Pg/counted.json");
  assert.equal(refused.status, 403, `${after}: ${await refused.text()}`);
  assert.equal((await place.change("SELECT is_called FROM counter")).trim(), "f", after);
  const answer = await service.fetch("/db/Pg/t.json");
  assert.deepEqual(await answer.json(), [{
    __href: "/db/Pg/t/id/1.json",
    id: 1,
    f: 0.30000000000000004,
    b: "Cv8=",
    moment: "2026-03-01T12:00:00",
    amount: 1234.5,
  }], after);
}

const WAYS = ["", "?count", "?stream", "?limit=1&sort=x", "?transpose"];

testOnServer("what a saved query changes in its session is taken back, however it is read", async () => {
  await using served = await servePlace("session_queries", [...SUBJECTS, ...VIEWS], {
    definition: POOL,
    queries: QUERIES,
  });
  await requireUntouched(served, "at first");
  for (const [name] of CHANGES) {
    for (const way of WAYS) {
      const answer = await served.service.fetch(`/query/${name}.json${way}`);
      assert.equal(answer.status, 200, `${name}${way}: ${await answer.text()}`);
      await requireUntouched(served, `${name}${way}`);
    }
  }
});

testOnServer("a connection is used again behind a saved query", async () => {
  await using served = await servePlace("session_kept", SUBJECTS, {
    definition: POOL,
    queries: { pid: `SELECT pg_backend_pid() AS pid, ${SET("TimeZone", "Asia/Tokyo")}` },
  });
  const pids = new Set<string>();
  for (const method of ["GET", "POST", "GET", "POST"]) {
    const answer = await served.service.fetch("/query/pid/pid.json", { method });
    assert.equal(answer.status, 200);
    pids.add(await answer.text());
  }
  assert.equal(pids.size, 1);
});

testOnServer("what a saved query changes in its session is taken back when its write is kept", async () => {
  await using served = await servePlace("session_writes", [...SUBJECTS, "CREATE ROLE rowhouse_nobody"], {
    definition: POOL,
    queries: QUERIES,
  });
  const wishes = [
    ["default_transaction_read_only", "off"],
    ["bytea_output", "escape"],
    ["TimeZone", "Asia/Tokyo"],
    ["extra_float_digits", "-15"],
    ["role", "rowhouse_nobody"],
  ] as const;
  try {
    for (const [name, value] of wishes) {
      const answer = await write(served, { name, value });
      assert.equal(answer.status, 200, `${name}: ${await answer.text()}`);
      await requireUntouched(served, name);
    }
  } finally {
    await served.place.change("DROP ROLE rowhouse_nobody");
  }
});

testOnServer("a lock that a saved query takes is let go when its write is taken back", async () => {
  await using served = await servePlace("session_undone", [
    ...SUBJECTS,
    "ALTER TABLE wish ADD CHECK (value <> 'German')",
  ], { definition: POOL, queries: QUERIES });
  const wish = { name: "DateStyle", value: "German" };
  // The second of two records finds the rows that the first has created.
  for (const [status, body] of [[409, wish], [400, [{ ...wish, value: "ISO" }, wish]]] as const) {
    const answer = await write(served, body);
    assert.equal(answer.status, status, await answer.text());
    await requireUntouched(served, JSON.stringify(body));
  }
});

testOnServer("readers at the same time do not notice each other's sessions", async () => {
  await using served = await servePlace("session_crowd", [...SUBJECTS, ...VIEWS], {
    definition: POOL,
    queries: QUERIES,
  });
  // Only statements known to be quick share a connection.
  for (let round = 0; round < 3; round++) await requireUntouched(served, "at first");
  const paths = Array.from({ length: 120 }, (_, at) => {
    const [name] = CHANGES[at % CHANGES.length] ?? [];
    return at % 3 === 0 ? `/query/${name}.json` : at % 3 === 1 ? "/db/Pg/counted.json" : "/db/Pg/t/b.json";
  });
  const answers = await Promise.all(paths.map(async (path) => {
    const answer = await served.service.fetch(path);
    return [path, answer.status, await answer.text()] as const;
  }));
  for (const [path, status, text] of answers) {
    assert.equal(status, path.includes("counted") ? 403 : 200, `${path}: ${text}`);
    if (path === "/db/Pg/t/b.json") assert.equal(text.trim(), '[\n    "Cv8="\n]');
  }
  await requireUntouched(served, "in the end");
});

testOnServer(
  "a saved query that makes the server forget prepared statements leaves nothing behind",
  async () => {
    const spoil = SET("default_transaction_read_only", "off").replace(/'/g, "''");
    await using served = await servePlace("session_forgetful", [
      ...SUBJECTS,
      `CREATE FUNCTION forget() RETURNS text LANGUAGE plpgsql AS
      'BEGIN EXECUTE ''DEALLOCATE ALL''; RETURN ${spoil}; END'`,
    ], { definition: POOL, queries: { forgetful: "SELECT forget()" } });
    for (let round = 0; round < 4; round++) {
      const answer = await served.service.fetch("/query/forgetful.json");
      assert.equal(answer.status, 200, await answer.text());
      await requireUntouched(served, `round ${round}`);
    }
  },
);

function write({ service }: ServedPlace<Place>, body: unknown): Promise<Response> {
  return service.fetch("/query/write.json", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
