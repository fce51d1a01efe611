/**
 * The whole service in front of one database, with changes of its definition, users and queries.
 *
 * @module
 */

import { stringify } from "yaml";
import type { Login } from "@/plugins/contract.ts";
import { startProcess } from "@/tests/support/process.ts";
import { startService, type TestService } from "@/tests/support/service.ts";

/** A database and the service in front of it; disposing ends both. */
export interface ServedPlace<Place> extends AsyncDisposable {
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
  /** Lines of service.ini. */
  readonly settings?: string;
  /** Starts the service as a process with these variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Serves a database under an id; `public` may read and write it. */
export function serveDefinition(
  id: string,
  definition: Readonly<Record<string, unknown>>,
  login: Login,
  { users, queries = {}, settings = "", env, ...changes }: ServeOptions,
): Promise<TestService> {
  const database = { ...definition, autoload_user: login, creator: "admin", ...changes.definition };
  const methods = { http_methods: { GET: true, POST: true }, execute: ["public"] };
  const saved = Object.entries(queries).map(([name, sqlstr]) => [name, { database: id, sqlstr, ...methods }]);
  return (env ? startProcess : startService)({
    files: {
      "config/databases.cfg": stringify({ [id]: database }),
      "config/users.cfg": stringify({ public: { name: "All", databases: { [id]: login } }, ...users }),
      "config/querydefs.cfg": stringify(Object.fromEntries(saved)),
      "config/service.ini": `[service]\n${settings}\n`,
    },
    env: env ?? {},
  });
}

/** A database with the service in front of it. */
export function served<Place extends AsyncDisposable>(
  place: Place,
  service: TestService,
): ServedPlace<Place> {
  return {
    place,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
