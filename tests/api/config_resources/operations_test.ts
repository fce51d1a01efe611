import assert from "node:assert/strict";
import { isLocal } from "@/core/http/probes.ts";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startProcess } from "@/tests/support/process.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { until } from "@/tests/support/until.ts";
import { key, SECRETS, send, START } from "./people.ts";

const service = sharedService(START);
const as = (login: string, line: string, body?: unknown) => send(service(), login, line, body);
const json = async (login: string, line: string, body?: unknown) =>
  JSON.parse((await as(login, line, body)).text);

Deno.test("a database is disconnected and connected by who may", async () => {
  const off = await json("boss", "POST /unload-model/Demo.json");
  assert.deepEqual(off, {
    db_id: "Demo",
    status: "Disconnected",
    model: "Disconnected",
    state: "disconnected",
    reason: null,
    complaints: [],
  });
  assert.equal((await as("architect", "GET /db/Demo/Country.json")).status, 503);
  const on = await json("admin", "GET /load-model/Demo.json");
  assert.deepEqual([on.status, on.state, on.desc], ["Connected", "connected", "Demo database"]);
  assert.equal((await as("architect", "GET /db/Demo/Country.json")).status, 200);
});

for (
  const [login, line, body] of [
    ["boss", "POST /unload-model/Demo.xsd"],
    ["boss", "GET /load-model/Demo.xsd"],
    ["boss", "HEAD /load-model/Demo.xsd"],
    ["boss", "OPTIONS /load-model/Demo.xsd"],
    ["architect", "OPTIONS /settings/check-query.xsd"],
    ["architect", "POST /settings/check-query.xsd", { database: "Demo", sqlstr: "SELECT 1" }],
    ["architect", "POST /settings/check-database-connection.xsd", { db_type: "sqlite", db_name: "x" }],
    ["architect", "POST /querydef.xsd", { query_id: "made-in-xsd", database: "Demo", sqlstr: "SELECT 1" }],
  ] as const
) {
  Deno.test(`${line} is 406: a format of schemas can tell nothing, so nothing is done`, async () => {
    const { status, text, headers } = await as(login, line, body);
    assert.deepEqual([status, text], [406, ""]);
    assert.equal(
      headers.get("warning"),
      "The format xsd has schemas only: use another extension or Accept",
    );
    assert.equal((await as("architect", "GET /db/Demo/Country.json")).status, 200);
    assert.equal((await as("admin", "GET /querydef/made-in-xsd.json")).status, 404);
  });
}

Deno.test("POST of a saved query as XSD is 406, and the query does not run", async () => {
  const sqlstr = "INSERT INTO Amenity (Name) VALUES ('XSD')";
  const definition = { query_id: "insert-xsd", database: "Demo", sqlstr, http_methods: { POST: true } };
  const created = await as("architect", "POST /querydef.json", definition);
  assert.equal(created.status, 201, created.text);
  assert.equal((await as("architect", "POST /query/insert-xsd.xsd")).status, 406);
  const { url } = service();
  const headers = { Accept: "text/xsd", apikey: key("architect") };
  const accepted = await fetch(`${url}/query/insert-xsd`, { method: "POST", headers });
  assert.deepEqual([accepted.status, await accepted.text()], [406, ""]);
  assert.equal((await as("architect", "GET /db/Demo/Amenity/Name/XSD.json")).text, "[]");
});

Deno.test("HEAD of a connection order has its headers and changes nothing", async () => {
  const head = await as("admin", "HEAD /unload-model/Demo.json");
  assert.deepEqual([head.status, head.text, head.headers.get("content-type")], [200, "", "application/json"]);
  assert.equal((await as("architect", "GET /db/Demo/Country.json")).status, 200);
  const options = await as("admin", "OPTIONS /load-model/Demo.json");
  assert.equal(options.headers.get("allow"), "GET, HEAD, POST, OPTIONS");
});

