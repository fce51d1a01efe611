/**
 * The tests install the plugin as its README says, with the package of their own lock file: a native add-on.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DialectPlugin, PoolSettings } from "@/plugins/contract.ts";
import { type DialectSuite, testDialect } from "@/tests/conformance/dialect.ts";
import { hostOf, plainDefinition, POOL } from "@/tests/support/databases/plain_definition.ts";
import { linkPackages } from "@/tests/support/linked_packages.ts";
import { DuckDBInstance } from "@/tests/support/packages/duckdb.ts";
import { startService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

const HERE = new URL("./", import.meta.url);
const FILES_OF_PLUGIN = ["mod.ts", "files.ts", "values.ts", "duckdb.d.ts"];
const NEVER = new AbortController().signal;

const TABLES = {
  owner: "SELECT 1::INTEGER id, 'anna' code, DATE '1990-05-01' born UNION ALL SELECT 2, 'bert', NULL",
  pet: "SELECT * FROM (VALUES (1, 1, 'Rex'), (1, 2, 'Mia'), (2, 1, 'Tom')) AS pet(owner_id, seq, name)",
  kinds:
    `SELECT 1::INTEGER id, 42::BIGINT an_integer, 12345678.25::DECIMAL(10, 2) a_decimal, 0.5::DOUBLE a_float,
      true a_boolean, 'Zoë 🎈 O''Neill' a_text, DATE '2009-01-02' a_date,
      TIMESTAMP '2009-01-02 03:04:05.678' a_datetime, '\\x00\\xFF'::BLOB a_binary
    UNION ALL SELECT 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    UNION ALL SELECT 3, 9007199254740993, -0.01, -1e300, false, '', DATE '1970-01-01',
      TIMESTAMP '1999-12-31 23:59:59', ''::BLOB`,
  many: "SELECT unnest(range(1, 2501))::INTEGER n",
  owner_codes: "SELECT 1::INTEGER id, 'anna' code UNION ALL SELECT 2, 'bert'",
};

async function writeFolder(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "rowhouse-duckdb-" });
  for (const [name, query] of Object.entries(TABLES)) {
    await write(`COPY (${query}) TO '${join(folder, `${name}.parquet`)}'`);
  }
  return folder;
}

async function write(sql: string): Promise<void> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(sql);
  connection.closeSync();
}

let installed: Promise<string> | undefined;

/** A directory for `plugins_path` with the plugin and its package; it ends with the process. */
function install(): Promise<string> {
  return installed ??= (async () => {
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "rowhouse-plugins-" }));
    globalThis.addEventListener("unload", () => Deno.removeSync(root, { recursive: true }));
    const folder = join(root, "plugins/dialects/duckdb");
    await Deno.mkdir(folder, { recursive: true });
    for (const file of FILES_OF_PLUGIN) {
      await Deno.copyFile(new URL(file, HERE), join(folder, file));
    }
    await linkPackages(folder, ["tests/support/packages/duckdb.ts"]);
    return root;
  })();
}

async function setUp() {
  const url = pathToFileURL(join(await install(), "plugins/dialects/duckdb/mod.ts"));
  const { default: plugin }: { readonly default: DialectPlugin } = await import(url.href);
  return await plugin.setup({}, hostOf());
}

async function open(pool: PoolSettings) {
  const folder = await writeFolder();
  const dialect = await setUp();
  const definition = plainDefinition({ dbName: folder, pool, options: { memory_mb: 1024, threads: 2 } });
  const database = await dialect.connect(definition, { dbuser: "", dbpass: "" }, { signal: NEVER });
  await database.catalog();
  return {
    dialect,
    database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const FILES = "files have no keys and no lengths";

const SUITE: DialectSuite = {
  open,
  endless: "SELECT count(*) FROM range(10000000) a, range(1000000) b WHERE a.range + b.range = 3",
  readOnly: true,
  inProcess: true,
  skip: {
    "the catalog lists tables and views and leaves nothing out": "every file is a view",
    "the catalog tells lengths and which columns may be null": FILES,
    "the catalog has primary, unique and foreign keys": FILES,
  },
};

testDialect("duckdb", SUITE);

Deno.test("the dialect has at most 300 lines", async () => {
  const texts = await Promise.all(FILES_OF_PLUGIN.map((file) => Deno.readTextFile(new URL(file, HERE))));
  assert.ok(texts.join("").split("\n").length - 1 <= 300);
});

Deno.test("duckdb tells the plan of a statement, line by line", async () => {
  await using opened = await open(POOL);
  const plan =
    await opened.database.plan?.({ sql: "SELECT * FROM pet", verb: "SELECT", parameters: [] }, []) ??
      [];
  assert.ok(plan.some((line) => line.includes("READ_PARQUET")), plan.join("\n"));
});

Deno.test("duckdb serves files of a folder, notices new ones, and reads nothing beside it", async () => {
  const folder = await writeFolder();
  const query = `SELECT count(*) AS n FROM '${folder}x/secret.csv'`;
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${await install()}\n`,
      "config/databases.cfg":
        `Files: {db_type: duckdb, db_name: ${folder}, alternate_key: {pet: [owner_id, seq]}, options: {threads: 1}}\n`,
      "config/querydefs.cfg": `beside: {database: Files, sqlstr: "${query}", execute: [public]}
threads: {database: Files, sqlstr: "SELECT current_setting('threads') AS n", execute: [public]}\n`,
      "config/users.cfg": "public: {databases: {Files: {access: {'*': [read]}}}}\nadmin: {}\n",
    },
  });
  const answer = await service.fetch("/db/Files/pet.json?href=False");
  assert.deepEqual(await answer.json(), [
    { owner_id: 1, seq: 1, name: "Rex" },
    { owner_id: 1, seq: 2, name: "Mia" },
    { owner_id: 2, seq: 1, name: "Tom" },
  ]);
  assert.equal(await (await service.fetch("/db/Files/pet/owner_id/2/seq/1/name.json")).json(), "Tom");
  await write(`COPY (SELECT 1 AS id) TO '${join(folder, "later.csv")}'`);
  await until(async () => {
    const later = await service.fetch("/db/Files/later.json?href=False");
    const body = await later.json();
    return later.status === 200 && body[0].id === 1;
  });
  assert.deepEqual(await (await service.fetch("/query/threads.json")).json(), [{ n: 1 }]);
  await Deno.mkdir(`${folder}x`);
  await write(`COPY (SELECT 1 AS id) TO '${folder}x/secret.csv'`);
  const beside = await service.fetch("/query/beside.json");
  assert.ok(beside.status >= 400, await beside.text());
  await Deno.remove(folder, { recursive: true });
  await Deno.remove(`${folder}x`, { recursive: true });
});
