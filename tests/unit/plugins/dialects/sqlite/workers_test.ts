import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Database, Row, Run } from "@/plugins/contract.ts";
import { startProcess, startThread } from "@/plugins/dialects/sqlite/lane.ts";
import type { Request } from "@/plugins/dialects/sqlite/protocol.ts";
import { Session } from "@/plugins/dialects/sqlite/session.ts";
import { WorkerPool } from "@/plugins/dialects/sqlite/worker_pool.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { ROOT } from "@/tests/support/root.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { until } from "@/tests/support/until.ts";
import { makePlace, type Place, rename } from "./fixture.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";
import { workersWith } from "./processes.ts";

const ENDLESS = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c";

const TABLES = [
  "CREATE TABLE big (id INTEGER PRIMARY KEY, code TEXT UNIQUE, other INTEGER, data BLOB)",
  "CREATE INDEX big_other ON big (other)",
  `INSERT INTO big WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 60000)
    SELECT n, 'code ' || n, n % 100, NULL FROM c`,
  "CREATE TABLE small (id INTEGER PRIMARY KEY, big_id INTEGER)",
  "INSERT INTO small SELECT id, id FROM big LIMIT 5000",
  "CREATE VIEW with_data AS SELECT id FROM big WHERE data IS NOT NULL",
];

function run(database: Database, sql: string, parameters: unknown[] = [], page = false): Run {
  const positions = page ? { limitAt: parameters.length - 2, offsetAt: parameters.length - 1 } : {};
  const prepared = database.prepare({
    sql,
    columns: [{ type: "integer", declaredType: "INTEGER" }],
    ...positions,
  });
  return { prepared, parameters };
}

async function readAs(
  database: Database,
  one: Run,
): Promise<{ readonly where: string; readonly rows: readonly Row[] }> {
  const read = database.read([one], { signal: NEVER });
  return { where: read instanceof Promise ? "worker" : "inline", rows: (await read)[0] ?? [] };
}

async function bigPlace(): Promise<Place> {
  const place = makePlace(...TABLES);
  return await Promise.resolve(place);
}

Deno.test("a statement runs where its plan and the sizes of its tables put it", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  const cases: readonly [string, string, string, unknown[], boolean][] = [
    ["by key", "inline", `select "b"."id" from "big" as "b" where "b"."id" = ?`, [7], false],
    ["by a unique key", "inline", `select id from big where code = ?`, ["code 7"], false],
    ["by an index", "worker", `select id from big where other = ?`, [7], false],
    ["a scan", "worker", `select "b"."id" from "big" as "b"`, [], false],
    ["a count", "worker", `select count(*) from big`, [], false],
    [
      "a page",
      "inline",
      `select "b"."id" from "big" as "b" order by "b"."id" limit (? | 0) offset (? | 0)`,
      [29, 0],
      true,
    ],
    [
      "a page far back",
      "worker",
      `select id from big order by id limit (? | 0) offset (? | 0)`,
      [29, 50_000],
      true,
    ],
    ["every page", "worker", `select id from big order by id limit (? | 0) offset (? | 0)`, [-1, 0], true],
    ["a page by an index", "inline", `select id from big order by other, id limit (? | 0) offset (? | 0)`, [
      29,
      0,
    ], true],
    ["a page that is sorted", "worker", `select id from big order by data limit (? | 0) offset (? | 0)`, [
      29,
      0,
    ], true],
    ["a page of a sum", "worker", `select sum(id) from big limit (? | 0) offset (? | 0)`, [29, 0], true],
    [
      "a page that is filtered",
      "worker",
      `select id from big where data = ? limit (? | 0) offset (? | 0)`,
      ["x", 29, 0],
      true,
    ],
    [
      "a page of a view that filters",
      "worker",
      `select "t"."id" from "with_data" as "t" limit (? | 0) offset (? | 0)`,
      [29, 0],
      true,
    ],
    ["a small table", "inline", `select id from small`, [], false],
    ["an alias that lies", "worker", `select "small"."id" from "big" as "small"`, [], false],
    ["its parents", "inline", `select s.id from small s left join big b on b.id = s.big_id`, [], false],
    ["every pair", "worker", `select count(*) from small a, small b`, [], false],
    [
      "a subquery",
      "worker",
      `select id from small where big_id in (select id from big where data is null)`,
      [],
      false,
    ],
    ["no table", "inline", "select 1", [], false],
    ["a function's rows", "worker", "select key from json_each(?)", ["[]"], false],
  ];
  for (const [title, where, sql, parameters, page] of cases) {
    assert.equal((await readAs(database, run(database, sql, parameters, page))).where, where, title);
  }
});

