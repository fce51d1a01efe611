import assert from "node:assert/strict";
import { statusOf } from "@/tests/support/status_of.ts";
import { until } from "@/tests/support/until.ts";
import { testOnServer } from "@/tests/unit/plugins/dialects/postgresql/fixture.ts";
import { servePlace } from "./postgresql_service.ts";

const JSON_BODY = { "content-type": "application/json" };

testOnServer(
  "of callers who change what they have read at the same time, one wins and the others are told",
  async () => {
    await using served = await servePlace("if_match", [
      "CREATE TABLE counter (id integer PRIMARY KEY, n integer NOT NULL)",
      "INSERT INTO counter VALUES (1, 0)",
    ]);
    const { service } = served;
    for (let round = 0; round < 10; round++) {
      const response = await service.fetch("/db/Pg/counter/id/1.json");
      const etag = response.headers.get("etag") ?? "";
      await response.text();
      const changes = Array.from({ length: 6 }, async (_, n) => {
        const body = JSON.stringify({ n: round * 10 + n + 1 });
        const answer = await service.fetch("/db/Pg/counter/id/1.json", {
          method: "PUT",
          headers: { ...JSON_BODY, "if-match": etag },
          body,
        });
        await answer.text();
        return answer.status;
      });
      const statuses = (await Promise.all(changes)).sort();
      assert.deepEqual(statuses, [204, 412, 412, 412, 412, 412]);
    }
  },
);

testOnServer("a record whose declared key others share is neither read, changed nor deleted", async () => {
  await using served = await servePlace("shared_key", [
    "CREATE TABLE thing (code integer, name text)",
    "INSERT INTO thing VALUES (1, 'a'), (1, 'b'), (2, 'c')",
  ], { definition: { alternate_key: { thing: ["code"] } } });
  const { service } = served;
  const PUT = { method: "PUT", headers: JSON_BODY, body: '{"name": "x"}' };
  for (const init of [{}, PUT, { method: "DELETE" }]) {
    const response = await service.fetch("/db/Pg/thing/code/1.json", init);
    assert.match(await response.text(), /2 have this key/);
    assert.equal(response.status, 400);
  }
  assert.equal(await (await service.fetch("/db/Pg/thing.csv")).text(), "code,name\r\n1,a\r\n1,b\r\n2,c\r\n");
  for (const init of [PUT, { method: "DELETE" }]) {
    const response = await service.fetch("/db/Pg/thing/code/2.json", init);
    assert.equal(response.status, 204, await response.text());
  }
});

testOnServer("a record of a view is sent back with the counted key of its table", async () => {
  await using served = await servePlace("counted_view", [
    "CREATE TABLE owner (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text)",
    "INSERT INTO owner (name) VALUES ('Anna')",
    "CREATE VIEW person AS SELECT id, name FROM owner",
  ], { definition: { alternate_key: { person: ["id"] } } });
  const put = async (body: string) => {
    const init = { method: "PUT", headers: JSON_BODY, body };
    const answer = await served.service.fetch("/db/Pg/person/id/1.json", init);
    return [answer.status, await answer.text()] as const;
  };
  const read = await served.service.fetch("/db/Pg/person/id/1.json");
  assert.deepEqual(await put((await read.text()).replace("Anna", "Bert")), [204, ""]);
  assert.equal((await served.place.change("SELECT name FROM owner")).trim(), "Bert");
  const [status, text] = await put('{"id": 2}');
  assert.equal(status, 400);
  assert.match(text, /column \\"id\\" can only be updated to DEFAULT/);
});

testOnServer(
  "distinct rows are shown with their related records, also where a column is sorted by its text",
  async () => {
    await using served = await servePlace("distinct_json", [
      "CREATE TABLE owner (id integer PRIMARY KEY, name text)",
      "CREATE TABLE note (owner_id integer REFERENCES owner, doc jsonb)",
      "INSERT INTO owner VALUES (1, 'Anna')",
      `INSERT INTO note VALUES (1, '{"a": 1}'), (1, '{"a": 1}'), (1, '{"b": 2}')`,
    ]);
    const response = await served.service.fetch("/db/Pg/note.json?distinct&depth=1");
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.deepEqual(JSON.parse(text).map(({ owner }: { owner: { name: string } }) => owner.name), [
      "Anna",
      "Anna",
    ]);
    const page = await served.service.fetch("/db/Pg/note.html?distinct&limit=29");
    assert.match(await page.text(), /Anna/);
  },
);

