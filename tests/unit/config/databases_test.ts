import assert from "node:assert/strict";
import { DATABASE_MEMBERS } from "@/config/databases.ts";
import type { AnyMembers } from "@/config/definition_members.ts";
import { complaintsAbout, load } from "./directory.ts";

function marked(mark: "keepsConnection" | "leads"): readonly string[] {
  const members: AnyMembers = DATABASE_MEMBERS;
  return Object.values(members).filter((member) => member[mark]).map(({ wire }) => wire);
}

Deno.test("rights, description and limit change without connecting a database anew", () => {
  const members = ["desc", "limit", "creator", "read", "write", "execute"];
  assert.deepEqual(marked("keepsConnection"), members);
});

Deno.test("type, name, host, port, TLS, replicas and options decide which database a definition leads to", () => {
  assert.deepEqual(marked("leads"), [
    "db_type",
    "db_name",
    "db_host",
    "db_port",
    "ssl",
    "replicas",
    "options",
  ]);
});

Deno.test("a database has the documented defaults", () => {
  assert.deepEqual(load({ "databases.cfg": "D: {db_type: sqlite, db_name: d.db}" }).databases.get("D"), {
    id: "D",
    dbType: "sqlite",
    description: "",
    dbName: "d.db",
    dbSchema: [],
    prepare: true,
    autoconnect: true,
    autoloadUser: { dbuser: "", dbpass: "" },
    alternateKey: new Map(),
    foreignKeys: new Map(),
    labels: new Map(),
    excludedColumns: new Map(),
    excludedTables: [],
    replicas: [],
    options: {},
    pool: { max: 10, idleTimeout: 30, acquireTimeout: 5, statementTimeout: 30 },
    creator: "admin",
    read: [],
    write: [],
    execute: [],
  });
});

Deno.test("every member of a database is read", () => {
  const yaml = `
Chinook:
  db_type: postgresql
  desc: Music store
  db_name: chinook
  db_host: db.example
  db_port: 5432
  db_schema: [public, extra]
  db_encoding: UTF8
  ssl: {rejectUnauthorized: true}
  options: {threads: 4}
  prepare: false
  autoconnect: false
  autoload_user: {dbuser: reader, dbpass: "123"}
  alternate_key: {SomeView: [id]}
  foreign_keys: {SomeView: [{columns: [customer_id], table: Customer, references: [CustomerId]}]}
  labels: {Employee: [FirstName, LastName]}
  excluded_columns: {Employee: [Salary]}
  excluded_tables: ["secret_*"]
  limit: 100
  replicas: [{db_host: r1, db_port: 5433}, {db_host: r2}]
  pool: {max: 3, idle_timeout: 1, acquire_timeout: 0.5, statement_timeout: 60}
  creator: ann
  read: [a]
  write: [b]
  execute: [c]
`;
  assert.deepEqual(load({ "databases.cfg": yaml }).databases.get("Chinook"), {
    id: "Chinook",
    dbType: "postgresql",
    description: "Music store",
    dbName: "chinook",
    dbHost: "db.example",
    dbPort: 5432,
    dbSchema: ["public", "extra"],
    dbEncoding: "UTF8",
    ssl: { rejectUnauthorized: true },
    options: { threads: 4 },
    prepare: false,
    autoconnect: false,
    autoloadUser: { dbuser: "reader", dbpass: "123" },
    alternateKey: new Map([["SomeView", ["id"]]]),
    foreignKeys: new Map([["SomeView", [{
      columns: ["customer_id"],
      table: "Customer",
      references: ["CustomerId"],
    }]]]),
    labels: new Map([["Employee", ["FirstName", "LastName"]]]),
    excludedColumns: new Map([["Employee", ["Salary"]]]),
    excludedTables: ["secret_*"],
    limit: 100,
    replicas: [{ dbHost: "r1", dbPort: 5433 }, { dbHost: "r2" }],
    pool: { max: 3, idleTimeout: 1, acquireTimeout: 0.5, statementTimeout: 60 },
    creator: "ann",
    read: ["a"],
    write: ["b"],
    execute: ["c"],
  });
});

Deno.test("null stands for an absent member and one schema for a list of one", () => {
  const { databases } = load({
    "databases.cfg": "D: {db_type: x, db_name: d, db_host: ~, limit: ~, pool: ~, db_schema: s}",
  });
  const database = databases.get("D");
  assert.ok(database);
  assert.deepEqual(["dbHost" in database, "limit" in database, database.pool.max], [false, false, 10]);
  assert.deepEqual(database.dbSchema, ["s"]);
});

const LIMITS: readonly [member: string, ini: string, limit: number | undefined][] = [
  ["", "", undefined],
  ["", "db.D.limit = 7", 7],
  [", limit: 3", "db.D.limit = 7", 3],
  [", limit: 3", "", 3],
];

