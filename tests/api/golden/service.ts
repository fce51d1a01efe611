/**
 * The service that the golden files were recorded with, on SQLite or on any other engine with the same data.
 *
 * @module
 */

import { join } from "node:path";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { onServer, withLogins } from "@/tests/support/databases/configure.ts";
import {
  ENGINES,
  fixtureOf,
  loadDatabase,
  type SourceName,
  SOURCES,
  TEST_DIALECTS,
  type TestDialect,
  testOn,
} from "@/tests/support/databases/mod.ts";
import { type TestServer, useServer } from "@/tests/support/servers/mod.ts";
import { ROOT } from "@/tests/support/root.ts";
import { startService, type TestService } from "@/tests/support/service.ts";

/** Where the golden files are. */
export const FOLDER = join(ROOT, "tests", "api", "golden");

const FILES = ["service.ini", "databases.cfg", "users.cfg"] as const;
const NO_TOPICS = ["config", "differences"];

/** The running service, and the content of its databases. */
export interface GoldenService extends TestService {
  /** Everything in the databases: equal as long as nothing has changed. */
  snapshot(): Promise<unknown>;
}

/** Starts the service with the configuration of `tests/api/golden/config`. */
export async function startGoldenService(dialect: TestDialect = "sqlite"): Promise<GoldenService> {
  if (dialect !== "sqlite") return await startOnServer(await useServer(dialect));
  const service = await startService({ files: configuration((_, text) => text), prepare: createTypes });
  return { ...service, snapshot: () => filesIn(join(service.home, "state")) };
}

/** Registers a test on each engine. Without the engine's server the test is ignored. */
export function testOnEveryEngine(
  name: string,
  fn: (service: GoldenService, dialect: TestDialect) => Promise<void>,
): void {
  for (const dialect of TEST_DIALECTS) {
    testOn(dialect, name, async () => {
      await using service = await startGoldenService(dialect);
      await fn(service, dialect);
    });
  }
}

async function startOnServer(server: TestServer): Promise<GoldenService> {
  const label = `golden_${crypto.randomUUID().slice(0, 8)}`;
  const [demo, types] = [
    await loadDatabase(server, "demo", label),
    await loadDatabase(server, "types", label),
  ];
  const files = configuration((name, text) => {
    if (name === "databases.cfg") return onServer(text, server, { demo, types });
    return name === "users.cfg" ? withLogins(text, server) : text;
  });
  const service = await startService({ files });
  return {
    ...service,
    snapshot: async () => [await rowsIn(server, "demo", demo), await rowsIn(server, "types", types)],
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      for (const database of [demo, types]) await server.dropDatabase(database);
    },
  };
}

/** The databases' files byte by byte. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name } of Deno.readDir(folder)) {
    // The shared-memory index of a log changes with every reader.
    if (!/\.db(-wal|-journal)?$/.test(name)) continue;
    const bytes = await Deno.readFile(join(folder, name));
    files[name] = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  }
  return files;
}

/** The rows of every table. A missing table is an error. */
async function rowsIn(server: TestServer, source: SourceName, database: string): Promise<string> {
  const { quote, terminator } = ENGINES[server.dialect];
  const queries = fixtureOf(source).tables.map(({ name }) => `SELECT * FROM ${quote(name)}${terminator}`);
  return await server.exec(queries.join(""), database);
}

function configuration(change: (name: string, text: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(FILES.map((name) => {
    return [`config/${name}`, change(name, Deno.readTextFileSync(join(FOLDER, "config", name)))];
  }));
}

/** The fixture database with every awkward name and value. */
function createTypes(home: string): void {
  createDatabase(join(home, "state", "types.db"), SOURCES.types.script());
}

/** All golden files as `topic/name`, in order. */
export function listGoldens(): readonly string[] {
  const topics = [...Deno.readDirSync(FOLDER)].filter(({ isDirectory, name }) =>
    isDirectory && !NO_TOPICS.includes(name)
  );
  return topics.flatMap(({ name: topic }) =>
    [...Deno.readDirSync(join(FOLDER, topic))].map(({ name }) => `${topic}/${name.replace(/\.txt$/, "")}`)
  ).toSorted();
}

/** The text of a golden file, by its name without extension. */
export function readGolden(name: string): string {
  return Deno.readTextFileSync(join(FOLDER, `${name}.txt`));
}