Deno.test("a connection order refuses a parameter without a meaning, and is not carried out", async () => {
  for (
    const [query, name] of [["schema", "schema"], ["depth=1", "depth"], ["cardinality=2", "cardinality"]]
  ) {
    for (const line of ["GET /unload-model/Demo", "POST /unload-model/Demo", "HEAD /load-model/Demo"]) {
      const { status, headers } = await as("admin", `${line}.json?${query}`);
      const words = `Cannot use parameter "${name}" here: the answer is the state of a connection`;
      assert.deepEqual([status, headers.get("warning")], [400, words], line);
    }
  }
  assert.equal((await as("architect", "GET /db/Demo/Country.json")).status, 200);
  assert.equal((await as("admin", "GET /load-model/Demo.json?href=false")).status, 200);
});

Deno.test("the metrics call a database disconnected only if it should be connected", async () => {
  await using own = await startService({
    files: {
      "config/databases.cfg": `Demo: {db_type: sqlite, db_name: ../state/demo.db}
Idle: {db_type: sqlite, db_name: ../state/demo.db, autoconnect: false}
Gone: {db_type: sqlite, db_name: gone.db}
`,
      "config/users.cfg": `admin: {apikey: ${key("admin")}}\n`,
    },
    isAdministered: true,
  });
  const told = async () =>
    [...(await (await own.fetch("/metrics")).text()).matchAll(/^rowhouse_database_connected\{(.*)$/gm)]
      .map(([, line]) => line);
  assert.deepEqual(await told(), ['database="Demo"} 1', 'database="Gone"} 0']);
  assert.equal((await send(own, "admin", "POST /unload-model/Demo.json")).status, 200);
  assert.equal((await send(own, "admin", "POST /load-model/Idle.json")).status, 200);
  assert.deepEqual(await told(), ['database="Idle"} 1', 'database="Gone"} 0']);
});

Deno.test("a database that was disconnected stays so", async () => {
  assert.equal((await as("boss", "GET /unload-model/Demo.json")).status, 200);
  await setTimeout(3000);
  assert.equal((await as("architect", "GET /db/Demo/Country.json")).status, 503);
  assert.equal((await as("boss", "GET /load-model/Demo.json")).status, 200);
});

Deno.test("a database whose definition changes stays connected or disconnected, unless autoconnect changes", async () => {
  const table = "{db_type: sqlite, db_name: ../state/demo.db";
  await using own = await startService({
    files: {
      "config/databases.cfg": `Demo: ${table}}\nIdle: ${table}, autoconnect: false}\n`,
      "config/users.cfg": `admin: {apikey: ${key("admin")}, databases: {Demo: {}, Idle: {}}}\n`,
    },
    isAdministered: true,
  });
  const ask = async (...lines: readonly string[]) => {
    for (const line of lines) assert.equal((await send(own, "admin", line)).status, 200, line);
  };
  const change = async (id: string, members: unknown) => {
    assert.equal((await send(own, "admin", `PUT /dbdef/${id}.json`, members)).status, 204);
    return (await send(own, "admin", `GET /db/${id}/Country/CountryCode/NO.json`)).status;
  };
  await ask("POST /unload-model/Demo.json", "POST /load-model/Idle.json");
  const labels = { Country: ["Name"] };
  assert.deepEqual([await change("Demo", { labels }), await change("Idle", { labels })], [503, 200]);
  assert.deepEqual([await change("Demo", { labels: {} }), await change("Idle", { labels: {} })], [503, 200]);
  await ask("POST /load-model/Demo.json");
  assert.equal(await change("Demo", { autoconnect: false }), 503);
  assert.equal(await change("Demo", { autoconnect: true }), 200);
});

const REFUSED: readonly (readonly [login: string, line: string, status: number])[] = [
  ["reader", "POST /unload-model/Demo.json", 403],
  ["public", "GET /load-model/Demo.json", 403],
  ["public", "GET /load-model/None.json", 403],
  ["admin", "GET /load-model/None.json", 404],
  ["admin", "GET /load-model.json", 404],
  ["admin", "DELETE /load-model/Demo.json", 405],
  ["admin", "DELETE /load-model/Demo.json?schema", 405],
  ["admin", "GET /load-model/Demo/more.json", 404],
  ["friend", "GET /settings/reflect-status/Demo.json", 403],
  ["friend", "GET /settings/reflect-status/None.json", 403],
  ["admin", "GET /settings/reflect-status/None.json", 404],
  ["admin", "POST /settings/reflect-status.json", 405],
  ["friend", "POST /settings/check-database-connection.json", 403],
  ["admin", "GET /settings/check-database-connection.json", 405],
  ["admin", "GET /settings/none.json", 404],
  ["boss", "GET /reqstatus.json", 403],
  ["public", "GET /reqstatus.json", 403],
  ["admin", "POST /reqstatus.json", 405],
  ["boss", "GET /settings/plugins.json", 403],
  ["public", "GET /settings/plugins.json", 403],
  ["admin", "POST /settings/plugins.json", 405],
];

for (const [login, line, status] of REFUSED) {
  Deno.test(`${line} of ${login} is ${status}`, async () => {
    assert.equal(
      (await as(login, line, line.startsWith("POST /settings/check") ? {} : undefined)).status,
      status,
    );
  });
}

Deno.test("the state of a database tells the tables that the caller may read", async () => {
  assert.deepEqual(await json("reader", "GET /settings/reflect-status/Demo.json"), {
    model: "Connected",
    state: "connected",
    reason: null,
    complaints: [],
    tables: [{ table_name: "Customer" }],
  });
  const all = await json("architect", "GET /settings/reflect-status/Demo.json");
  assert.ok(all.tables.length > 5);
});

Deno.test("the states of all databases are those that the caller may know of", async () => {
  const states = await json("admin", "GET /settings/reflect-status.json");
  assert.deepEqual(Object.keys(states), ["Demo", "Away", "Later"]);
  assert.equal(states.Away.state, "disconnected");
  assert.deepEqual(Object.keys(await json("public", "GET /settings/reflect-status.json")), ["Demo"]);
  assert.deepEqual(await json("friend", "GET /settings/reflect-status.json"), {});
});

Deno.test("a database that cannot be connected tells operators why, without paths and secrets", async () => {
  const { state, reason } = await json("admin", "GET /load-model/Away.json");
  assert.equal(state, "failed");
  assert.match(reason, /\{state_dir\}\/away\.db/);
  assert.ok(!reason.includes(service().home));
  assert.equal((await as("admin", "PUT /userdef/friend.json", { databases: { Away: {} } })).status, 204);
  const told = await json("friend", "GET /settings/reflect-status/Away.json");
  assert.deepEqual([told.state, told.reason], ["failed", null], "others learn that it failed");
  assert.equal((await as("admin", "PUT /userdef/friend.json", { databases: {} })).status, 204);
  assert.equal((await as("admin", "GET /unload-model/Away.json")).status, 200);
});

Deno.test("a definition is tried without being kept", async () => {
  const path = join(service().home, "state", "demo.db");
  const good = { db_type: "sqlite", db_name: path };
  assert.deepEqual(await json("admin", "POST /settings/check-database-connection.json", good), {
    connected: true,
    reason: null,
  });
  const bad = await json("admin", "POST /settings/check-database-connection.json", {
    db_type: "sqlite",
    db_name: join(service().home, "state", "none.db"),
    autoload_user: { dbuser: "x", dbpass: "none.db" },
  });
  assert.equal(bad.connected, false);
  assert.match(bad.reason, /\{state_dir\}\/\*\*\*/, "what was sent as a password is not repeated");
  const short = await json("admin", "POST /settings/check-database-connection.json", {
    db_type: "sqlite",
    db_name: join(service().home, "state", "none.db"),
    autoload_user: { dbuser: "x", dbpass: "db" },
  });
  assert.match(short.reason, /\{state_dir\}\/none\.db/, "hidden parts of words would tell a short password");
  const existing = await json("admin", "POST /settings/check-database-connection.json", {
    db_id: "Away",
    db_name: path,
  });
  assert.equal(existing.connected, true);
  assert.equal((await as("architect", "GET /dbdef/check.json")).status, 404);
});

const WRONG: readonly (readonly [title: string, body: unknown, error: RegExp])[] = [
  ["no members", {}, /"?db_type"?: Is required/],
  ["an unknown dialect", { db_type: "postgrsql", db_name: "x" }, /did you mean "postgresql"/],
  ["an unknown member", { db_type: "sqlite", db_name: "x", nmae: 1 }, /"nmae": there is no such member/],
];

for (const [title, body, error] of WRONG) {
  Deno.test(`a definition with ${title} is not tried`, async () => {
    const { status, text } = await as("admin", "POST /settings/check-database-connection.json", body);
    assert.equal(status, 400);
    assert.match(text.replaceAll('\\"', '"'), error);
  });
}

Deno.test("who may only create databases does not try those of others", async () => {
  assert.equal((await as("admin", "PUT /dbdef/Later.json", { write: ["boss"] })).status, 204);
  const body = { db_id: "Later", db_host: "mallory.example" };
  assert.equal((await as("architect", "POST /settings/check-database-connection.json", body)).status, 403);
});

Deno.test("an attacker's server never gets the password of a definition that is tried elsewhere", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const heard: string[] = [];
  const hearing = (async () => {
    for await (const connection of listener) {
      const buffer = new Uint8Array(4096);
      // As a server of PostgreSQL asks for a password in plain text.
      for (const answer of [[0x52, 0, 0, 0, 8, 0, 0, 0, 3], []]) {
        const count = await connection.read(buffer).catch(() => null);
        heard.push(new TextDecoder("latin1").decode(buffer.subarray(0, count ?? 0)));
        await connection.write(Uint8Array.from(answer)).catch(() => {});
      }
      connection.close();
    }
  })();
  const place = { db_type: "postgresql", db_host: "127.0.0.1", db_port: listener.addr.port };
  const body = { db_id: "Away", ...place, ssl: null };
  const { status, text } = await as("architect", "POST /settings/check-database-connection.json", body);
  assert.equal(status, 200, text);
  listener.close();
  await hearing.catch(() => {});
  assert.match(heard.join(), /catalog/);
  assert.ok(!heard.join().includes(SECRETS.autoload));
});