Deno.test("a few large rows go to a worker, as many small ones do, except for one by its key", async () => {
  await using place = makePlace(
    "CREATE TABLE document (id INTEGER PRIMARY KEY, other INTEGER, title TEXT, text TEXT, data BLOB)",
    `INSERT INTO document WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 500)
      SELECT n, n, 'title', NULL, zeroblob(50000) FROM c`,
    "CREATE TABLE note (id INTEGER PRIMARY KEY, document INTEGER REFERENCES document)",
    `INSERT INTO note WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 3000)
      SELECT n, 1 FROM c`,
  );
  const database = await place.connect();
  const where = async (...statement: [sql: string, parameters: unknown[], page?: boolean]) =>
    (await readAs(database, run(database, ...statement))).where;
  assert.equal(await where("select id from document where id = ?", [7]), "inline");
  assert.equal(await where("select id from document order by id limit ? offset ?", [29, 0], true), "worker");
  assert.equal(await where("select id from document where other = ?", [7]), "worker");
  const sorted =
    'select n.id from "note" as "n" left join "document" as "d" on d.id = n.document order by d.data';
  assert.equal(await where(`${sorted} limit ? offset ?`, [5, 0], true), "worker");
});

Deno.test("a worker gives the same rows", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  const scan = run(database, "select id from big order by id");
  const one = run(database, "select id from big where id = ?", [60_000]);
  const [all = [], [last] = []] = await database.read([scan, one], { signal: NEVER });
  assert.equal(all.length, 60_000);
  assert.deepEqual([all[0], all[59_999], last], [[1], [60_000], [60_000]]);
});

Deno.test("values survive the way to a worker and back", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  const columns = ["integer", "binary", "float", "text", "boolean", "datetime", "any"] as const;
  const text = `select ?, ?, 9e999, ?, 1, '2009-01-02 03:04:05', ? from big limit 1 offset 59999`;
  const prepared = prepareText({ database }, text, columns);
  const parameters = [9007199254740993n, new Uint8Array([0, 255]), "line\nbreak \u2028 \ud83c\udf88", null];
  assert.deepEqual(await database.read([{ prepared, parameters }], { signal: NEVER }), [[[
    9007199254740993n,
    new Uint8Array([0, 255]),
    Infinity,
    "line\nbreak \u2028 \ud83c\udf88",
    true,
    "2009-01-02T03:04:05",
    null,
  ]]]);
});

Deno.test("a statement that fails in a worker keeps its code, and the worker goes on", async () => {
  await using place = await bigPlace();
  const database = await place.connect({ max: 1 });
  const scan = run(database, "select count(*) from big");
  await database.read([scan], { signal: NEVER });
  place.change("DROP TABLE big");
  const error = await Promise.try(() => database.read([scan], { signal: NEVER })).catch((reason) => reason);
  assert.equal(error.code, "SQLITE_ERROR");
  assert.equal(database.classify(error), "changed");
  assert.deepEqual((await readAs(database, run(database, "select count(*) from small a, small b"))).rows, [[
    25_000_000,
  ]]);
});

Deno.test("a worker goes on after rows that are too large for a message", async () => {
  await using place = await bigPlace();
  const answers: unknown[] = [];
  const session = new Session((line) => {
    const answer = JSON.parse(line);
    if (answer.rows?.length === 500) throw new RangeError("Invalid string length");
    answers.push(answer.kind === "error" ? answer.message : answer.rows ?? answer.kind);
  });
  const ask = (request: Request) => session.handle(JSON.stringify(request));
  const packed = (sql: string) => ({ sql, columns: [], parameters: [] });
  ask({ kind: "start", file: place.file, options: { readonly: true, busyTimeout: 0 } });
  ask({ kind: "run", runs: [packed("select id from big limit 501")] });
  ask({ kind: "run", runs: [packed("select 1"), packed("select 2")] });
  ask({ kind: "end" });
  assert.deepEqual(answers, ["done", "Invalid string length", [[1]], [[2]], "done", "done"]);
});

