import { definitionOf, makePlace, noServer } from "@/tests/unit/plugins/dialects/mysql/fixture.ts";
import { hostOf } from "@/tests/support/databases/plain_definition.ts";
import type { Place } from "@/tests/unit/plugins/dialects/mysql/fixture.ts";
import type { Database, DatabaseDefinition, Dialect } from "@/plugins/contract.ts";
import mysql from "@/plugins/dialects/mysql/mod.ts";
import { startServer } from "@/tests/support/servers/mod.ts";
import { type DialectSuite, type DialectUnderTest, testDialect } from "@/tests/conformance/dialect.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const TABLES = `
  CREATE TABLE owner (id INT AUTO_INCREMENT PRIMARY KEY, code VARCHAR(8) NOT NULL UNIQUE, born DATE);
  CREATE TABLE pet (owner_id INT NOT NULL, seq INT NOT NULL, name VARCHAR(40) NOT NULL, PRIMARY KEY (owner_id, seq),
    FOREIGN KEY (owner_id) REFERENCES owner (id));
  CREATE TABLE kinds (id INT PRIMARY KEY, an_integer BIGINT, a_decimal DECIMAL(10, 2), a_float DOUBLE,
    a_boolean BOOLEAN, a_text LONGTEXT, a_date DATE, a_datetime DATETIME(3), a_binary LONGBLOB);
  CREATE TABLE many (n INT PRIMARY KEY);
  CREATE VIEW owner_codes AS SELECT id, code FROM owner;
  INSERT INTO owner VALUES (1, 'anna', '1990-05-01'), (2, 'bert', NULL);
  INSERT INTO pet VALUES (1, 1, 'Rex'), (1, 2, 'Mia'), (2, 1, 'Tom');
  INSERT INTO kinds VALUES (1, 42, 12345678.25, 0.5, 1, 'Zoë 🎈 O''Neill', '2009-01-02', '2009-01-02 03:04:05.678',
    x'00ff');
  INSERT INTO kinds (id) VALUES (2);
  INSERT INTO kinds VALUES (3, 9007199254740993, -0.01, -1e300, 0, '', '1970-01-01', '1999-12-31 23:59:59', x'');
  INSERT INTO many VALUES ${Array.from({ length: 2500 }, (_, at) => `(${at + 1})`).join()};
`;

const places = new WeakMap<Database, Place>();

const suite: DialectSuite = {
  unavailable: noServer,
  open: (pool) => open({ pool }),
  logins: {
    create: ({ dbuser, dbpass }) =>
      `CREATE USER '${dbuser}'@'%' IDENTIFIED BY '${dbpass}'; GRANT SELECT ON owner TO '${dbuser}'@'%';`,
    drop: ({ dbuser }) => `DROP USER '${dbuser}'@'%';`,
  },
  async openSchemas(pool) {
    const [place, second] = [await makePlace(), await makePlace()];
    const other = second.name;
    await place.exec(TABLES);
    await second.exec(`
      CREATE TABLE owner (id INT PRIMARY KEY, code VARCHAR(8));
      CREATE TABLE house (id INT PRIMARY KEY, owner_id INT, keeper_id INT, FOREIGN KEY (owner_id) REFERENCES owner (id),
        FOREIGN KEY (keeper_id) REFERENCES ${place.name}.owner (id));
      INSERT INTO owner VALUES (1, 'other');
      INSERT INTO house VALUES (1, 1, 2);`);
    return {
      dialect: place.dialect,
      database: await place.connect({ pool, dbSchema: [place.name, other] }),
      other,
      beside: async (script) => void await place.exec(script),
      [Symbol.asyncDispose]: async () => {
        await second[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  },
  async openServer(pool) {
    const server = await startServer("mysql", { durable: true });
    const name = await server.createDatabase("outage");
    await server.exec(TABLES, name);
    const dialect: Dialect = mysql.setup({}, hostOf());
    const login = { dbuser: server.user, dbpass: server.password };
    const connect = () => dialect.connect({ ...definitionOf(server, name), pool }, login, { signal: NEVER });
    const database = await connect();
    return {
      ...{ dialect, database, server, connect },
      beside: async (script) => void await server.exec(script, name),
      [Symbol.asyncDispose]: async () => {
        await database[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  },
  endless: "SELECT count(*) FROM many a, many b, many c, many d WHERE a.n + b.n + c.n + d.n = 3",
  crash: ({ database }) => killConnections(places.get(database)),
};

testDialect("mysql", suite);

async function open(changes: Partial<DatabaseDefinition>): Promise<DialectUnderTest> {
  const place = await makePlace();
  await place.exec(TABLES);
  const database = await place.connect(changes);
  places.set(database, place);
  return {
    dialect: place.dialect,
    database,
    beside: async (script) => void await place.exec(script),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** Ends every connection to the database, as an administrator or a crash of the server would. */
async function killConnections(place: Place | undefined): Promise<void> {
  if (!place) return;
  const statements = await place.exec(`SELECT concat('KILL ', id, ';') FROM information_schema.processlist
    WHERE db = '${place.name}' AND id <> connection_id();`);
  await place.exec(statements);
}
