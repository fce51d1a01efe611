/**
 * The whole service in front of a SQL Server database.
 *
 * @module
 */

import {
  served,
  serveDefinition,
  type ServedPlace,
  type ServeOptions,
} from "@/tests/support/databases/served_place.ts";
import { loginOf, makePlace, type Place } from "@/tests/unit/plugins/dialects/mssql/fixture.ts";

/** Creates a database from batches and serves it as `Sql`, which `public` may read and write. */
export async function servePlace(
  server: URL,
  batches: readonly string[],
  options: ServeOptions = {},
): Promise<ServedPlace<Place>> {
  const place = await makePlace(server);
  await place.client.run(...batches);
  const address = { db_host: server.hostname, db_port: Number(server.port || 1433) };
  const definition = { db_type: "mssql", db_name: place.name, ...address };
  return served(place, await serveDefinition("Sql", definition, loginOf(server), options));
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
