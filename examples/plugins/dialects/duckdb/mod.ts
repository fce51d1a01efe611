/**
 * DuckDB as a dialect: reads the Parquet, CSV and JSON files of a folder, each as a table. The package is in
 * `node_modules` beside this file, because it is a native add-on.
 *
 * @module
 */

import { createRequire } from "node:module";
import { basename, extname, resolve } from "node:path";
// deno-lint-ignore rowhouse/packages -- outside a clone no import map names the package
import { PostgresAdapter, PostgresQueryCompiler, sql } from "npm:kysely@0.29.9";
import type {
  Database,
  DatabaseDefinition,
  DialectPlugin,
  Row,
  Run,
  SqlTraits,
  StatementText,
} from "@/plugins/contract.ts";
import type { Connection, DuckDb, Instance } from "./duckdb.d.ts";
import { filesOf, identifier, quote, READERS, tablesOf } from "./files.ts";
import { bind, chunksOf, rowsOf, typeOf } from "./values.ts";

export default {
  contract: 2,
  kind: "dialect",
  name: "duckdb",
  setup(_section, host) {
    const duckdb: DuckDb = createRequire(import.meta.url)("@duckdb/node-api");
    return {
      connect: (definition) => connect(duckdb, resolve(host.directory, definition.dbName), definition),
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