Deno.test("a worker sees what was written after a snapshot in which a statement failed", async () => {
  await using place = await bigPlace();
  const answers: unknown[] = [];
  const session = new Session((line) => {
    const { kind, rows } = JSON.parse(line);
    answers.push(rows ?? kind);
  });
  const ask = (request: Request) => session.handle(JSON.stringify(request));
  const packed = (sql: string) => ({ sql, columns: [], parameters: [] });
  const count = packed("select count(*) from small");
  ask({ kind: "start", file: place.file, options: { readonly: true, busyTimeout: 0 } });
  ask({ kind: "run", runs: [count, packed("select missing from small")] });
  place.change("DELETE FROM small WHERE id = 1");
  ask({ kind: "run", runs: [count] });
  ask({ kind: "end" });
  assert.deepEqual(answers, ["done", [[5000]], "error", [[4999]], "done", "done"]);
});

Deno.test("large rows come in several messages, in a stream, too", async () => {
  await using place = await bigPlace();
  const answers: number[] = [];
  const session = new Session((line) => {
    const { kind, rows } = JSON.parse(line);
    if (kind === "rows") answers.push(rows.length);
    assert.ok(kind !== "error" && line.length < 3e7, line.slice(0, 100));
  });
  const ask = (request: Request) => session.handle(JSON.stringify(request));
  const sql =
    "select id, printf('%.*c', case when id < 4 then 9000000 else 1 end, 'x') from big where id < 9";
  const run = { sql, columns: [], parameters: [] };
  ask({ kind: "start", file: place.file, options: { readonly: true, busyTimeout: 0 } });
  ask({ kind: "run", runs: [run] });
  ask({ kind: "open", run, fetchSize: 50 });
  for (let count = 0; count < 3; count++) ask({ kind: "next" });
  ask({ kind: "end" });
  assert.deepEqual(answers, [2, 6, 2, 6]);
});

Deno.test("a statement that was slow twice goes to a worker the next time", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  const slow = run(database, "select count(*) from small where length(hex(zeroblob(20000 + id))) > 0");
  assert.equal((await readAs(database, slow)).where, "inline");
  assert.equal((await readAs(database, slow)).where, "inline");
  assert.equal((await readAs(database, slow)).where, "worker");
});

Deno.test("a run that a worker has answered quickly is inline the next time, until the data changes", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  const prepared = run(database, "select id from big where other = ?").prepared;
  const asked = (value: unknown) => readAs(database, { prepared, parameters: [value] });
  assert.equal((await asked(7)).where, "worker");
  // A busy machine may need several tries.
  await until(async () => (await asked(7)).where === "inline");
  assert.equal((await asked(7)).rows.length, 600);
  assert.equal((await asked("7")).where, "worker");
  assert.equal((await asked(8)).where, "worker");
  await using transaction = await database.begin({ signal: NEVER });
  await transaction.run({ sql: "update big set data = 1 where id <= 1000", columns: [] }, []);
  await transaction.commit();
  assert.equal((await asked(7)).where, "worker");
});

Deno.test("attack: of many quick runs that large texts make slow, two hold up the service, not each one", async () => {
  await using place = makePlace(...TABLES, "CREATE TABLE page (text TEXT)", "INSERT INTO page VALUES ('x')");
  const database = await place.connect();
  const sql = "select count(*) from page cross join big where replace(text, 'y', '') <> '' and other = ?";
  const { prepared } = run(database, sql);
  const whereOf = async (value: number) => (await readAs(database, { prepared, parameters: [value] })).where;
  for (const value of [1, 2]) {
    assert.equal(await whereOf(value), "worker");
    await until(async () => await whereOf(value) === "inline");
  }
  await setImmediate();
  place.change("UPDATE page SET text = hex(zeroblob(50000000))");
  assert.deepEqual([await whereOf(1), await whereOf(1), await whereOf(2)], ["inline", "inline", "worker"]);
});

Deno.test("a run that takes a worker long stays there", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  const pairs = run(database, "select count(*) from small a, small b");
  for (let round = 0; round < 3; round++) assert.equal((await readAs(database, pairs)).where, "worker");
});

