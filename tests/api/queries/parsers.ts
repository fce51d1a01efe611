/**
 * The engines' own parsers: the number of a text's parameters, and the columns of its rows.
 *
 * @module
 */

import Sqlite from "better-sqlite3";
import { createConnection } from "mysql2";
import postgres from "postgres";
import { type Connection, Request, TYPES } from "tedious";
import type { SqlLexis } from "@/plugins/contract.ts";
import { traits as mssql } from "@/plugins/dialects/mssql/traits.ts";
import { readServer } from "@/plugins/dialects/mysql/server.ts";
import { mariadbTraits, traitsOf } from "@/plugins/dialects/mysql/traits.ts";
import { traits as postgresql } from "@/plugins/dialects/postgresql/traits.ts";
import { traits as sqlite } from "@/plugins/dialects/sqlite/traits.ts";
import { type Address, useServer } from "@/tests/support/servers/mod.ts";
import { closeMssql, openMssql } from "@/tests/support/servers/mssql.ts";

/** One connection to an engine. */
export interface Parser extends AsyncDisposable {
  /** The service's lexis for this very server, if the engine's servers differ. */
  readonly lexis?: SqlLexis;
  /** Expressions of its engine that this server has not. */
  readonly lacking?: readonly string[];
  /** Prepares a text and runs it with as many of the values as it has placeholders. */
  ask(
    sql: string,
    values: readonly string[],
  ): Promise<{ readonly count: number; readonly row: readonly unknown[] }>;
}

/** The service's description of an engine's SQL, and the engine itself. */
export interface ParsedEngine {
  readonly lexis: SqlLexis;
  /** The placeholder of the engine for the parameter with this number, from 1. */
  placeholder(number: number): string;
  open(): Promise<Parser>;
  /** The engine's own expressions; `:a` and `:b` are parameters, `:x` is not. */
  readonly expressions: readonly string[];
}

/** By dialect. */
export const PARSED_ENGINES = {
  sqlite: {
    lexis: sqlite.lexis,
    placeholder: () => "?",
    open: () => Promise.resolve(openSqlite()),
    expressions: ["'\\'", "1 AS [c:x]", "1 AS `c:x`", "CAST(:a AS TEXT)", "1 /* /* :x */", "'a' || :a"],
  },
  postgresql: {
    lexis: postgresql.lexis,
    placeholder: (number: number) => `$${number}`,
    open: async () => await openPostgresql(await useServer("postgresql")),
    expressions: [
      "E'\\':x'",
      "e'\\\\'",
      "'\\'",
      "$$ :x ' $$",
      "$t$ $$ :x $t$",
      "$a$:x$b$:x$a$",
      "'1'::text",
      ":a::text",
      "(ARRAY[1,2,3])[1:2]",
      "(ARRAY['p','q'])[1]",
      "('{\"a\": 1}'::jsonb) ->> :a",
      "('{\"a\": 1}'::jsonb) ? 'a:x'",
      "1 /* /* :x */ :x */",
      "U&'\\0041:x'",
      "N':x'",
      "B'01'",
      "(ARRAY[:a::text, :b::text])[1:1]",
      "'a'\n':x'",
      "'a'\n'\\'",
      "E'a'\n'\\':x'",
      "E'a' -- '\n'\\':x'\n '\\':x'",
    ],
  },
  mysql: {
    lexis: mariadbTraits.lexis,
    placeholder: () => "?",
    open: async () => await openMysql(await useServer("mysql")),
    expressions: [
      "'\\':x'",
      '"\\":x"',
      '"a"":x"',
      "1 AS `c:x`",
      "1 AS `c``:x`",
      "1 # :x ' \n",
      "1 --:a\n",
      '1 -- :x " \n',
      "/*! :a */",
      "1 /*!99999 :x */",
      "/*M! :a */",
      "1 /*!50799 + :x */",
      "1 /* /* :x */",
      "'a' ':x'",
      "N':x'",
      "x'3A'",
      "@y := 1",
    ],
  },
  mssql: {
    lexis: mssql.lexis,
    placeholder: (number: number) => `@v${number}`,
    open: async () => await openSqlServer(await useServer("mssql")),
    expressions: [
      "1 AS [c:x]",
      "N':x'",
      "N'a'':x'",
      "'\\'",
      "1 /* /* :x */ :x */",
      "CAST(:a AS nvarchar(10))",
      "N'a' + :a",
      "0x3A",
      "1--:x\n",
    ],
  },
} as const satisfies Readonly<Record<string, ParsedEngine>>;

