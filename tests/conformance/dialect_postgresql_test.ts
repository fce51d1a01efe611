import type { DatabaseDefinition } from "@/plugins/contract.ts";
import { type DialectSuite, testDialect } from "@/tests/conformance/dialect.ts";
import {
  dialectOf,
  makePlace,
  type Place,
  placeOf,
  WHY_NOT,
} from "@/tests/unit/plugins/dialects/postgresql/fixture.ts";
import {
  type Bouncer,
  startBouncer,
  whyNoBouncer,
} from "@/tests/unit/plugins/dialects/postgresql/pgbouncer.ts";
import { CONFORMANCE_TABLES, ENDLESS } from "@/tests/unit/plugins/dialects/postgresql/tables.ts";
import { startServer, useServer } from "@/tests/support/servers/mod.ts";

type Changes = Partial<DatabaseDefinition>;

const OTHER_SCHEMA = [
  "CREATE SCHEMA other",
  "CREATE TABLE other.owner (id integer PRIMARY KEY, code varchar(8))",
  `CREATE TABLE other.house (id integer PRIMARY KEY, owner_id integer REFERENCES other.owner,
    keeper_id integer REFERENCES public.owner)`,
  "INSERT INTO other.owner VALUES (1, 'other')",
  "INSERT INTO other.house VALUES (1, 1, 2)",
];

/** Ends what a test has left behind, and leaves an empty database. */
const EMPTY = [
  "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() " +
  "AND pid <> pg_backend_pid()",
  "DROP SCHEMA public CASCADE",
  "CREATE SCHEMA public",
  "GRANT USAGE ON SCHEMA public TO public",
];

/** The database of each suite. It is emptied for each test: a new one takes three times as long. */
const databases = new Map<string, string>();
const places = new WeakMap<object, Place>();
const bouncers = new WeakMap<Place, Promise<Bouncer>>();

Deno.test.afterAll(async () => {
  for (const database of databases.values()) await (await useServer("postgresql")).dropDatabase(database);
});

testDialect("postgresql", suiteOf("conformance", WHY_NOT, () => Promise.resolve({})));

testDialect("postgresql behind PgBouncer", behindPgBouncer());

/** This pooler has one login for all and outlives the server, so tests of logins and crashes are left out. */
function behindPgBouncer(): DialectSuite {
  const whyNot = WHY_NOT ?? whyNoBouncer();
  const { logins: _logins, openServer: _openServer, ...suite } = suiteOf("bouncer", whyNot, bounced);
  return suite;
}

/** The changes of a definition for a PgBouncer in transaction mode, with two connections to the server. */
async function bounced(place: Place): Promise<Changes> {
  const started = bouncers.get(place) ?? startBouncer(place.server, 4).then(place.keep);
  bouncers.set(place, started);
  const { host, port } = await started;
  return { prepare: false, dbHost: host, dbPort: port };
}

async function makeTables(name: string): Promise<Place> {
  const server = await useServer("postgresql");
  const dbName = databases.get(name) ?? await server.createDatabase(`pg_${name}`);
  databases.set(name, dbName);
  await server.exec(`${[...EMPTY, ...CONFORMANCE_TABLES].join(";\n")};`, dbName);
  return placeOf(server, dbName, true);
}

function suiteOf(
  name: string,
  unavailable: string | undefined,
  changesFor: (place: Place) => Promise<Changes>,
): DialectSuite {
  return {
    unavailable,
    async open(pool) {
      const place = await makeTables(name);
      const database = await place.connect(await changesFor(place), pool);
      places.set(database, place);
      return {
        dialect: dialectOf(),
        database,
        beside: async (script) => void await place.change(script),
        [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
      };
    },
    logins: {
      create: ({ dbuser, dbpass }) =>
        `CREATE ROLE "${dbuser}" LOGIN PASSWORD '${dbpass}'; GRANT SELECT ON owner TO "${dbuser}";`,
      drop: ({ dbuser }) => `DROP OWNED BY "${dbuser}"; DROP ROLE "${dbuser}";`,
    },
    async openSchemas(pool) {
      const place = await makePlace(`${name}_schemas`, ...CONFORMANCE_TABLES, ...OTHER_SCHEMA);
      return {
        dialect: dialectOf(),
        database: await place.connect({ ...await changesFor(place), dbSchema: ["public", "other"] }, pool),
        other: "other",
        beside: async (script) => void await place.change(script),
        [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
      };
    },
    async openServer(pool) {
      const server = await startServer("postgresql", { durable: true });
      const dbName = await server.createDatabase(name);
      await server.exec(`${CONFORMANCE_TABLES.join(";\n")};`, dbName);
      const place = placeOf(server, dbName);
      const connect = async () => await place.connect(await changesFor(place), pool);
      return {
        ...{ dialect: place.dialect, database: await connect(), server, connect },
        beside: async (script) => void await place.change(script),
        [Symbol.asyncDispose]: async () => {
          await place[Symbol.asyncDispose]();
          await server[Symbol.asyncDispose]();
        },
      };
    },
    endless: ENDLESS,
    async crash({ database }) {
      const terminate = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity " +
        "WHERE datname = current_database() AND application_name = 'rowhouse'";
      const place = places.get(database);
      await place?.change(terminate);
      // The dialect is told of the ends beside this answer, at the latest with the next one.
      await place?.change("SELECT 1");
    },
  };
}
