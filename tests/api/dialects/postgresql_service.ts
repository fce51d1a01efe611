/**
 * The whole service in front of a PostgreSQL database.
 *
 * @module
 */

import {
  served,
  serveDefinition,
  type ServedPlace,
  type ServeOptions,
} from "@/tests/support/databases/served_place.ts";
import type { TestService } from "@/tests/support/service.ts";
import type { Address } from "@/tests/support/servers/mod.ts";
import { makePlace, type Place } from "@/tests/unit/plugins/dialects/postgresql/fixture.ts";

/** Serves a database as `Pg`, which `public` may read and write. */
export function serveDatabase(
  { host, port, user, password }: Address,
  dbName: string,
  options: ServeOptions = {},
): Promise<TestService> {
  const definition = { db_type: "postgresql", db_name: dbName, db_host: host, db_port: port };
  return serveDefinition("Pg", definition, { dbuser: user, dbpass: password }, options);
}

/** Makes a database from statements and serves it. */
export async function servePlace(
  name: string,
  statements: readonly string[],
  options: ServeOptions = {},
): Promise<ServedPlace<Place>> {
  const place = await makePlace(name, ...statements);
  return served(place, await serveDatabase(place.server, place.definition.dbName, options));
}