Deno.test("the requests are told to admin without credentials", async () => {
  await (await service().fetch("/db/Demo/Country.json?limit=1&apikye=secret-in-query")).body?.cancel();
  await (await service().fetch("/db/Demo/Country.json?limit=1&apikey=secret-in-query")).body?.cancel();
  await (await service().fetch("/db/Demo/Country.json?sort=Name&limit=2")).body?.cancel();
  const { running, recent, configuration } = await json("admin", "GET /reqstatus.json");
  assert.deepEqual([running.length, running[0].path, running[0].status], [1, "/reqstatus.json", null]);
  assert.equal(recent[0].path, "/db/Demo/Country.json");
  assert.equal(recent[0].query, "sort=Name&limit=2");
  assert.deepEqual([recent[0].user, recent[0].status, recent[0].method], ["public", 200, "GET"]);
  assert.doesNotMatch(JSON.stringify(recent), /secret-in-query/);
  assert.deepEqual(configuration.complaints, []);
  for (let request = 0; request < 250; request++) await (await service().fetch("/db.json")).body?.cancel();
  assert.equal((await json("admin", "GET /reqstatus.json")).recent.length, 200);
});

Deno.test("a broken file is told in the requests' page and in the metrics", async () => {
  await using own = await startService(START);
  Deno.writeTextFileSync(join(own.home, "config", "querydefs.cfg"), "x: [hush");
  const ask = async () =>
    JSON.parse((await send(own, "admin", "GET /reqstatus.json")).text).configuration.complaints;
  await until(async () => (await ask()).length > 0);
  assert.match((await ask()).join(), /querydefs\.cfg: Line 1/);
  assert.doesNotMatch((await ask()).join(), /hush/);
  const metrics = await (await own.fetch("/metrics")).text();
  assert.match(metrics, /^rowhouse_configuration_complaints [1-9]/m);
});