const HOSTILE: readonly (readonly [string, string])[] = [
  ["/t/name/a*%00", "text that has the character U+0000"],
  ["/t/mood/angry", "invalid input value for enum mood"],
  ["/t/address/not-an-address", "invalid input syntax for type inet"],
  ["/t/code/not-a-uuid", '"code\\" of type uuid with \\"not-a-uuid\\": expected a UUID'],
  ["/t/data/%7Bbroken", "expected JSON"],
  ["/t/born/2024-02-30", "expected a date"],
  ["/t/span/[5%2C1)", "range lower bound must be less than or equal"],
  ["/t/tags/broken", "Unexpected end of string"],
  ["/unfilled", "has not been populated"],
];

testOnServer("values that the server refuses are the caller's mistake, and told as such", async () => {
  await using served = await servePlace("hostile", [
    "CREATE EXTENSION hstore",
    "CREATE TYPE mood AS ENUM ('sad', 'happy')",
    `CREATE TABLE t (id integer PRIMARY KEY, name text, mood mood, address inet, code uuid, data jsonb, born date,
      span int4range, spot point, tags hstore)`,
    "INSERT INTO t VALUES (1, 'x', 'sad', '10.0.0.1', gen_random_uuid(), '{}', 'infinity', '[1,5)', '(1,2)')",
    "CREATE MATERIALIZED VIEW unfilled AS SELECT id FROM t WITH NO DATA",
  ]);
  for (const [path, words] of HOSTILE) {
    const response = await served.service.fetch(`/db/Pg${path}`, { headers: { accept: "application/json" } });
    const text = await response.text();
    assert.equal(response.status, 400, `${path}: ${text}`);
    assert.ok(text.includes(words), `${path}: ${text}`);
  }
  assert.doesNotMatch(await served.service.log(), /ERROR/);
});

testOnServer(
  "errors of the server name no excluded table and quote no value that the caller did not send",
  async () => {
    await using served = await servePlace("secrets", [
      "CREATE TABLE person (id integer PRIMARY KEY, name text, pin text)",
      "CREATE TABLE audit (ssn text UNIQUE)",
      "CREATE TABLE code (ssn text CONSTRAINT once UNIQUE)",
      "INSERT INTO code VALUES ('s3cret')",
      `CREATE TABLE "top secret" (id integer REFERENCES person (id))`,
      `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit SELECT 's3cret' WHERE new.name = 'noted';
        INSERT INTO code SELECT 's3cret' WHERE new.name = 'coded';
        IF new.name = 'counted' THEN new.id = (SELECT sum(pin::integer) FROM person); END IF;
        RETURN new;
      END $$`,
      "INSERT INTO person VALUES (1, 'a', 's3cret')",
      `INSERT INTO "top secret" VALUES (1)`,
      "INSERT INTO audit VALUES ('s3cret')",
      "CREATE TRIGGER note BEFORE INSERT OR UPDATE ON person FOR EACH ROW EXECUTE FUNCTION note()",
      "CREATE VIEW adult AS SELECT id, name FROM person WHERE pin::integer > 1",
    ], {
      definition: { excluded_tables: ["audit", "code", "top secret"], excluded_columns: { person: ["pin"] } },
    });
    const RULE = "a rule of the database does not allow it";
    const cases: readonly (readonly [method: string, path: string, body: string | null, words: string])[] = [
      ["POST", "/person", '{"id": 2, "name": "noted"}', RULE],
      ["PUT", "/person/id/1", '{"name": "noted"}', RULE],
      ["POST", "/person", '{"id": 2, "name": "coded"}', 'unique constraint \\"once\\""'],
      ["POST", "/person", '{"id": 2, "name": "counted"}', "invalid input syntax for type integer"],
      ["PUT", "/person/id/1", '{"name": "counted"}', "invalid input syntax for type integer"],
      ["DELETE", "/person/id/1", null, RULE],
      ["GET", "/adult", null, "invalid input syntax for type integer"],
      ["GET", "/adult?stream", null, "invalid input syntax for type integer"],
      ["PUT", "/adult/name/a", '{"name": "b"}', "invalid input syntax for type integer"],
      ["DELETE", "/adult/name/a", null, "invalid input syntax for type integer"],
    ];
    for (const [method, path, body, words] of cases) {
      const headers = { ...JSON_BODY, accept: "application/json" };
      const response = await served.service.fetch(`/db/Pg${path}`, { method, headers, body });
      const text = await response.text();
      assert.ok(text.includes(words), `${method} ${path}: ${text}`);
      assert.doesNotMatch(text, /s3cret|audit|top secret/, `${method} ${path}`);
    }
  },
);