Deno.test("a recursion stays in a worker, because one changed row can make it endless", async () => {
  await using place = makePlace("CREATE TABLE node (parent INTEGER, id INTEGER)");
  const database = await place.connect({ statementTimeout: 0.2 });
  const below = run(
    database,
    `WITH c (id) AS (SELECT 1 UNION ALL SELECT node.id FROM node, c WHERE parent = c.id)
    SELECT count(*) FROM c`,
  );
  for (let round = 0; round < 10; round++) assert.equal((await readAs(database, below)).where, "worker");
  place.change("INSERT INTO node VALUES (1, 1)");
  await assert.rejects(readAs(database, below), /longer than 0\.2 seconds/);
});

Deno.test("attack: a pattern stays in a worker, because few rows with large texts take minutes", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  for (const [word, pattern] of [["like", "%1%"], ["GLOB", "*1*"]] as const) {
    const sql = `select id from small where big_id ${word} ? limit 9`;
    for (let round = 0; round < 10; round++) {
      assert.equal((await readAs(database, run(database, sql, [pattern]))).where, "worker");
    }
  }
});

Deno.test("a statement with a pattern of its own, as those that compare times, is quick in this thread", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  const own = "select id from small where big_id glob '[0-9]*' or big_id not like 'x' limit 9";
  assert.equal((await readAs(database, run(database, own))).where, "inline");
});

Deno.test("a view of a virtual table is read beside another one whose module is missing", async () => {
  await using place = makePlace(
    "CREATE VIRTUAL TABLE note USING fts5 (text)",
    "CREATE VIRTUAL TABLE place USING rtree (id, low, high)",
    "CREATE VIEW v AS SELECT p.id FROM place p",
    "INSERT INTO place VALUES (7, 1, 2)",
  );
  rename(place.file, "fts5 (text)", "gone (text)");
  const database = await place.connect();
  assert.deepEqual((await readAs(database, run(database, "select t.id from v as t"))).rows, [[7]]);
});

Deno.test("the service goes on while an endless statement runs, until its time is up", async () => {
  await using place = await bigPlace();
  const database = await place.connect({ statementTimeout: 0.2 });
  const endless = database.read([run(database, ENDLESS)], { signal: NEVER });
  assert.ok(endless instanceof Promise);
  const small = run(database, "select count(*) from small");
  assert.equal((await readAs(database, small)).where, "inline");
  const error = await endless.catch((reason: unknown) => reason);
  assert.equal(database.classify(error), "timeout");
  assert.match(String(error), /The statement took longer than 0\.2 seconds/);
});

Deno.test("an endless statement is stopped, not only forgotten", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  const controller = new AbortController();
  const endless = Promise.try(() => database.read([run(database, ENDLESS)], { signal: controller.signal }));
  setTimeout(() => controller.abort(new Error("Gone")), 150);
  await assert.rejects(endless, { message: "Gone" });
  await database[Symbol.asyncDispose]();
  assert.deepEqual(workersWith(place.file), []);
});

Deno.test("who finds all workers busy waits for one, but not for ever", async () => {
  await using place = await bigPlace();
  const database = await place.connect({ max: 1, acquireTimeout: 0.2 });
  const controller = new AbortController();
  const endless = Promise.try(() => database.read([run(database, ENDLESS)], { signal: controller.signal }));
  const waiting = Promise.try(() =>
    database.read([run(database, "select count(*) from big")], { signal: NEVER })
  );
  const error = await waiting.then(() => assert.fail("There was no worker"), (reason) => reason);
  assert.equal(database.classify(error), "unavailable");
  const next = Promise.try(() =>
    database.read([run(database, "select count(*) from big")], { signal: NEVER })
  );
  controller.abort(new Error("Gone"));
  await assert.rejects(endless, { message: "Gone" });
  assert.deepEqual(await next, [[[60_000]]]);
});

Deno.test("a long stream gives its worker back when it is left", async () => {
  await using place = await bigPlace();
  const database = await place.connect({ max: 1 });
  const scan = run(database, "select id from big order by id");
  for (let round = 0; round < 3; round++) {
    for await (const rows of database.stream(scan, { signal: NEVER, fetchSize: 3 })) {
      assert.deepEqual(rows, [[1], [2], [3]]);
      break;
    }
  }
  assert.deepEqual((await readAs(database, run(database, "select count(*) from big"))).rows, [[60_000]]);
});

