/**
 * The databases of the tests on every engine, made from one definition.
 *
 * @module
 */

import { join } from "node:path";
import { readDemo } from "@/config/sample.ts";
import {
  SERVER_DIALECTS,
  type ServerDialect,
  type TestServer,
  whyNoServer,
} from "@/tests/support/servers/mod.ts";
import { ROOT } from "@/tests/support/root.ts";
import type { DatabaseFixture } from "./definition.ts";
import type { Engine } from "./engine.ts";
import { MSSQL } from "./mssql.ts";
import { MYSQL } from "./mysql.ts";
import { parseDatabase } from "./parse_database.ts";
import { POSTGRESQL } from "./postgresql.ts";
import { createScript } from "./script.ts";

/** The engines that tests run on. */
export type TestDialect = "sqlite" | ServerDialect;

/** SQLite comes first: the other engines are compared with it. */
export const TEST_DIALECTS: readonly TestDialect[] = ["sqlite", ...SERVER_DIALECTS];

/** The engines that are servers. */
export const ENGINES: Readonly<Record<ServerDialect, Engine>> = {
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mssql: MSSQL,
};

/** The script that makes a database in SQLite, and triggers for the other engines, which no two say alike. */
interface Source {
  readonly script: () => string;
  readonly triggers?: (dialect: ServerDialect) => string;
}

/** The databases of the tests, each defined once, in SQLite's SQL. */
export const SOURCES = {
  demo: { script: readDemo },
  types: { script: () => readText("api", "golden", "types.sql") },
  mirror: { script: () => readText("api", "differential", "mirror.sql") },
  // For SQL Server: spaces at the end of a text are nothing to it, zeros at the end of bytes neither, and
  // no number is so small.
  trimmed_mirror: {
    script: () => {
      const trimmed = readText("api", "differential", "mirror.sql").replaceAll(/ '(?=[,)])/g, " x'");
      return trimmed.replaceAll("x'00'", "x'01'").replaceAll("5e-324", "5e-307");
    },
  },
  shop: {
    script: () => readText("api", "writing", "shop.sql"),
    triggers: (dialect) => readText("api", "writing", `triggers.${dialect}.sql`),
  },
  rental: { script: () => readText("process", "related", "rental.sql") },
} as const satisfies Readonly<Record<string, Source>>;

/** Why tests have no database of a dialect here; undefined where they have. */
export function whyNot(dialect: TestDialect): string | undefined {
  return dialect === "sqlite" ? undefined : whyNoServer(dialect);
}

/** Registers a test on an engine, which is ignored, and says why, without the engine's server. */
export function testOn(
  dialect: TestDialect,
  name: string,
  fn: (test: Deno.TestContext) => void | Promise<void>,
  { ignore = false }: { readonly ignore?: boolean } = {},
): void {
  const reason = whyNot(dialect);
  const suffix = reason === undefined ? "" : ` (${reason})`;
  Deno.test({ name: `${dialect}: ${name}${suffix}`, ignore: ignore || reason !== undefined, fn });
}

/** The name of one of them. */
export type SourceName = keyof typeof SOURCES;

/** The definition in the source's script. */
export function fixtureOf(name: SourceName): DatabaseFixture {
  return parseDatabase(SOURCES[name].script());
}

/**
 * Creates the database on a server and returns its name, which `label`
 * distinguishes from those of other tests.
 */
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
