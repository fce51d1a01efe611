/**
 * DuckDB as a dialect: reads the Parquet, CSV and JSON files of a folder, each as a table. The package is in
 * `node_modules` beside this file, because it is a native add-on.
 *
 * @module
 */

import { createRequire } from "node:module";
import { resolve } from "node:path";
// deno-lint-ignore rowhouse/packages -- outside a clone no import map names the package
import { PostgresAdapter, PostgresQueryCompiler, sql } from "npm:kysely@0.29.9";
import type { DatabaseOptions, DialectPlugin, Engine, SettingValues, SqlTraits } from "@/plugins/contract.ts";
import type { Connection, DuckDb, Instance } from "./duckdb.d.ts";
import { fingerprintOf, quote, readCatalog } from "./files.ts";
import { portionsOf, typeOf } from "./values.ts";

const OPTIONS = {
  memory_mb: { type: "integer", least: 16, default: 1024, sentence: "Megabytes of memory." },
  threads: { type: "integer", least: 1, default: 2, sentence: "The threads of a statement." },
} as const satisfies DatabaseOptions;
type Options = SettingValues<typeof OPTIONS>;

export default {
  contract: 2,
  kind: "dialect",
  name: "duckdb",
  options: OPTIONS,
  setup(_section, host) {
    const duckdb: DuckDb = createRequire(import.meta.url)("@duckdb/node-api");
    return {
      async connect({ dbName, pool, options }, login, { signal }) {
        const folder = resolve(host.directory, dbName);
        const instance = await open(duckdb, folder, options as Options);
        return await host.kit.connect(engineOf(instance, folder), { pool, login, signal });
      },
    };
  },
} satisfies DialectPlugin;

const TRAITS: SqlTraits = {
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  maxParameters: 10_000,
  nullsFirst: false,
  textual: (reference) => sql`cast(${reference} as varchar)`,
  dayText: (reference) => sql`cast(cast(${reference} as date) as varchar)`,
  parameterName: (number) => `$${number}`,
  lexis: {
    names: [{ open: '"', close: '"', doubled: true }],
    strings: ["'"],
    dollarStrings: true,
    placeholders: /\$\d+/u,
    statements: ["SELECT", "WITH", "VALUES"],
    beyond: /\b(PRAGMA|ATTACH|COPY|INSTALL|LOAD)\b/iu,
  },
};

/** An engine that reads no files but those of the folder. */
async function open(duckdb: DuckDb, folder: string, { memory_mb, threads }: Options): Promise<Instance> {
  const instance = await duckdb.DuckDBInstance.create(":memory:");
  const first = await instance.connect();
  await first.run(`SET memory_limit = '${memory_mb}MB'; SET threads = ${threads}`);
  await first.run(`SET allowed_directories = [${quote(`${folder}/`)}]`);
  await first.run("SET enable_external_access = false; SET lock_configuration = true");
  first.closeSync();
  return instance;
}

function engineOf(instance: Instance, folder: string): Engine<Connection> {
  return {
    sql: TRAITS,
    open: () => instance.connect(),
    close: (connection) => connection.closeSync(),
    interrupt: (connection) => connection.interrupt(),
    // A query that reads leaves nothing on its connection.
    reset: () => undefined,
    async query(connection, text, parameters) {
      const portions = await Array.fromAsync(portionsOf(connection, text.sql, parameters));
      return { rows: portions.flat(), changes: 0 };
    },
    cursor: (connection, text, parameters) => portionsOf(connection, text.sql, parameters),
    catalog: (connection) => readCatalog(connection, folder),
    fingerprint: () => fingerprintOf(folder),
    async describe(connection, { sql }) {
      const prepared = await connection.prepare(sql).catch(refuse);
      const columns = Array.from({ length: prepared.columnCount }, (_, at) => {
        const declaredType = String(prepared.columnType(at));
        return { name: prepared.columnName(at), type: typeOf(declaredType), declaredType };
      });
      return { isReadOnly: true, columns };
    },
    async plan(connection, { sql }, values) {
      const rows = (await Array.fromAsync(portionsOf(connection, `EXPLAIN ${sql}`, values))).flat();
      return rows.flatMap(([, text]) => String(text).split("\n"));
    },
    classify: (error) => error instanceof Mistake ? "invalid" : failureOf(error),
    explain: (error) => error instanceof Error ? error.message.split("\n", 1)[0] ?? "" : "",
  };
}

/** A person's statement that the engine refuses, whatever the reason. */
class Mistake extends Error {}

function refuse(error: unknown): never {
  throw new Mistake(error instanceof Error ? error.message : String(error), { cause: error });
}

function failureOf(error: unknown): "invalid" | "changed" | undefined {
  if (!(error instanceof Error)) return undefined;
  if (/^(Catalog|Binder|IO) Error/.test(error.message)) return "changed";
  return /^(Parser|Conversion|Out of Range|Invalid Input) Error/.test(error.message) ? "invalid" : undefined;
}
