import assert from "node:assert/strict";
import { runMain } from "@/tests/support/process.ts";
import { inHome, sharedService, type StartOptions } from "@/tests/support/service.ts";
import { key, send } from "./people.ts";

const STATEMENTS = [
  "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price TEXT)",
  "CREATE TABLE salary (id INTEGER PRIMARY KEY, amount INTEGER)",
  "CREATE TABLE secret_plan (id INTEGER PRIMARY KEY)",
  "CREATE TABLE vault (pin TEXT)",
  "CREATE VIEW broken AS SELECT x FROM missing",
  "INSERT INTO item VALUES (1, 'Rope', '9')",
  "INSERT INTO salary VALUES (1, 999999)",
];

const USERS = `public:
  databases:
    Stock: {access: {"*": [read], Salary: [], Nosuch: []}}
admin:
  apikey: ${key("admin")}
personnel:
  apikey: ${key("personnel")}
  userdef: [create]
  databases:
    Stock: {access: {"*": [read], Salary: []}}
architect:
  apikey: ${key("architect")}
  dbdef: [view]
author:
  apikey: ${key("author")}
  querydef: [create]
  databases:
    Stock: {}
`;

const DATABASES = `Stock:
  db_type: sqlite
  db_name: \${ROWHOUSE_STATE}/stock.db
  excluded_tables: [Secret_Plan]
  excluded_columns: {ITEM: [Price], Gone: [x], Vault: [PIN]}
`;

const QUERIES = `cheap:
  database: Stock
  sqlstr: SELECT name FROM item WHERE id < :most
  parameters: {mots: integer}
`;

const START: StartOptions = {
  files: {
    "config/users.cfg": USERS,
    "config/databases.cfg": DATABASES,
    "config/querydefs.cfg": QUERIES,
  },
  sqlite: { Stock: STATEMENTS.join(";\n") },
  isAdministered: true,
};

const COMPLAINTS = [
  'Stock.excluded_columns.Gone: Cannot find table "Gone"',
  'public.databases.Stock.access.Nosuch: Cannot find table "Nosuch" in database "Stock"',
  'cheap.parameters.mots: Cannot find parameter "mots" in the SQL: it has "most"',
];

const service = sharedService(START);
const as = (login: string, line: string, body?: unknown) => send(service(), login, line, body);
const complaintsFor = async (login: string, path = "") =>
  JSON.parse((await as(login, `GET /settings/reflect-status${path}.json`)).text);

Deno.test("a table that is taken away under another spelling is taken away", async () => {
  for (const path of ["salary", "Salary", "salary/id/1", "salary/id/1/amount"]) {
    assert.equal((await as("public", `GET /db/Stock/${path}.json`)).status, 403, path);
  }
  assert.doesNotMatch((await as("public", "GET /db/Stock.json")).text, /salary/i);
  assert.doesNotMatch((await as("public", "GET /openapi/Stock.json")).text, /salary/i);
  assert.equal((await as("public", "GET /db/Stock/item.json")).status, 200);
});

Deno.test("tables and columns that are excluded under another spelling are excluded", async () => {
  assert.equal((await as("public", "GET /db/Stock/secret_plan.json")).status, 404);
  const [item] = JSON.parse((await as("public", "GET /db/Stock/item.json")).text);
  assert.deepEqual(Object.keys(item), ["__href", "id", "name"]);
});

Deno.test("a table whose columns are all excluded is excluded", async () => {
  for (
    const request of ["GET /db/Stock/vault.json", "POST /db/Stock/vault.json", "GET /db/Stock/vault.xsd"]
  ) {
    const body = request.startsWith("POST") ? {} : undefined;
    assert.equal((await as("public", request, body)).status, 404, request);
  }
  assert.doesNotMatch((await as("public", "GET /db/Stock.json")).text, /vault/);
});

Deno.test("names that no table has are told in the log and in the state of the database", async () => {
  const log = await service().log();
  for (const complaint of COMPLAINTS) assert.ok(log.includes(complaint), complaint);
  assert.deepEqual((await complaintsFor("admin", "/Stock")).complaints, COMPLAINTS);
  assert.deepEqual((await complaintsFor("admin")).Stock.complaints, COMPLAINTS);
  assert.deepEqual((await complaintsFor("architect")).Stock.complaints, COMPLAINTS.slice(0, 1));
  assert.deepEqual((await complaintsFor("public")).Stock.complaints, []);
});

