import assert from "node:assert/strict";
import { join } from "node:path";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { sharedService, type StartOptions, startService } from "@/tests/support/service.ts";
import { key, send } from "./people.ts";

const USERS = `public:
  databases:
    Demo: {access: {"*": [read]}}
    Shop: {dbuser: web, access: {"*": [read]}}
    Former: {}
admin:
  apikey: ${key("admin")}
editor:
  apikey: ${key("editor")}
  dbdef: [create, view, edit, delete]
  databases:
    Own: {dbuser: editor, dbpass: own-password}
author:
  apikey: ${key("author")}
  querydef: [create]
  databases: {Demo: {}, Shop: {}}
`;

const DATABASES = `Demo:
  db_type: sqlite
  db_name: \${ROWHOUSE_STATE}/demo.db
  excluded_tables: [Crew]
  excluded_columns: {Customer: [Note]}
Shop: {db_type: postgresql, db_name: shop, db_host: 127.0.0.1, db_port: 1, autoconnect: false}
Own: {db_type: postgresql, db_name: own, autoconnect: false}
Free: {db_type: postgresql, db_name: free, autoconnect: false, db_schema: [public]}
`;

const START: StartOptions = {
  files: {
    "config/users.cfg": USERS,
    "config/databases.cfg": DATABASES,
    "config/querydefs.cfg": "{}\n",
    "payroll/payroll.db": "",
  },
  isAdministered: true,
  prepare: async (home) => {
    await Deno.remove(join(home, "payroll", "payroll.db"));
    createDatabase(
      join(home, "payroll", "payroll.db"),
      "CREATE TABLE Salary (id INTEGER PRIMARY KEY, amount INTEGER)",
    );
    await Deno.symlink(join(home, "payroll"), join(home, "state", "link"));
  },
};

const service = sharedService(START);
const as = (login: string, line: string, body?: unknown) => send(service(), login, line, body);
const payroll = () => join(service().home, "payroll", "payroll.db");
const demo = () => join(service().home, "state", "demo.db");
const server = { db_type: "postgresql", db_name: "x", autoconnect: false };

const ATTACKS: readonly (readonly [title: string, line: string, body: () => unknown])[] = [
  ["leads a database to another file", "PUT /dbdef/Demo.json", () => ({ db_name: payroll() })],
  [
    "leads a database that is used under somebody's login to another one",
    "PUT /dbdef/Shop.json",
    () => ({ db_name: "payroll" }),
  ],
  [
    "leads a database that is used under the own login to another one",
    "PUT /dbdef/Own.json",
    () => ({ db_name: "payroll" }),
  ],
  [
    "makes a server's database a file",
    "PUT /dbdef/Free.json",
    () => ({ db_type: "sqlite", db_name: demo() }),
  ],
  [
    "creates a database that is a file",
    "POST /dbdef.json",
    () => ({ db_id: "Evil", db_type: "sqlite", db_name: demo() }),
  ],
  [
    "creates a database under an id that accounts are mapped to",
    "POST /dbdef.json",
    () => ({ db_id: "Former", ...server }),
  ],
  ["takes away excluded tables", "PUT /dbdef/Demo.json", () => ({ excluded_tables: [] })],
  ["takes excluded tables away with null", "PUT /dbdef/Demo.json", () => ({ excluded_tables: null })],
  ["takes away excluded columns", "PUT /dbdef/Demo.json", () => ({ excluded_columns: { Customer: [] } })],
  ["adds a schema", "PUT /dbdef/Free.json", () => ({ db_schema: ["public", "hr"] })],
  ["names other schemas where there were none", "PUT /dbdef/Shop.json", () => ({ db_schema: "hr" })],
  [
    "tries which servers there are with a database that others use",
    "POST /settings/check-database-connection.json",
    () => ({ db_id: "Shop", db_port: 9, autoload_user: { dbuser: "x", dbpass: "y" } }),
  ],
  [
    "tries which files there are",
    "POST /settings/check-database-connection.json",
    () => ({ db_type: "sqlite", db_name: payroll() }),
  ],
  [
    "tries which files there are with a definition that is there",
    "POST /settings/check-database-connection.json",
    () => ({ db_id: "Demo", db_name: payroll() }),
  ],
];

for (const [title, line, body] of ATTACKS) {
  Deno.test(`refused: an editor of databases ${title}`, async () => {
    const before = Deno.readTextFileSync(join(service().home, "config", "databases.cfg"));
    const { status, text } = await as("editor", line, body());
    assert.equal(status, 403, text);
    assert.equal(Deno.readTextFileSync(join(service().home, "config", "databases.cfg")), before);
    assert.equal((await as("public", "GET /db/Demo/Salary.json")).status, 404);
    assert.equal((await as("public", "GET /db/Demo/Crew.json")).status, 404);
  });
}

Deno.test("refused: an author writes a query for a server without a login for it", async () => {
  const query = { query_id: "theirs", sqlstr: "SELECT 1" };
  assert.equal((await as("author", "POST /querydef.json", { ...query, database: "Shop" })).status, 403);
  assert.equal((await as("author", "POST /querydef.json", { ...query, database: "Demo" })).status, 201);
});

