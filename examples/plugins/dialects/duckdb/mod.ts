/**
 * DuckDB as a dialect: reads the Parquet, CSV and JSON files of a folder, each as a table. The package is in
 * `node_modules` beside this file, because it is a native add-on.
 *
 * @module
 */

import { createRequire } from "node:module";
import { basename, extname, join, resolve } from "node:path";
// deno-lint-ignore rowhouse/packages -- outside a clone no import map names the package
import { PostgresAdapter, PostgresQueryCompiler, sql } from "npm:kysely@0.29.9";
import type {
  Column,
  Database,
  DatabaseDefinition,
  DialectPlugin,
  Row,
  Run,
  SqlTraits,
  StatementText,
  TableDescription,
} from "@/plugins/contract.ts";
import type { Connection, DuckDb, Instance, Prepared, Result } from "./duckdb.d.ts";
import { rowOf, typeOf } from "./values.ts";

export default {
  contract: 1,
  kind: "dialect",
  name: "duckdb",
  setup(_section, host) {
    const duckdb: DuckDb = createRequire(import.meta.url)("@duckdb/node-api");
    return {
      connect: (definition) => connect(duckdb, resolve(host.directory, definition.dbName), definition),
    };
  },
} satisfies DialectPlugin;

/** The function of DuckDB that reads files with this ending. */
const READERS: ReadonlyMap<string, string> = new Map([
  [".parquet", "read_parquet"],
  [".csv", "read_csv"],
  [".json", "read_json"],
]);

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

/** An error with a known meaning. */
class Refusal extends Error {
  constructor(
    readonly failure: "read-only" | "unavailable" | "timeout",
    message: string,
  ) {
    super(message);
  }
}

async function connect(
  duckdb: DuckDb,
  folder: string,
  { pool }: DatabaseDefinition,
): Promise<Database> {
  const instance = await duckdb.DuckDBInstance.create(":memory:");
  const admin = await instance.connect();
  await admin.run(`SET allowed_directories = [${quote(`${folder}/`)}]`);
  await admin.run("SET enable_external_access = false");
  await admin.run("SET lock_configuration = true");
  return new Folder(instance, admin, folder, pool.statementTimeout);
}

class Folder implements Database {
  readonly sql: SqlTraits = TRAITS;
  readonly #open = new Set<AbortController>();
  #seen = "";
  #isClosed = false;

  constructor(
    readonly instance: Instance,
    readonly admin: Connection,
    readonly folder: string,
    /** Seconds. */
    readonly limit: number,
  ) {}