Deno.test("the metrics are those of this machine only", async () => {
  const answer = await service().fetch("/metrics");
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
  const text = await answer.text();
  assert.match(
    text,
    /^rowhouse_requests_total\{route="\/db",method="GET",status="200",format="json"\} [1-9]\d*$/m,
  );
  assert.match(text, /^rowhouse_request_seconds_bucket\{.*le="\+Inf".*\} [1-9]\d*$/m);
  for (const header of ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"]) {
    // As Prometheus asks: the error is JSON, as for every format that is none of the service's.
    const headers = { [header]: "127.0.0.1", Accept: "text/plain;version=0.0.4" };
    const refused = await service().fetch("/metrics", { headers });
    const description = "Metrics are for this machine only, unless metrics.public is set";
    assert.deepEqual([refused.status, await refused.json()], [403, { http_code: 403, description }], header);
    assert.equal(refused.headers.get("warning"), description, header);
  }
  const named = await sendRaw(service().port, {
    target: "/metrics",
    headers: { Host: "rowhouse.example.com" },
  });
  assert.equal(named.status, 403);
  assert.equal(await statusOf(service().fetch("/metrics", { method: "POST" })), 405);
});

Deno.test("with another name than this machine's no request for the metrics counts as local", () => {
  const headers = new Headers({ Host: "127.0.0.1:8080" });
  for (const [origin, expected] of [[undefined, true], ["http://localhost:8080", true]] as const) {
    assert.equal(isLocal("127.0.0.1", headers, origin), expected);
    assert.equal(isLocal("::1", new Headers({ Host: "[::1]:8080" }), origin), expected);
  }
  assert.equal(isLocal("127.0.0.1", headers, "https://rowhouse.example.com"), false);
  assert.equal(isLocal("127.0.0.1", new Headers({ Host: "127.evil.example" }), undefined), false);
  assert.equal(isLocal("203.0.113.5", headers, undefined), false);
});

