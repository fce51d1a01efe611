/**
 * A service with plugins that have a mistake each.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { PASSWORD } from "@/tests/api/login/home.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { inTime, until } from "@/tests/support/until.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import type { Case, Effect } from "./mistakes.ts";

/** The API key of admin. */
export const KEY = "0123456789abcdef0123456789abcdef";
/** The policies of every such service. */
export const AUTH = "authentication_policies:\n  apikey: {enabled: true, priority: 1}\n";
/** Milliseconds. An answer that has not come by then never comes; a loaded machine needs many seconds. */
const PATIENCE = 60_000;

/**
 * Seconds after which the service gives a database up: these and
 * `server.plugin_timeout`, less than {@link PATIENCE}.
 */
export const POOL = "{statement_timeout: 10, acquire_timeout: 10}";

/** Requests that have nothing to do with any mistake. */
async function othersGoOn(service: TestService): Promise<void> {
  for (
    const path of ["/db/Demo/Port/PortId/1/Name.json", "/login", "/settings.json", "/metrics", "/db.csv"]
  ) {
    const answer = await service.fetch(path);
    assert.equal(answer.status, 200, path);
    await answer.body?.cancel();
  }
}

/** Sends a request, and says how it ends. */
export async function endOf(
  service: TestService,
  path: string,
  init: RequestInit = {},
): Promise<Effect | number | "never"> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE);
  try {
    const answer = await fetch(service.url + path, { ...init, signal: patience.signal });
    await answer.text();
    return answer.status;
  } catch {
    return patience.signal.aborted ? "never" : "ends";
  } finally {
    clearTimeout(timer);
  }
}

/** A busy machine may need several attempts. */
async function untilConnected(service: TestService, database: string): Promise<void> {
  await until(async () => await endOf(service, `/db/${database}.json`) !== 503);
}

/** Everybody reads the databases, and admin writes. */
export function usersOf(databases: readonly string[]): string {
  const mapped = (mapping: string) =>
    `{databases: {${databases.map((name) => `${name}: {dbuser: x, ${mapping}}`).join(", ")}}`;
  return `admin: ${mapped("")}, password: ${PASSWORD}, querydef: [create], apikey: ${KEY}}\npublic: ${
    mapped("access: {'*': [read]}")
  }}\n`;
}

/** A table whose column keeps to its type, so that formats are asked what a value in a body means. */
const TYPED =
  "CREATE TABLE Typed (Id INTEGER PRIMARY KEY, Size INTEGER) STRICT; INSERT INTO Typed VALUES (1, 1)";

/**
 * The service with plugins that have one mistake each. Its stop takes no longer than without them.
 * `dialects`: those that have a database with their name.
 */
export async function withPlugins(
  files: Readonly<Record<string, string>>,
  configuration: Readonly<Record<string, string>>,
  work: (service: TestService) => Promise<void>,
  dialects: readonly Case[] = [],
): Promise<string> {
  const databases = dialects.map(({ name }) => name);
  using folder = pluginFolder(files);
  const { "service.ini": settings = "", ...others } = configuration;
  const service = await startService({
    files: {
      "config/service.ini":
        `[service]\nplugins_path = ${folder.path}\nserver.plugin_timeout = 2\n${settings}\n`,
      "config/users.cfg": usersOf(["Demo", ...databases]),
      "config/auth.cfg": AUTH,
      ...Object.fromEntries(Object.entries(others).map(([name, text]) => [`config/${name}`, text])),
    },
    prepare: (home) => {
      const file = (name: string) => join(home, "state", `${name}.db`);
      const demo = new Handle(file("demo"));
      demo.exec(TYPED);
      demo.close();
      for (const name of databases) Deno.copyFileSync(file("demo"), file(name));
    },
  });
  let log = "";
  try {
    // The start waits a second for databases, and here are many.
    await untilConnected(service, "Demo");
    for (const { name, effect } of dialects) {
      if (effect !== "disconnected") await untilConnected(service, name);
    }
    await othersGoOn(service);
    await work(service);
    await othersGoOn(service);
    log = await service.log();
  } finally {
    await inTime(service[Symbol.asyncDispose](), "The end of the service");
  }
  return log;
}