  async catalog() {
    const { files, state } = await filesOf(this.folder);
    const views = await rowsOf(
      await this.admin.run(
        "SELECT view_name FROM duckdb_views() WHERE NOT internal",
      ),
    );
    for (const [name] of views) {
      await this.admin.run(`DROP VIEW ${identifier(String(name))}`);
    }
    const omitted: string[] = [];
    for (const path of files) {
      const [name, reader] = [
        basename(path, extname(path)),
        READERS.get(extname(path)),
      ];
      try {
        await this.admin.run(
          `CREATE VIEW ${identifier(name)} AS SELECT * FROM ${reader}(${quote(path)})`,
        );
      } catch (error) {
        omitted.push(
          `${basename(path)} is left out: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
    this.#seen = state;
    return { tables: await tablesOf(this.admin), omitted };
  }

  async check() {
    if (this.#isClosed) return "gone";
    return (await filesOf(this.folder)).state === this.#seen ? "ok" : "changed";
  }

  prepare(statement: StatementText): StatementText {
    return statement;
  }

  async describe({ sql }: { readonly sql: string }) {
    const prepared = await this.admin.prepare(sql);
    const columns = Array.from({ length: prepared.columnCount }, (_, at) => {
      const declaredType = String(prepared.columnType(at));
      return {
        name: prepared.columnName(at),
        type: typeOf(declaredType),
        declaredType,
      };
    });
    return { isReadOnly: true, columns };
  }

  async read(
    runs: readonly Run[],
    { signal, mostRows = Infinity }: Parameters<Database["read"]>[1],
  ) {
    const results: Row[][] = [];
    let count = 0;
    for (const run of runs) {
      const rows = count > mostRows
        ? []
        : await Array.fromAsync(this.stream(run, { signal, fetchSize: 2048 }));
      results.push(rows.flat());
      count += rows.flat().length;
    }
    return results;
  }

  async *stream(
    { prepared, parameters }: Run,
    { signal, fetchSize }: Parameters<Database["stream"]>[1],
  ): AsyncGenerator<readonly Row[]> {
    signal.throwIfAborted();
    if (this.#isClosed) {
      throw new Refusal("unavailable", "The database is disconnected");
    }
    const late = new AbortController();
    this.#open.add(late);
    const connection = await this.instance.connect();
    const timer = setTimeout(
      () => late.abort(new Refusal("timeout", "The statement took too long")),
      this.limit * 1000,
    );
    const stop = AbortSignal.any([signal, late.signal]);
    let again: ReturnType<typeof setTimeout> | undefined;
    // An interrupt between two statements is lost, so it is repeated until the statement has ended.
    const interrupt = () => {
      connection.interrupt();
      again = setTimeout(interrupt, 50);
    };
    stop.addEventListener("abort", interrupt);
    try {
      stop.throwIfAborted();
      const statement = await connection.prepare(
        (prepared as StatementText).sql,
      );
      bind(statement, parameters);
      stop.throwIfAborted();
      yield* chunksOf(await statement.stream(), fetchSize, stop);
    } catch (error) {
      stop.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      clearTimeout(again);
      stop.removeEventListener("abort", interrupt);
      this.#open.delete(late);
      connection.closeSync();
    }
  }

  begin() {
    return Promise.reject(new Refusal("read-only", "Files are only read"));
  }

  classify(error: unknown) {
    if (error instanceof Refusal) return error.failure;
    if (!(error instanceof Error)) return undefined;
    if (/^(Catalog|Binder|IO) Error/.test(error.message)) return "changed";
    return /^(Parser|Conversion|Out of Range|Invalid Input) Error/.test(
        error.message,
      )
      ? "invalid"
      : undefined;
  }

  explain(error: unknown): string {
    const isKnown = error instanceof Error &&
      this.classify(error) === "invalid";
    return isKnown ? error.message.split("\n", 1)[0] ?? "" : "the engine refuses the statement";
  }

  [Symbol.asyncDispose]() {
    if (!this.#isClosed) {
      this.#isClosed = true;
      for (const late of this.#open) {
        late.abort(new Refusal("unavailable", "The database is disconnected"));
      }
      this.admin.closeSync();
    }
    return Promise.resolve();
  }
}

/** Chunks of exactly `size` rows, except the last one. */
async function* chunksOf(
  result: Result,
  size: number,
  stop: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  for (;;) {
    stop.throwIfAborted();
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    rows = rows.concat(chunk.getRows().map(rowOf));
    for (; rows.length >= size; rows = rows.slice(size)) {
      stop.throwIfAborted();
      yield rows.slice(0, size);
    }
  }
  stop.throwIfAborted();
  if (rows.length > 0) yield rows;
}

function bind(statement: Prepared, parameters: readonly unknown[]): void {
  for (const [at, value] of parameters.entries()) {
    const number = at + 1;
    if (value === null) statement.bindNull(number);
    else if (typeof value === "boolean") statement.bindBoolean(number, value);
    else if (typeof value === "bigint" || Number.isSafeInteger(value)) {
      statement.bindBigInt(number, BigInt(value as number));
    } else if (typeof value === "number") statement.bindDouble(number, value);
    else if (value instanceof Uint8Array) statement.bindBlob(number, value);
    else statement.bindVarchar(number, String(value));
  }
}

async function rowsOf(result: Result): Promise<readonly Row[]> {
  return (await Array.fromAsync(
    chunksOf(result, 2048, new AbortController().signal),
  )).flat();
}

/** The files that are tables, and a text that changes with them. */
async function filesOf(
  folder: string,
): Promise<{ readonly files: readonly string[]; readonly state: string }> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  const files = names.filter((name) => READERS.has(extname(name))).sort().map((
    name,
  ) => join(folder, name));
  const states = await Promise.all(files.map(async (path) => {
    const { mtime, size } = await Deno.stat(path);
    return `${path} ${mtime?.getTime()} ${size}`;
  }));
  return { files, state: states.join("\n") };
}

async function tablesOf(
  connection: Connection,
): Promise<readonly TableDescription[]> {
  const result = await connection.run(
    "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index",
  );
  const columns = Map.groupBy(await rowsOf(result), ([table]) => String(table));
  return [...columns].map(([name, rows]) => ({
    name,
    kind: "view",
    columns: rows.map(([, column, declared]): Column => ({
      name: String(column),
      type: typeOf(String(declared)),
      declaredType: String(declared),
      nullable: true,
      hasDefault: false,
      generated: false,
    })),
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
    writable: [],
  }));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