function openSqlite(): Parser {
  const handle = new Sqlite(":memory:");
  return {
    ask: (sql, values) => {
      const statement = handle.prepare(sql).raw();
      for (let count = 0; count <= values.length; count++) {
        try {
          return Promise.resolve({ count, row: statement.get(...values.slice(0, count)) as unknown[] });
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
        }
      }
      throw new Error("It has more parameters than there are values");
    },
    [Symbol.asyncDispose]: () => Promise.resolve(void handle.close()),
  };
}

async function openPostgresql({ host, port, user, password }: Address): Promise<Parser> {
  const sql = postgres({
    ...{ host, port, database: "postgres", username: user, password },
    ...{ max: 1, fetch_types: false, max_lifetime: null, onnotice: () => {} },
  });
  await sql`SELECT 1`;
  return {
    ask: async (text, values) => {
      const { types } = await sql.unsafe(text).describe();
      const rows = await sql.unsafe(text, values.slice(0, types.length), { prepare: true }).values();
      return { count: types.length, row: rows[0] ?? [] };
    },
    [Symbol.asyncDispose]: () => sql.end(),
  };
}

async function openMysql({ host, port, user, password }: Address): Promise<Parser> {
  const connection = createConnection({ host, port, user, password, rowsAsArray: true, charset: "utf8mb4" });
  const ask = (sql: string, values: readonly string[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ count: number; row: readonly unknown[] }>();
    connection.prepare(sql, (error, statement) => {
      if (error) return reject(error);
      const { parameters } = statement as unknown as { readonly parameters: readonly unknown[] };
      const given = values.slice(0, parameters.length);
      connection.execute(sql, given, (failure, rows) => {
        if (failure) reject(failure);
        else resolve({ count: given.length, row: (rows as unknown as unknown[][])[0] ?? [] });
      });
    });
    return promise;
  };
  const { row: [version] } = await ask("SELECT version()", []);
  const server = readServer(String(version));
  return {
    ask,
    lexis: traitsOf(server).lexis,
    lacking: server.flavour === "mysql" ? ["/*M! :a */"] : [],
    [Symbol.asyncDispose]: () => new Promise((resolve) => connection.end(() => resolve())),
  };
}

async function openSqlServer(address: Address): Promise<Parser> {
  const connection = await openMssql(address, "master");
  return {
    ask: async (sql, values) => {
      // The engine accepts more variables than a text has, but not fewer: the
      // smallest accepted number is the text's.
      for (let count = 0; count < values.length; count++) {
        const row = await tryRow(connection, sql, values.slice(0, count));
        if (row) return { count, row };
      }
      return { count: values.length, row: await rowOf(connection, sql, values) };
    },
    [Symbol.asyncDispose]: () => closeMssql(connection),
  };
}

/** Undefined where a variable is missing. */
async function tryRow(
  connection: Connection,
  sql: string,
  values: readonly string[],
): Promise<readonly unknown[] | undefined> {
  try {
    return await rowOf(connection, sql, values);
  } catch (error) {
    if (error instanceof Error && /must declare the scalar variable|"@v\d+"/i.test(error.message)) {
      return undefined;
    }
    throw error;
  }
}

function rowOf(connection: Connection, sql: string, values: readonly string[]): Promise<readonly unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>();
  let row: readonly unknown[] = [];
  const request = new Request(sql, (error) => error ? reject(error) : resolve(row));
  values.forEach((value, at) => request.addParameter(`v${at + 1}`, TYPES.NVarChar, value));
  request.on("row", (cells: readonly { readonly value: unknown }[]) => row = cells.map(({ value }) => value));
  connection.execSql(request);
  return promise;
}
