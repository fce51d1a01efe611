/**
 * One database behind a service, on any engine.
 *
 * @module
 */

import { stringify } from "yaml";
import { type TestServer, useServer } from "@/tests/support/servers/mod.ts";
import type { StartOptions, TestService } from "@/tests/support/service.ts";
import { addressOf } from "./configure.ts";
import type { TestDialect } from "./mod.ts";

/** The database and how it is served. */
export interface Served {
  /** Its id. The user `public` may do everything with it. */
  readonly id: string;
  /** The statements that make it in SQLite. */
  readonly script: () => string;
  /** Makes it on a server and returns its name. */
  readonly load: (server: TestServer) => Promise<string>;
  /** Further members of its definition. */
  readonly definition?: Readonly<Record<string, unknown>>;
  /** Further files below the home directory. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts the service by `start`; disposing ends it and removes the database. */
export async function serveOn<T extends TestService>(
  dialect: TestDialect,
  { id, script, load, definition, files }: Served,
  start: (options: StartOptions) => Promise<T>,
): Promise<T> {
  const filesOf = (place: object, login: object) => ({
    "config/databases.cfg": stringify({ [id]: { ...place, ...definition } }),
    "config/users.cfg": stringify({ public: { databases: { [id]: login } } }),
    ...files,
  });
  if (dialect === "sqlite") {
    return await start({
      files: filesOf({ db_type: "sqlite", db_name: "${ROWHOUSE_STATE}/test.db" }, {}),
      sqlite: { test: script() },
    });
  }
  const server = await useServer(dialect);
  const name = await load(server);
  const login = { dbuser: server.user, dbpass: server.password };
  const service = await start({ files: filesOf({ ...addressOf(server), db_name: name }, login) });
  return {
    ...service,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await server.dropDatabase(name);
    },
  };
}