Deno.test("refused: an editor deletes a database and creates it anew for those who are mapped to it", async () => {
  assert.equal((await as("editor", "DELETE /dbdef/Shop.json")).status, 204);
  const shop = { db_id: "Shop", ...server };
  const { status, text } = await as("editor", "POST /dbdef.json", shop);
  assert.equal(status, 403);
  assert.match(text, /accounts are mapped to this database/);
  assert.equal((await as("admin", "POST /dbdef.json", shop)).status, 201);
});

Deno.test("an editor changes what leads nowhere else, and excludes more", async () => {
  const more = {
    desc: "Ferries",
    limit: 100,
    excluded_tables: ["Crew", "Port"],
    excluded_columns: { Customer: ["Note", "Email"] },
  };
  assert.equal((await as("editor", "PUT /dbdef/Demo.json", more)).status, 204);
  const { text } = await as("editor", "GET /dbdef/Demo.json");
  assert.equal((await as("editor", "PUT /dbdef/Demo.json", text)).status, 204);
  assert.equal((await as("public", "GET /db/Demo/Port.json?limit=1")).status, 404);
  const check = "POST /settings/check-database-connection.json";
  assert.equal((await as("editor", check, { db_id: "Demo", desc: "x" })).status, 200);
  assert.equal((await as("editor", "PUT /dbdef/Free.json", { db_name: "other" })).status, 204);
  assert.equal((await as("editor", "POST /dbdef.json", { db_id: "New", ...server })).status, 201);
});

Deno.test("definitions over HTTP name files of the state directory only, wherever links lead", async () => {
  const outside = [
    payroll(),
    "../payroll/payroll.db",
    join(service().home, "state", "link", "payroll.db"),
    join(service().home, "state", "..", "payroll", "payroll.db"),
    join(service().home, "state-of-others.db"),
    "demo.db", // names begin at the configuration directory
    service().home,
  ];
  for (const db_name of outside) {
    const created = await as("admin", "POST /dbdef.json", { db_id: "Pay", db_type: "sqlite", db_name });
    assert.equal(created.status, 400, db_name);
    const { description } = JSON.parse(created.text);
    const words = `expected the whole path of a file in ${JSON.stringify(join(service().home, "state"))}`;
    assert.ok(description.includes(words), description);
    assert.match(description, /sqlite\.directories/);
    assert.equal((await as("admin", "PUT /dbdef/Demo.json", { db_name })).status, 400, db_name);
    const check = "POST /settings/check-database-connection.json";
    assert.equal((await as("admin", check, { db_type: "sqlite", db_name })).status, 400, db_name);
  }
  for (const db_name of [demo(), "../state/demo.db", join(service().home, "state", "later.db")]) {
    const copy = { db_id: "Copy", db_type: "sqlite", db_name };
    assert.equal((await as("admin", "POST /dbdef.json", copy)).status, 201, db_name);
    assert.equal((await as("admin", "DELETE /dbdef/Copy.json")).status, 204);
  }
});

Deno.test("over HTTP certificates and keys are PEM text, and name no file", async () => {
  const free = { db_type: "postgresql", db_name: "x", db_host: "127.0.0.1", db_port: 1 };
  for (const name of ["ca", "cert", "key"]) {
    const ssl = { ssl: { [name]: "/dev/zero" } };
    const sent = [
      as("admin", "PUT /dbdef/Free.json", ssl),
      as("editor", "POST /dbdef.json", { db_id: "Tls", ...free, ...ssl }),
      as("editor", "POST /settings/check-database-connection.json", { ...free, ...ssl }),
    ];
    for (const { status, text } of await Promise.all(sent)) {
      assert.equal(status, 400, text);
      assert.ok(JSON.parse(text).description.includes(`"ssl.${name}": it is no PEM text`), text);
    }
  }
  const pem = "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n";
  assert.equal((await as("editor", "PUT /dbdef/Free.json", { ssl: { ca: pem } })).status, 204);
});

Deno.test("sqlite.directories bounds definitions that are written by hand, too", async () => {
  await using own = await startService({
    ...START,
    files: {
      ...START.files,
      "config/service.ini": "[service]\nsqlite.directories = ../payroll, ../none\n",
      "config/databases.cfg": `${DATABASES}Pay: {db_type: sqlite, db_name: ../state/link/payroll.db}\n`,
    },
  });
  const { text } = await send(own, "admin", "GET /settings/reflect-status.json");
  const { Demo, Pay } = JSON.parse(text);
  assert.deepEqual([Demo.state, Pay.state], ["failed", "connected"]);
  assert.match(Demo.reason, /none of the directories of sqlite\.directories/);
  const body = (db_name: string) => ({ db_id: "New", db_type: "sqlite", db_name });
  const inState = body(join(own.home, "state", "demo.db"));
  assert.equal((await send(own, "admin", "POST /dbdef.json", inState)).status, 400);
  const { description } = JSON.parse((await send(own, "admin", "POST /dbdef.json", inState)).text);
  assert.ok(description.includes(JSON.stringify(join(own.home, "payroll"))), description);
  const inPayroll = body(join(own.home, "payroll", "payroll.db"));
  assert.equal((await send(own, "admin", "POST /dbdef.json", inPayroll)).status, 201);
});
