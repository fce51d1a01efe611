/**
 * Rows to stream, and the requests that the server gets.
 *
 * @module
 */

import type { Database, DatabaseDefinition, Prepared, Row } from "@/plugins/contract.ts";
import {
  definitionOn,
  dialect,
  loginOf,
  makePlace,
  type Place,
} from "@/tests/unit/plugins/dialects/mssql/fixture.ts";
import { type Relay, startRelay } from "@/tests/unit/plugins/dialects/mssql/relay.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

/** How many numbers there are. */
export const ROWS = 120;
/** Batches that make numbers from 1 on, each with a word. */
const NUMBERS = [
  "create table number (n int primary key, word nvarchar(20))",
  `insert into number values ${
    Array.from({ length: ROWS }, (_, at) => `(${at + 1}, 'word ${at + 1}')`).join()
  }`,
];
const CALLS = ["sp_executesql", "begin", "batch if"];

/** Requests of streams. */
function calls(requests: readonly string[]): readonly string[] {
  return requests.filter((request) => CALLS.some((call) => request.startsWith(call)));
}

/** A database of numbers with their words, behind a relay. */
export interface Numbers extends AsyncDisposable {
  readonly place: Place;
  readonly relay: Relay;
  readonly database: Database;
  /** A stream of the numbers, five at a time. */
  stream(signal?: AbortSignal): AsyncIterator<readonly Row[]>;
  /** The requests since the database was connected. */
  asked(): readonly string[];
}

/** The definition may be changed. Its database has snapshots. */
export async function openNumbers(
  server: URL,
  changes: Partial<DatabaseDefinition> = {},
): Promise<Numbers> {
  const place = await makePlace(server);
  await place.client.run(...NUMBERS);
  await allowSnapshots(place);
  const relay = await startRelay(server);
  const definition = definitionOn(relay.url, place.name, changes);
  const database = await dialect().connect(definition, loginOf(server), { signal: NEVER });
  const prepared = prepare(database);
  const from = relay.requests.length;
  return {
    place,
    relay,
    database,
    stream: (signal = new AbortController().signal) =>
      database.stream({ prepared, parameters: [3] }, { signal, fetchSize: 5 })[Symbol.asyncIterator](),
    asked: () => calls(relay.requests.slice(from)),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

function prepare(database: Database): Prepared {
  return database.prepare({
    sql: "select n, word from number where n > @1 order by n",
    columns: [{ type: "integer", declaredType: "int" }, { type: "text", declaredType: "nvarchar(20)" }],
  });
}

async function allowSnapshots({ client }: Place): Promise<void> {
  const state = "select snapshot_isolation_state from sys.databases where name = db_name()";
  const [row] = await client.run(state);
  // Babelfish always has them, and does not know the statement.
  if (Number(row?.[0]) !== 1) await client.run("alter database current set allow_snapshot_isolation on");
}
