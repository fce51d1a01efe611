import assert from "node:assert/strict";
import { join } from "node:path";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { sharedService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

const DATABASES = [
  "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'}",
  "Later: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/later.db'}",
  "Changing: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/changing.db'}",
  "",
].join("\n");

const service = sharedService({
  files: {
    "config/databases.cfg": DATABASES,
    "config/users.cfg": "public: {databases: {Demo: {}, Later: {}, Changing: {}}}\n",
  },
  sqlite: { Changing: "CREATE TABLE first (id INTEGER PRIMARY KEY)" },
});

function create(home: string, name: string, statements: readonly string[]): void {
  createDatabase(join(home, "state", name), statements.join(";\n"));
}

/** Runs a statement in the file that the service has open. */
async function change(name: string, sql: string): Promise<void> {
  const { default: Database } = await import("better-sqlite3");
  const handle = new Database(join(service().home, "state", name));
  handle.exec(sql);
  handle.close();
}

async function statusOf(id: string): Promise<string> {
  const databases = await (await service().fetch("/db.json")).json();
  return databases.find(({ db_id }: { db_id: string }) => db_id === id).status;
}

async function answerOf(path: string) {
  const answer = await service().fetch(path);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

Deno.test("a database whose file is not there is disconnected: 503 with Retry-After", async () => {
  assert.equal(await statusOf("Later"), "Disconnected");
  for (const path of ["/db/Later.json", "/db/Later/t.json", "/db/Later/t/id/1.csv"]) {
    const { status, headers } = await answerOf(path);
    assert.equal(status, 503, path);
    assert.match(headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal(headers.get("warning"), 'Database "Later" is disconnected: try again later');
  }
  assert.match(await service().log(), /WARN Database Later \(sqlite\) is disconnected: /);
  assert.equal(await statusOf("Demo"), "Connected", "the others are not concerned");
});

Deno.test("a database is connected when its file appears, and disconnected when it is removed", async () => {
  const files = ["later.db", "later.db-wal", "later.db-shm"].map((name) =>
    join(service().home, "state", name)
  );
  for (let round = 0; round < 2; round++) {
    create(service().home, "later.db", [
      "CREATE TABLE t (id INTEGER)",
      `INSERT INTO t VALUES (${round})`,
    ]);
    await until(async () => await statusOf("Later") === "Connected");
    assert.deepEqual(JSON.parse((await answerOf("/db/Later/t/id.json")).text), [round]);
    for (const file of files) await Deno.remove(file).catch(() => {});
    await until(async () => await statusOf("Later") === "Disconnected");
    assert.equal((await answerOf("/db/Later/t.json")).status, 503);
  }
});

Deno.test("a file that is no database is disconnected, and the caller is not told why", async () => {
  await Deno.writeTextFile(
    join(service().home, "state", "later.db"),
    "this is no database at all".repeat(100),
  );
  await until(async () => (await service().log()).includes("it is not an SQLite database"));
  const { status, text } = await answerOf("/db/Later/t.json");
  assert.equal(status, 503);
  assert.equal(text.includes(service().home), false);
  await Deno.remove(join(service().home, "state", "later.db"));
});

Deno.test("a new table and a new column are there within seconds", async () => {
  assert.equal((await answerOf("/db/Changing/second.json")).status, 404);
  await change("changing.db", "CREATE TABLE second (id INTEGER PRIMARY KEY, name TEXT)");
  await until(async () => (await answerOf("/db/Changing/second.json")).status === 200);
  await change("changing.db", "ALTER TABLE first ADD COLUMN note TEXT");
  await change("changing.db", "INSERT INTO first (note) VALUES ('new')");
  await until(async () => (await answerOf("/db/Changing/first/note.json")).status === 200);
});

Deno.test("a table that is dropped meanwhile is 503 at first, never 500, then 404", async () => {
  await change(
    "changing.db",
    "CREATE TABLE doomed (id INTEGER PRIMARY KEY); INSERT INTO doomed VALUES (1), (2)",
  );
  await until(async () => (await answerOf("/db/Changing/doomed.json")).status === 200);
  await change("changing.db", "DROP TABLE doomed");
  const seen = new Set<number>();
  await until(async () => {
    for (const path of ["doomed.json", "doomed/id/1.json", "doomed.json?stream", "doomed.json?count"]) {
      seen.add((await answerOf(`/db/Changing/${path}`)).status);
    }
    return (await answerOf("/db/Changing/doomed.json")).status === 404;
  });
  assert.deepEqual([...seen].filter((status) => status !== 503 && status !== 404), []);
  assert.equal((await answerOf("/db/Changing/first.json")).status, 200);
});
