/**
 * The databases of the tests on every engine, made from one definition.
 *
 * @module
 */

import { join } from "node:path";
import { demoStatements } from "@/config/sample/demo/mod.ts";
import { SERVER_DIALECTS, type ServerDialect, type TestServer } from "@/tests/servers/mod.ts";
import { ROOT } from "@/tests/service.ts";
import type { DatabaseFixture } from "./definition.ts";
import type { Engine } from "./engine.ts";
import { MSSQL } from "./mssql.ts";
import { MYSQL } from "./mysql.ts";
import { parseDatabase, type SourceStatement, statementsOf } from "./parse_database.ts";
import { POSTGRESQL } from "./postgresql.ts";
import { createScript } from "./script.ts";

/** The engines that tests run on. */
export type TestDialect = "sqlite" | ServerDialect;

/** SQLite first: it is what the others are compared with. */
export const TEST_DIALECTS: readonly TestDialect[] = ["sqlite", ...SERVER_DIALECTS];

/** The engines that are servers. */
export const ENGINES: Readonly<Record<ServerDialect, Engine>> = {
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mssql: MSSQL,
};

/** The statements that make a database in SQLite, and triggers for the other engines, which no two say alike. */
interface Source {
  readonly statements: () => Iterable<SourceStatement>;
  readonly triggers?: (dialect: ServerDialect) => string;
}

/** The databases of the tests, each defined once, in SQLite's SQL. */
export const SOURCES = {
  demo: { statements: demoStatements },
  types: { statements: () => statementsOf(readText("golden", "types.sql")) },
  mirror: { statements: () => statementsOf(readText("differential", "mirror.sql")) },
  // For SQL Server: spaces at the end of a text are nothing to it, zeros at the end of bytes neither, and
  // no number is so small.
  trimmed_mirror: {
    statements: () => {
      const trimmed = readText("differential", "mirror.sql").replaceAll(/ '(?=[,)])/g, " x'");
      return statementsOf(trimmed.replaceAll("x'00'", "x'01'").replaceAll("5e-324", "5e-307"));
    },
  },
  shop: {
    statements: () => statementsOf(readText("writing", "shop.sql")),
    triggers: (dialect) => readText("writing", `triggers.${dialect}.sql`),
  },
  rental: { statements: () => statementsOf(readText("related", "rental.sql")) },
} as const satisfies Readonly<Record<string, Source>>;

/** The name of one of them. */
export type SourceName = keyof typeof SOURCES;

/** What the source's statements define. */
export function fixtureOf(name: SourceName): DatabaseFixture {
  return parseDatabase([...SOURCES[name].statements()]);
}

/** Makes the database on a server and gives its name, which `label` tells apart from those of other tests. */
export async function loadDatabase(server: TestServer, name: SourceName, label: string): Promise<string> {
  const { dialect } = server;
  const { triggers }: Source = SOURCES[name];
  const database = await server.createDatabase(`${label}_${name}`);
  await server.exec(createScript(fixtureOf(name), ENGINES[dialect]) + (triggers?.(dialect) ?? ""), database);
  return database;
}

function readText(...path: readonly string[]): string {
  return Deno.readTextFileSync(join(ROOT, "tests", ...path));
}
