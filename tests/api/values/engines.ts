/**
 * A service in front of a database on each available engine: `/db/sqlite`, `/db/postgresql`, `/db/mysql`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { stringify } from "yaml";
import { addressOf } from "@/tests/support/databases/configure.ts";
import { useServer, whyNoServer } from "@/tests/support/servers/mod.ts";
import { shared, startService, type TestService } from "@/tests/support/service.ts";

/** The engines that these tests compare. */
export type ValueDialect = "sqlite" | "postgresql" | "mysql";

/** The scripts of each engine's database; an engine without one is unavailable. */
export type Scripts = Partial<Readonly<Record<ValueDialect, readonly string[]>>>;

/** The service and its databases. */
export interface Engines extends AsyncDisposable {
  readonly service: TestService;
  /** The available engines. */
  readonly dialects: readonly ValueDialect[];
  /** The body of an answer with this status. */
  send(status: number, method: string, path: string, body?: string, type?: string): Promise<string>;
}

/** Why engines are left out, for the names of tests; empty where none is. */
export const LEFT_OUT: string = (["postgresql", "mysql"] as const)
  .flatMap((dialect) => whyNoServer(dialect) ?? []).map((why) => ` (${why})`).join("");

/** Creates the databases and serves them to `public`, for all tests of a file. */
export function sharedEngines(scripts: Scripts, ini?: readonly string[]): () => Engines {
  return shared(() => openEngines(scripts, ini));
}

/** The same for one test. */
export async function openEngines(scripts: Scripts, ini: readonly string[] = []): Promise<Engines> {
  await using stack = new AsyncDisposableStack();
  const definitions: Record<string, unknown> = {};
  const mappings: Record<string, unknown> = {};
  for (const dialect of ["postgresql", "mysql"] as const) {
    const statements = scripts[dialect];
    if (!statements || whyNoServer(dialect) !== undefined) continue;
    const server = await useServer(dialect);
    const name = await server.createDatabase(`values_${crypto.randomUUID().slice(0, 8)}`);
    stack.defer(() => server.dropDatabase(name));
    await server.exec(`${statements.join(";\n")};`, name);
    definitions[dialect] = { ...addressOf(server), db_name: name };
    mappings[dialect] = { dbuser: server.user, dbpass: server.password };
  }
  if (scripts.sqlite) {
    definitions["sqlite"] = { db_type: "sqlite", db_name: "${ROWHOUSE_STATE}/values.db" };
    mappings["sqlite"] = {};
  }
  const service = stack.use(
    await startService({
      files: {
        "config/databases.cfg": stringify(definitions),
        "config/users.cfg": stringify({ public: { databases: mappings } }),
        "config/service.ini": ["[service]", ...ini, ""].join("\n"),
      },
      sqlite: { values: (scripts.sqlite ?? []).join(";\n") },
    }),
  );
  const kept = stack.move();
  return {
    service,
    dialects: Object.keys(mappings) as ValueDialect[],
    async send(status, method, path, body, type = "application/json") {
      const init = body === undefined ? { method } : { method, body, headers: { "content-type": type } };
      const answer = await service.fetch(path, init);
      const text = await answer.text();
      assert.equal(answer.status, status, `${method} ${path}: ${text}`);
      return text;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
