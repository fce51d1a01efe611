/**
 * The whole service in front of a SQL Server database.
 *
 * @module
 */

import { stringify } from "yaml";
import { startProcess } from "@/tests/support/process.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { loginOf, makePlace, type Place } from "@/tests/unit/plugins/dialects/mssql/fixture.ts";

/** A database and the service in front of it; disposing ends both. */
export interface ServedPlace extends AsyncDisposable {
  readonly place: Place;
  readonly service: TestService;
}

/** How the service differs from one with this database alone. */
export interface ServeOptions {
  /** Changes of the definition in databases.cfg. */
  readonly definition?: Readonly<Record<string, unknown>>;
  /** Further users. */
  readonly users?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Lines of service.ini. */
  readonly settings?: string;
}

/** Creates a database from batches and serves it as `Sql`, which `public` may read and write. */
export async function servePlace(
  server: URL,
  batches: readonly string[],
  options: ServeOptions = {},
): Promise<ServedPlace> {
  const place = await makePlace(server);
  await place.client.run(...batches);
  const login = loginOf(server);
  const definition = {
    db_type: "mssql",
    db_name: place.name,
    db_host: server.hostname,
    db_port: Number(server.port || 1433),
    autoload_user: login,
    creator: "admin",
    ...options.definition,
  };
  const users = { public: { name: "All", databases: { Sql: login } }, ...options.users };
  const service = await (options.env ? startProcess : startService)({
    files: {
      "config/databases.cfg": stringify({ Sql: definition }),
      "config/users.cfg": stringify(users),
      ...(options.settings === undefined ? {} : { "config/service.ini": `[service]\n${options.settings}\n` }),
    },
    env: options.env ?? {},
  });
  return {
    place,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Registers a test that needs a server; without one it is ignored by name. */
export function testOnServer(
  server: URL | undefined,
  title: string,
  run: (server: URL) => Promise<void>,
): void {
  if (server) Deno.test(`mssql: ${title}`, async () => await run(server));
  else Deno.test.ignore(`mssql: ${title} (ROWHOUSE_TEST_MSSQL_URL is not set)`, () => {});
}