testOnServer("a policy that asks its own table is told in the server's words", async () => {
  await using served = await servePlace("recursive_policy", [
    "CREATE TABLE note (id integer PRIMARY KEY, owner text)",
    "ALTER TABLE note ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own ON note USING (EXISTS (SELECT FROM note AS other WHERE other.owner = 'anna'))",
    "CREATE VIEW seen AS SELECT id FROM note",
    // Policies do not concern the tests' login; the owner of a view reads its tables.
    "DO $$ BEGIN CREATE ROLE policy_reader; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    "GRANT SELECT ON note TO policy_reader",
    "ALTER VIEW seen OWNER TO policy_reader",
  ]);
  const response = await served.service.fetch("/db/Pg/seen.json");
  assert.equal(response.status, 400);
  assert.match(
    (await response.json()).description,
    /infinite recursion detected in policy for relation/,
  );
});

testOnServer("columns whose type has no order are ordered by their text", async () => {
  await using served = await servePlace("orderless", [
    "CREATE TABLE t (id integer PRIMARY KEY, spot point, doc json, tree jsonb, mark xml)",
    `INSERT INTO t VALUES (1, '(2,1)', '{"b": 1}', '{"b": 1}', '<b/>'), (2, '(1,9)', '[2]', '[2]', '<c/>'),
      (3, NULL, NULL, NULL, NULL), (4, '(3,0)', '{"a": 1}', '{"a": 1}', '<a/>')`,
  ]);
  const orders = { spot: [3, 2, 1, 4], doc: [3, 2, 4, 1], tree: [3, 2, 4, 1], mark: [3, 4, 1, 2] };
  for (const [column, ids] of Object.entries(orders)) {
    for (const [sign, expected] of [["", ids], ["-", ids.toReversed()]] as const) {
      for (const more of ["", "&stream", "&depth=1"]) {
        const answer = await served.service.fetch(`/db/Pg/t.json?sort=${sign}${column}${more}`);
        const rows: { id: number }[] = await answer.json();
        assert.deepEqual(rows.map(({ id }) => id), expected, `${sign}${column}${more}`);
      }
    }
  }
  const distinct = await served.service.fetch("/db/Pg/t/tree.json?distinct&sort=tree");
  assert.deepEqual(await distinct.json(), [null, "[2]", '{"a": 1}', '{"b": 1}']);
});

testOnServer("a smaller column compares with larger numbers as with any other", async () => {
  await using served = await servePlace("smaller", [
    "CREATE TABLE t (id smallint PRIMARY KEY, n integer)",
    "INSERT INTO t VALUES (1, 2)",
  ]);
  const get = async (path: string) => {
    const response = await served.service.fetch(`/db/Pg/t${path}.json`);
    return [response.status, JSON.parse(await response.text())];
  };
  assert.deepEqual(await get("/n/9999999999/id"), [200, []]);
  assert.deepEqual(await get("/n/..9999999999/id"), [200, [1]]);
  assert.equal((await get("/id/99999"))[0], 404);
});

testOnServer(
  "a wildcard works on what is no text to the server, and case counts where it does to the server",
  async () => {
    await using served = await servePlace("wildcards", [
      "CREATE EXTENSION citext",
      "CREATE TYPE mood AS ENUM ('sad', 'happy')",
      "CREATE TABLE t (id integer PRIMARY KEY, plain text, folded citext, code uuid, mood mood, address inet)",
      `INSERT INTO t VALUES (1, 'Anna_1%', 'Anna', '0000aaaa-0000-4000-8000-000000000000', 'happy', '10.0.0.1'),
      (2, 'anna', 'anna', '0000bbbb-0000-4000-8000-000000000000', 'sad', '10.0.1.1')`,
    ]);
    const cases = [
      ["/plain/Ann*", [1]],
      ["/plain/ann*", [2]],
      ["/plain/*_1%25", [1]],
      ["/folded/ANN*", [1, 2]],
      ["/code/*aaaa*", [1]],
      ["/mood/h*", [1]],
      ["/address/10.0.0.*", [1]],
      ["/address/*.1.1", [2]],
      ["/plain/%5C*", []],
    ] as const;
    for (const [path, ids] of cases) {
      const response = await served.service.fetch(`/db/Pg/t${path}/id.json`);
      assert.deepEqual(await response.json(), ids, path);
    }
  },
);