Deno.test("the service is ready while a database is connected", async () => {
  const ready = async () => {
    const answer = await service().fetch("/readyz");
    return [answer.status, await answer.text()];
  };
  assert.deepEqual(await ready(), [200, "ready\n"]);
  for (const id of ["Demo", "Later"]) {
    assert.equal((await as("admin", `GET /unload-model/${id}.json`)).status, 200);
  }
  assert.deepEqual(await ready(), [
    503,
    "not ready\nDemo: disconnected: not asked for\nLater: disconnected: not asked for\n",
  ]);
  for (const id of ["Demo", "Later"]) {
    assert.equal((await as("admin", `GET /load-model/${id}.json`)).status, 200);
  }
});

Deno.test("all workers disconnect and connect a database", async () => {
  await using own = await startProcess({ ...START, args: ["--workers", "3"] });
  const statuses = async () => {
    const asked = Array.from({ length: 24 }, async () => {
      using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
      const headers = { apikey: key("architect"), Connection: "close" };
      return await statusOf(fetch(`${own.url}/db/Demo/Country.json`, { headers, client }));
    });
    return new Set(await Promise.all(asked));
  };
  const become = (status: number) =>
    until(async () => {
      const found = await statuses();
      return found.size === 1 && found.has(status);
    });
  assert.equal((await send(own, "admin", "POST /unload-model/Demo.json")).status, 200);
  await become(503);
  assert.equal((await send(own, "admin", "POST /load-model/Demo.json")).status, 200);
  await become(200);
});

Deno.test("pages of other sites cannot make a browser change anything, whatever the method", async () => {
  const password = "walrus-teapot-meridian-42";
  assert.equal((await as("admin", "PUT /userdef/boss.json", { password })).status, 204);
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ login: "boss", password });
  const login = await service().fetch("/login", { method: "POST", headers, body });
  await login.body?.cancel();
  const cookie = (login.headers.getSetCookie()[0] ?? "").split(";", 1).join();
  const ask = async (line: string, from: Readonly<Record<string, string>>, sent?: string) => {
    const [method = "", path = ""] = line.split(" ");
    const init = {
      method,
      headers: { Cookie: cookie, ...headers, ...from },
      ...(sent ? { body: sent } : {}),
    };
    return await statusOf(service().fetch(path, init));
  };
  for (const from of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://mallory.example" }]) {
    assert.equal(await ask("GET /unload-model/Demo.json", from), 403);
    assert.equal(await ask("POST /unload-model/Demo.json", from), 403);
    assert.equal(await ask("PUT /userdef/boss.json", from, '{"name": "x"}'), 403);
    assert.equal(await ask("DELETE /userdef/reader.json", from), 403);
    assert.equal(await ask("GET /userdef/boss.json", from), 200);
  }
  assert.equal(await ask("PUT /userdef/boss.json", { Origin: service().url }, '{"name": "Boss"}'), 204);
});