Deno.test("who writes an account is told of names in it that no table has", async () => {
  const access = { "*": ["read"], Salry: [] };
  const body = { user_id: "ann", databases: { Stock: { access } } };
  const created = await as("admin", "POST /userdef.json", body);
  const warning = 'databases.Stock.access.Salry: Cannot find table "Salry" in database "Stock"';
  assert.deepEqual([created.status, created.headers.get("warning")], [201, warning]);
  const changed = await as("admin", "PUT /userdef/ann.json", { name: "Ann" });
  assert.deepEqual([changed.status, changed.headers.get("warning")], [204, warning]);
  assert.ok((await service().log()).includes(`ann.${warning}`));
  const databases = { Stock: { access: { SALARY: [] } } };
  const right = await as("admin", "PUT /userdef/ann.json", { databases });
  assert.deepEqual([right.status, right.headers.get("warning")], [204, null]);
  assert.equal((await as("admin", "DELETE /userdef/ann.json")).status, 204);
});

Deno.test("who maps an account to a database that does not exist is told so, as the log is", async () => {
  const created = await as("admin", "POST /userdef.json", { user_id: "bob", databases: { Stok: {} } });
  const warning = 'databases.Stok: Cannot find database "Stok" in databases.cfg';
  assert.deepEqual([created.status, created.headers.get("warning")], [201, warning]);
  const changed = await as("admin", "PUT /userdef/bob.json", { name: "Bob" });
  assert.deepEqual([changed.status, changed.headers.get("warning")], [204, warning]);
  assert.ok((await service().log()).includes(`bob.${warning}`));
  assert.equal((await as("admin", "DELETE /userdef/bob.json")).status, 204);
});

Deno.test("types of parameters that the SQL of a query does not have are refused", async () => {
  const sqlstr = "SELECT name FROM item WHERE id < :most AND name > :Most";
  const query = { query_id: "dear", database: "Stock", sqlstr, parameters: { MOST: "integer" } };
  const words = '"parameters": Cannot find parameter "MOST" in the SQL: it has "most", "Most"';
  const refused = async (login: string, line: string, body: unknown) => {
    const { status, text } = await as(login, line, body);
    assert.deepEqual([status, JSON.parse(text).description.endsWith(words)], [400, true], text);
  };
  for (const login of ["author", "admin"]) await refused(login, "POST /querydef.json", query);
  const { query_id: _, ...members } = query;
  await refused("author", "POST /settings/check-query.json", members);
  const parameters = { Most: "text" };
  assert.equal((await as("author", "POST /querydef.json", { ...query, parameters })).status, 201);
  await refused("author", "PUT /querydef/dear.json", { parameters: query.parameters });
  const other = await as("author", "PUT /querydef/dear.json", { sqlstr: "SELECT 1 AS one" });
  assert.match(other.text, /Cannot find parameter \\"Most\\" in the SQL: it has none/);
  assert.equal((await as("author", "PUT /querydef/dear.json", { desc: "of the dear ones" })).status, 204);
  assert.equal((await as("author", "DELETE /querydef/dear.json")).status, 204);
  // Only its names are wrong: the rest of a definition in a file can be changed.
  assert.equal((await as("admin", "PUT /querydef/cheap.json", { desc: "cheap ones" })).status, 204);
});

Deno.test("refused: a table that one has under no spelling is handed on under the right one", async () => {
  const body = { user_id: "mallory", databases: { Stock: { access: { salary: ["read"] } } } };
  assert.equal((await as("personnel", "POST /userdef.json", body)).status, 403);
});

Deno.test("check complains of names that no table has, and says which databases it cannot ask", async () => {
  const away = "Away: {db_type: sqlite, db_name: away.db}\n";
  await inHome({
    ...START,
    files: { ...START.files, "config/databases.cfg": DATABASES + away },
  }, async (home) => {
    const { code, stdout, stderr } = await runMain(["check", "--home", home]);
    assert.equal(code, 1);
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      `${home}/config/databases.cfg: ${COMPLAINTS[0]}`,
      `${home}/config/users.cfg: ${COMPLAINTS[1]}`,
      `${home}/config/querydefs.cfg: ${COMPLAINTS[2]}`,
    ]);
    assert.match(stdout, /databases\.cfg: Stock: Left out view "broken": no such table: main\.missing\n/);
    assert.match(stdout, /databases\.cfg: Away: Cannot check the names of its tables: .*no such file/);
  });
});