testOnServer("the rights of the user's own database login decide", async () => {
  const role = `writer_${crypto.randomUUID().slice(0, 8)}`;
  const reader = { dbuser: role, dbpass: "x" };
  await using served = await servePlace("rights", [
    "CREATE TABLE open (id integer PRIMARY KEY)",
    "CREATE TABLE closed (id integer PRIMARY KEY)",
    `CREATE ROLE ${role} LOGIN PASSWORD 'x'`,
    `GRANT SELECT ON open TO ${role}`,
  ], { users: { public: { name: "All", databases: { Pg: reader } } } });
  const { service, place } = served;
  const status = async (path: string, init?: RequestInit) => {
    const response = await service.fetch(`/db/Pg${path}`, init);
    return [response.status, await response.text()] as const;
  };
  try {
    assert.equal((await status("/open.json"))[0], 200);
    const [read, words] = await status("/closed.json");
    assert.equal(read, 403);
    assert.doesNotMatch(words, new RegExp(role), "The login is not named");
    assert.match(words, /log in, or resend with a valid API key/);
    const body = { method: "POST", headers: JSON_BODY, body: '{"id": 1}' };
    assert.equal((await status("/open.json", body))[0], 403);
    await place.change(`ALTER ROLE ${role} PASSWORD 'another'; SELECT pg_terminate_backend(pid, 5000)
      FROM pg_stat_activity WHERE usename = '${role}';`);
    const [refused, reason] = await status("/open.json");
    assert.equal(refused, 403, reason);
    assert.match(reason, /log in, or resend with a valid API key/);
    assert.equal(
      (await service.fetch("/db.json").then((response) => response.json()))[0].status,
      "Connected",
    );
  } finally {
    await place.change(`DROP OWNED BY ${role}; DROP ROLE ${role};`);
  }
});

testOnServer("pages leave out related tables that the database login may not read", async () => {
  const role = `clerk_${crypto.randomUUID().slice(0, 8)}`;
  await using served = await servePlace("related_rights", [
    "CREATE TABLE salary (id integer PRIMARY KEY, name text)",
    "CREATE TABLE person (id integer PRIMARY KEY, name text, salary_id integer REFERENCES salary)",
    "CREATE TABLE warning (id integer PRIMARY KEY, person_id integer REFERENCES person)",
    "INSERT INTO salary VALUES (1, 'high')",
    "INSERT INTO person VALUES (1, 'Ann', 1)",
    `CREATE ROLE ${role} LOGIN PASSWORD 'x'`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON person TO ${role}`,
  ], { users: { public: { databases: { Pg: { dbuser: role, dbpass: "x" } } } } });
  const { service, place } = served;
  const page = async (path: string) => {
    const response = await service.fetch(`/db/Pg${path}`);
    return { status: response.status, text: await response.text() };
  };
  try {
    for (
      const path of [
        "/person.html?limit=9",
        "/person.html?limit=9&ui.counts",
        "/person.html?limit=9&ui.facet=salary_id",
        "/person/id/1.html",
        "/person/id/1.html?ui.edit",
        "/person/id/1.html?ui.delete",
      ]
    ) {
      const { status, text } = await page(path);
      assert.equal(status, 200, path);
      assert.match(text, /Ann/);
      assert.doesNotMatch(text, /warning</, "no link leads to a table that is refused");
    }
    assert.equal((await page("/person.html?ui.new")).status, 200);
    assert.equal((await page("/salary.html?limit=9")).status, 403);
    assert.equal((await page("/person/id/1/salary.html")).status, 403);
    assert.equal((await page("/person.json?depth=1")).status, 403, "a program has asked for them");
  } finally {
    await place.change(`DROP OWNED BY ${role}; DROP ROLE ${role};`);
  }
});

testOnServer("the connections of whoever is disabled are closed, those of others stay", async () => {
  const role = `leaving_${crypto.randomUUID().slice(0, 8)}`;
  const headers = { apikey: "leaving".padEnd(32, "0") };
  const leaving = { apikey: headers.apikey, databases: { Pg: { dbuser: role, dbpass: "x" } } };
  await using served = await servePlace("leaving", [
    "CREATE TABLE open (id integer PRIMARY KEY)",
    `CREATE ROLE ${role} LOGIN PASSWORD 'x'`,
    `GRANT SELECT ON open TO ${role}`,
  ], { users: { leaving } });
  const { service, place } = served;
  const status = async (init: RequestInit = {}) => {
    return await statusOf(service.fetch("/db/Pg/open.json", init));
  };
  const connections = async () =>
    Number(/\d+/.exec(
      await place.change(`SELECT 'n=' || count(*) FROM pg_stat_activity WHERE usename = '${role}';`),
    ));
  try {
    assert.equal(await status({ headers }), 200);
    assert.equal(await connections(), 1);
    const path = `${service.home}/config/users.cfg`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace("leaving:\n", "leaving:\n  enabled: false\n"));
    await until(async () => await connections() === 0);
    assert.deepEqual([await status({ headers }), await status()], [403, 200]);
  } finally {
    await place.change(`DROP OWNED BY ${role}; DROP ROLE ${role};`);
  }
});
