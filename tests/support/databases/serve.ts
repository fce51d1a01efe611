/**
 * One database behind a service, on any engine.
 *
 * @module
 */

import { stringify } from "yaml";
import { useServer } from "@/tests/support/servers/mod.ts";
import type { StartOptions, TestService } from "@/tests/support/service.ts";
import { addressOf } from "./configure.ts";
import { loadDatabase, type SourceName, SOURCES, type TestDialect } from "./mod.ts";

/** The database and how it is served. */
export interface Served {
  /** Its id. The user `public` may do everything with it. */
  readonly id: string;
  /** One of the databases of all engines, or the statements that make it on an engine. */
  readonly made: SourceName | ((dialect: TestDialect) => string);
  /** Further members of its definition. */
  readonly definition?: Readonly<Record<string, unknown>>;
  /** Further files below the home directory. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts the service by `start`; disposing ends it and removes the database. */
export async function serveOn<T extends TestService>(
  dialect: TestDialect,
  { id, made, definition, files }: Served,
  start: (options: StartOptions) => Promise<T>,
): Promise<T> {
  const filesOf = (place: object, login: object) => ({
    "config/databases.cfg": stringify({ [id]: { ...place, ...definition } }),
    "config/users.cfg": stringify({ public: { databases: { [id]: login } } }),
    ...files,
  });
  if (dialect === "sqlite") {
    const script = typeof made === "string" ? SOURCES[made].script() : made(dialect);
    return await start({
      files: filesOf({ db_type: "sqlite", db_name: "${ROWHOUSE_STATE}/test.db" }, {}),
      sqlite: { test: script },
    });
  }
  const server = await useServer(dialect);
  const label = `served_${crypto.randomUUID().slice(0, 8)}`;
  const name = typeof made === "string"
    ? await loadDatabase(server, made, label)
    : await server.createDatabase(label);
  if (typeof made !== "string") await server.exec(made(dialect), name);
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
