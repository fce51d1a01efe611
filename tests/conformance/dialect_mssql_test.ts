import type { DatabaseDefinition } from "@/plugins/contract.ts";
import { type DialectSuite, type DialectUnderTest, testDialect } from "@/tests/conformance/dialect.ts";
import {
  type Client,
  definitionOn,
  dialect,
  loginOf,
  makePlace,
  type Place,
  SERVER,
} from "@/tests/unit/plugins/dialects/mssql/fixture.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const TABLES = [
  "create table owner (id int identity primary key, code nvarchar(8) not null unique, born date)",
  `create table pet (owner_id int not null references owner, seq int not null, name nvarchar(40) not null,
    primary key (owner_id, seq))`,
  `create table kinds (id int primary key, an_integer bigint, a_decimal decimal(10, 2), a_float float,
    a_boolean bit, a_text nvarchar(max), a_date date, a_datetime datetime2(3), a_binary varbinary(max))`,
  "create table many (n int primary key)",
];

const VIEW = "create view owner_codes as select id, code from owner";

const ROWS = [
  `set identity_insert owner on
    insert into owner (id, code, born) values (1, 'anna', '1990-05-01'), (2, 'bert', null)
    set identity_insert owner off`,
  "insert into pet values (1, 1, 'Rex'), (1, 2, 'Mia'), (2, 1, 'Tom')",
  `insert into kinds values (1, 42, 12345678.25, 0.5, 1, N'Zoë 🎈 O''Neill', '2009-01-02', '2009-01-02T03:04:05.678',
    0x00ff)`,
  "insert into kinds (id) values (2)",
  "insert into kinds values (3, 9007199254740993, -0.01, -1e300, 0, '', '1970-01-01', '1999-12-31T23:59:59', 0x)",
  `insert into many select a.n * 1000 + b.n * 100 + c.n * 10 + d.n + 1
    from (values (0), (1), (2)) as a(n), ${digits("b")}, ${digits("c")}, ${digits("d")}
    where a.n * 1000 + b.n * 100 + c.n * 10 + d.n < 2500`,
];

const OTHER = [
  "if schema_id('other') is null exec('create schema other')",
  "create table other.owner (id int primary key, code nvarchar(8))",
  `create table other.house (id int primary key, owner_id int references other.owner (id),
    keeper_id int references dbo.owner (id))`,
  "insert into other.owner values (1, 'other')",
  "insert into other.house values (1, 1, 2)",
];

const LEFT = [
  "drop table if exists other.house, other.owner",
  "drop view if exists owner_codes, pets",
  "drop table if exists pet, owner, kinds, many, later",
];

function digits(alias: string): string {
  return `(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as ${alias}(n)`;
}

/** A database whose tables each test makes anew. */
const place = SERVER && await makePlace(SERVER);
if (place) Deno.test.afterAll(async () => await place[Symbol.asyncDispose]());

const SUITE: DialectSuite = {
  unavailable: place ? undefined : "ROWHOUSE_TEST_MSSQL_URL is not set",
  open: (pool) => open({ pool }),
  async openSchemas(pool) {
    return { ...await open({ pool, dbSchema: ["dbo", "other"] }, OTHER), other: "other" };
  },
  logins: {
    create: ({ dbuser, dbpass }) =>
      `create login ${dbuser} with password = '${dbpass}'; create user ${dbuser} for login ${dbuser};
       grant select on owner to ${dbuser}`,
    drop: ({ dbuser }) => `revoke select on owner from ${dbuser}; drop user ${dbuser}; drop login ${dbuser}`,
  },
  endless: "select count_big(*) from many a, many b, many c, many d",
  crash: () => required().killConnections(),
};

testDialect("mssql", SUITE);

async function open(
  changes: Partial<DatabaseDefinition>,
  more: readonly string[] = [],
): Promise<DialectUnderTest> {
  const { server, name, client } = required();
  await client.run([...LEFT, ...TABLES].join(";\n"), VIEW, ROWS.join(";\n"), ...more);
  const under = dialect();
  const database = await under.connect(definitionOn(server, name, changes), loginOf(server), {
    signal: NEVER,
  });
  return {
    dialect: under,
    database,
    beside: (script) => runBeside(client, script),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      // Some servers ignore requests to cancel: a remaining statement must not delay the next test.
      await place?.cleanUp();
    },
  };
}

/** Rows of `owner` come with their ids, which the server otherwise counts up. */
async function runBeside(client: Client, script: string): Promise<void> {
  const at = script.indexOf("drop login");
  if (at > 0) {
    await client.run(script.slice(0, at));
    return await dropLogin(client, script.slice(at));
  }
  const isInsert = script.startsWith("INSERT INTO owner (id,");
  await client.run(
    isInsert ? `set identity_insert owner on; ${script} set identity_insert owner off` : script,
  );
}

/** A server notices the end of a login's connections with a delay. */
async function dropLogin(client: Client, statement: string): Promise<void> {
  for (let attempt = 0;; attempt++) {
    try {
      return void await client.run(statement);
    } catch (error) {
      if (attempt === 200 || !/logged in/.test(String(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function required(): Place & { readonly server: URL } {
  if (!place || !SERVER) throw new Error("There is no server");
  return { ...place, server: SERVER };
}
