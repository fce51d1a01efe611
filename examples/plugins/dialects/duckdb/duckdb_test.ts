/**
 * Runs only where `npm install` was run in this folder: the package is a native add-on of 70 MB.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { PoolSettings } from "@/plugins/contract.ts";
import { type DialectSuite, testDialect } from "@/tests/conformance/dialect.ts";
import { hostOf, plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { startService } from "@/tests/support/service.ts";
import type { DuckDb } from "./duckdb.d.ts";
import duckdb from "./mod.ts";

const HERE = new URL("./", import.meta.url).pathname;
const unavailable = existsSync(join(HERE, "node_modules")) ? undefined : "run npm install in the folder";

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
  const { DuckDBInstance }: DuckDb = createRequire(import.meta.url)(
    "@duckdb/node-api",
  );
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  for (const [name, query] of Object.entries(TABLES)) {
    await connection.run(
      `COPY (${query}) TO '${join(folder, `${name}.parquet`)}'`,
    );
  }
  connection.closeSync();
  return folder;
}

async function open(pool: PoolSettings) {
  const folder = await writeFolder();
  const dialect = await duckdb.setup({}, hostOf());
  const database = await dialect.connect(
    plainDefinition({ dbName: folder, pool }),
  );
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
  unavailable,
  skip: {
    "the catalog lists tables and views and leaves nothing out": "every file is a view",
    "the catalog tells lengths and which columns may be null": FILES,
    "the catalog has primary, unique and foreign keys": FILES,
  },
};

testDialect("duckdb", SUITE);

Deno.test({
  name: "duckdb serves files of a folder, and nothing beside it",
  ignore: unavailable !== undefined,
  async fn() {
    const folder = await writeFolder();
    const examples = new URL("../../../", import.meta.url).pathname;
    await using service = await startService({
      files: {
        "config/service.ini": `[service]\nplugins_path = ${examples}\n`,
        "config/databases.cfg":
          `Files: {db_type: duckdb, db_name: ${folder}, alternate_key: {pet: [owner_id, seq]}}\n`,
        "config/users.cfg": "public: {databases: {Files: {access: {'*': [read]}}}}\nadmin: {}\n",
      },
    });
    const answer = await service.fetch("/db/Files/pet.json?href=False");
    assert.deepEqual(await answer.json(), [
      { owner_id: 1, seq: 1, name: "Rex" },
      { owner_id: 1, seq: 2, name: "Mia" },
      { owner_id: 2, seq: 1, name: "Tom" },
    ]);
    await Deno.remove(folder, { recursive: true });
  },
});
