import assert from "node:assert/strict";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { DialectSuite } from "@/tests/conformance/dialect.ts";
import { dialectTests } from "@/tests/conformance/dialect.ts";
import { hostOf } from "@/tests/support/databases/plain_definition.ts";
import { startService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { makePlace, testOnServer } from "@/tests/unit/plugins/dialects/postgresql/fixture.ts";
import { CONFORMANCE_TABLES, ENDLESS } from "@/tests/unit/plugins/dialects/postgresql/tables.ts";
import pgwire from "./mod.ts";

const SUITE: DialectSuite = {
  async open(pool) {
    const place = await makePlace("pgwire", ...CONFORMANCE_TABLES);
    const dialect = await pgwire.setup({}, hostOf());
    const definition = { ...place.definition, pool };
    const database = place.keep(await dialect.connect(definition, place.login, { signal: NEVER }));
    return {
      dialect,
      database,
      beside: async (script) => void await place.change(script),
      [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
    };
  },
  endless: ENDLESS,
};

/** The tests of the suite that depend on the parts. */
const CONCERNED = [
  "the catalog lists tables and views and leaves nothing out",
  "the catalog tells lengths and which columns may be null",
  "the catalog has primary, unique and foreign keys",
  "a database that has changed is noticed: a table",
  "a database that has changed is noticed: a column",
  "rows that come and go are no change",
  "values of every type come out as the contract tells, row 1",
  "generated keys come back in the order of the rows",
  "a rollback leaves nothing",
];

const tests = dialectTests(SUITE).filter(({ title }) => CONCERNED.includes(title));

Deno.test("the tests of the suite that concern pgwire exist", () => {
  assert.deepEqual(tests.map(({ title }) => title).toSorted(), CONCERNED.toSorted());
});

for (const { title, run } of tests) testOnServer(`pgwire: ${title}`, run);

testOnServer("pgwire serves and writes, and a saved query leaves nothing in its session", async () => {
  await using place = await makePlace(
    "pgwire_served",
    "CREATE TABLE port (id serial PRIMARY KEY, name varchar(20) NOT NULL, opened timestamptz)",
    "INSERT INTO port (name, opened) VALUES ('Bergen', '2024-05-06 07:08:09+02')",
  );
  const { server, definition: { dbName } } = place;
  const login = `dbuser: ${server.user}, dbpass: '${server.password}'`;
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${new URL("../../../", import.meta.url).pathname}\n`,
      "config/databases.cfg":
        `Kin: {db_type: pgwire, db_host: ${server.host}, db_port: ${server.port}, db_name: ${dbName},
          autoload_user: {${login}}, pool: {max: 1}}\n`,
      "config/querydefs.cfg":
        `told: {database: Kin, sqlstr: "SELECT set_config('search_path', 'nowhere', false) AS path", execute: [public]}\n`,
      "config/users.cfg":
        `public: {databases: {Kin: {${login}, access: {'*': [read, create]}}}}\nadmin: {}\n`,
    },
  });
  const first = await service.fetch("/db/Kin/port/id/1.json?href=False");
  assert.deepEqual(await first.json(), { id: 1, name: "Bergen", opened: "2024-05-06T05:08:09" });
  const created = await service.fetch("/db/Kin/port.json", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"name": "Oslo"}',
  });
  assert.equal(created.status, 201, await created.text());
  for (let round = 0; round < 3; round++) {
    const told = await service.fetch("/query/told.json");
    assert.equal(told.status, 200, await told.text());
    const path = await service.fetch("/db/Kin/port/id/2/name.json");
    assert.equal(await path.json(), "Oslo", "The session has its search path again");
  }
  await place.change("ALTER TABLE port ADD COLUMN size integer");
  await until(async () => (await (await service.fetch("/db/Kin/port/id/2.json")).text()).includes("size"));
});

testOnServer("a saved query of a lent dialect is followed by the reset of the plugin", async () => {
  await using place = await makePlace("pgwire_reset");
  const reset = "RESET ALL; SET application_name = 'as before'";
  const dialect = await hostOf().lend("postgresql", { reset });
  const database = place.keep(await dialect.connect(place.definition, place.login, { signal: NEVER }));
  const column = { type: "integer", declaredType: "" } as const;
  const read = (verb?: string) => {
    const text = { sql: "SELECT 1", columns: [column], ...(verb === undefined ? {} : { verb }) };
    return database.read([{ prepared: database.prepare(text), parameters: [] }], { signal: NEVER });
  };
  const cleaned = async () =>
    Number(await place.change("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'as before'"));
  await read();
  assert.equal(await cleaned(), 0);
  assert.deepEqual(await read("SELECT"), [[[1]]]);
  await until(async () => await cleaned() === 1);
});

Deno.test("a dialect without parts, or one that is not there, is not lent", async () => {
  await assert.rejects(hostOf().lend("sqlite", {}), {
    message: /"sqlite" has no parts that can be replaced/,
  });
  await assert.rejects(hostOf().lend("nowhere", {}), { message: /"nowhere"/ });
});
