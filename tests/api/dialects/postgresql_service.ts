/**
 * The whole service in front of a PostgreSQL database.
 *
 * @module
 */

import { stringify } from "yaml";
import { startProcess } from "@/tests/support/process.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import type { Address } from "@/tests/support/servers/mod.ts";
import { makePlace, type Place } from "@/tests/unit/plugins/dialects/postgresql/fixture.ts";

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
  /** Saved queries of the database, which all users may run: the SQL of each, by its name. */
  readonly queries?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Serves a database as `Pg`, which `public` may read and write. */
export function serveDatabase(
  address: Address,
  dbName: string,
  options: ServeOptions = {},
): Promise<TestService> {
  const login = { dbuser: address.user, dbpass: address.password };
  const definition = {
    db_type: "postgresql",
    db_name: dbName,
    db_host: address.host,
    db_port: address.port,
    autoload_user: login,
    creator: "admin",
    ...options.definition,
  };
  const users = { public: { name: "All", databases: { Pg: login } }, ...options.users };
  const methods = { http_methods: { GET: true, POST: true }, execute: ["public"] };
  const queries = Object.entries(options.queries ?? {}).map(([name, sqlstr]) => {
    return [name, { database: "Pg", sqlstr, ...methods }];
  });
  return (options.env ? startProcess : startService)({
    files: {
      "config/databases.cfg": stringify({ Pg: definition }),
      "config/users.cfg": stringify(users),
      "config/querydefs.cfg": stringify(Object.fromEntries(queries)),
    },
    env: options.env ?? {},
  });
}

/** Makes a database from statements and serves it. */
export async function servePlace(
  name: string,
  statements: readonly string[],
  options: ServeOptions = {},
): Promise<ServedPlace> {
  const place = await makePlace(name, ...statements);
  const service = await serveDatabase(place.server, place.definition.dbName, options);
  return {
    place,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