Deno.test("a long stream that is aborted between chunks frees its worker at once", async () => {
  await using place = await bigPlace();
  const database = await place.connect({ max: 1 });
  const controller = new AbortController();
  const stream = database.stream(run(database, "select id from big"), {
    signal: controller.signal,
    fetchSize: 10,
  });
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  controller.abort(new Error("Gone"));
  assert.deepEqual((await readAs(database, run(database, "select count(*) from big"))).rows, [[60_000]]);
  await assert.rejects(async () => await iterator.next(), { message: "Gone" });
});

Deno.test("a long stream gives every row", async () => {
  await using place = await bigPlace();
  const database = await place.connect();
  let sum = 0;
  for await (
    const rows of database.stream(run(database, "select id from big"), { signal: NEVER, fetchSize: 5000 })
  ) {
    for (const [id] of rows) sum += Number(id);
  }
  assert.equal(sum, 1_800_030_000);
});

Deno.test("idle workers end by themselves", async () => {
  await using place = await bigPlace();
  const database = await place.connect({ idleTimeout: 0.01 });
  await database.read([run(database, "select count(*) from big")], { signal: NEVER });
  await until(() => workersWith(place.file).length === 0);
  assert.deepEqual((await readAs(database, run(database, "select count(*) from big"))).rows, [[60_000]]);
});

for (const [name, start] of [["process", startProcess], ["thread", startThread]] as const) {
  Deno.test(`a worker may be a ${name}`, async () => {
    await using place = await bigPlace();
    await using pool = new WorkerPool({
      settings: POOL,
      start,
      greeting: { kind: "start", file: place.file, options: { readonly: true, busyTimeout: 1000 } },
      busy: "Busy",
    });
    const packed = { sql: "select count(*) from big", columns: [], parameters: [] };
    const options = { signal: NEVER };
    const { results } = await pool.read([packed, packed], options);
    assert.deepEqual(results, [[[60_000]], [[60_000]]]);
    const broken = pool.read([{ ...packed, sql: "select" }], options);
    await assert.rejects(broken, { name: "StatementError", code: "SQLITE_ERROR" });
  });

  Deno.test(`a ${name} that cannot open the file says so`, async () => {
    await using place = makePlace();
    const options = { readonly: true, busyTimeout: 1000 };
    await using pool = new WorkerPool({
      settings: POOL,
      start,
      greeting: { kind: "start", file: place.file, options },
      busy: "Busy",
    });
    await assert.rejects(pool.acquire(NEVER), { name: "StatementError", code: "SQLITE_CANTOPEN" });
  });
}

/** Uses up the process's descriptors, then starts a worker. */
const STARVED = `
  import { openSync } from "node:fs";
  import { classify } from "@/plugins/dialects/sqlite/failures.ts";
  import { startProcess } from "@/plugins/dialects/sqlite/lane.ts";
  try { for (;;) openSync("/dev/null", "r"); } catch {}
  try { startProcess({ line() {}, ended() {} }); } catch (error) { console.log(classify(error)); }
`;

Deno.test({
  name: "a worker that cannot be started for want of descriptors is a failure of the machine",
  ignore: Deno.build.os === "windows",
  async fn() {
    const script = ["eval", "--cached-only", "--ext=ts", STARVED];
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", 'ulimit -n 100 && exec "$0" "$@"', Deno.execPath(), ...script],
      cwd: ROOT,
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "storage\n");
  },
});

/** Starts a worker and at once signals the own group, which this process ignores. */
const SIGNALLED = `
  import { startProcess } from "@/plugins/dialects/sqlite/lane.ts";
  Deno.addSignalListener("SIGTERM", () => {});
  const said = Promise.withResolvers();
  const worker = startProcess({ line: () => said.resolve("alive"), ended: () => said.resolve("ended") });
  Deno.kill(-Deno.pid, "SIGTERM");
  worker.send(JSON.stringify({ kind: "start", file: "/nonexistent", options: { readonly: true, busyTimeout: 0 } }));
  console.log(await said.promise);
  await worker.stop();
  Deno.exit();
`;

Deno.test({
  name: "a signal for the service's whole group does not end a worker that is starting",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { stdout, stderr } = await new Deno.Command("setsid", {
      args: [Deno.execPath(), "eval", "--no-check", "--cached-only", "--ext=ts", SIGNALLED],
      cwd: ROOT,
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "alive\n", new TextDecoder().decode(stderr));
  },
});