for (const [member, ini, limit] of LIMITS) {
  Deno.test(`the limit of a database with "${member}" and "${ini}" is ${limit}`, () => {
    const files = {
      "databases.cfg": `D: {db_type: sqlite, db_name: d${member}}`,
      "service.ini": `[service]\n${ini}`,
    };
    assert.equal(load(files).databases.get("D")?.limit, limit);
  });
}

const MISTAKES: readonly [members: string, complaint: string][] = [
  ["db_type: ~", "D.db_type: Is required, found nothing"],
  ["db_name: ''", "D.db_name: Expected text, found empty text"],
  ["db_typ: sqlite", 'D.db_typ: Unknown member: did you mean "db_type"?'],
  ["desc: 3", "D.desc: Expected text, found a number: put it in quotes"],
  ["db_encoding: yes_no, desc: true", "D.desc: Expected text, found a boolean: put it in quotes"],
  ["db_port: 70000", "D.db_port: Expected an integer from 1 to 65535, found 70000"],
  ["db_port: many", "D.db_port: Expected an integer from 1 to 65535, found text"],
  ["db_schema: {}", "D.db_schema: Expected text, found a mapping"],
  ["db_schema: [1]", "D.db_schema.0: Expected text, found a number: put it in quotes"],
  [
    "cursors: true",
    "D.cursors: Unknown member: expected one of db_type, desc, db_name, db_host, db_port, db_schema, db_encoding, ssl, " +
    "autoconnect, autoload_user, alternate_key, foreign_keys, labels, excluded_columns, excluded_tables, limit, " +
    "replicas, sticky, options, prepare, pool, creator, read, write, execute",
  ],
  ["prepare: 0", "D.prepare: Expected true or false, found a number"],
  ["autoconnect: maybe", "D.autoconnect: Expected true or false, found text"],
  ["autoload_user: {dbuser: a, dbpas: b}", 'D.autoload_user.dbpas: Unknown member: did you mean "dbpass"?'],
  ["autoload_user: {dbpass: 123}", "D.autoload_user.dbpass: Expected text, found a number: put it in quotes"],
  ["alternate_key: {V: []}", "D.alternate_key.V: Expected a list with at least one item"],
  ["alternate_key: [V]", "D.alternate_key: Expected a mapping, found a list"],
  ["foreign_keys: {V: [{columns: [a]}]}", "D.foreign_keys.V.0.table: Is required, found nothing"],
  [
    "foreign_keys: {V: [{columns: [a], table: T, references: [b, c]}]}",
    'D.foreign_keys.V.0.references: Expected as many columns as "columns" has, 1, found 2',
  ],
  ["excluded_columns: {T: x}", "D.excluded_columns.T: Expected a list, found text"],
  ["excluded_tables: secret", "D.excluded_tables: Expected a list, found text"],
  [
    "excluded_tables:",
    "D.excluded_tables: Found nothing, which would lift a restriction: leave the member out for that",
  ],
  [
    "excluded_columns: ~",
    "D.excluded_columns: Found nothing, which would lift a restriction: leave the member out for that",
  ],
  ["limit: 0", "D.limit: Expected an integer from 1, found 0"],
  ["replicas: [{db_port: 1}]", "D.replicas.0.db_host: Is required, found nothing"],
  ["replicas: [r1]", "D.replicas.0: Expected a mapping, found text"],
  ["pool: {max: 0}", "D.pool.max: Expected an integer from 1, found 0"],
  ["pool: {idle_timeout: -1}", "D.pool.idle_timeout: Expected a number of seconds greater than 0, found -1"],
  [
    "pool: {statement_timeout: .inf}",
    "D.pool.statement_timeout: Expected a number of seconds greater than 0, found Infinity",
  ],
  [
    "pool: {idle: 3}",
    "D.pool.idle: Unknown member: expected one of max, idle_timeout, acquire_timeout, statement_timeout",
  ],
  ["execute: ann", "D.execute: Expected a list, found text"],
];

for (const [members, complaint] of MISTAKES) {
  Deno.test(`a database is refused for ${members}`, () => {
    const given = { db_type: "db_type: sqlite", db_name: "db_name: d" };
    const others = Object.entries(given).filter(([name]) => !members.startsWith(`${name}:`)).map(([, text]) =>
      text
    );
    const complaints = complaintsAbout({ "databases.cfg": `D: {${[...others, members].join(", ")}}` });
    assert.equal(complaints[0], `databases.cfg: ${complaint}`);
  });
}

Deno.test("a limit in service.ini for a database that is not there names the nearest", () => {
  const files = {
    "databases.cfg": "Demo: {db_type: sqlite, db_name: d}",
    "service.ini": "[service]\ndb.Demmo.limit = 3",
  };
  assert.deepEqual(complaintsAbout(files), [
    'service.ini: db.Demmo.limit: Cannot find database "Demmo" in databases.cfg: did you mean "Demo"?',
  ]);
});
